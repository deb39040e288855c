//===- Modules.h - Modules that load when they are used ---------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_RUNTIME_MGPU_MODULES_H
#define BWGEMM_RUNTIME_MGPU_MODULES_H

#include "Runtime.h"

#include <map>

namespace bwgemm::runtime::launch {

/// A module as mgpuModuleLoad hands it out. It is made in a constructor that
/// runs while a library is loaded, so it only remembers the image.
struct LazyModule {
  const void *image = nullptr;
  size_t bytes = 0; ///< 0 if the image ends in a zero byte or knows its size.
  int optimizationLevel = 4;

  std::mutex mutex;
  CUmodule module = nullptr;
  std::map<std::string, CUfunction> functions;

  /// Loads the module at the first call; null on failure, which is reported.
  CUfunction find(const char *name);

private:
  bool load(Session &session);
};

/// The name by which a kernel was looked up; "" if it never was.
std::string kernelName(CUfunction function);

/// Lets a kernel use so many bytes of dynamic shared memory: beyond 48 KB it
/// has to be allowed to. False on failure, which is reported.
bool allowSharedMemory(Session &session, CUfunction function, int bytes);

/// Clusters of `ctas` CTAs of a launch that run at once; 0 if the driver does
/// not tell.
int getResidentClusters(Session &session, CUfunction function,
                        const CUlaunchConfig &config, unsigned ctas);

/// Forgets what is known of a module's kernels: their handles may be given out
/// again.
void forgetKernels(const LazyModule &module);

/// FNV-1a with 64 bits, the hash of bwgemm_cubin.
uint64_t fnv1a(const void *data, size_t bytes);

} // namespace bwgemm::runtime::launch

#endif // BWGEMM_RUNTIME_MGPU_MODULES_H
