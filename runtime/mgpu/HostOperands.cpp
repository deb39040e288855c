//===- HostOperands.cpp - Operands between host and device ------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"
#include "StridedView.h"

#include <cstring>
#include <map>
#include <memory>

using namespace bwgemm::runtime;
using namespace bwgemm::runtime::launch;
using namespace bwgemm::cuda;

namespace {

/// A copy on the device of a view in host memory.
struct Staging {
  StridedView view;
  char *host = nullptr;       ///< First byte of the view on the host.
  CUdeviceptr allocation = 0; ///< What to free.
  CUdeviceptr device = 0;     ///< First byte of the view on the device.
  bool write = false;
};

struct StagingTable {
  std::mutex mutex;
  /// By the pointer that stands for the memref's. Two views may have the same
  /// one by chance: each release then takes one of them, and in the end all
  /// have been released.
  std::multimap<void *, Staging> views;
};

} // namespace

static StagingTable &stagingTable() {
  static StagingTable *instance = new StagingTable;
  return *instance;
}

/// Addresses keep their place within this many bytes, so that what is aligned
/// for TMA and for vector accesses on the host is so on the device.
static constexpr uint64_t alignmentKept = 256;

/// Whether kernels reach this address as it is.
static bool isDeviceMemory(const DriverApi &driver, CUdeviceptr address) {
  unsigned type = 0;
  // Ordinary host memory is not known to the driver: an error, and no harm.
  if (driver.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                   address) != CUDA_SUCCESS)
    return false;
  if (type == CU_MEMORYTYPE_DEVICE || type == CU_MEMORYTYPE_UNIFIED)
    return true;
  unsigned managed = 0;
  return driver.cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                      address) == CUDA_SUCCESS &&
         managed != 0;
}

/// Copies a view whose rows are evenly spaced; the layout is the same on both
/// sides.
static CUresult copyPitched(const DriverApi &driver, const Staging &staging,
                            uint64_t rows, uint64_t pitch, bool toDevice) {
  CUDA_MEMCPY2D copy = {};
  copy.WidthInBytes = staging.view.rowBytes();
  copy.Height = rows;
  copy.srcPitch = copy.dstPitch = pitch;
  if (toDevice) {
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = staging.host;
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = staging.device;
  } else {
    copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = staging.device;
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = staging.host;
  }
  return driver.cuMemcpy2D(&copy);
}

/// Copies any other view by way of a host buffer with the device's layout, so
/// that the driver is called once and not for every row.
static CUresult copyScattered(const DriverApi &driver, const Staging &staging,
                              bool toDevice) {
  const StridedView &view = staging.view;
  auto mirror = std::make_unique<char[]>(view.byteCount());
  if (toDevice) {
    view.forEachRow([&](uint64_t at) {
      std::memcpy(mirror.get() + at, staging.host + at, view.rowBytes());
    });
    return driver.cuMemcpyHtoD(staging.device, mirror.get(), view.byteCount());
  }
  CUresult result =
      driver.cuMemcpyDtoH(mirror.get(), staging.device, view.byteCount());
  if (result == CUDA_SUCCESS)
    view.forEachRow([&](uint64_t at) {
      std::memcpy(staging.host + at, mirror.get() + at, view.rowBytes());
    });
  return result;
}

static CUresult copyView(const DriverApi &driver, const Staging &staging,
                         bool toDevice) {
  uint64_t rows = 0, pitch = 0;
  // The driver's pitches end at 2^31 - 1 (CU_DEVICE_ATTRIBUTE_MAX_PITCH).
  if (staging.view.isPitched(rows, pitch) && (rows == 1 || pitch < (1u << 31)))
    return rows == 1
               ? (toDevice ? driver.cuMemcpyHtoD(staging.device, staging.host,
                                                 staging.view.rowBytes())
                           : driver.cuMemcpyDtoH(staging.host, staging.device,
                                                 staging.view.rowBytes()))
               : copyPitched(driver, staging, rows, pitch, toDevice);
  return copyScattered(driver, staging, toDevice);
}

