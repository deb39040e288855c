//===- Ptxas.h - NVIDIA's assembler, where there is one ---------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TARGET_PTXAS_H
#define BWGEMM_TARGET_PTXAS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace mlir::bwgemm {

/// Where to get ptxas, for messages about its absence.
constexpr llvm::StringLiteral kHowToGetPtxas =
    "install the CUDA toolkit 12.9 or later, or the Python package "
    "nvidia-cuda-nvcc, and set CUDA_HOME or PATH, or pass its path";

/// Looks for ptxas: `hint` (a file, or a toolkit's folder), CUDA_HOME, PATH,
/// /usr/local/cuda, then the nvidia-cuda-nvcc wheel in the site-packages of the
/// active virtual environment, of python3 on PATH, of the user and of the
/// system. A hint that names no ptxas is an error, since it was meant: nothing
/// is returned and `error` says so; otherwise `error` stays empty.
std::optional<std::string> findPtxas(llvm::StringRef hint, std::string &error);

/// What ptxas reports of one kernel.
struct PtxasKernel {
  std::string name;
  /// Registers per thread.
  int64_t registers = 0;
  /// Bytes per thread.
  int64_t stackBytes = 0, spillStoreBytes = 0, spillLoadBytes = 0;
};

/// The result of an assembly.
struct PtxasResult {
  bool succeeded = false;
  llvm::SmallVector<char, 0> cubin;
  std::vector<PtxasKernel> kernels;
  /// Warnings and remarks on performance, one line each.
  std::vector<std::string> warnings;
  /// On failure: what went wrong, with ptxas's own words, the path at which the
  /// PTX was kept and the command to repeat.
  std::string error;
};

/// Assembles `ptx` with `ptxas -arch=<chip> -O3`. Temporary files live in a
/// private folder, which is removed unless the assembly fails.
PtxasResult runPtxas(llvm::StringRef ptxas, llvm::StringRef chip,
                     llvm::StringRef ptx);

/// Wall time that this process has spent in runPtxas.
double getPtxasMilliseconds();

} // namespace mlir::bwgemm

#endif // BWGEMM_TARGET_PTXAS_H
