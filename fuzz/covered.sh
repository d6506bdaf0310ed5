#!/bin/sh
# Cargo's rustc for fuzzing: the project's own crates get counters for libFuzzer, the others are built
# as ever. On any toolchain, since nothing but a pass of LLVM's is asked for.
rustc=$1
shift
case " $* " in
  *" --crate-name ringfence"*|*" --crate-name paths "*|*" --crate-name values "*|*" --crate-name policy "*|*" --crate-name components "*)
    exec "$rustc" "$@" --cfg fuzzing -Ccodegen-units=1 -Cpasses=sancov-module \
      -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
      -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares ;;
esac
exec "$rustc" "$@"
