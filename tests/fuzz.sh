#!/bin/bash
# Fuzzes each target for so many seconds.
#
#   fuzz.sh SECONDS [TARGET…]           led by coverage, with libFuzzer (wants a C++ compiler)
#   fuzz.sh --plain SECONDS             the same targets with random changes of their seeds alone
#
# TARGET: paths values policy components. The first build takes minutes: it builds the runtime again,
# in ${XDG_CACHE_HOME:-$HOME/.cache}/ringfence/fuzz, where what was found to reach new code is kept
# too. An input that fails is left in fuzz/artifacts, and the command to try it again is printed.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
case ${1:--h} in -h|--help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"; exit 0 ;; esac
test=(cargo test --quiet --locked --manifest-path "$root/Cargo.toml" --workspace --test fuzz)
if [ "$1" = --plain ]; then
  RINGFENCE_FUZZ_SECONDS=$2 "${test[@]}" -- --test-threads 1 --nocapture
  exit
fi
seconds=$1
shift
[ $# -gt 0 ] || set -- paths values policy components

cache=${XDG_CACHE_HOME:-$HOME/.cache}/ringfence/fuzz
RINGFENCE_FUZZ_SEEDS=$cache/seeds "${test[@]}" -- seeds
RUSTC_WRAPPER=$root/fuzz/covered.sh CARGO_TARGET_DIR=$cache/target \
  cargo build --quiet --locked --manifest-path "$root/fuzz/Cargo.toml"
status=0
for target in "$@"; do
  mkdir -p "$cache/corpus/$target" "$root/fuzz/artifacts/$target"
  echo "== $target"
  # What is kept is made small again before, so that it stays some hundred inputs.
  if [ -n "$(ls "$cache/corpus/$target")" ]; then
    rm -rf "$cache/smaller" && mkdir "$cache/smaller"
    "$cache/target/debug/$target" -merge=1 -verbosity=0 "$cache/smaller" "$cache/corpus/$target" >"$cache/log" 2>&1 \
      && rm -rf "${cache:?}/corpus/$target" && mv "$cache/smaller" "$cache/corpus/$target"
  fi
  "$cache/target/debug/$target" -max_total_time="$seconds" -max_len=4096 -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 \
    -verbosity=0 -artifact_prefix="$root/fuzz/artifacts/$target/" "$cache/corpus/$target" "$cache/seeds/$target" >"$cache/log" 2>&1 \
    || { status=1; tail -n 40 "$cache/log"; echo "again: $cache/target/debug/$target fuzz/artifacts/$target/…"; }
  grep -E "number_of_executed_units|new_units_added" "$cache/log" || true
done
exit $status
