//===- DriverApiTest.cpp - The emulator's driver calls ----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorFixture.h"

#include <array>
#include <cstring>
#include <dlfcn.h>
#include <thread>
#include <vector>

using namespace bwgemm::runtime;

namespace {

/// An entry point that is not in the driver table.
template <typename Signature> Signature *symbol(const char *name) {
  void *handle = dlopen(EMULATOR_LIBRARY, RTLD_NOW | RTLD_NOLOAD);
  return reinterpret_cast<Signature *>(dlsym(handle, name));
}

class DriverApiTest : public EmulatorTest {};

TEST_F(DriverApiTest, DeviceIsConsistent) {
  int count = 0, sms = 0, major = 0, minor = 0, shared = 0, version = 0;
  EXPECT_EQ(api->cuDeviceGetCount(&count), CUDA_SUCCESS);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(api->cuDriverGetVersion(&version), CUDA_SUCCESS);
  EXPECT_EQ(version, 13000);
  EXPECT_EQ(api->cuDeviceGetAttribute(
                &sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(api->cuDeviceGetAttribute(
                &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(api->cuDeviceGetAttribute(
                &minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(
      api->cuDeviceGetAttribute(
          &shared, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 0),
      CUDA_SUCCESS);
  // B200: 148 multiprocessors, compute capability 10.0, 227 KB for a block.
  EXPECT_EQ(sms, 148);
  EXPECT_EQ(major * 10 + minor, 100);
  EXPECT_EQ(shared, 232448);
  CUdevice device;
  EXPECT_EQ(api->cuDeviceGet(&device, 1), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(api->cuDeviceGetAttribute(&sms, CUdevice_attribute(100000), 0),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DriverApiTest, NeedsAContextOnEachThread) {
  CUresult result = CUDA_SUCCESS;
  std::thread([&] {
    CUdeviceptr address = 0;
    result = api->cuMemAlloc(&address, 16);
  }).join();
  EXPECT_EQ(result, CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(DriverApiTest, CopiesAreCheckedAgainstTheAllocation) {
  CUdeviceptr address = 0;
  ASSERT_EQ(api->cuMemAlloc(&address, 100), CUDA_SUCCESS);
  EXPECT_EQ(address % 256, 0u);
  std::array<char, 101> host{};
  host.fill(7);
  EXPECT_EQ(api->cuMemcpyHtoD(address, host.data(), 100), CUDA_SUCCESS);
  EXPECT_EQ(api->cuMemcpyHtoD(address, host.data(), 101),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(api->cuMemcpyHtoD(address + 50, host.data(), 51),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(api->cuMemcpyHtoD(0, host.data(), 1), CUDA_ERROR_INVALID_VALUE);
  host.fill(0);
  EXPECT_EQ(api->cuMemcpyDtoH(host.data(), address + 99, 1), CUDA_SUCCESS);
  EXPECT_EQ(host[0], 7);
  EXPECT_EQ(api->cuMemFree(address), CUDA_SUCCESS);
  EXPECT_EQ(api->cuMemFree(address), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(api->cuMemcpyDtoH(host.data(), address, 1),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DriverApiTest, UnifiedCopyTakesOrdinaryHostMemory) {
  CUdeviceptr address = 0;
  ASSERT_EQ(api->cuMemAlloc(&address, 8), CUDA_SUCCESS);
  uint64_t in = 0x0123456789abcdef, out = 0;
  EXPECT_EQ(
      api->cuMemcpyAsync(address, CUdeviceptr(uintptr_t(&in)), 8, nullptr),
      CUDA_SUCCESS);
  EXPECT_EQ(
      api->cuMemcpyAsync(CUdeviceptr(uintptr_t(&out)), address, 8, nullptr),
      CUDA_SUCCESS);
  EXPECT_EQ(out, in);
  EXPECT_EQ(api->cuMemFree(address), CUDA_SUCCESS);
}

TEST_F(DriverApiTest, TwoDimensionalCopyLeavesTheGaps) {
  // Rows of 3 bytes from pitch 5 to pitch 4.
  CUdeviceptr address = 0;
  ASSERT_EQ(api->cuMemAlloc(&address, 8), CUDA_SUCCESS);
  ASSERT_EQ(api->cuMemsetD8Async(address, 0xee, 8, nullptr), CUDA_SUCCESS);
  const unsigned char host[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  CUDA_MEMCPY2D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = host;
  copy.srcPitch = 5;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = address;
  copy.dstPitch = 4;
  copy.WidthInBytes = 3;
  copy.Height = 2;
  EXPECT_EQ(api->cuMemcpy2DAsync(&copy, nullptr), CUDA_SUCCESS);
  std::array<unsigned char, 8> back{};
  EXPECT_EQ(api->cuMemcpyDtoH(back.data(), address, 8), CUDA_SUCCESS);
  EXPECT_EQ(back, (std::array<unsigned char, 8>{1, 2, 3, 0xee, 6, 7, 8, 0xee}));
  copy.dstPitch = 2;
  EXPECT_EQ(api->cuMemcpy2DAsync(&copy, nullptr), CUDA_ERROR_INVALID_VALUE);
  copy.dstPitch = 6; // The second row would end at byte 9.
  EXPECT_EQ(api->cuMemcpy2DAsync(&copy, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(api->cuMemFree(address), CUDA_SUCCESS);
}

TEST_F(DriverApiTest, Memset) {
  CUdeviceptr address = 0;
  ASSERT_EQ(api->cuMemAlloc(&address, 16), CUDA_SUCCESS);
  EXPECT_EQ(api->cuMemsetD32Async(address, 0x01020304, 4, nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(api->cuMemsetD16Async(address + 2, 0xaabb, 1, nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(api->cuMemsetD16Async(address + 1, 0, 1, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(api->cuMemsetD32Async(address, 0, 5, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  // Bytes 8 and 12.
  EXPECT_EQ(api->cuMemsetD2D8Async(address + 8, 4, 0xcc, 1, 2, nullptr),
            CUDA_SUCCESS);
  std::array<uint32_t, 4> back{};
  EXPECT_EQ(api->cuMemcpyDtoH(back.data(), address, 16), CUDA_SUCCESS);
  EXPECT_EQ(back, (std::array<uint32_t, 4>{0xaabb0304, 0x01020304, 0x010203cc,
                                           0x010203cc}));
  EXPECT_EQ(api->cuMemFree(address), CUDA_SUCCESS);
}

TEST_F(DriverApiTest, PointerAttributes) {
  CUdeviceptr device = 0, managed = 0, base = 0;
  ASSERT_EQ(api->cuMemAlloc(&device, 64), CUDA_SUCCESS);
  ASSERT_EQ(api->cuMemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL),
            CUDA_SUCCESS);
  unsigned type = 0, isManaged = 7;
  EXPECT_EQ(api->cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                       device + 63),
            CUDA_SUCCESS);
  EXPECT_EQ(type, unsigned(CU_MEMORYTYPE_DEVICE));
  EXPECT_EQ(api->cuPointerGetAttribute(
                &base, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, device + 63),
            CUDA_SUCCESS);
  EXPECT_EQ(base, device);
  EXPECT_EQ(api->cuPointerGetAttribute(&isManaged,
                                       CU_POINTER_ATTRIBUTE_IS_MANAGED, device),
            CUDA_SUCCESS);
  EXPECT_EQ(isManaged, 0u);
  EXPECT_EQ(api->cuPointerGetAttribute(
                &isManaged, CU_POINTER_ATTRIBUTE_IS_MANAGED, managed),
            CUDA_SUCCESS);
  EXPECT_EQ(isManaged, 1u);
  int local = 0;
  EXPECT_EQ(api->cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                       CUdeviceptr(uintptr_t(&local))),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(api->cuMemFree(device), CUDA_SUCCESS);
  EXPECT_EQ(api->cuMemFree(managed), CUDA_SUCCESS);
}

TEST_F(DriverApiTest, RegisteredHostMemory) {
  std::vector<char> host(100);
  EXPECT_EQ(api->cuMemHostRegister(host.data(), host.size(), 0), CUDA_SUCCESS);
  EXPECT_EQ(api->cuMemHostRegister(host.data() + 10, 10, 0),
            CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  unsigned type = 0;
  EXPECT_EQ(api->cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                       CUdeviceptr(uintptr_t(&host[50]))),
            CUDA_SUCCESS);
  EXPECT_EQ(type, unsigned(CU_MEMORYTYPE_HOST));
  EXPECT_EQ(api->cuMemFree(CUdeviceptr(uintptr_t(host.data()))),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(api->cuMemHostUnregister(host.data()), CUDA_SUCCESS);
  EXPECT_EQ(api->cuMemHostUnregister(host.data()),
            CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
}

TEST_F(DriverApiTest, EventsMeasureTime) {
  CUevent start = nullptr, end = nullptr, untimed = nullptr;
  ASSERT_EQ(api->cuEventCreate(&start, CU_EVENT_DEFAULT), CUDA_SUCCESS);
  ASSERT_EQ(api->cuEventCreate(&end, CU_EVENT_DEFAULT), CUDA_SUCCESS);
  ASSERT_EQ(api->cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING),
            CUDA_SUCCESS);
  float milliseconds = -1;
  EXPECT_EQ(api->cuEventElapsedTime(&milliseconds, start, end),
            CUDA_ERROR_INVALID_HANDLE)
      << "not recorded yet";
  EXPECT_EQ(api->cuEventRecord(start, nullptr), CUDA_SUCCESS);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(api->cuEventRecord(end, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(api->cuEventRecord(untimed, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(api->cuEventElapsedTime(&milliseconds, start, end), CUDA_SUCCESS);
  EXPECT_GE(milliseconds, 5.0f);
  EXPECT_EQ(api->cuEventElapsedTime(&milliseconds, start, untimed),
            CUDA_ERROR_INVALID_HANDLE);
  for (CUevent event : {start, end, untimed})
    EXPECT_EQ(api->cuEventDestroy(event), CUDA_SUCCESS);
  EXPECT_EQ(api->cuEventRecord(start, nullptr), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(DriverApiTest, StreamsAreHandles) {
  CUstream stream = nullptr;
  ASSERT_EQ(api->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  EXPECT_EQ(api->cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(api->cuStreamDestroy(stream), CUDA_SUCCESS);
  EXPECT_EQ(api->cuStreamSynchronize(stream), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(DriverApiTest, TensorMapIsTheHardwaresEncoding) {
  // bf16 128x64, box 64x128 (innermost first), swizzle 128B, at address 2^12.
  const uint64_t sizes[] = {64, 128}, strides[] = {128};
  const uint32_t box[] = {64, 128}, ones[] = {1, 1};
  CUtensorMap map = {};
  ASSERT_EQ(api->cuTensorMapEncodeTiled(
                &map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2,
                reinterpret_cast<void *>(0x1000), sizes, strides, box, ones,
                CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                CU_TENSOR_MAP_L2_PROMOTION_NONE,
                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
            CUDA_SUCCESS);
  EXPECT_EQ(map.opaque[0], 0x1000u);
  // Rank - 1 at bit 4, element code 10 at bit 7, swizzle 3 at bit 13, and the
  // row pitch in units of 16 bytes in the upper half.
  EXPECT_EQ(map.opaque[1],
            (uint64_t(8) << 32) | (3 << 13) | (10 << 7) | (1 << 4));
  EXPECT_EQ(map.opaque[4], (uint64_t(127) << 32) | 63);

  auto *replace =
      symbol<CUresult(CUtensorMap *, void *)>("cuTensorMapReplaceAddress");
  ASSERT_NE(replace, nullptr);
  CUtensorMap moved = map;
  EXPECT_EQ(replace(&moved, reinterpret_cast<void *>(0x2008)),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(replace(&moved, reinterpret_cast<void *>(0x2010)), CUDA_SUCCESS);
  EXPECT_EQ(moved.opaque[0], 0x2010u);
  moved.opaque[0] = map.opaque[0];
  EXPECT_EQ(std::memcmp(&moved, &map, sizeof(map)), 0);

  // 128 bf16 are 256 bytes, more than the swizzle's 128.
  const uint32_t wide[] = {128, 64};
  EXPECT_EQ(api->cuTensorMapEncodeTiled(
                &map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2,
                reinterpret_cast<void *>(0x1000), sizes, strides, wide, ones,
                CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                CU_TENSOR_MAP_L2_PROMOTION_NONE,
                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DriverApiTest, ProcAddressFollowsTheVersion) {
  auto *lookUp =
      symbol<CUresult(const char *, void **, int, uint64_t,
                      CUdriverProcAddressQueryResult *)>("cuGetProcAddress_v2");
  ASSERT_NE(lookUp, nullptr);
  void *found = nullptr;
  CUdriverProcAddressQueryResult status;
  EXPECT_EQ(lookUp("cuMemAlloc", &found, 12000, 0, &status), CUDA_SUCCESS);
  EXPECT_EQ(found, reinterpret_cast<void *>(api->cuMemAlloc));
  EXPECT_EQ(lookUp("cuCtxCreate", &found, 11000, 0, &status), CUDA_SUCCESS);
  EXPECT_EQ(found, symbol<void>("cuCtxCreate_v2"));
  EXPECT_EQ(lookUp("cuCtxCreate", &found, 13000, 0, &status), CUDA_SUCCESS);
  EXPECT_EQ(found, symbol<void>("cuCtxCreate_v4"));
  EXPECT_EQ(lookUp("cuMemAlloc", &found, 2000, 0, &status), CUDA_SUCCESS);
  EXPECT_EQ(found, symbol<void>("cuMemAlloc"));
  // Tensor maps came with 12.0. The results are those of an H200.
  EXPECT_EQ(lookUp("cuTensorMapEncodeTiled", &found, 11080, 0, &status),
            CUDA_SUCCESS);
  EXPECT_EQ(status, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
  EXPECT_EQ(found, nullptr);
  EXPECT_EQ(lookUp("malloc", &found, 13000, 0, &status), CUDA_SUCCESS);
  EXPECT_EQ(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  EXPECT_EQ(found, nullptr);
  // Flag 2 asks for the form with a default stream of each thread.
  EXPECT_EQ(lookUp("cuStreamSynchronize", &found, 13000, 2, &status),
            CUDA_SUCCESS);
  EXPECT_EQ(found, symbol<void>("cuStreamSynchronize_ptsz"));
  EXPECT_EQ(lookUp("cuMemcpyHtoD", &found, 13000, 2, &status), CUDA_SUCCESS);
  EXPECT_EQ(found, symbol<void>("cuMemcpyHtoD_v2_ptds"));
}

TEST_F(DriverApiTest, ResultsHaveNames) {
  const char *text = nullptr;
  EXPECT_EQ(api->cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &text),
            CUDA_SUCCESS);
  EXPECT_STREQ(text, "CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_EQ(api->cuGetErrorName(CUresult(12345), &text),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(text, nullptr);
}

} // namespace
