//===- LaunchApi.cpp - Launching kernels ------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks a launch as the driver does (CUDA Driver API, "Execution Control";
// limits: CUDA C++ Programming Guide, compute capabilities) and runs it. The
// driver answers a wrong launch with a bare CUDA_ERROR_INVALID_VALUE; here the
// reason is printed beside it.
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "State.h"

#include <algorithm>
#include <cstring>
#include <limits>

using namespace bwgemm::emulator;
using namespace bwgemm::emulator::driver;
using namespace bwgemm::cuda;

static std::string text(Dim3 extent) {
  return std::to_string(extent.x) + "x" + std::to_string(extent.y) + "x" +
         std::to_string(extent.z);
}

static bool same(Dim3 a, Dim3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

namespace {

/// A launch as it was asked for. A cluster of 0 means that none was named.
struct Request {
  Dim3 grid, block, cluster{0, 0, 0};
  unsigned sharedBytes = 0;
};

struct Refusal {
  CUresult result;
  std::string message;
};

} // namespace

static std::optional<Refusal> checkBlock(const Request &request,
                                         const KernelInfo &kernel) {
  Dim3 grid = request.grid, block = request.block;
  if (!grid.x || !grid.y || !grid.z)
    return Refusal{CUDA_ERROR_INVALID_VALUE,
                   "a grid of " + text(grid) + " blocks is empty"};
  if (grid.x > unsigned(std::numeric_limits<int>::max()) || grid.y > 65535 ||
      grid.z > 65535)
    return Refusal{CUDA_ERROR_INVALID_VALUE,
                   "a grid of " + text(grid) +
                       " blocks exceeds 2147483647x65535x65535"};
  if (!block.x || !block.y || !block.z || block.x > 1024 || block.y > 1024 ||
      block.z > 64 || block.count() > 1024)
    return Refusal{CUDA_ERROR_INVALID_VALUE,
                   "a block of " + text(block) + " threads (" +
                       std::to_string(block.count()) +
                       ") is outside 1 to 1024 threads, at most 1024x1024x64"};
  if (kernel.reqntid && !same(*kernel.reqntid, block))
    return Refusal{CUDA_ERROR_INVALID_VALUE,
                   "the kernel needs blocks of " + text(*kernel.reqntid) +
                       " threads (.reqntid), the launch has " + text(block)};
  if (kernel.maxntid && block.count() > kernel.maxntid->count())
    return Refusal{CUDA_ERROR_INVALID_VALUE,
                   "the kernel allows " +
                       std::to_string(kernel.maxntid->count()) +
                       " threads in a block (.maxntid), the launch has " +
                       std::to_string(block.count())};
  return std::nullopt;
}

/// Settles the cluster's extents in `cluster` and checks them.
static std::optional<Refusal> checkCluster(const Request &request,
                                           const Function &function,
                                           const Architecture &arch,
                                           Dim3 &cluster) {
  const KernelInfo &kernel = *function.kernel;
  Dim3 none{0, 0, 0};
  Dim3 required = kernel.reqCluster.value_or(function.requiredCluster);
  bool named = !same(request.cluster, none);
  bool needed = !same(required, none);
  if (needed)
    for (uint32_t *extent : {&required.x, &required.y, &required.z})
      *extent = std::max(*extent, 1u);
  if (!named && !needed) {
    if (kernel.explicitCluster)
      return Refusal{CUDA_ERROR_INVALID_CLUSTER_SIZE,
                     "the kernel has .explicitcluster, the launch names no "
                     "cluster"};
    cluster = Dim3{1, 1, 1};
    return std::nullopt;
  }
  if (arch.major < 9)
    return Refusal{CUDA_ERROR_INVALID_VALUE,
                   "clusters need sm_90 or later, the device is " + arch.name};
  if (named && needed && !same(request.cluster, required))
    return Refusal{CUDA_ERROR_INVALID_VALUE,
                   "the kernel needs clusters of " + text(required) +
                       " blocks, the launch has " + text(request.cluster)};
  cluster = named ? request.cluster : required;
  if (!cluster.x || !cluster.y || !cluster.z)
    return Refusal{CUDA_ERROR_INVALID_CLUSTER_SIZE,
                   "a cluster of " + text(cluster) + " blocks is empty"};
  uint64_t most = function.nonPortableCluster ? 16 : 8;
  if (cluster.count() > most)
    return Refusal{
        CUDA_ERROR_INVALID_CLUSTER_SIZE,
        "a cluster of " + text(cluster) + " has " +
            std::to_string(cluster.count()) + " blocks, " +
            std::to_string(most) + " are possible" +
            (most == 8 ? " (16 with "
                         "CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED)"
                       : "")};
  Dim3 grid = request.grid;
  if (grid.x % cluster.x || grid.y % cluster.y || grid.z % cluster.z)
    return Refusal{CUDA_ERROR_INVALID_CLUSTER_SIZE,
                   "the grid of " + text(grid) +
                       " blocks does not divide into clusters of " +
                       text(cluster)};
  return std::nullopt;
}

static std::optional<Refusal> checkShared(const Request &request,
                                          const Function &function,
                                          const Architecture &arch) {
  uint64_t fixed = function.kernel->staticSharedBytes;
  uint64_t total = fixed + request.sharedBytes;
  if (total > uint64_t(arch.sharedPerBlock))
    return Refusal{
        CUDA_ERROR_INVALID_VALUE,
        std::to_string(total) + " bytes of shared memory (" +
            std::to_string(fixed) + " static, " +
            std::to_string(request.sharedBytes) + " dynamic) exceed the " +
            std::to_string(arch.sharedPerBlock) + " of " + arch.name};
  if (request.sharedBytes > uint64_t(function.maxDynamicShared))
    return Refusal{CUDA_ERROR_INVALID_VALUE,
                   std::to_string(request.sharedBytes) +
                       " bytes of dynamic shared memory exceed the " +
                       std::to_string(function.maxDynamicShared) +
                       " that are set for the kernel; set "
                       "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES with "
                       "cuFuncSetAttribute first"};
  return std::nullopt;
}

/// Lays the arguments out in the kernel's parameter buffer.
static std::optional<Refusal> packArguments(const KernelInfo &kernel,
                                            void **parameters, void **extra,
                                            std::vector<std::byte> &buffer) {
  buffer.assign(kernel.paramBytes, std::byte{0});
  if (parameters && extra)
    return Refusal{CUDA_ERROR_INVALID_VALUE,
                   "kernelParams and extra are both given"};
  if (extra) {
    const void *data = nullptr;
    size_t bytes = 0;
    for (void **item = extra; *item != launchParamEnd; item += 2) {
      if (*item == launchParamBufferPointer)
        data = item[1];
      else if (*item == launchParamBufferSize)
        bytes = *static_cast<size_t *>(item[1]);
      else
        return Refusal{CUDA_ERROR_INVALID_VALUE,
                       "extra holds something other than a parameter buffer"};
    }
    if ((!data && bytes) || bytes < kernel.paramBytes)
      return Refusal{CUDA_ERROR_INVALID_VALUE,
                     "the parameter buffer has " + std::to_string(bytes) +
                         " bytes, the kernel takes " +
                         std::to_string(kernel.paramBytes)};
    if (kernel.paramBytes)
      std::memcpy(buffer.data(), data, kernel.paramBytes);
    return std::nullopt;
  }
  for (size_t i = 0; i < kernel.params.size(); ++i) {
    const ParamInfo &parameter = kernel.params[i];
    if (!parameters || !parameters[i])
      return Refusal{CUDA_ERROR_INVALID_VALUE,
                     "the kernel takes " +
                         std::to_string(kernel.params.size()) +
                         " parameters, number " + std::to_string(i) +
                         " is a null pointer"};
    std::memcpy(buffer.data() + parameter.offset, parameters[i],
                parameter.size);
  }
  return std::nullopt;
}

/// What a real device reports for such a fault.
static CUresult resultOf(const Fault &fault) {
  switch (fault.kind) {
  case FaultKind::Hang:
    return CUDA_ERROR_LAUNCH_TIMEOUT;
  case FaultKind::Unsupported:
    return CUDA_ERROR_NOT_SUPPORTED;
  case FaultKind::Hazard:
    return CUDA_ERROR_LAUNCH_FAILED;
  case FaultKind::Trap:
    break;
  }
  // The instructions' traps begin with the words of the device's own report.
  auto begins = [&](const char *words) {
    return fault.message.compare(0, std::strlen(words), words) == 0;
  };
  if (begins("misaligned address"))
    return CUDA_ERROR_MISALIGNED_ADDRESS;
  if (begins("illegal instruction"))
    return CUDA_ERROR_ILLEGAL_INSTRUCTION;
  if (begins("illegal address") || begins("out of bounds"))
    return CUDA_ERROR_ILLEGAL_ADDRESS;
  return CUDA_ERROR_LAUNCH_FAILED;
}

static CUresult launchKernel(const Request &request, CUfunction handle,
                             CUstream stream, void **parameters, void **extra) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  State &state = call.state;
  auto *pointer = reinterpret_cast<Function *>(handle);
  if (!state.functions.count(pointer))
    return CUDA_ERROR_INVALID_HANDLE;
  // 0, 1 and 2 are the default streams.
  if (reinterpret_cast<uintptr_t>(stream) > 2 &&
      !state.streams.count(reinterpret_cast<driver::Stream *>(stream)))
    return CUDA_ERROR_INVALID_HANDLE;
  // A copy: another thread may unload the module while the kernel runs.
  const Function function = *pointer;
  const KernelInfo &kernel = *function.kernel;
  Architecture arch = architectureFor(state, function);

  LaunchConfig config;
  config.grid = request.grid;
  config.block = request.block;
  config.dynamicSharedBytes = request.sharedBytes;
  std::optional<Refusal> refusal = checkBlock(request, kernel);
  if (!refusal)
    refusal = checkCluster(request, function, arch, config.cluster);
  if (!refusal)
    refusal = checkShared(request, function, arch);
  if (!refusal)
    refusal = packArguments(kernel, parameters, extra, config.params);
  if (refusal) {
    complain("launch of '" + kernel.name + "' refused: " + refusal->message);
    return refusal->result;
  }

  Options options = state.options;
  if (!state.archGiven)
    options.arch = function.module->target();
  Context *context = call.context;
  call.lock.unlock();

  LaunchReport report;
  {
    std::lock_guard<std::mutex> running(state.launchMutex);
    report = launch(*function.module, kernel, config, state.memory, options);
  }
  recordLaunch(kernel.name, function.module->target(), report);
  if (report.fault) {
    // As on a device, the launch itself succeeds; what follows fails.
    call.lock.lock();
    if (state.contexts.count(context))
      context->sticky = resultOf(*report.fault);
  }
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY,
                            unsigned gridZ, unsigned blockX, unsigned blockY,
                            unsigned blockZ, unsigned sharedBytes,
                            CUstream stream, void **parameters, void **extra) {
  Request request;
  request.grid = {gridX, gridY, gridZ};
  request.block = {blockX, blockY, blockZ};
  request.sharedBytes = sharedBytes;
  return launchKernel(request, function, stream, parameters, extra);
}

