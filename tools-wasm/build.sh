#!/bin/bash
# From the standard tools' sources to the components that the host embeds.
#
#   build.sh [--out DIR] [--install]     builds into DIR (default: tools-wasm/prebuilt)
#   build.sh --check [--out DIR]         builds nothing; fails if DIR's manifest is older than the sources
#
# With rustup's wasm32-wasip2 target installed, that is used (and wasi-sdk's or Debian's clang for
# the parsers, which are C); otherwise Debian's compiler and library source. --install installs
# missing Debian packages (as root). Guest builds are kept in $RINGFENCE_GUEST_TARGET
# (default ~/.cache/ringfence/guest-target), whatever CARGO_TARGET_DIR says.
set -euo pipefail

tools=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
root=$(dirname "$tools")
out=$tools/prebuilt
install=no
check=no
while [ $# -gt 0 ]; do
  case $1 in
    --out) [ $# -ge 2 ] || { echo "build.sh: --out wants a folder" >&2; exit 2; }; out=$(realpath -m "$2"); shift 2 ;;
    --install) install=yes; shift ;;
    --check) check=yes; shift ;;
    -h|--help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) echo "build.sh: unknown argument '$1' (see --help)" >&2; exit 2 ;;
  esac
done

builder() {
  cargo run --quiet --locked --manifest-path "$root/Cargo.toml" -p ringfence-tools-builder -- "$@"
}

if [ $check = yes ]; then
  builder check --root "$root" --out "$out"
  exit
fi

target_dir=${RINGFENCE_GUEST_TARGET:-$HOME/.cache/ringfence/guest-target}
mkdir -p "$target_dir"
target_dir=$(cd "$target_dir" && pwd -P)
cargo_home=${CARGO_HOME:-$HOME/.cargo}
sep=$'\x1f'

# Nothing of this machine's folders gets into the components.
flags="--remap-path-prefix=$root=/ringfence"
flags+="$sep--remap-path-prefix=$target_dir=/target"
flags+="$sep--remap-path-prefix=$cargo_home=/cargo"

first_of() { for name in "$@"; do command -v "$name" && return; done; return 1; }

if command -v rustup >/dev/null && rustup target list --installed | grep -qx wasm32-wasip2; then
  how=rustup
  target=wasm32-wasip2
  cargo=cargo
  rustc=rustc
  sysroot_src=$(rustc --print sysroot)/lib/rustlib/src/rust
  flags+="$sep--remap-path-prefix=$sysroot_src=/rust-src"
  if [ -n "${WASI_SDK_PATH:-}" ]; then
    clang=$WASI_SDK_PATH/bin/clang ar=$WASI_SDK_PATH/bin/llvm-ar
    cflags="--sysroot=$WASI_SDK_PATH/share/wasi-sysroot"
  else
    clang=$(first_of clang-22 clang-21 clang-20 clang-19 clang) && ar=$(first_of llvm-ar-22 llvm-ar-21 llvm-ar-20 llvm-ar-19 llvm-ar) \
      && [ -d /usr/include/wasm32-wasi ] || {
        echo "build.sh: the parsers are C: set WASI_SDK_PATH to an unpacked wasi-sdk, or install clang, llvm and wasi-libc" >&2
        exit 1
      }
    cflags="-isystem /usr/include/wasm32-wasi"
  fi
  extra=()
else
  how=debian
  target=wasm32-wasip1
  packages=(rustc-web cargo-web rust-web-src lld-22 wasi-libc clang-22 llvm-22)
  missing=()
  for package in "${packages[@]}"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
  done
  if [ ${#missing[@]} -gt 0 ]; then
    if [ $install = yes ]; then
      apt-get update -qq
      DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
    else
      echo "build.sh: neither rustup's wasm32-wasip2 target nor all of Debian's packages are installed. Either" >&2
      echo "  rustup target add wasm32-wasip2" >&2
      echo "or, as root (or run this script with --install)," >&2
      echo "  apt-get install --no-install-recommends ${missing[*]}" >&2
      exit 1
    fi
  fi
  cargo=/usr/bin/cargo
  rustc=/usr/bin/rustc
  clang=/usr/bin/clang-22 ar=/usr/bin/llvm-ar-22
  cflags="-isystem /usr/include/wasm32-wasi"
  export RUSTC=$rustc RUSTC_BOOTSTRAP=1
  export CARGO_TARGET_WASM32_WASIP1_LINKER=/usr/bin/wasm-ld-22
  flags+="$sep-Lnative=/usr/lib/wasm32-wasi$sep-Clink-self-contained=no"
  flags+="$sep--remap-path-prefix=/usr/lib/rustlib/src/rust=/rust-src"
  for source in /usr/src/rustc-*; do flags+="$sep--remap-path-prefix=$source=/rust-src"; done
  extra=(-Zbuild-std=std,panic_abort -Zbuild-std-features=)
fi
unset RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER RUSTFLAGS
rustc_version=$($rustc --version)
clang_version=$($clang --version | head -1)
echo "build.sh: $how toolchain: $rustc_version, $clang_version, target $target" >&2

# Paths and dates in the C objects would differ from machine to machine as well.
cflags+=" -ffile-prefix-map=$cargo_home=/cargo -ffile-prefix-map=$target_dir=/target"
under=${target//-/_}
export "CC_$under=$clang" "AR_$under=$ar" "CFLAGS_$under=$cflags"

CARGO_ENCODED_RUSTFLAGS=$flags CARGO_TARGET_DIR=$target_dir "$cargo" build --release --lib --locked \
  --manifest-path "$tools/Cargo.toml" --target "$target" -p ringfence-files -p ringfence-code -p ringfence-edit -p ringfence-web "${extra[@]}" >&2

unset RUSTC RUSTC_BOOTSTRAP
mkdir -p "$out"
builder build --root "$root" --out "$out" --modules "$target_dir/$target/release" \
  --how "$how" --rustc "$rustc_version" --clang "$clang_version"
