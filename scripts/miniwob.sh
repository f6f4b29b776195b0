#!/bin/bash
# Fetches the pages of MiniWoB++ from its Python package, and has a person solve them, recorded and replayed.
set -euo pipefail
cd "$(dirname "$0")/.."
pages=tests/out/miniwob
if [ ! -d "$pages/miniwob/html" ]; then
  mkdir -p "$pages"
  python3 -m pip download --quiet --no-deps --dest "$pages" miniwob==1.1.0
  python3 -m zipfile -e "$pages"/miniwob-1.1.0-*.whl "$pages"
fi
cargo build --quiet --package cairn-host --bin cairn --package cairn-tests --bin miniwob
exec target/debug/miniwob --folder "$pages/miniwob/html" "$@"
