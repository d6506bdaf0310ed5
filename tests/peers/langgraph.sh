#!/usr/bin/env bash
# Measures a loop of the engine here and one under LangGraph, on the same disk.
# Usage: tests/peers/langgraph.sh [FOLDER]; without one, target/peers.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=${1:-$root/target/peers}
mkdir -p "$work"
work=$(cd "$work" && pwd)

if [ ! -x "$work/venv/bin/python" ]; then
  python3 -m venv "$work/venv"
fi
"$work/venv/bin/pip" install --quiet --disable-pip-version-check \
  'langgraph>=1.2,<1.3' 'langgraph-checkpoint-sqlite>=3.1,<3.2'
"$work/venv/bin/pip" list --disable-pip-version-check 2>/dev/null | grep '^langgraph'

(cd "$root" && cargo bench --quiet -p ringfence-store --bench append --no-run)

# A disk that others use at the same time is slower at one moment than at another.
disk() {
  echo "writing 4 KB and waiting for the disk, $1: $("$work/venv/bin/python" "$here/disk.py" "$work") µs"
}

disk 'before'
"$work/venv/bin/python" "$here/four_stages.py" "$work" >"$work/langgraph.json"
disk 'between'
(cd "$root" && RINGFENCE_BENCH_DIR=$work cargo bench --quiet -p ringfence-store --bench append -- --json) \
  >"$work/ringfence.json"
disk 'after'
echo
"$work/venv/bin/python" "$here/table.py" "$work/ringfence.json" "$work/langgraph.json"
