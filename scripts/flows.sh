#!/bin/bash
# Flows of ten steps and more on what people really use, each recorded once and replayed 20 times: not one may fail.
set -euo pipefail
cd "$(dirname "$0")/.."
replays=${REPLAYS:-20}
npm ci --silent --no-audit --no-fund --prefix tests/widgets
node tests/widgets/bundle.mjs
cargo build --quiet --package cairn-host --bin cairn --package cairn-tests --bin cases
failed=0
target/debug/cases --folder tests/widgets --engine wasm --replays "$replays" 15 21 22 || failed=1

folder=tests/out/django
mkdir -p "$folder"
[ -x "$folder/venv/bin/python" ] || python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -c 'import django' 2>/dev/null || "$folder/venv/bin/pip" install --quiet 'django==5.2.*'
rm -f "$folder/admin.sqlite3"
"$folder/venv/bin/python" tests/django/site.py "$folder" 8321 >"$folder/server.log" 2>&1 &
server=$!
trap 'kill "$server" 2>/dev/null || true' EXIT
for _ in $(seq 100); do curl --silent --output /dev/null http://127.0.0.1:8321/admin/ && break; sleep 0.2; done
target/debug/cases --folder tests/django --engine wasm --replays "$replays" || failed=1
exit "$failed"
