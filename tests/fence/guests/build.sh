#!/bin/bash
# The hostile component in several languages.
#
#   build.sh OUT LANG…       builds OUT/LANG.wasm; LANG: rust c python
#
# What pip and cargo install stays in ${XDG_CACHE_HOME:-$HOME/.cache}/ringfence/languages, where
# tests/languages/build.sh has it too. Rust is built as tools-wasm/build.sh does. Ends with 1 and
# what to install where a toolchain is missing.
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

# From a core module to a component.
component() { # MODULE OUT
  cargo run --quiet --locked --manifest-path "$root/Cargo.toml" -p ringfence-tools-builder --example componentize -- \
    "$1" "$here/wit" hostile "$2"
}

rust() {
  local target_dir=${RINGFENCE_GUEST_TARGET:-$HOME/.cache/ringfence/guest-target} sep=$'\x1f' flags source
  if command -v rustup >/dev/null && rustup target list --installed | grep -qx wasm32-wasip2; then
    CARGO_TARGET_DIR=$target_dir cargo build --quiet --release --lib --locked --manifest-path "$here/rust/Cargo.toml" --target wasm32-wasip2
    cp "$target_dir/wasm32-wasip2/release/ringfence_hostile.wasm" "$1"
    return
  fi
  [ -x /usr/bin/cargo ] && [ -d /usr/lib/rustlib/src/rust ] && [ -x /usr/bin/wasm-ld-22 ] && [ -d /usr/lib/wasm32-wasi ] \
    || missing "\`rustup target add wasm32-wasip2\`, or Debian's rustc-web cargo-web rust-web-src lld-22 wasi-libc"
  flags="--remap-path-prefix=$root=/ringfence"
  flags+="$sep--remap-path-prefix=$target_dir=/target"
  flags+="$sep--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo"
  flags+="$sep-Lnative=/usr/lib/wasm32-wasi$sep-Clink-self-contained=no"
  flags+="$sep--remap-path-prefix=/usr/lib/rustlib/src/rust=/rust-src"
  for source in /usr/src/rustc-*; do flags+="$sep--remap-path-prefix=$source=/rust-src"; done
  env -u RUSTFLAGS -u RUSTC_WRAPPER -u RUSTC_WORKSPACE_WRAPPER \
    RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 CARGO_TARGET_WASM32_WASIP1_LINKER=/usr/bin/wasm-ld-22 \
    CARGO_ENCODED_RUSTFLAGS="$flags" CARGO_TARGET_DIR="$target_dir" \
    /usr/bin/cargo build --quiet --release --lib --locked --manifest-path "$here/rust/Cargo.toml" \
    --target wasm32-wasip1 -Zbuild-std=std,panic_abort -Zbuild-std-features=
  component "$target_dir/wasm32-wasip1/release/ringfence_hostile.wasm" "$1"
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
