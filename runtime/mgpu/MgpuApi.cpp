//===- MgpuApi.cpp - Upstream MLIR's GPU runtime interface ------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions that MLIR's gpu-to-llvm conversion and the translation of
// gpu.launch_func and gpu.binary emit calls to (LLVM 22), on the driver table.
// Two things differ from upstream's library: modules load when they are used,
// and errors go to the error handler instead of being printed and forgotten.
//
//===----------------------------------------------------------------------===//

#include "Calls.h"
#include "Modules.h"

#include <cstring>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

using namespace bwgemm::runtime;
using namespace bwgemm::runtime::launch;
using namespace bwgemm::cuda;

static CUdeviceptr deviceAddress(const void *pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

static LazyModule *newModule(const void *image, size_t bytes,
                             int optimizationLevel) {
  auto *module = new LazyModule;
  module->image = image;
  module->bytes = bytes;
  module->optimizationLevel = optimizationLevel;
  // Only PTX says what it is for; "" for a binary.
  auto *text = static_cast<const char *>(image);
  size_t length = bytes ? strnlen(text, bytes) : std::strlen(text);
  std::string target = targetOfPtx(std::string_view(text, length));
  if (!target.empty())
    noteTarget(target);
  return module;
}

BWGEMM_RUNTIME_C void *mgpuModuleLoad(void *image, size_t bytes) {
  return newModule(image, bytes, 4);
}

BWGEMM_RUNTIME_C void *mgpuModuleLoadJIT(void *image, int optimizationLevel) {
  return newModule(image, 0, optimizationLevel);
}

BWGEMM_RUNTIME_C void mgpuModuleUnload(void *handle) {
  std::unique_ptr<LazyModule> module(static_cast<LazyModule *>(handle));
  if (module)
    forgetKernels(*module);
  if (!module || !module->module || inError())
    return;
  // Called from destructors at the end of the process, when the driver may
  // have gone already; a kernel's fault has been reported where it happened.
  Session session(Session::Use::Exit);
  if (!session)
    return;
  CUresult result = session.driver().cuModuleUnload(module->module);
  if (result != CUDA_ERROR_DEINITIALIZED && !isLaunchFault(result))
    session.check(result, "cuModuleUnload");
}

BWGEMM_RUNTIME_C CUfunction mgpuModuleGetFunction(void *module,
                                                  const char *name) {
  if (inError())
    return nullptr;
  return static_cast<LazyModule *>(module)->find(name);
}

//===----------------------------------------------------------------------===//
// Launch
//===----------------------------------------------------------------------===//

static std::string extent(intptr_t x, intptr_t y, intptr_t z) {
  return std::to_string(x) + "x" + std::to_string(y) + "x" + std::to_string(z);
}

/// MLIR's index is wider than the driver's numbers; what does not fit must not
/// wrap round to something that launches.
static bool fits(std::initializer_list<intptr_t> numbers) {
  for (intptr_t number : numbers)
    if (number < 0 || number > std::numeric_limits<int>::max())
      return false;
  return true;
}

/// Whether this thread's next launch may begin early.
static thread_local bool nextIsProgrammatic = false;

BWGEMM_RUNTIME_C void bwgemmHostProgrammaticLaunch() {
  nextIsProgrammatic = true;
}

/// Whether the next launch of this thread has no more clusters than run at
/// once.
static thread_local bool nextIsResident = false;

BWGEMM_RUNTIME_C void bwgemmHostResidentLaunch() { nextIsResident = true; }

static void launchKernel(CUfunction function, intptr_t gridX, intptr_t gridY,
                         intptr_t gridZ, const intptr_t *cluster,
                         intptr_t blockX, intptr_t blockY, intptr_t blockZ,
                         int32_t sharedBytes, CUstream stream,
                         void **parameters, void **extra) {
  bool isProgrammatic = std::exchange(nextIsProgrammatic, false);
  bool isResident = std::exchange(nextIsResident, false);
  Session session;
  if (!session)
    return;
  auto describe = [&] {
    std::string what = "launch of '" + kernelName(function) +
                       "' as a grid of " + extent(gridX, gridY, gridZ) +
                       " blocks of " + extent(blockX, blockY, blockZ) +
                       " threads with " + std::to_string(sharedBytes) +
                       " bytes of shared memory";
    if (cluster)
      what += " in clusters of " + extent(cluster[0], cluster[1], cluster[2]);
    return what;
  };
  if (!fits({gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes}) ||
      (cluster && !fits({cluster[0], cluster[1], cluster[2]})))
    return fail(describe() +
                " failed: a number is negative or above 2147483647");
  // An empty grid has nothing to do; the driver would call it invalid.
  if (gridX == 0 || gridY == 0 || gridZ == 0)
    return;

  const DriverApi &driver = session.driver();
  if (sharedBytes > 0 && !allowSharedMemory(session, function, sharedBytes))
    return;

  CUlaunchAttribute attributes[2] = {};
  CUlaunchConfig config = {};
  config.gridDimX = unsigned(gridX);
  config.gridDimY = unsigned(gridY);
  config.gridDimZ = unsigned(gridZ);
  config.blockDimX = unsigned(blockX);
  config.blockDimY = unsigned(blockY);
  config.blockDimZ = unsigned(blockZ);
  config.sharedMemBytes = unsigned(sharedBytes);
  config.hStream = stream;
  config.attrs = attributes;
  if (cluster) {
    CUlaunchAttribute &attribute = attributes[config.numAttrs++];
    attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attribute.value.clusterDim = {unsigned(cluster[0]), unsigned(cluster[1]),
                                  unsigned(cluster[2])};
  }
  if (isResident && cluster) {
    unsigned clusters =
        getResidentClusters(session, function, config,
                            unsigned(cluster[0] * cluster[1] * cluster[2]));
    if (clusters > 0)
      config.gridDimX =
          std::min(config.gridDimX, clusters * unsigned(cluster[0]));
  }
  if (isProgrammatic) {
    CUlaunchAttribute &attribute = attributes[config.numAttrs++];
    attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    attribute.value.programmaticStreamSerializationAllowed = 1;
  }
  CUresult result =
      driver.cuLaunchKernelEx(&config, function, parameters, extra);
  if (result == CUDA_SUCCESS)
    noteLaunch(stream, function);
  else
    session.check(result, describe());
}

BWGEMM_RUNTIME_C void mgpuLaunchKernel(CUfunction function, intptr_t gridX,
                                       intptr_t gridY, intptr_t gridZ,
                                       intptr_t blockX, intptr_t blockY,
                                       intptr_t blockZ, int32_t sharedBytes,
                                       CUstream stream, void **parameters,
                                       void **extra, size_t /*count*/) {
  launchKernel(function, gridX, gridY, gridZ, nullptr, blockX, blockY, blockZ,
               sharedBytes, stream, parameters, extra);
}

BWGEMM_RUNTIME_C void mgpuLaunchClusterKernel(
    CUfunction function, intptr_t clusterX, intptr_t clusterY,
    intptr_t clusterZ, intptr_t gridX, intptr_t gridY, intptr_t gridZ,
    intptr_t blockX, intptr_t blockY, intptr_t blockZ, int32_t sharedBytes,
    CUstream stream, void **parameters, void **extra, size_t /*count*/) {
  intptr_t cluster[] = {clusterX, clusterY, clusterZ};
  launchKernel(function, gridX, gridY, gridZ, cluster, blockX, blockY, blockZ,
               sharedBytes, stream, parameters, extra);
}

BWGEMM_RUNTIME_C void mgpuSetDefaultDevice(int32_t ordinal) {
  setDefaultDevice(ordinal);
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

BWGEMM_RUNTIME_C CUstream mgpuStreamCreate() {
  Session session;
  return session ? takeStream(session) : nullptr;
}

BWGEMM_RUNTIME_C void mgpuStreamDestroy(CUstream stream) {
  // Work that is still under way stays in order before what comes next.
  if (stream && !inError())
    giveBackStream(stream);
}

BWGEMM_RUNTIME_C void mgpuStreamSynchronize(CUstream stream) {
  Session session;
  if (!session)
    return;
  if (session.check(session.driver().cuStreamSynchronize(stream),
                    "waiting for the kernel"))
    reportHazards(session.driver());
}

BWGEMM_RUNTIME_C void mgpuStreamWaitEvent(CUstream stream, CUevent event) {
  Session session;
  if (session)
    session.check(session.driver().cuStreamWaitEvent(stream, event, 0),
                  "cuStreamWaitEvent");
}

BWGEMM_RUNTIME_C CUevent mgpuEventCreate() {
  Session session;
  CUevent event = nullptr;
  if (session)
    session.check(
        session.driver().cuEventCreate(&event, CU_EVENT_DISABLE_TIMING),
        "cuEventCreate");
  return event;
}

BWGEMM_RUNTIME_C void mgpuEventDestroy(CUevent event) {
  Session session;
  if (session)
    session.check(session.driver().cuEventDestroy(event), "cuEventDestroy");
}

BWGEMM_RUNTIME_C void mgpuEventSynchronize(CUevent event) {
  Session session;
  if (!session)
    return;
  if (session.check(session.driver().cuEventSynchronize(event),
                    "waiting for an event"))
    reportHazards(session.driver());
}

BWGEMM_RUNTIME_C void mgpuEventRecord(CUevent event, CUstream stream) {
  Session session;
  if (session)
    session.check(session.driver().cuEventRecord(event, stream),
                  "cuEventRecord");
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

BWGEMM_RUNTIME_C void *mgpuMemAlloc(uint64_t bytes, CUstream /*stream*/,
                                    bool hostShared) {
  Session session;
  if (!session || bytes == 0)
    return nullptr;
  CUdeviceptr address = 0;
  const DriverApi &driver = session.driver();
  session.check(
      hostShared
          ? driver.cuMemAllocManaged(&address, bytes, CU_MEM_ATTACH_GLOBAL)
          : driver.cuMemAlloc(&address, bytes),
      "allocating " + std::to_string(bytes) + " bytes of device memory");
  return reinterpret_cast<void *>(address);
}

BWGEMM_RUNTIME_C void mgpuMemFree(void *pointer, CUstream /*stream*/) {
  Session session;
  if (session && pointer)
    session.check(session.driver().cuMemFree(deviceAddress(pointer)),
                  "cuMemFree");
}

BWGEMM_RUNTIME_C void mgpuMemcpy(void *to, void *from, size_t bytes,
                                 CUstream stream) {
  Session session;
  if (session && bytes)
    session.check(session.driver().cuMemcpyAsync(
                      deviceAddress(to), deviceAddress(from), bytes, stream),
                  "copying " + std::to_string(bytes) + " bytes");
}

BWGEMM_RUNTIME_C void mgpuMemset32(void *to, unsigned value, size_t count,
                                   CUstream stream) {
  Session session;
  if (session && count)
    session.check(session.driver().cuMemsetD32Async(deviceAddress(to), value,
                                                    count, stream),
                  "cuMemsetD32Async");
}

BWGEMM_RUNTIME_C void mgpuMemset16(void *to, unsigned short value, size_t count,
                                   CUstream stream) {
  Session session;
  if (session && count)
    session.check(session.driver().cuMemsetD16Async(deviceAddress(to), value,
                                                    count, stream),
                  "cuMemsetD16Async");
}

BWGEMM_RUNTIME_C void mgpuMemHostRegister(void *pointer, uint64_t bytes) {
  Session session;
  if (session && bytes)
    session.check(session.driver().cuMemHostRegister(pointer, bytes, 0),
                  "registering " + std::to_string(bytes) +
                      " bytes of host memory");
}

BWGEMM_RUNTIME_C void mgpuMemHostUnregister(void *pointer) {
  Session session;
  if (session)
    session.check(session.driver().cuMemHostUnregister(pointer),
                  "cuMemHostUnregister");
}

namespace {

/// MLIR's ranked memref descriptor: the sizes are followed by the strides.
struct MemRefDescriptor {
  char *allocated;
  char *aligned;
  int64_t offset;
  int64_t sizesAndStrides[1];

  const int64_t *sizes() const { return sizesAndStrides; }
  const int64_t *strides(int64_t rank) const { return sizesAndStrides + rank; }
};

} // namespace

BWGEMM_RUNTIME_C void mgpuMemHostRegisterMemRef(int64_t rank, void *descriptor,
                                                int64_t elementBytes) {
  if (inError())
    return;
  auto *memref = static_cast<const MemRefDescriptor *>(descriptor);
  int64_t count = 1;
  for (int64_t i = rank - 1; i >= 0; --i) {
    if (memref->sizes()[i] != 1 && memref->strides(rank)[i] != count)
      return fail("only a contiguous memref can be registered: dimension " +
                  std::to_string(i) + " has stride " +
                  std::to_string(memref->strides(rank)[i]) + ", expected " +
                  std::to_string(count));
    count *= memref->sizes()[i];
  }
  mgpuMemHostRegister(memref->aligned + memref->offset * elementBytes,
                      uint64_t(count * elementBytes));
}

BWGEMM_RUNTIME_C void mgpuMemHostUnregisterMemRef(int64_t /*rank*/,
                                                  void *descriptor,
                                                  int64_t elementBytes) {
  auto *memref = static_cast<const MemRefDescriptor *>(descriptor);
  mgpuMemHostUnregister(memref->aligned + memref->offset * elementBytes);
}

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

BWGEMM_RUNTIME_C void mgpuTensorMapEncodeTiled(
    CUtensorMap *map, CUtensorMapDataType type, uint32_t rank, void *address,
    const uint64_t *sizes, const uint64_t *strides, const uint32_t *box,
    const uint32_t *elementStrides, CUtensorMapInterleave interleave,
    CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2,
    CUtensorMapFloatOOBfill fill) {
  Session session;
  if (session)
    session.check(session.driver().cuTensorMapEncodeTiled(
                      map, type, rank, address, sizes, strides, box,
                      elementStrides, interleave, swizzle, l2, fill),
                  "cuTensorMapEncodeTiled");
}

/// Returns a tensor map in device memory. As upstream, nobody frees it: the
/// operation that calls this has no counterpart that would.
BWGEMM_RUNTIME_C void *mgpuTensorMapEncodeTiledMemref(
    int64_t rank, void *descriptor, CUtensorMapDataType type,
    CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
    CUtensorMapL2promotion l2, CUtensorMapFloatOOBfill fill,
    int64_t *outermostFirstBox) {
  Session session;
  if (!session)
    return nullptr;
  static constexpr uint64_t elementBytes[] = {1, 2, 4, 4, 8, 8, 2,
                                              4, 8, 2, 4, 4, 4};
  if (rank < 1 || rank > 5 || unsigned(type) >= 13) {
    fail("a tensor map needs rank 1 to 5 and an element type below 13, got "
         "rank " +
         std::to_string(rank) + " and type " + std::to_string(int(type)));
    return nullptr;
  }
  auto *memref = static_cast<const MemRefDescriptor *>(descriptor);
  uint64_t sizes[5] = {}, strides[5] = {}, bytes = elementBytes[type];
  uint32_t box[5] = {}, elementStrides[5] = {1, 1, 1, 1, 1};
  for (int64_t i = 0; i < rank; ++i) {
    int64_t from = rank - 1 - i; // The driver counts from the innermost.
    sizes[i] = uint64_t(memref->sizes()[from]);
    box[i] = uint32_t(outermostFirstBox[from]);
    if (i > 0)
      strides[i - 1] = uint64_t(memref->strides(rank)[from]) * bytes;
  }
  CUtensorMap map;
  const DriverApi &driver = session.driver();
  char *base = memref->aligned + memref->offset * int64_t(bytes);
  if (!session.check(driver.cuTensorMapEncodeTiled(
                         &map, type, uint32_t(rank), base, sizes, strides, box,
                         elementStrides, interleave, swizzle, l2, fill),
                     "cuTensorMapEncodeTiled"))
    return nullptr;
  CUdeviceptr onDevice = 0;
  if (!session.check(driver.cuMemAlloc(&onDevice, sizeof(map)),
                     "allocating a tensor map") ||
      !session.check(driver.cuMemcpyHtoD(onDevice, &map, sizeof(map)),
                     "copying a tensor map to the device"))
    return nullptr;
  return reinterpret_cast<void *>(onDevice);
}
