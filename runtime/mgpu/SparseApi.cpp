//===- SparseApi.cpp - Sparse matrices of upstream's runtime ----*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's lowering of the gpu dialect's sparse operations calls functions that
// upstream's runtime implements with cuSPARSE and cuSPARSELt, libraries on top
// of the CUDA runtime. Here they exist, so that a program with such operations
// is loaded, and say what is missing when they are called.
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"

using namespace bwgemm::runtime::launch;

/// The result, where a function has one, is null or 0.
#define REFUSE(name)                                                           \
  BWGEMM_RUNTIME_C void *name() {                                              \
    fail(#name                                                                 \
         " needs cuSPARSE, which this runtime does not use; lower sparse "     \
         "operations to loops (sparsification-and-bufferization)");            \
    return nullptr;                                                            \
  }

REFUSE(mgpuCreateBsr)
REFUSE(mgpuCreateCoo)
REFUSE(mgpuCreateCooAoS)
REFUSE(mgpuCreateCsc)
REFUSE(mgpuCreateCsr)
REFUSE(mgpuCreateCuSparseLtDnMat)
REFUSE(mgpuCreateDnMat)
REFUSE(mgpuCreateDnVec)
REFUSE(mgpuCreateSparseEnv)
REFUSE(mgpuCreateSparseLtEnv)
REFUSE(mgpuCuSparseLtSpMM)
REFUSE(mgpuCuSparseLtSpMMBufferSize)
REFUSE(mgpuCusparseLtCreate2To4SpMat)
REFUSE(mgpuDestroyCuSparseLtDnMat)
REFUSE(mgpuDestroyCuSparseLtSpMat)
REFUSE(mgpuDestroyDnMat)
REFUSE(mgpuDestroyDnVec)
REFUSE(mgpuDestroySpMat)
REFUSE(mgpuDestroySparseEnv)
REFUSE(mgpuDestroySparseLtEnv)
REFUSE(mgpuSDDMM)
REFUSE(mgpuSDDMMBufferSize)
REFUSE(mgpuSetCsrPointers)
REFUSE(mgpuSpGEMMCompute)
REFUSE(mgpuSpGEMMCopy)
REFUSE(mgpuSpGEMMCreateDescr)
REFUSE(mgpuSpGEMMDestroyDescr)
REFUSE(mgpuSpGEMMWorkEstimation)
REFUSE(mgpuSpMM)
REFUSE(mgpuSpMMBufferSize)
REFUSE(mgpuSpMV)
REFUSE(mgpuSpMVBufferSize)
REFUSE(mgpuSpMatGetSize)
