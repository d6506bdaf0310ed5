#!/bin/bash
# The hostile component in several languages.
#
#   build.sh OUT LANG…       builds OUT/LANG.wasm; LANG: rust c python
#
# What pip and cargo install stays in ${XDG_CACHE_HOME:-$HOME/.cache}/ringfence/languages. Rust is
# built by `ringfence tool build`; RINGFENCE names the binary (without it: cargo runs it). Ends with
# an error and what to install where a toolchain is missing.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
root=$(cd "$here/../../.." && pwd -P)
out=$(realpath -m "$1")
shift
cache=${XDG_CACHE_HOME:-$HOME/.cache}/ringfence/languages
mkdir -p "$out" "$cache"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

COMPONENTIZE_PY=0.25.1
WIT_BINDGEN=0.63.0

missing() { echo "build.sh: missing for $language: $*" >&2; exit 1; }

ringfence() {
  if [ -n "${RINGFENCE:-}" ]; then "$RINGFENCE" "$@"; else cargo run --quiet --locked --manifest-path "$root/Cargo.toml" -- "$@"; fi
}

# From a core module to a component.
component() { # MODULE OUT
  ringfence tool build --quiet --module "$1" --wit "$here/wit" --world hostile --out "$work/component" >/dev/null
  mv "$work/component/$(basename "$1")" "$2"
}

rust() {
  ringfence tool build "$here/rust" --out "$work/component" >/dev/null
  mv "$work/component/rust.wasm" "$1"
}

c() {
  local clang runtime cc=() bindgen=$cache/wit-bindgen/bin/wit-bindgen
  for clang in "${WASI_SDK_PATH:-/none}/bin/clang" clang-22 clang-21 clang-20 clang-19 clang; do
    command -v "$clang" >/dev/null || continue
    runtime=$("$clang" --target=wasm32-wasip1 -print-libgcc-file-name) && [ -f "$runtime" ] || continue
    cc=("$clang" --target=wasm32-wasip1)
    [ "$clang" = "${WASI_SDK_PATH:-/none}/bin/clang" ] || cc+=(-isystem /usr/include/wasm32-wasi -B/usr/lib/wasm32-wasi -L/usr/lib/wasm32-wasi)
    break
  done
  [ ${#cc[@]} -gt 0 ] || missing "WASI_SDK_PATH, or Debian's clang-22 lld-22 wasi-libc libclang-rt-22-dev-wasm32"
  if ! "$bindgen" --version 2>/dev/null | grep -qF "$WIT_BINDGEN"; then
    cargo install --quiet --locked --debug --force --root "$cache/wit-bindgen" --version $WIT_BINDGEN \
      --no-default-features --features c,go wit-bindgen-cli
  fi
  "$bindgen" c "$here/wit" --world hostile --out-dir "$work/c"
  "${cc[@]}" -mexec-model=reactor -Os -Wall -Wextra -Wno-infinite-recursion -I"$work/c" -o "$work/c.wasm" \
    "$here/c/attacks.c" "$work/c/hostile.c" "$work/c/hostile_component_type.o" -Wl,--strip-debug
  component "$work/c.wasm" "$1"
}

python() {
  command -v python3 >/dev/null || missing "python3"
  [ -x "$cache/python/bin/pip" ] || python3 -m venv "$cache/python" || missing "python3's venv"
  "$cache/python/bin/pip" install --quiet --disable-pip-version-check componentize-py==$COMPONENTIZE_PY
  # A copy: compiled files are left beside the source.
  cp -R "$here/python" "$work/python"
  "$cache/python/bin/componentize-py" --quiet -d "$here/wit" -w hostile-online componentize app -p "$work/python" -o "$1"
}

for language in "$@"; do
  case $language in rust|c|python) ;; *) echo "build.sh: no language '$language' here" >&2; exit 2 ;; esac
  $language "$work/built" && mv "$work/built" "$out/$language.wasm"
done
