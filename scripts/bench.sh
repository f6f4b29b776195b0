#!/bin/bash
# Speed and size. Arguments go to the benchmark: `--write` puts its table into docs/benchmarks.md.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --quiet --package cairn-tests --bin bench
# What people install is what is measured.
cargo build --quiet --release --package cairn-host --bin cairn
# The heal of one target among 10,000 candidates, natively.
cargo run --quiet --release --package cairn-core --example heal_speed
CAIRN_BIN="$PWD/target/release/cairn" target/debug/bench "$@"
