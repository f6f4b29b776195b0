#!/bin/bash
# Installs what the build and the tests need and skips what is there. Needs Rust (rustup), Node 20 and apt; reaches
# package registries only. CAIRN_SETUP=skip leaves everything alone.
set -euo pipefail
cd "$(dirname "$0")/.."
[ "${CAIRN_SETUP:-}" = skip ] && exit 0

say() { printf '%s\n' "$*" >&2; }
fail() { say "setup: $1"; say "       $2"; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

# The version of a dependency as Cargo.toml pins it.
pinned() { sed -n "s/^$1 = \"=\\(.*\\)\"/\\1/p" Cargo.toml; }

apt_install() {
  local root=()
  if [ "$(id -u)" != 0 ]; then
    have sudo || fail "these Debian packages are missing: $*" "install them as root: apt-get install $*"
    root=(sudo)
  fi
  say "setup: apt-get install $*"
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq </dev/null >&2
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" </dev/null >&2
}

debian_packages() {
  local missing=()
  have chromium || have google-chrome || have chromium-browser || missing+=(chromium)
  have chromedriver || missing+=(chromium-driver)
  # The store compiles SQLite.
  have cc || missing+=(build-essential)
  [ ${#missing[@]} = 0 ] || apt_install "${missing[@]}"
}

rust() {
  have cargo || fail "cargo is missing" "install Rust from https://rustup.rs"
  have rustup || { have rustc && say "setup: no rustup here: taking for granted that rustc knows wasm32-unknown-unknown"; return; }
  rustup target list --installed | grep -qx wasm32-unknown-unknown || rustup target add wasm32-unknown-unknown
  local component
  for component in rustfmt clippy; do
    rustup component list --installed | grep -q "^$component" || rustup component add "$component"
  done
}


# Builds a tool into .tools. Without --locked: a registry may lag behind a lock file.
cargo_tool() {
  say "setup: building $1 $2 into .tools (some minutes, once)"
  cargo install "$1" --version "=$2" --root .tools
}

tools() {
  local bindgen
  bindgen=$(pinned wasm-bindgen)
  # The command line must be of exactly the crate's version.
  if ! have wasm-bindgen-test-runner || [ "$(wasm-bindgen --version | awk '{print $2}')" != "$bindgen" ]; then
    cargo_tool wasm-bindgen-cli "$bindgen"
  fi
  have wasm-pack || cargo_tool wasm-pack 0.15.1
}

node_packages() {
  have node || fail "node is missing" "install Node 20 or newer, with npm"
  local major
  major=$(node -p 'process.versions.node.split(".")[0]')
  [ "$major" -ge 20 ] || fail "node $(node --version) is too old" "install Node 20 or newer"
  have npm || fail "npm is missing" "install it beside Node"
  if ! cmp -s package-lock.json node_modules/.cairn-lock; then
    say "setup: npm ci"
    npm ci --no-audit --no-fund --loglevel=error >&2
    cp package-lock.json node_modules/.cairn-lock
  fi
}

debian_packages
rust
tools
node_packages
