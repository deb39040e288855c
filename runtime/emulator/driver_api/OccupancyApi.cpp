//===- OccupancyApi.cpp - Occupancy -----------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchAttributes.h"
#include "Occupancy.h"

#include <algorithm>

using namespace bwgemm::emulator;
using namespace bwgemm::emulator::driver;
using namespace bwgemm::cuda;

int driver::blocksPerMultiprocessor(const Architecture &arch,
                                    const Function &function, int threads,
                                    uint64_t sharedBytes) {
  if (threads > 1024 || sharedBytes > uint64_t(function.maxDynamicShared))
    return 0;
  int warpThreads = (threads + 31) / 32 * 32;
  int byThreads = arch.threadsPerMultiprocessor / warpThreads;
  uint64_t bytes = uint64_t(function.staticShared()) + sharedBytes +
                   uint64_t(reservedSharedPerBlock);
  int byShared = int(uint64_t(arch.sharedPerMultiprocessor) / bytes);
  int most =
      *attributeOf(arch, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
  return std::min({byThreads, byShared, most});
}

static Function *findFunction(State &state, CUfunction handle) {
  auto *function = reinterpret_cast<Function *>(handle);
  return state.functions.count(function) ? function : nullptr;
}

BWGEMM_ENTRY cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, CUfunction handle, int threads, size_t sharedBytes,
    unsigned flags) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!blocks || threads <= 0 || flags > 1)
    return CUDA_ERROR_INVALID_VALUE;
  Function *function = findFunction(call.state, handle);
  if (!function)
    return CUDA_ERROR_INVALID_HANDLE;
  *blocks = blocksPerMultiprocessor(architectureFor(call.state, *function),
                                    *function, threads, sharedBytes);
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                         CUfunction function,
                                                         int threads,
                                                         size_t sharedBytes) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      blocks, function, threads, sharedBytes, 0);
}

BWGEMM_ENTRY cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes,
                                                     CUfunction handle,
                                                     int blocks, int threads) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!bytes || blocks <= 0 || threads <= 0 || threads > 1024)
    return CUDA_ERROR_INVALID_VALUE;
  Function *function = findFunction(call.state, handle);
  if (!function)
    return CUDA_ERROR_INVALID_HANDLE;
  Architecture arch = architectureFor(call.state, *function);
  if (blocks > blocksPerMultiprocessor(arch, *function, threads, 0))
    return CUDA_ERROR_INVALID_VALUE;
  // Shared memory is given out in units of 128 bytes.
  int share = arch.sharedPerMultiprocessor / blocks / 128 * 128;
  int left = share - reservedSharedPerBlock - function->staticShared();
  *bytes = size_t(std::clamp(left, 0, function->maxDynamicShared));
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuOccupancyMaxPotentialBlockSizeWithFlags(
    int *leastGrid, int *blockSize, CUfunction handle,
    CUoccupancyB2DSize sharedOf, size_t sharedBytes, int limit,
    unsigned flags) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!leastGrid || !blockSize || limit < 0 || flags > 1)
    return CUDA_ERROR_INVALID_VALUE;
  Function *found = findFunction(call.state, handle);
  if (!found)
    return CUDA_ERROR_INVALID_HANDLE;
  const Function function = *found;
  Architecture arch = architectureFor(call.state, function);
  const KernelInfo &kernel = *function.kernel;
  int most = kernel.maxntid ? int(kernel.maxntid->count()) : 1024;
  if (limit)
    most = std::min(most, limit);
  call.lock.unlock(); // The program's function may call the driver.
  int best = 0, bestThreads = 0, bestBlocks = 0;
  for (int threads = most; threads > 0; threads = (threads - 1) / 32 * 32) {
    size_t bytes = sharedOf ? sharedOf(threads) : sharedBytes;
    int blocks = blocksPerMultiprocessor(arch, function, threads, bytes);
    if (blocks * threads > best) {
      best = blocks * threads;
      bestThreads = threads;
      bestBlocks = blocks;
    }
  }
  *blockSize = bestThreads;
  *leastGrid = bestBlocks * arch.multiprocessors;
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuOccupancyMaxPotentialBlockSize(int *leastGrid, int *blockSize,
                                              CUfunction function,
                                              CUoccupancyB2DSize sharedOf,
                                              size_t sharedBytes, int limit) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(
      leastGrid, blockSize, function, sharedOf, sharedBytes, limit, 0);
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

/// Multiprocessors that clusters of a size can use: a cluster lies in one group
/// of multiprocessors, and the groups differ in size. Measured on an H200 with
/// 132 of them: all for up to 2; for 4 and 8, 120 with one block on each and
/// 124 with eight; 116 for 16.
static int usableMultiprocessors(const Architecture &arch, uint64_t size,
                                 int perMultiprocessor) {
  if (size <= 2)
    return arch.multiprocessors;
  int of132 = size > 8 ? 116 : perMultiprocessor == 1 ? 120 : 124;
  return arch.multiprocessors * of132 / 132;
}

static CUresult clusterRequest(Call &call, const CUlaunchConfig *config,
                               LaunchRequest &request) {
  if (!config || (config->numAttrs && !config->attrs))
    return CUDA_ERROR_INVALID_VALUE;
  request.block = {config->blockDimX, config->blockDimY, config->blockDimZ};
  request.sharedBytes = config->sharedMemBytes;
  for (unsigned i = 0; i < config->numAttrs; ++i)
    if (CUresult result = applyAttribute(call.state, config->attrs[i], request);
        result != CUDA_SUCCESS)
      return result;
  return request.block.count() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

BWGEMM_ENTRY cuOccupancyMaxActiveClusters(int *clusters, CUfunction handle,
                                          const CUlaunchConfig *config) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  LaunchRequest request;
  if (!clusters)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult result = clusterRequest(call, config, request);
      result != CUDA_SUCCESS)
    return result;
  Function *function = findFunction(call.state, handle);
  if (!function)
    return CUDA_ERROR_INVALID_HANDLE;
  Architecture arch = architectureFor(call.state, *function);
  if (arch.major < 9)
    return CUDA_ERROR_NOT_SUPPORTED;
  Dim3 cluster = request.cluster;
  if (!cluster.count())
    cluster = function->kernel->reqCluster.value_or(function->requiredCluster);
  uint64_t size = std::max<uint64_t>(cluster.count(), 1);
  if (size > (function->nonPortableCluster ? 16u : 8u))
    return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  // Of a kernel with clusters at most 8 blocks share a multiprocessor (measured
  // on an H200).
  int blocks = std::min(8, blocksPerMultiprocessor(arch, *function,
                                                   int(request.block.count()),
                                                   request.sharedBytes));
  *clusters =
      int(uint64_t(usableMultiprocessors(arch, size, blocks) * blocks) / size);
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuOccupancyMaxPotentialClusterSize(int *size, CUfunction handle,
                                                const CUlaunchConfig *config) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  LaunchRequest request;
  if (!size)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult result = clusterRequest(call, config, request);
      result != CUDA_SUCCESS)
    return result;
  Function *function = findFunction(call.state, handle);
  if (!function)
    return CUDA_ERROR_INVALID_HANDLE;
  if (architectureFor(call.state, *function).major < 9)
    return CUDA_ERROR_NOT_SUPPORTED;
  *size = function->nonPortableCluster ? 16 : 8;
  return CUDA_SUCCESS;
}
