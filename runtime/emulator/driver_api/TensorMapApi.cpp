//===- TensorMapApi.cpp - Tensor maps ---------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../machine/TensorMap.h"
#include "State.h"

#include <cstring>

using namespace bwgemm::emulator;
using namespace bwgemm::emulator::driver;
using namespace bwgemm::cuda;

BWGEMM_ENTRY cuTensorMapEncodeTiled(
    CUtensorMap *map, CUtensorMapDataType type, unsigned rank, void *address,
    const uint64_t *sizes, const uint64_t *strides, const uint32_t *box,
    const uint32_t *elementStrides, CUtensorMapInterleave interleave,
    CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2,
    CUtensorMapFloatOOBfill fill) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  if (!map)
    return CUDA_ERROR_INVALID_VALUE;
  TiledMapArguments arguments;
  arguments.dataType = unsigned(type);
  arguments.rank = rank;
  arguments.globalAddress = reinterpret_cast<uintptr_t>(address);
  arguments.dims = sizes;
  arguments.strides = strides;
  arguments.box = box;
  arguments.elementStrides = elementStrides;
  arguments.interleave = int(interleave);
  arguments.swizzle = int(swizzle);
  arguments.l2Promotion = int(l2);
  arguments.oobFill = int(fill);
  arguments.blackwell = state().architecture.major >= 10;
  TensorMapWords words;
  std::string error;
  if (!encodeTiled(arguments, words, error)) {
    complain("cuTensorMapEncodeTiled refused: " + error);
    return CUDA_ERROR_INVALID_VALUE;
  }
  // The map itself may be unaligned: the driver does not check (measured on an
  // H200); the instruction that uses it does.
  std::memcpy(map, words.data(), sizeof(*map));
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuTensorMapReplaceAddress(CUtensorMap *map, void *address) {
  Call call(Needs::Context);
  if (!call)
    return call.status;
  uint64_t value = reinterpret_cast<uintptr_t>(address);
  if (!map || value % 16)
    return CUDA_ERROR_INVALID_VALUE;
  // Word 0 is the address and nothing else changes (measured on an H200).
  std::memcpy(map, &value, sizeof(value));
  return CUDA_SUCCESS;
}

BWGEMM_ENTRY cuTensorMapEncodeIm2col(...) {
  return notSupported("cuTensorMapEncodeIm2col",
                      "no copy in im2col mode is emulated; use a tiled map");
}
