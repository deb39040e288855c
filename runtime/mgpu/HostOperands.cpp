//===- HostOperands.cpp - Operands between host and device ------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calls.h"
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
                            uint64_t rows, uint64_t pitch, bool toDevice,
                            CUstream stream) {
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
  return driver.cuMemcpy2DAsync(&copy, stream);
}

static CUresult copyBytes(const DriverApi &driver, const Staging &staging,
                          char *host, uint64_t bytes, bool toDevice,
                          CUstream stream) {
  return toDevice
             ? driver.cuMemcpyHtoDAsync(staging.device, host, bytes, stream)
             : driver.cuMemcpyDtoHAsync(host, staging.device, bytes, stream);
}

/// Copies a view in the order of the call's stream and waits for it. False on
/// failure, which is reported.
static bool copyView(Session &session, const Staging &staging, bool toDevice) {
  const DriverApi &driver = session.driver();
  const StridedView &view = staging.view;
  std::string what =
      "copying " + std::to_string(view.byteCount()) +
      (toDevice ? " bytes to the device" : " bytes from the device");
  CUstream stream;
  // To the host: behind the kernels, so that their errors are theirs.
  if (!streamOfCall(session, stream) || (!toDevice && !waitForCall(session)))
    return false;
  uint64_t rows = 0, pitch = 0;
  // The driver's pitches end at 2^31 - 1 (CU_DEVICE_ATTRIBUTE_MAX_PITCH).
  if (view.isPitched(rows, pitch) && (rows == 1 || pitch < (1u << 31)))
    return session.check(rows == 1
                             ? copyBytes(driver, staging, staging.host,
                                         view.rowBytes(), toDevice, stream)
                             : copyPitched(driver, staging, rows, pitch,
                                           toDevice, stream),
                         what) &&
           waitForCall(session);
  // Any other view by way of a host buffer with the device's layout, so that
  // the driver is called once and not for every row.
  auto mirror = std::make_unique<char[]>(view.byteCount());
  if (toDevice)
    view.forEachRow([&](uint64_t at) {
      std::memcpy(mirror.get() + at, staging.host + at, view.rowBytes());
    });
  if (!session.check(copyBytes(driver, staging, mirror.get(), view.byteCount(),
                               toDevice, stream),
                     what) ||
      !waitForCall(session))
    return false;
  if (!toDevice)
    view.forEachRow([&](uint64_t at) {
      std::memcpy(staging.host + at, mirror.get() + at, view.rowBytes());
    });
  return true;
}

static void freeStaging(Session &session, const Staging &staging) {
  CUstream stream;
  if (streamOfCall(session, stream))
    (void)freeInOrder(session.driver(), stream, staging.allocation);
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
  if (usesCallersStream()) {
    fail("an operand of " + std::to_string(bytes) +
         " bytes lies in host memory; with a stream of the caller's "
         "(bwgemm_set_stream) all of them have to lie in device memory");
    return nullptr;
  }
  uint64_t lead = hostAddress % alignmentKept;
  CUstream stream;
  if (!streamOfCall(session, stream) ||
      !session.check(
          allocateInOrder(driver, stream, lead + bytes, staging.allocation),
          "allocating " + std::to_string(lead + bytes) +
              " bytes of device memory"))
    return nullptr;
  staging.device = staging.allocation + lead;
  staging.write = (access & BWGEMM_ACCESS_WRITE) != 0;
  if ((access & BWGEMM_ACCESS_READ) && !copyView(session, staging, true)) {
    Session cleaning(Session::Use::CleanUp);
    if (cleaning)
      freeStaging(cleaning, staging);
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
  if (Session session; session && staging.write) {
    // Outside of calls the kernel may have run in any stream.
    if (inCall() || session.check(session.driver().cuCtxSynchronize(),
                                  "waiting for the device"))
      copyView(session, staging, false);
  }
  if (Session session(Session::Use::CleanUp); session)
    freeStaging(session, staging);
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
  CUstream stream;
  if (!streamOfCall(session, stream))
    return;
  CUdeviceptr first =
      reinterpret_cast<uintptr_t>(alignedPtr) + uint64_t(view.firstByte());
  uint64_t count = 0, pitch = 0;
  if (view.isPitched(count, pitch) && (count == 1 || pitch < (1u << 31)))
    session.check(
        count == 1 ? driver.cuMemsetD8Async(first, 0, view.rowBytes(), stream)
                   : driver.cuMemsetD2D8Async(first, pitch, 0, view.rowBytes(),
                                              count, stream),
        "zeroing the result");
  else
    view.forEachRow([&](uint64_t at) {
      if (!inError())
        session.check(
            driver.cuMemsetD8Async(first + at, 0, view.rowBytes(), stream),
            "zeroing the result");
    });
  if (!inError())
    waitOutsideCalls(session);
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

BWGEMM_RUNTIME_C void bwgemmHostRequireLayout(const char *what, int64_t rank,
                                              const int64_t *got,
                                              const int64_t *expected) {
  constexpr int64_t open = INT64_MIN;
  auto require = [&](int64_t index, const std::string &name,
                     const char *instead) {
    if (inError() || expected[index] == open || got[index] == expected[index])
      return;
    fail(std::string(what) + ": expected " + name + " " +
         std::to_string(expected[index]) + ", got " +
         std::to_string(got[index]) + "; " + instead);
  };
  bool isEmpty = false;
  for (int64_t d = 0; d < rank; ++d) {
    require(1 + d, "size of dimension " + std::to_string(d) + " to be",
            "a type with ? in this place takes any");
    isEmpty |= got[1 + d] == 0;
  }
  if (isEmpty)
    return;
  for (int64_t d = 0; d < rank; ++d)
    if (got[1 + d] != 1)
      require(1 + rank + d,
              "stride of dimension " + std::to_string(d) + " to be",
              "a type with a layout such as strided<[?, 1]> takes others");
  require(0, "offset to be", "a type with offset: ? in its layout takes any");
}
