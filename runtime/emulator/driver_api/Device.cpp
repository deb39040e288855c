//===- Device.cpp - Initialisation, errors and the device -------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "State.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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
  state.memory.setPoisoned(options.hazards);
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

BWGEMM_ENTRY cuDeviceTotalMem(unsigned *bytes, CUdevice device) {
  // Its first version has 32 bits for the answer.
  size_t total = 0;
  CUresult result = cuDeviceTotalMem_v2(bytes ? &total : nullptr, device);
  if (result == CUDA_SUCCESS)
    *bytes = unsigned(std::min<size_t>(total, 0xffffffffu));
  return result;
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

static constexpr const char busId[] = "0000:01:00.0";

BWGEMM_ENTRY cuDeviceGetPCIBusId(char *text, int bytes, CUdevice device) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  if (!text || bytes < int(sizeof(busId)))
    return CUDA_ERROR_INVALID_VALUE;
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  std::memcpy(text, busId, sizeof(busId));
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuDeviceGetByPCIBusId(CUdevice *device, const char *text) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  if (!device || !text)
    return CUDA_ERROR_INVALID_VALUE;
  // [domain:]bus:device[.function], in hexadecimal.
  unsigned domain = 0, bus = 0, slot = 0, function = 0;
  char end;
  bool full = std::sscanf(text, "%x:%x:%x.%x%c", &domain, &bus, &slot,
                          &function, &end) == 4 ||
              std::sscanf(text, "%x:%x:%x%c", &domain, &bus, &slot, &end) == 3;
  if (!full) {
    domain = 0;
    if (std::sscanf(text, "%x:%x.%x%c", &bus, &slot, &function, &end) != 3)
      return CUDA_ERROR_INVALID_VALUE;
  }
  if (domain != 0 || bus != 1 || slot != 0 || function != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  *device = 0;
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuDeviceGetProperties(CUdevprop *properties, CUdevice device) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  if (!properties)
    return CUDA_ERROR_INVALID_VALUE;
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  auto value = [&](int attribute) {
    return attributeOf(call.state.architecture, attribute).value_or(0);
  };
  properties->maxThreadsPerBlock =
      value(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  for (int i = 0; i < 3; ++i) {
    properties->maxThreadsDim[i] =
        value(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + i);
    properties->maxGridSize[i] = value(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + i);
  }
  properties->sharedMemPerBlock =
      value(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  properties->totalConstantMemory =
      value(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY);
  properties->SIMDWidth = value(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  properties->memPitch = value(CU_DEVICE_ATTRIBUTE_MAX_PITCH);
  properties->regsPerBlock = value(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
  properties->clockRate = value(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  properties->textureAlign = value(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT);
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuDeviceGetLuid(char *luid, unsigned *mask, CUdevice device) {
  // Windows' identifier of an adapter.
  (void)luid;
  (void)mask;
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  return device == 0 ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_DEVICE;
}

BWGEMM_ENTRY cuDeviceGetExecAffinitySupport(int *value, int type,
                                            CUdevice device) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  if (!value || type != 0)
    return CUDA_ERROR_INVALID_VALUE;
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  *value = 0;
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuDeviceGetTexture1DLinearMaxWidth(size_t *elements, int,
                                                unsigned channels,
                                                CUdevice device) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  if (!elements || channels == 0)
    return CUDA_ERROR_INVALID_VALUE;
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  *elements =
      size_t(attributeOf(call.state.architecture,
                         CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH)
                 .value_or(0));
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Peers: there are none
//===----------------------------------------------------------------------===//

BWGEMM_ENTRY cuDeviceCanAccessPeer(int *value, CUdevice device, CUdevice peer) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  if (!value)
    return CUDA_ERROR_INVALID_VALUE;
  if (device != 0 || peer != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  *value = 0;
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute,
                                     CUdevice, CUdevice) {
  Call call(Needs::Initialised);
  if (!call)
    return call.status;
  // Two devices have to be named, and there is one.
  return value ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
}

BWGEMM_ENTRY cuCtxEnablePeerAccess(CUcontext, unsigned) {
  Call call(Needs::Context);
  return call ? CUDA_ERROR_PEER_ACCESS_UNSUPPORTED : call.status;
}

BWGEMM_ENTRY cuCtxDisablePeerAccess(CUcontext) {
  Call call(Needs::Context);
  return call ? CUDA_ERROR_PEER_ACCESS_NOT_ENABLED : call.status;
}

BWGEMM_ENTRY cuFlushGPUDirectRDMAWrites(int, int) {
  return Call(Needs::Context).status;
}

BWGEMM_ENTRY cuProfilerStart() { return Call(Needs::Context).status; }
BWGEMM_ENTRY cuProfilerStop() { return Call(Needs::Context).status; }
