# lit configuration of the FileCheck tests.
#
# Features:
#   ptxas     an assembler for PTX was found (it is on the tests' PATH)
#   nvcc      the CUDA compiler was found (likewise)
#   cuda-gpu  a CUDA device answers; sm_90 and so on name its architecture
#   slow      tests of more than some ten seconds run too (check-bwgemm)
#   clang-format  clang-format 22 was found
#   cuda-header  cuda.h was found
#   cuda-python  the tests' python has cuda.bindings
#   fuzz      the fuzz targets were built (target bwgemm-fuzz; they need Clang)
#
# Substitutions:
#   %bwgemm_plugin   the plugin for the stock mlir-opt
#   %emulator        the emulator's library, to stand behind the driver API
#   %cuda_runtime    the mgpu* library for mlir-runner
#   %llvm_lib        LLVM's folder of libraries (mlir-runner's, for one)
#   %build_lib       folder of all libraries
#   %build_bin       folder of all programs
#   %source_root     the project's folder
#   %python          a python3 that has numpy
#   %cc              the C compiler
#   %cuda_include    folder of cuda.h
#   %site_packages   folder of packages from PyPI that tests use

import os
import subprocess
import sys

import lit.formats

config.name = "bwgemm"
config.test_format = lit.formats.ShTest(execute_external=False)
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.bwgemm_build_root, "test")
config.suffixes = [".mlir", ".ptx", ".test"]
config.excludes = ["Inputs", "unit", "corpus"]

build_bin = os.path.join(config.bwgemm_build_root, "bin")
build_lib = os.path.join(config.bwgemm_build_root, "lib")


def found(path):
    """Whether CMake's find_program found something."""
    return bool(path) and not path.endswith("-NOTFOUND")


# The environment is the tests' own: nothing of the user's settings, and only
# the programs that the tests are about. The stock mlir-opt, mlir-runner,
# FileCheck, not and split-file come from LLVM's folder.
fuzz_bin = os.path.join(config.bwgemm_build_root, "fuzz")
path = [build_bin, fuzz_bin, config.llvm_tools_dir]
for tool in (config.ptxas, config.nvcc):
    if found(tool) and os.path.dirname(tool) not in path:
        path.append(os.path.dirname(tool))
path += ["/usr/local/bin", "/usr/bin", "/bin"]
kept = ("HOME", "TMPDIR", "LLVM_DISABLE_CRASH_REPORT", "FILECHECK_OPTS")
config.environment = {
    name: value for name, value in config.environment.items() if name in kept
}
config.environment["PATH"] = os.pathsep.join(path)
config.environment["LC_ALL"] = "C.UTF-8"

config.substitutions += [
    ("%bwgemm_plugin", os.path.join(build_lib, "bwgemm-plugin.so")),
    ("%emulator", os.path.join(build_lib, "libbwgemm-emulator.so")),
    ("%cuda_runtime", os.path.join(build_lib, "libbwgemm_cuda_runtime.so")),
    ("%llvm_lib", os.path.join(os.path.dirname(config.llvm_tools_dir), "lib")),
    ("%build_lib", build_lib),
    ("%build_bin", build_bin),
    ("%source_root", config.bwgemm_source_root),
    ("%python", config.python),
    ("%cc", config.c_compiler),
]

if found(config.ptxas):
    config.available_features.add("ptxas")
if found(config.nvcc):
    config.available_features.add("nvcc")
if os.path.exists(os.path.join(config.llvm_tools_dir, "clang-format")):
    config.available_features.add("clang-format")
if found(config.cuda_include):
    config.available_features.add("cuda-header")
    config.substitutions.append(("%cuda_include", config.cuda_include))
if os.path.exists(os.path.join(fuzz_bin, "bwgemm-fuzz-machine")):
    config.available_features.add("fuzz")
if lit_config.params.get("slow") == "1":
    config.available_features.add("slow")

# NVIDIA's Python bindings, where tools/check.sh or the user has installed them.
python_packages = os.path.join(build_lib, "python3", "site-packages")
config.substitutions.append(("%site_packages", python_packages))
if (
    subprocess.run(
        [config.python, "-c", "import numpy, cuda.bindings.driver"],
        env={**config.environment, "PYTHONPATH": python_packages},
        capture_output=True,
    ).returncode
    == 0
):
    config.available_features.add("cuda-python")

# Asked in a process of its own: a broken driver shall not take lit with it.
QUERY_GPU = """
import ctypes
cuda = ctypes.CDLL("libcuda.so.1")
major, minor, device = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
if cuda.cuInit(0) == 0 and cuda.cuDeviceGet(ctypes.byref(device), 0) == 0:
    for value, attribute in ((major, 75), (minor, 76)):
        cuda.cuDeviceGetAttribute(ctypes.byref(value), attribute, device)
    print(f"sm_{major.value}{minor.value}")
"""


def query_gpu():
    """The architecture of the first CUDA device, or None."""
    try:
        answer = subprocess.run(
            [sys.executable, "-c", QUERY_GPU],
            env=config.environment,
            capture_output=True,
            text=True,
            timeout=60,
        )
    except subprocess.TimeoutExpired:
        return None
    return answer.stdout.strip() or None


gpu = query_gpu()
if gpu:
    config.available_features.update(["cuda-gpu", gpu])

# Needs python3-psutil; without it a test that hangs is not stopped.
if lit_config.maxIndividualTestTimeIsSupported[0]:
    lit_config.maxIndividualTestTime = 900
