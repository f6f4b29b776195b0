#!/bin/bash
# Drives `cairn mcp` with the official Python SDK, which goes to .tools/mcp once.
set -euo pipefail
cd "$(dirname "$0")/.."
version=2.3.0
packages="$PWD/.tools/mcp"
if ! "$packages/bin/pip" show --quiet "mcp" 2>/dev/null || [ "$(cat "$packages/.version" 2>/dev/null)" != $version ]; then
  python3 -m venv "$packages"
  "$packages/bin/pip" install --quiet --disable-pip-version-check "mcp==$version" jsonschema
  echo $version >"$packages/.version"
fi
cargo build --quiet --package cairn-host --bin cairn
"$packages/bin/python" tests/mcp/client.py target/debug/cairn