BWGEMM_RUNTIME_C void *bwgemmHostToDevice(void *alignedPtr, int64_t offset,
                                          int64_t rank, const int64_t *sizes,
                                          const int64_t *strides,
                                          int64_t elementBytes,
                                          int32_t access) {
  if (inError())
    return nullptr;
  Staging staging;
  if (std::string error =
          staging.view.create(offset, rank, sizes, strides, elementBytes);
      !error.empty()) {
    fail("operand that cannot be copied to the device: " + error);
    return nullptr;
  }
  if (staging.view.empty())
    return alignedPtr;
  if (!alignedPtr) {
    fail("an operand of " + std::to_string(staging.view.byteCount()) +
         " bytes is a null pointer");
    return nullptr;
  }
  Session session;
  if (!session)
    return nullptr;
  const DriverApi &driver = session.driver();
  staging.host = static_cast<char *>(alignedPtr) + staging.view.firstByte();
  uint64_t hostAddress = reinterpret_cast<uintptr_t>(staging.host);
  if (isDeviceMemory(driver, hostAddress))
    return alignedPtr;

  uint64_t bytes = staging.view.byteCount();
  uint64_t lead = hostAddress % alignmentKept;
  if (!session.check(driver.cuMemAlloc(&staging.allocation, lead + bytes),
                     "allocating " + std::to_string(lead + bytes) +
                         " bytes of device memory"))
    return nullptr;
  // cuMemAlloc aligns to 256 bytes at least.
  staging.device = staging.allocation + lead;
  staging.write = (access & BWGEMM_ACCESS_WRITE) != 0;
  if ((access & BWGEMM_ACCESS_READ) &&
      !session.check(copyView(driver, staging, true),
                     "copying " + std::to_string(bytes) +
                         " bytes to the device")) {
    (void)driver.cuMemFree(staging.allocation);
    return nullptr;
  }
  void *result = reinterpret_cast<void *>(staging.device -
                                          uint64_t(staging.view.firstByte()));
  std::lock_guard<std::mutex> lock(stagingTable().mutex);
  stagingTable().views.emplace(result, std::move(staging));
  return result;
}

BWGEMM_RUNTIME_C void bwgemmHostFromDevice(void *devicePtr) {
  Staging staging;
  {
    std::lock_guard<std::mutex> lock(stagingTable().mutex);
    auto found = stagingTable().views.find(devicePtr);
    if (found == stagingTable().views.end())
      return;
    staging = std::move(found->second);
    stagingTable().views.erase(found);
  }
  Session session;
  if (!session)
    return;
  const DriverApi &driver = session.driver();
  if (session.check(driver.cuCtxSynchronize(), "waiting for the kernel")) {
    reportHazards(driver);
    if (staging.write)
      session.check(copyView(driver, staging, false),
                    "copying " + std::to_string(staging.view.byteCount()) +
                        " bytes from the device");
  }
  if (!inError())
    session.check(driver.cuMemFree(staging.allocation), "cuMemFree");
}

BWGEMM_RUNTIME_C void bwgemmHostZero2D(void *alignedPtr, int64_t offset,
                                       int64_t rows, int64_t cols,
                                       int64_t rowStride,
                                       int64_t elementBytes) {
  if (inError())
    return;
  int64_t sizes[] = {rows, cols}, strides[] = {rowStride, 1};
  StridedView view;
  if (std::string error = view.create(offset, 2, sizes, strides, elementBytes);
      !error.empty())
    return fail("result that cannot be zeroed: " + error);
  if (view.empty())
    return;
  Session session;
  if (!session)
    return;
  const DriverApi &driver = session.driver();
  CUdeviceptr first =
      reinterpret_cast<uintptr_t>(alignedPtr) + uint64_t(view.firstByte());
  uint64_t count = 0, pitch = 0;
  if (view.isPitched(count, pitch) && (count == 1 || pitch < (1u << 31))) {
    session.check(count == 1 ? driver.cuMemsetD8(first, 0, view.rowBytes())
                             : driver.cuMemsetD2D8(first, pitch, 0,
                                                   view.rowBytes(), count),
                  "zeroing the result");
    return;
  }
  view.forEachRow([&](uint64_t at) {
    if (!inError())
      session.check(driver.cuMemsetD8(first + at, 0, view.rowBytes()),
                    "zeroing the result");
  });
}

BWGEMM_RUNTIME_C int64_t bwgemmHostMultiprocessorCount() {
  if (inError())
    return 1;
  Session session;
  if (!session)
    return 1;
  const DriverApi &driver = session.driver();
  CUdevice device = 0;
  int count = 1;
  if (session.check(driver.cuCtxGetDevice(&device), "cuCtxGetDevice"))
    session.check(driver.cuDeviceGetAttribute(
                      &count, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device),
                  "asking for the number of multiprocessors");
  return count > 0 ? count : 1;
}

/// Puts `value` in the place of every `key`. True if there was one.
static bool substitute(std::string &text, const char *key, int64_t value) {
  bool found = false;
  std::string number = std::to_string(value);
  for (size_t at = text.find(key); at != std::string::npos;
       at = text.find(key, at + number.size())) {
    text.replace(at, std::strlen(key), number);
    found = true;
  }
  return found;
}

BWGEMM_RUNTIME_C int32_t bwgemmHostRequireEqual(int64_t got, int64_t expected,
                                                const char *what) {
  if (inError())
    return 0;
  if (got == expected)
    return 1;
  std::string message = what ? what : "values differ";
  bool hasGot = substitute(message, "{got}", got);
  bool hasExpected = substitute(message, "{expected}", expected);
  if (!hasGot && !hasExpected)
    message += ": got " + std::to_string(got) + ", expected " +
               std::to_string(expected);
  fail(message);
  return 0;
}
