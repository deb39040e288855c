#!/usr/bin/env bash
# From a fresh machine to a checked result: installs what is missing, builds the
# tools, compiles a 4096 x 4096 x 4096 matrix multiplication and runs it.
#
# Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -uo pipefail
# shellcheck source=tools/setup.sh
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

case ${1:-} in
"") ;;
*)
  echo "usage: tools/quickstart.sh
Installs what is missing (Debian 12), builds the tools to build/, compiles
examples/matmul-4096.mlir for sm_100a, and runs it: on a GPU that can, else on
the emulator. BWGEMM_INSTALL=off builds and runs with what is there."
  [ "$1" = --help ] || [ "$1" = -h ] || exit 2
  exit 0
  ;;
esac

start=$(date +%s)
set_up
say "building the tools"
build_targets ci "$build" "${tools[@]}" || die "the build failed"

input=examples/matmul-4096.mlir
output=$build/quickstart/matmul.so
mkdir -p "$build/quickstart"
say "compiling $input at schedule swizzle for sm_100a"
"$build/bin/bwgemm-compile" "$input" --target=sm_100a --schedule=swizzle \
  -o "$output" </dev/null || die "the compilation failed"
say "running it, on a GPU that can, else on the emulator"
"$build/bin/bwgemm-runner" "$output" --device=auto --check=sample </dev/null
status=$?
say "done in $(seconds_since "$start"); the library is ${output#"$root"/}"
exit $status
