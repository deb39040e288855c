# Set-up that quickstart.sh and check.sh share. Sourced, not run.
# shellcheck shell=bash
#
# Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build
logs=$build/logs
llvm_bin=/usr/lib/llvm-22/bin

packages=(
  libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools
  cmake ninja-build g++ ccache
  clang-22 libclang-rt-22-dev
  libgtest-dev libcli11-dev nlohmann-json3-dev
  python3 python3-numpy python3-psutil
)
# What a user runs or loads.
tools=(
  bwgemm-opt bwgemm-plugin bwgemm-lsp-server bwgemm-compile bwgemm-runner
  bwgemm-ptx-run bwgemm-emulator bwgemm_cuda_runtime
)
# The CUDA assembler, where no toolkit is installed.
ptxas_wheel=nvidia-cuda-nvcc-cu12==12.9.86
ptxas_minimum=12.9
# NVIDIA's Python bindings of the driver API, which a test runs on the emulator.
cuda_python_wheels=(cuda-bindings==13.0.3 cuda-pathfinder==1.9.1)

say() { printf '%s\n' "bwgemm: $*"; }
die() {
  printf '%s\n' "bwgemm: error: $1" >&2
  shift
  [ $# -eq 0 ] || printf '  %s\n' "$@" >&2
  exit 2
}

# logged NAME COMMAND...: runs a command with its output in build/logs/NAME.log;
# prints the end of that on failure. On a terminal the output is also shown.
logged() {
  local log=$logs/$1.log status=0
  shift
  mkdir -p "$logs"
  if [ -t 1 ]; then
    "$@" </dev/null 2>&1 | tee "$log"
    status=${PIPESTATUS[0]}
  else
    "$@" </dev/null >"$log" 2>&1 || status=$?
    [ "$status" -eq 0 ] || tail -n 60 "$log" >&2
  fi
  [ "$status" -eq 0 ] || say "failed ($*); all of its output is in $log" >&2
  return "$status"
}

seconds_since() { echo "$(($(date +%s) - $1)) s"; }

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    env DEBIAN_FRONTEND=noninteractive "$@"
  else
    sudo env DEBIAN_FRONTEND=noninteractive "$@"
  fi
}

apt_get() {
  as_root apt-get -q -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 "$@"
}

# The packages among the arguments that are not installed.
missing_packages() {
  local package
  for package in "$@"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null |
      cut -c1-9)" = installed ] || echo "$package"
  done
}

is_debian_12() {
  command -v dpkg-query >/dev/null && command -v apt-get >/dev/null &&
    [ "$(. /etc/os-release && echo "${ID:-} ${VERSION_CODENAME:-}")" = \
      "debian bookworm" ]
}

install_packages() {
  local missing
  mapfile -t missing < <(missing_packages "$@")
  [ ${#missing[@]} -gt 0 ] || return 0
  say "installing ${missing[*]}"
  if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
    die "installing packages needs root or sudo; as root, run" \
      "apt-get update && apt-get install ${missing[*]}"
  fi
  logged apt-update apt_get update ||
    say "apt-get update failed; trying with the package lists at hand"
  logged apt-install apt_get install -y --no-install-recommends \
    "${missing[@]}" ||
    die "could not install ${missing[*]}" \
      "LLVM 22 comes with Debian 12's security suite (bookworm-security)" \
      "in the sources of apt; is it enabled, and is the network there?"
}

# Debian packages. With BWGEMM_INSTALL=off nothing is installed: for other
# systems on which everything is there already.
ensure_packages() {
  if [ "${BWGEMM_INSTALL:-on}" = off ]; then
    return
  fi
  is_debian_12 || die "this script installs packages on Debian 12 only, and \
this is $(. /etc/os-release 2>/dev/null; echo "${PRETTY_NAME:-another system}")" \
    "bwgemm needs the equivalents of these packages of Debian 12:" \
    "${packages[*]}" \
    "(LLVM and MLIR 22 with their shared libraries and tools, in" \
    "$(dirname "$llvm_bin") or in CMAKE_PREFIX_PATH). Where they are there, run" \
    "BWGEMM_INSTALL=off $0"
  install_packages "${packages[@]}"
}

# Whether $1 is a ptxas that knows the targets we compile for.
is_new_ptxas() {
  local version
  version=$("$1" --version 2>/dev/null | sed -n 's/.*release \([0-9.]*\).*/\1/p')
  [ -n "$version" ] &&
    [ "$(printf '%s\n' "$ptxas_minimum" "$version" | sort -V | head -n 1)" = \
      "$ptxas_minimum" ]
}

# Puts a ptxas on PATH: the toolkit's, or one from PyPI in the build folder.
# Without one there is PTX but no cubin; that is a note, not an error.
ensure_ptxas() {
  local place folder=$build/lib/python3/site-packages python
  for place in "$(command -v ptxas || true)" \
    "${CUDA_HOME:+$CUDA_HOME/bin/ptxas}" /usr/local/cuda/bin/ptxas \
    "$folder/nvidia/cuda_nvcc/bin/ptxas"; do
    if [ -n "$place" ] && is_new_ptxas "$place"; then
      PATH=$(dirname "$place"):$PATH
      return
    fi
  done
  say "installing ptxas ($ptxas_wheel from PyPI) to build/"
  python=python3
  if ! $python -m pip --version >/dev/null 2>&1; then
    [ "${BWGEMM_INSTALL:-on}" = off ] || install_packages python3-pip
    python=/usr/bin/python3
  fi
  if logged ptxas $python -m pip install --quiet --no-input --no-deps \
    --disable-pip-version-check --retries 1 --upgrade --target "$folder" \
    "$ptxas_wheel" && is_new_ptxas "$folder/nvidia/cuda_nvcc/bin/ptxas"; then
    PATH=$folder/nvidia/cuda_nvcc/bin:$PATH
  else
    say "note: no ptxas of CUDA $ptxas_minimum or later; PTX is made, but not" \
      "assembled, and tests that assemble it are skipped"
  fi
}

# Puts NVIDIA's Python bindings into the build folder. Without them a test is
# skipped.
ensure_cuda_python() {
  local folder=$build/lib/python3/site-packages
  [ "${BWGEMM_INSTALL:-on}" = off ] && return
  PYTHONPATH=$folder /usr/bin/python3 -c 'import cuda.bindings.driver' \
    2>/dev/null && return
  say "installing ${cuda_python_wheels[0]} from PyPI to build/"
  local python=python3
  if ! $python -m pip --version >/dev/null 2>&1; then
    install_packages python3-pip
    python=/usr/bin/python3
  fi
  logged cuda-python $python -m pip install --quiet --no-input --no-deps \
    --disable-pip-version-check --retries 1 --upgrade --target "$folder" \
    "${cuda_python_wheels[@]}" ||
    say "note: no cuda-bindings; the test that uses them is skipped"
}

# As many compilations at once as there are cores, and 2 GiB of memory for each.
jobs() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/^MemAvailable:/ { print int($2 / 2097152) }' /proc/meminfo)
  [ "$memory" -ge 1 ] || memory=1
  echo $((cores < memory ? cores : memory))
}

# build_targets PRESET FOLDER TARGET...
build_targets() {
  local preset=$1 folder=$2 start
  shift 2
  start=$(date +%s)
  logged "configure-$preset" cmake --preset "$preset" -S "$root" || return
  logged "build-$preset" cmake --build "$folder" --parallel "$(jobs)" \
    --target "$@" || return
  say "built $(basename "$folder")/ in $(seconds_since "$start")"
}

set_up() {
  cd "$root" || exit 2
  ensure_packages
  ensure_ptxas
}
