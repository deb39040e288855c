//===- Workspace.cpp - Device memory between kernels ------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"

using namespace bwgemm::runtime;
using namespace bwgemm::runtime::launch;
using namespace bwgemm::cuda;

BWGEMM_RUNTIME_C void *bwgemmHostAllocWorkspace(int64_t rows, int64_t columns,
                                                int64_t elementBytes,
                                                const char *purpose) {
  if (inError() || rows == 0 || columns == 0)
    return nullptr;
  std::string what = std::to_string(rows) + " x " + std::to_string(columns) +
                     " elements of device memory for " +
                     (purpose ? purpose : "a workspace");
  int64_t elements, bytes;
  if (rows < 0 || columns < 0 ||
      __builtin_mul_overflow(rows, columns, &elements) ||
      __builtin_mul_overflow(elements, elementBytes, &bytes)) {
    fail("cannot allocate " + what + ": expected less than 2^63 bytes");
    return nullptr;
  }
  Session session;
  if (!session)
    return nullptr;
  CUdeviceptr address = 0;
  // cuMemAlloc aligns to 256 bytes at least.
  session.check(session.driver().cuMemAlloc(&address, uint64_t(bytes)),
                "allocating " + std::to_string(bytes) + " bytes (" + what +
                    ")");
  return reinterpret_cast<void *>(address);
}

BWGEMM_RUNTIME_C void bwgemmHostFreeWorkspace(void *workspace) {
  if (inError() || !workspace)
    return;
  Session session;
  if (!session)
    return;
  const DriverApi &driver = session.driver();
  if (session.check(driver.cuCtxSynchronize(), "waiting for the kernels"))
    session.check(driver.cuMemFree(reinterpret_cast<uintptr_t>(workspace)),
                  "freeing a workspace");
}
