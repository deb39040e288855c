//===- Device.cpp - Initialisation, errors and the device -------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "State.h"

#include <cstdlib>
#include <cstring>
#include <limits>
#include <string_view>

using namespace bwgemm::emulator;
using namespace bwgemm::emulator::driver;
using namespace bwgemm::cuda;

/// True if the option text sets `key`.
static bool namesOption(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    size_t comma = text.find(',');
    std::string_view item = text.substr(0, comma);
    while (!item.empty() && item.front() == ' ')
      item.remove_prefix(1);
    if (item.substr(0, item.find('=')) == key)
      return true;
    if (comma == text.npos)
      break;
    text.remove_prefix(comma + 1);
  }
  return false;
}

BWGEMM_ENTRY cuInit(unsigned flags) {
  State &state = driver::state();
  std::lock_guard<std::mutex> lock(state.mutex);
  if (flags != 0)
    return CUDA_ERROR_INVALID_VALUE;
  if (state.initialised)
    return CUDA_SUCCESS;
  Options options;
  bool archGiven = false;
  if (const char *text = std::getenv("BWGEMM_EMULATOR")) {
    std::string error;
    if (!options.parse(text, error)) {
      complain("BWGEMM_EMULATOR: " + error);
      return CUDA_ERROR_INVALID_VALUE;
    }
    archGiven = namesOption(text, "arch");
  }
  state.options = options;
  state.archGiven = state.archFixed = archGiven;
  state.architecture = architectureOf(options.arch);
  state.initialised = true;
  std::atexit([] {
    State &state = driver::state();
    std::lock_guard<std::mutex> lock(state.mutex);
    state.ended = true;
  });
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuDriverGetVersion(int *version) {
  if (!version)
    return CUDA_ERROR_INVALID_VALUE;
  *version = driverApiVersion;
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuGetErrorName(CUresult result, const char **text) {
  if (!text)
    return CUDA_ERROR_INVALID_VALUE;
  switch (result) {
#define BWGEMM_CUDA_RESULT(name, value, description)                           \
  case name:                                                                   \
    *text = #name;                                                             \
    return CUDA_SUCCESS;
    BWGEMM_CUDA_RESULTS(BWGEMM_CUDA_RESULT)
#undef BWGEMM_CUDA_RESULT
  }
  *text = nullptr;
  return CUDA_ERROR_INVALID_VALUE;
}

BWGEMM_ENTRY cuGetErrorString(CUresult result, const char **text) {
  if (!text)
    return CUDA_ERROR_INVALID_VALUE;
  switch (result) {
#define BWGEMM_CUDA_RESULT(name, value, description)                           \
  case name:                                                                   \
    *text = description;                                                       \
    return CUDA_SUCCESS;
    BWGEMM_CUDA_RESULTS(BWGEMM_CUDA_RESULT)
#undef BWGEMM_CUDA_RESULT
  }
  *text = nullptr;
  return CUDA_ERROR_INVALID_VALUE;
}

BWGEMM_ENTRY cuDeviceGetCount(int *count) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  if (!count)
    return CUDA_ERROR_INVALID_VALUE;
  *count = 1;
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuDeviceGet(CUdevice *device, int ordinal) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  if (!device)
    return CUDA_ERROR_INVALID_VALUE;
  if (ordinal != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  *device = 0;
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuDeviceGetName(char *name, int bytes, CUdevice device) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  if (!name || bytes <= 0)
    return CUDA_ERROR_INVALID_VALUE;
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  std::string text = std::string("bwgemm emulator of ") +
                     call.state.architecture.chip + " (" +
                     call.state.architecture.name + ")";
  std::strncpy(name, text.c_str(), size_t(bytes) - 1);
  name[bytes - 1] = '\0';
  return CUDA_SUCCESS;
}

static CUresult getUuid(CUuuid *uuid, CUdevice device) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  if (!uuid)
    return CUDA_ERROR_INVALID_VALUE;
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  std::memcpy(uuid->bytes, "bwgemm-emulator", 16);
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuDeviceGetUuid(CUuuid *uuid, CUdevice device) {
  return getUuid(uuid, device);
}
BWGEMM_ENTRY cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device) {
  return getUuid(uuid, device);
}

BWGEMM_ENTRY cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  if (!bytes)
    return CUDA_ERROR_INVALID_VALUE;
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  *bytes = call.state.architecture.memoryBytes;
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuDeviceComputeCapability(int *major, int *minor,
                                       CUdevice device) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  if (!major || !minor)
    return CUDA_ERROR_INVALID_VALUE;
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  *major = call.state.architecture.major;
  *minor = call.state.architecture.minor;
  return CUDA_SUCCESS;
}

/// The value of an attribute, or nothing for one that is not known.
static std::optional<int> attributeOf(const Architecture &arch, int attribute) {
  switch (attribute) {
  case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
    return 1024;
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z:
    return 64;
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
    return std::numeric_limits<int>::max();
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z:
    return 65535;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
    return defaultSharedPerBlock;
  case CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY:
    return 65536;
  case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
    return 32;
  case CU_DEVICE_ATTRIBUTE_MAX_PITCH:
    return std::numeric_limits<int>::max();
  case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK:
  case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR:
    return 65536;
  case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
    return arch.clockKHz;
  case CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT:
    return 512;
  case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
    return arch.multiprocessors;
  case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
    return 4000000;
  case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
    return arch.major >= 10 ? 8192 : 5120;
  case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
    return arch.l2Bytes;
  case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
    return arch.threadsPerMultiprocessor;
  case CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT:
  case CU_DEVICE_ATTRIBUTE_PCI_BUS_ID:
    return 1;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
    return arch.major;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
    return arch.minor;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
    return arch.sharedPerMultiprocessor;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
    return arch.sharedPerBlock;
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR:
    return arch.threadsPerMultiprocessor == 2048 ? 32 : 24;
  case CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK:
    return reservedSharedPerBlock;
  case CU_DEVICE_ATTRIBUTE_GPU_OVERLAP:
  case CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY:
  case CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS:
  case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
  case CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED:
  case CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY:
  case CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM:
  case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED:
    return 1;
  case CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH:
  case CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED:
    return arch.major >= 9;
  case CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT:
  case CU_DEVICE_ATTRIBUTE_INTEGRATED:
  case CU_DEVICE_ATTRIBUTE_COMPUTE_MODE:
  case CU_DEVICE_ATTRIBUTE_ECC_ENABLED:
  case CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID:
  case CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID:
  case CU_DEVICE_ATTRIBUTE_TCC_DRIVER:
  case CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS:
  case CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS:
  case CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH:
    return 0;
  }
  // What a newer program asks for and this device lacks: 0 says "no" for all
  // attributes that name a feature.
  if (attribute > 0 && attribute < 160)
    return 0;
  return std::nullopt;
}

BWGEMM_ENTRY cuDeviceGetAttribute(int *value, CUdevice_attribute attribute,
                                  CUdevice device) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  if (!value)
    return CUDA_ERROR_INVALID_VALUE;
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  std::optional<int> found =
      attributeOf(call.state.architecture, int(attribute));
  if (!found)
    return CUDA_ERROR_INVALID_VALUE;
  *value = *found;
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuDeviceGetPCIBusId(char *text, int bytes, CUdevice device) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  static constexpr const char busId[] = "0000:01:00.0";
  if (!text || bytes < int(sizeof(busId)))
    return CUDA_ERROR_INVALID_VALUE;
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  std::memcpy(text, busId, sizeof(busId));
  return CUDA_SUCCESS;
}
