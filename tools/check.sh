#!/usr/bin/env bash
# Installs what is missing, builds everything, runs every test.
#
# Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The last line is "N passed, N failed, N skipped"; the exit status is 0 when
# nothing failed. Results in JUnit form: build/test/check-bwgemm.xml and
# build-asan/test/check-bwgemm-unit.xml.
set -uo pipefail
# shellcheck source=tools/setup.sh
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

case ${1:-} in
"") ;;
*)
  echo "usage: tools/check.sh
Installs what is missing (Debian 12), builds to build/ and build-asan/, and runs
every test; the last line is the number of tests passed, failed and skipped.
BWGEMM_INSTALL=off builds and tests with what is there."
  [ "$1" = --help ] || [ "$1" = -h ] || exit 2
  exit 0
  ;;
esac

set_up
ensure_cuda_python
asan=$root/build-asan
say "building"
build_targets ci "$build" all bwgemm-test-depends bwgemm-fuzz mlir-doc ||
  die "the build failed"
say "building the runtime and its tests with sanitizers"
build_targets asan "$asan" bwgemm-unit-tests
asan_built=$?

# Each runner writes a report. What it reports is counted; a runner that ends
# badly without saying which test failed counts as a failed test itself.
run_tests() {
  local folder=$1 target=$2 start
  start=$(date +%s)
  rm -f "$folder/test/$target.xml"
  cmake --build "$folder" --target "$target" </dev/null
  local status=$?
  say "$target ended in $(seconds_since "$start")"
  return $status
}

say "running all tests"
run_tests "$build" check-bwgemm
check=$?
unit=$asan_built
if [ "$asan_built" -eq 0 ]; then
  say "running the unit tests with sanitizers"
  export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0
  export UBSAN_OPTIONS=print_stacktrace=1
  run_tests "$asan" check-bwgemm-unit
  unit=$?
fi

python3 "$root/test/count-results.py" \
  "$check:$build/test/check-bwgemm.xml:bwgemm,bwgemm-unit" \
  "$unit:$asan/test/check-bwgemm-unit.xml:bwgemm-unit"