BWGEMM_ENTRY cuLaunchCooperativeKernel(CUfunction, unsigned, unsigned, unsigned,
                                       unsigned, unsigned, unsigned, unsigned,
                                       CUstream, void **) {
  complain("cooperative launches are not supported");
  return CUDA_ERROR_NOT_SUPPORTED;
}

BWGEMM_ENTRY cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function,
                              void **parameters, void **extra) {
  if (!config || (config->numAttrs && !config->attrs))
    return CUDA_ERROR_INVALID_VALUE;
  Request request;
  request.grid = {config->gridDimX, config->gridDimY, config->gridDimZ};
  request.block = {config->blockDimX, config->blockDimY, config->blockDimZ};
  request.sharedBytes = config->sharedMemBytes;
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const CUlaunchAttribute &attribute = config->attrs[i];
    switch (attribute.id) {
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
      request.cluster = {attribute.value.clusterDim.x,
                         attribute.value.clusterDim.y,
                         attribute.value.clusterDim.z};
      break;
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
      if (attribute.value.cooperative) {
        complain("cooperative launches are not supported");
        return CUDA_ERROR_NOT_SUPPORTED;
      }
      break;
    default:
      // Hints about scheduling: launches run one after the other anyway.
      break;
    }
  }
  return launchKernel(request, function, config->hStream, parameters, extra);
}

