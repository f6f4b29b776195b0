#!/bin/bash
# `models.sh goals`: fifteen goals on applications of others, by a model of rules, replayed without it. `models.sh tokens`: what an
# agent reads of a page. Packages go to .tools/models once; nothing of them is a part of Cairn.
set -euo pipefail
cd "$(dirname "$0")/.."
packages="$PWD/.tools/models"
mkdir -p "$packages"
if [ ! -x "$packages/venv/bin/datasette" ]; then
  python3 -m venv "$packages/venv"
  "$packages/venv/bin/pip" install --quiet 'django>=5,<6' datasette
fi
if [ ! -d "$packages/node_modules/swagger-ui-dist" ]; then
  # The browser is the system's own.
  PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm install --silent --no-audit --no-fund --prefix "$packages" \
    @playwright/mcp gpt-tokenizer swagger-ui-dist
fi
cargo build --quiet --package cairn-host --bin cairn
case "${1:-goals}" in
  goals)
    cargo build --quiet --package cairn-tests --bin models
    target/debug/models "$packages"
    ;;
  tokens) node tests/bench/tokens.mjs target/debug/cairn "$packages" ;;
esac
