//===- Workspace.cpp - Device memory between kernels ------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calls.h"

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
  CUstream stream;
  if (!streamOfCall(session, stream))
    return nullptr;
  CUdeviceptr address = 0;
  session.check(
      allocateInOrder(session.driver(), stream, size_t(bytes), address),
      "allocating " + std::to_string(bytes) + " bytes (" + what + ")");
  return reinterpret_cast<void *>(address);
}

BWGEMM_RUNTIME_C void bwgemmHostFreeWorkspace(void *workspace) {
  if (!workspace)
    return;
  bool failed = inError();
  Session session(failed ? Session::Use::CleanUp : Session::Use::Work);
  CUstream stream;
  if (!session || !streamOfCall(session, stream))
    return;
  CUresult result = freeInOrder(session.driver(), stream,
                                reinterpret_cast<uintptr_t>(workspace));
  if (!failed && session.check(result, "freeing a workspace"))
    waitOutsideCalls(session);
}
