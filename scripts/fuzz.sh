#!/bin/bash
# What is read from outside, with new cases for so many minutes a target: `fuzz.sh [MINUTES]`. A case that breaks is shrunk and
# kept by proptest beside its test. Cases are counted where the runner says that they passed.
set -euo pipefail
cd "$(dirname "$0")/.."
minutes=${1:-10}
cases=${CASES:-20000}
profile=${PROFILE:-release}
cargo test --quiet --profile "$profile" --package cairn-core --test fuzz --no-run
cargo test --quiet --profile "$profile" --package cairn-host --lib --no-run

# Runs one target over and over until its time is up: a name, the package's arguments, and what its tests' names hold.
target() {
  local name=$1 filter=$2 until=$((SECONDS + minutes * 60)) rounds=0
  shift 2
  while ((SECONDS < until)); do
    PROPTEST_CASES=$cases cargo test --quiet --profile "$profile" "$@" -- "$filter" --test-threads 1 >/dev/null
    rounds=$((rounds + 1))
  done
  echo "holds  $name: $rounds rounds of $cases cases a test in $minutes minutes"
}

target "script reader" a_script_ --package cairn-core --test fuzz
target "wire" messages_of --package cairn-core --test fuzz
target "tokens" tokens_of --package cairn-core --test fuzz
target "guard" nobody_else_comes_in --package cairn-host --lib
