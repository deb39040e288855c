//===- CopyApi.cpp - Copying and setting memory -----------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "State.h"

#include <cstring>

using namespace bwgemm::emulator;
using namespace bwgemm::emulator::driver;
using namespace bwgemm::cuda;

/// Which side of a copy must be device memory; the other is the program's own
/// and is not checked, as it is not by a driver.
enum class Side { Device, Host, Either };

/// Whether a copy may touch `bytes` bytes at `address`.
static bool mayTouch(State &state, Side side, uint64_t address,
                     uint64_t bytes) {
  if (!address)
    return false;
  switch (side) {
  case Side::Host:
    return true;
  case Side::Device:
    return inDeviceMemory(state, address, bytes);
  case Side::Either:
    // An address that no allocation contains is ordinary host memory.
    return !state.memory.find(address) || inDeviceMemory(state, address, bytes);
  }
  return false;
}

static CUresult copy(Side toSide, uint64_t to, Side fromSide, uint64_t from,
                     size_t bytes) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (bytes == 0)
    return CUDA_SUCCESS;
  if (!mayTouch(call.state, toSide, to, bytes) ||
      !mayTouch(call.state, fromSide, from, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  std::memmove(reinterpret_cast<void *>(to),
               reinterpret_cast<const void *>(from), bytes);
  return CUDA_SUCCESS;
}

static uint64_t address(const void *pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}

BWGEMM_ENTRY cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) {
  return copy(Side::Device, to, Side::Host, address(from), bytes);
}
BWGEMM_ENTRY cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from,
                                  size_t bytes, CUstream) {
  return copy(Side::Device, to, Side::Host, address(from), bytes);
}
BWGEMM_ENTRY cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) {
  return copy(Side::Host, address(to), Side::Device, from, bytes);
}
BWGEMM_ENTRY cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes,
                                  CUstream) {
  return copy(Side::Host, address(to), Side::Device, from, bytes);
}
BWGEMM_ENTRY cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copy(Side::Device, to, Side::Device, from, bytes);
}
BWGEMM_ENTRY cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from,
                                  size_t bytes, CUstream) {
  return copy(Side::Device, to, Side::Device, from, bytes);
}
BWGEMM_ENTRY cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copy(Side::Either, to, Side::Either, from, bytes);
}
BWGEMM_ENTRY cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                           CUstream) {
  return copy(Side::Either, to, Side::Either, from, bytes);
}

/// Address and kind of one side of a two-dimensional copy.
static bool endOf(CUmemorytype type, const void *host, CUdeviceptr device,
                  Side &side, uint64_t &base) {
  switch (type) {
  case CU_MEMORYTYPE_HOST:
    side = Side::Host;
    base = address(host);
    return true;
  case CU_MEMORYTYPE_DEVICE:
    side = Side::Device;
    base = device;
    return true;
  case CU_MEMORYTYPE_UNIFIED:
    side = Side::Either;
    base = device;
    return true;
  case CU_MEMORYTYPE_ARRAY:
    break;
  }
  return false;
}

static CUresult copy2D(const CUDA_MEMCPY2D *copy) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!copy)
    return CUDA_ERROR_INVALID_VALUE;
  Side toSide, fromSide;
  uint64_t to = 0, from = 0;
  if (!endOf(copy->dstMemoryType, copy->dstHost, copy->dstDevice, toSide, to) ||
      !endOf(copy->srcMemoryType, copy->srcHost, copy->srcDevice, fromSide,
             from))
    return CUDA_ERROR_INVALID_VALUE;
  size_t width = copy->WidthInBytes, height = copy->Height;
  if (width == 0 || height == 0)
    return CUDA_SUCCESS;
  size_t toPitch = copy->dstPitch ? copy->dstPitch : width;
  size_t fromPitch = copy->srcPitch ? copy->srcPitch : width;
  if (toPitch < width + copy->dstXInBytes ||
      fromPitch < width + copy->srcXInBytes)
    return CUDA_ERROR_INVALID_VALUE;
  to += copy->dstY * toPitch + copy->dstXInBytes;
  from += copy->srcY * fromPitch + copy->srcXInBytes;
  // Checked as a whole, so that nothing is copied when something is refused.
  if (!mayTouch(call.state, toSide, to, toPitch * (height - 1) + width) ||
      !mayTouch(call.state, fromSide, from, fromPitch * (height - 1) + width))
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t row = 0; row < height; ++row)
    std::memmove(reinterpret_cast<void *>(to + row * toPitch),
                 reinterpret_cast<const void *>(from + row * fromPitch), width);
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuMemcpy2D_v2(const CUDA_MEMCPY2D *copy) { return copy2D(copy); }
BWGEMM_ENTRY cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *copy) {
  return copy2D(copy);
}
BWGEMM_ENTRY cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *copy, CUstream) {
  return copy2D(copy);
}

//===----------------------------------------------------------------------===//
// Setting
//===----------------------------------------------------------------------===//

/// Sets `height` rows of `width` elements, `pitch` bytes apart.
template <typename T>
static CUresult set(CUdeviceptr to, size_t pitch, T value, size_t width,
                    size_t height) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (width == 0 || height == 0)
    return CUDA_SUCCESS;
  if (width > SIZE_MAX / sizeof(T))
    return CUDA_ERROR_INVALID_VALUE;
  size_t rowBytes = width * sizeof(T);
  if (height > 1 &&
      (pitch < rowBytes || pitch > (SIZE_MAX - rowBytes) / height))
    return CUDA_ERROR_INVALID_VALUE;
  if (to % sizeof(T) || (height > 1 && pitch % sizeof(T)) ||
      !inDeviceMemory(call.state, to, pitch * (height - 1) + rowBytes))
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t row = 0; row < height; ++row) {
    T *elements = reinterpret_cast<T *>(to + row * pitch);
    for (size_t i = 0; i < width; ++i)
      elements[i] = value;
  }
  return CUDA_SUCCESS;
}

#define BWGEMM_MEMSET(bits, type)                                              \
  BWGEMM_ENTRY cuMemsetD##bits##_v2(CUdeviceptr to, type value,                \
                                    size_t count) {                            \
    return set<type>(to, 0, value, count, 1);                                  \
  }                                                                            \
  BWGEMM_ENTRY cuMemsetD##bits##Async(CUdeviceptr to, type value,              \
                                      size_t count, CUstream) {                \
    return set<type>(to, 0, value, count, 1);                                  \
  }                                                                            \
  BWGEMM_ENTRY cuMemsetD2D##bits##_v2(                                         \
      CUdeviceptr to, size_t pitch, type value, size_t width, size_t height) { \
    return set<type>(to, pitch, value, width, height);                         \
  }                                                                            \
  BWGEMM_ENTRY cuMemsetD2D##bits##Async(CUdeviceptr to, size_t pitch,          \
                                        type value, size_t width,              \
                                        size_t height, CUstream) {             \
    return set<type>(to, pitch, value, width, height);                         \
  }

BWGEMM_MEMSET(8, unsigned char)
BWGEMM_MEMSET(16, unsigned short)
BWGEMM_MEMSET(32, unsigned int)
#undef BWGEMM_MEMSET