//===----------------------------------------------------------------------===//
// Occupancy
//===----------------------------------------------------------------------===//

static CUresult occupancy(int *blocks, CUfunction handle, int threads,
                          size_t sharedBytes) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  auto *function = reinterpret_cast<Function *>(handle);
  if (!blocks || threads <= 0)
    return CUDA_ERROR_INVALID_VALUE;
  if (!call.state.functions.count(function))
    return CUDA_ERROR_INVALID_HANDLE;
  Architecture arch = architectureFor(call.state, *function);
  if (threads > 1024) {
    *blocks = 0;
    return CUDA_SUCCESS;
  }
  int warpThreads = (threads + 31) / 32 * 32;
  int byThreads = arch.threadsPerMultiprocessor / warpThreads;
  uint64_t bytes = uint64_t(function->kernel->staticSharedBytes) + sharedBytes +
                   uint64_t(reservedSharedPerBlock);
  int byShared = int(uint64_t(arch.sharedPerMultiprocessor) / bytes);
  *blocks = std::min({byThreads, byShared, 32});
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                         CUfunction function,
                                                         int threads,
                                                         size_t sharedBytes) {
  return occupancy(blocks, function, threads, sharedBytes);
}

BWGEMM_ENTRY cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, CUfunction function, int threads, size_t sharedBytes,
    unsigned) {
  return occupancy(blocks, function, threads, sharedBytes);
}
