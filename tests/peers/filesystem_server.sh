#!/usr/bin/env bash
# Measures fenced calls beside native code, spawned processes, bwrap and Node's MCP filesystem
# server, in one run. Usage: tests/peers/filesystem_server.sh [FOLDER]; without one, target/peers.
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
work=${1:-$root/target/peers}
mkdir -p "$work/node"
work=$(cd "$work" && pwd)

package=@modelcontextprotocol/server-filesystem
npm install --silent --no-fund --no-audit --prefix "$work/node" "$package@2026.8.31"
export RINGFENCE_NODE_SERVER=$work/node/node_modules/$package/dist/index.js

cd "$root"
cargo build --quiet --release -p ringfence
cargo bench --quiet -p ringfence-sandbox --bench call
