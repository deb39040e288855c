//===- DriverTypesTest.cpp - The driver's own types against cuda.h --------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As CudaAbiTest.cpp, for what only the emulator's driver declares.
//
//===----------------------------------------------------------------------===//

#include "DriverTypes.h"

#include "gtest/gtest.h"

#ifdef BWGEMM_HAVE_CUDA_H
#include <cuda.h>

namespace ours = bwgemm::cuda;

#define SAME(name)                                                             \
  static_assert(int(::name) == int(ours::name), #name " differs from cuda.h")
#define SAME_SIZE(name)                                                        \
  static_assert(sizeof(::name) == sizeof(ours::name) &&                        \
                    alignof(::name) == alignof(ours::name),                    \
                #name " differs from cuda.h")
#define SAME_OFFSET(type, field)                                               \
  static_assert(offsetof(::type, field) == offsetof(ours::type, field),        \
                #type "::" #field " differs from cuda.h")

SAME_SIZE(CUdevprop);
SAME_OFFSET(CUdevprop, textureAlign);
SAME(CU_JIT_INPUT_PTX);
SAME(CU_JIT_INPUT_FATBINARY);
SAME(CU_JIT_INPUT_LIBRARY);
// Macros there, so that ours cannot be named here.
static_assert(CU_MEMHOSTALLOC_PORTABLE == 1 && CU_MEMHOSTALLOC_DEVICEMAP == 2 &&
                  CU_MEMHOSTALLOC_WRITECOMBINED == 4,
              "the flags of pinned memory differ from cuda.h");
SAME_SIZE(CUDA_MEMCPY3D);
SAME_OFFSET(CUDA_MEMCPY3D, srcMemoryType);
SAME_OFFSET(CUDA_MEMCPY3D, srcPitch);
SAME_OFFSET(CUDA_MEMCPY3D, dstXInBytes);
SAME_OFFSET(CUDA_MEMCPY3D, dstMemoryType);
SAME_OFFSET(CUDA_MEMCPY3D, dstPitch);
SAME_OFFSET(CUDA_MEMCPY3D, Depth);
SAME_SIZE(CUDA_MEMCPY3D_PEER);
SAME_OFFSET(CUDA_MEMCPY3D_PEER, dstContext);
SAME_SIZE(CUmemLocation);
SAME_SIZE(CUmemAccessDesc);
SAME_SIZE(CUmemPoolProps);
SAME_OFFSET(CUmemPoolProps, location);
SAME_OFFSET(CUmemPoolProps, maxSize);
SAME_SIZE(CUmemAllocationProp);
SAME_OFFSET(CUmemAllocationProp, allocFlags);
SAME(CU_MEM_LOCATION_TYPE_DEVICE);
SAME(CU_MEM_LOCATION_TYPE_HOST);
SAME(CU_MEM_ALLOCATION_TYPE_PINNED);
SAME(CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
SAME(CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES);
SAME(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD);
SAME(CU_MEMPOOL_ATTR_USED_MEM_HIGH);
SAME_SIZE(CUstreamBatchMemOpParams);
static_assert(offsetof(::CUstreamBatchMemOpParams, waitValue.address) ==
                      offsetof(ours::CUstreamBatchMemOpParams, value.address) &&
                  offsetof(::CUstreamBatchMemOpParams, writeValue.value64) ==
                      offsetof(ours::CUstreamBatchMemOpParams, value.value64) &&
                  offsetof(::CUstreamBatchMemOpParams, waitValue.flags) ==
                      offsetof(ours::CUstreamBatchMemOpParams, value.flags),
              "CUstreamBatchMemOpParams differs from cuda.h");
SAME(CU_STREAM_MEM_OP_WAIT_VALUE_32);
SAME(CU_STREAM_MEM_OP_WRITE_VALUE_64);
SAME(CU_STREAM_MEM_OP_BARRIER);
SAME(CU_STREAM_WAIT_VALUE_NOR);
SAME(CU_STREAM_WAIT_VALUE_FLUSH);
SAME(CU_STREAM_CAPTURE_STATUS_INVALIDATED);
SAME(CU_STREAM_CAPTURE_MODE_RELAXED);
SAME(CU_STREAM_SET_CAPTURE_DEPENDENCIES);
SAME(CU_GRAPH_NODE_TYPE_EMPTY);
SAME(CU_GRAPH_NODE_TYPE_EVENT_RECORD);
SAME(CU_GRAPH_NODE_TYPE_MEM_FREE);
SAME(CU_GRAPH_NODE_TYPE_BATCH_MEM_OP);
SAME(CU_GRAPH_NODE_TYPE_CONDITIONAL);
static_assert(sizeof(::CUDA_KERNEL_NODE_PARAMS_v3) ==
                      sizeof(ours::CUDA_KERNEL_NODE_PARAMS) &&
                  sizeof(::CUDA_KERNEL_NODE_PARAMS_v1) ==
                      offsetof(ours::CUDA_KERNEL_NODE_PARAMS, kern),
              "the parameters of a kernel node differ from cuda.h");
static_assert(sizeof(::CUDA_MEMSET_NODE_PARAMS_v2) ==
                      sizeof(ours::CUDA_MEMSET_NODE_PARAMS) &&
                  sizeof(::CUDA_MEMSET_NODE_PARAMS_v1) ==
                      offsetof(ours::CUDA_MEMSET_NODE_PARAMS, ctx),
              "the parameters of a memset node differ from cuda.h");
SAME_SIZE(CUDA_HOST_NODE_PARAMS);
SAME_SIZE(CUDA_MEMCPY_NODE_PARAMS);
SAME_SIZE(CUDA_CHILD_GRAPH_NODE_PARAMS);
static_assert(sizeof(::CUDA_MEM_ALLOC_NODE_PARAMS_v2) ==
                      sizeof(ours::CUDA_MEM_ALLOC_NODE_PARAMS) &&
                  offsetof(::CUDA_MEM_ALLOC_NODE_PARAMS_v2, dptr) ==
                      offsetof(ours::CUDA_MEM_ALLOC_NODE_PARAMS, dptr),
              "the parameters of an allocation node differ from cuda.h");
static_assert(sizeof(::CUDA_BATCH_MEM_OP_NODE_PARAMS_v2) ==
                  sizeof(ours::CUDA_BATCH_MEM_OP_NODE_PARAMS),
              "the parameters of a batch node differ from cuda.h");
SAME_SIZE(CUgraphNodeParams);
SAME_OFFSET(CUgraphNodeParams, kernel);
SAME_OFFSET(CUgraphNodeParams, reserved2);
SAME_SIZE(CUgraphEdgeData);
SAME(CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
SAME(CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED);
SAME(CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED);
SAME_SIZE(CUgraphExecUpdateResultInfo);
SAME_SIZE(CUDA_GRAPH_INSTANTIATE_PARAMS);
SAME_OFFSET(CUDA_GRAPH_INSTANTIATE_PARAMS, result_out);
SAME(CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH);
SAME(CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE);

TEST(DriverTypes, AgreeWithCudaHeader) { EXPECT_GE(CUDA_VERSION, 12090); }
#else
TEST(DriverTypes, AgreeWithCudaHeader) {
  GTEST_SKIP() << "no CUDA toolkit: cuda.h was not found at configure time";
}
#endif
