#!/bin/bash
# Runs the stages named on the command line, all of them without one, and ends with every runner's own count.
set -uo pipefail
cd "$(dirname "$0")/.."
export PATH="$PWD/.tools/bin:$PATH"
export CARGO_TERM_COLOR="${CARGO_TERM_COLOR:-auto}"

logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
failed=()
summary=()

# Runs one stage, shows its output as it comes, and keeps the lines in which its runner counts.
stage() {
  local name=$1 began=$SECONDS
  shift
  printf '\n== %s\n' "$name"
  if "$@" 2>&1 | tee "$logs/out"; then
    summary+=("ok      $name ($((SECONDS - began)) s)")
  else
    summary+=("FAILED  $name ($((SECONDS - began)) s)")
    failed+=("$name")
  fi
  # Counts of cargo test, nextest and node's runner.
  local counts
  counts=$(sed 's/\x1b\[[0-9;]*m//g' "$logs/out" | grep -E '^ *(test result:|Summary \[|# (tests|pass|fail) |ℹ (tests|pass|fail) )' | grep -v ' 0 passed; 0 failed' || true)
  [ -z "$counts" ] || summary+=("$(sed 's/^ */          /' <<<"$counts")")
}

# One runner for native tests: nextest where it is installed, cargo's own otherwise.
native() {
  if command -v cargo-nextest >/dev/null; then
    cargo nextest run --no-fail-fast --no-tests=pass "$@"
  else
    cargo test --no-fail-fast "$@"
  fi
}

lint() {
  stage "format (rustfmt)" cargo fmt --all --check
  stage "lint (clippy)" cargo clippy --workspace --all-targets --quiet -- -D warnings
  stage "lint (biome, tsc)" npm run --silent lint
}

unit() {
  stage "core and host" native --package cairn-core --package cairn-host
  stage "the probe's parts that read no page" native --package cairn-probe --lib
  stage "harness" native --package cairn-tests --lib --bins
  stage "extension" npm run --silent test
}

page() {
  stage "in the page (wasm-pack)" wasm-pack test --headless --chrome --mode no-install \
    --chromedriver "$(command -v chromedriver)" probe-wasm
}

build() {
  stage "build (extension, cairn)" bash -c 'npm run --silent build && cargo build --quiet --package cairn-host --bin cairn'
}

e2e() {
  # Two browsers at a time: most of a test is waiting. More would starve each other on two cores.
  RUST_TEST_THREADS=2 stage "end to end" native --package cairn-tests --test '*'
}

drift() { stage "drift" cargo run --quiet --package cairn-tests --bin drift -- --check; }

# The real applications come from npm once; they stay beside their list.
conformance() {
  stage "real applications (npm)" bash -c 'cd tests/conformance && { cmp -s package-lock.json node_modules/.cairn-lock || { npm ci --no-audit --no-fund --ignore-scripts && cp package-lock.json node_modules/.cairn-lock; }; }'
  stage "conformance" cargo run --quiet --package cairn-tests --bin conformance
}

[ $# -gt 0 ] || set -- lint unit drift page build e2e
for name in "$@"; do
  case $name in
    lint | unit | page | build | e2e | drift | conformance) "$name" ;;
    *) echo "no stage is called $name" >&2; exit 2 ;;
  esac
done

printf '\n== summary (%s s)\n' "$SECONDS"
printf '%s\n' "${summary[@]}"
[ ${#failed[@]} = 0 ] || { printf '\n%s of the stages failed: %s\n' "${#failed[@]}" "${failed[*]}"; exit 1; }
