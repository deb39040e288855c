//===- LaunchCheck.cpp - Whether a launch is possible -----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks a launch as the driver does (CUDA Driver API, "Execution Control";
// limits: CUDA C++ Programming Guide, compute capabilities; results measured on
// an H200). The driver answers a wrong launch with a bare
// CUDA_ERROR_INVALID_VALUE; here the reason is printed beside it.
//
//===----------------------------------------------------------------------===//

#include "Occupancy.h"
#include "Stream.h"

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

struct Refusal {
  CUresult result;
  std::string message;
};

} // namespace

static std::optional<Refusal> checkBlock(const LaunchRequest &request,
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
static std::optional<Refusal> checkCluster(const LaunchRequest &request,
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
    return Refusal{CUDA_ERROR_INVALID_CLUSTER_SIZE,
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

static std::optional<Refusal> checkShared(const LaunchRequest &request,
                                          const Function &function,
                                          const Architecture &arch) {
  uint64_t fixed = uint64_t(function.staticShared());
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
    std::string sizes = "the parameter buffer has " + std::to_string(bytes) +
                        " bytes, the kernel takes " +
                        std::to_string(kernel.paramBytes);
    // An H200 takes a buffer that is too short and gives the kernel what lies
    // behind it; that is never meant.
    if ((!data && bytes) || bytes < kernel.paramBytes)
      return Refusal{CUDA_ERROR_INVALID_VALUE, sizes};
    if (bytes > kernel.paramBytes)
      return Refusal{CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, sizes};
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

CUresult driver::prepareLaunch(State &state, const LaunchRequest &request,
                               CUfunction handle, void **parameters,
                               void **extra, KernelWork &work) {
  auto *function = reinterpret_cast<Function *>(handle);
  if (!state.functions.count(function))
    return CUDA_ERROR_INVALID_HANDLE;
  const KernelInfo &kernel = *function->kernel;
  Architecture arch = architectureFor(state, *function);
  // A copy: another thread may unload the module while the kernel runs.
  work.function = *function;
  work.handle = function;
  work.request = request;
  work.config.grid = request.grid;
  work.config.block = request.block;
  work.config.dynamicSharedBytes = request.sharedBytes;
  work.config.stackBytes = std::max(work.config.stackBytes, state.stackBytes);
  std::optional<Refusal> refusal = checkBlock(request, kernel);
  if (!refusal)
    refusal = checkCluster(request, *function, arch, work.config.cluster);
  if (!refusal)
    refusal = checkShared(request, *function, arch);
  if (!refusal && request.cooperative) {
    uint64_t together =
        uint64_t(arch.multiprocessors) *
        uint64_t(blocksPerMultiprocessor(
            arch, *function, int(request.block.count()), request.sharedBytes));
    if (request.grid.count() > together)
      refusal = Refusal{CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
                        "a cooperative grid of " + text(request.grid) +
                            " blocks does not fit the device at once, " +
                            std::to_string(together) + " blocks would"};
  }
  if (!refusal)
    refusal = packArguments(kernel, parameters, extra, work.config.params);
  if (!refusal)
    return CUDA_SUCCESS;
  complain("launch of '" + kernel.name + "' refused: " + refusal->message);
  return refusal->result;
}
