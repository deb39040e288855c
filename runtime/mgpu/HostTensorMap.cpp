//===- HostTensorMap.cpp - Tensor maps of memref views ----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver refuses a tensor map with a bare CUDA_ERROR_INVALID_VALUE. Its
// rules (CUDA Driver API, cuTensorMapEncodeTiled; limits confirmed on an H200)
// are checked here first, so that the message names the rule and the numbers.
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"

#include <cstring>

using namespace bwgemm::runtime;
using namespace bwgemm::runtime::launch;
using namespace bwgemm::cuda;

namespace {

struct MapElement {
  const char *name;
  int64_t bytes;
};

} // namespace

/// By CUtensorMapDataType; the packed types below a byte are not offered.
static constexpr MapElement mapElements[] = {
    {"u8", 1},  {"u16", 2},  {"u32", 4}, {"s32", 4}, {"u64", 8},
    {"s64", 8}, {"f16", 2},  {"f32", 4}, {"f64", 8}, {"bf16", 2},
    {"f32", 4}, {"tf32", 4}, {"tf32", 4}};

static std::string number(int64_t value) { return std::to_string(value); }

/// "row" for the last but one dimension, whose stride people call the row
/// pitch or leading dimension.
static std::string pitchName(int32_t dim, int32_t rank) {
  return dim == rank - 2 ? "row pitch" : "pitch of dimension " + number(dim);
}

/// Checks one pitch. `bytes` gets it; for a dimension of size 1, which no
/// address depends on, something that TMA takes.
static std::string checkPitch(int32_t dim, int32_t rank, int64_t size,
                              int64_t stride, const MapElement &element,
                              uint64_t &bytes) {
  if (size == 1) {
    bytes = 16;
    return std::string();
  }
  std::string name = pitchName(dim, rank);
  constexpr int64_t limit = int64_t(1) << 40;
  int64_t pitch;
  if (stride < 0)
    return name + " is " + number(stride) +
           " elements; TMA needs pitches that are not negative";
  if (__builtin_mul_overflow(stride, element.bytes, &pitch) || pitch >= limit)
    return name + " is " + number(stride) + " elements of " + element.name +
           "; TMA needs less than 2^40 bytes";
  if (pitch % 16 != 0) {
    int64_t unit = 16 / element.bytes;
    return name + " is " + number(pitch) +
           " bytes; TMA needs a multiple of 16 bytes (" + number(unit) +
           " elements of " + element.name + "); pad the " +
           (dim == rank - 2 ? "leading dimension" : "stride") + " to " +
           number((stride + unit - 1) / unit * unit);
  }
  bytes = uint64_t(pitch);
  return std::string();
}

static std::string checkBox(int32_t rank, const int32_t *box, int32_t swizzle,
                            const MapElement &element) {
  for (int32_t i = 0; i < rank; ++i)
    if (box[i] < 1 || box[i] > 256)
      return "the box has " + number(box[i]) + " elements in dimension " +
             number(i) + "; TMA needs 1 to 256";
  if (swizzle < CU_TENSOR_MAP_SWIZZLE_NONE ||
      swizzle > CU_TENSOR_MAP_SWIZZLE_128B)
    return "swizzle " + number(swizzle) +
           " is unknown; expected 0 (none), 1 (32B), 2 (64B) or 3 (128B)";
  int64_t inner = box[rank - 1] * element.bytes;
  if (inner % 16 != 0)
    return "the box's rows are " + number(inner) +
           " bytes; TMA needs a multiple of 16 bytes";
  int64_t span = swizzle == CU_TENSOR_MAP_SWIZZLE_NONE ? 0 : 16 << swizzle;
  if (span && inner > span)
    return "the box's rows are " + number(inner) + " bytes; swizzle " +
           number(span) + "B takes at most " + number(span);
  return std::string();
}

namespace {

/// A view as the driver wants it: sizes and pitches from the innermost on.
struct TensorView {
  const MapElement *element = nullptr;
  int64_t address = 0;
  uint64_t sizes[5] = {}, pitches[5] = {};
};

} // namespace

/// Fills `view`, or says which rule of TMA the memref's view breaks.
static std::string checkView(void *alignedPtr, int64_t offset, int32_t rank,
                             const int64_t *sizes, const int64_t *strides,
                             int32_t elementType, TensorView &view) {
  if (elementType < 0 ||
      elementType >= int32_t(sizeof(mapElements) / sizeof(mapElements[0])))
    return "element type " + number(elementType) +
           " is not a CUtensorMapDataType that TMA tiles can have";
  const MapElement &element = mapElements[elementType];
  if (rank < 1 || rank > 5)
    return "rank " + number(rank) + "; TMA needs 1 to 5";
  int64_t address =
      int64_t(reinterpret_cast<uintptr_t>(alignedPtr)) + offset * element.bytes;
  if (address % 16 != 0)
    return "the first element's address is " + number(address % 16) +
           " bytes past a multiple of 16; TMA needs a multiple of 16 (" +
           number(16 / element.bytes) + " elements of " + element.name +
           "); align the memory or the offset";
  for (int32_t i = 0; i < rank; ++i)
    if (sizes[i] < 1 || sizes[i] > (int64_t(1) << 32))
      return "size " + number(sizes[i]) + " in dimension " + number(i) +
             "; TMA needs 1 to 2^32";
  if (strides[rank - 1] != 1 && sizes[rank - 1] != 1)
    return "the innermost stride is " + number(strides[rank - 1]) +
           " elements; TMA needs 1";
  view.element = &element;
  view.address = address;
  for (int32_t i = 0; i < rank; ++i) {
    int32_t from = rank - 1 - i;
    view.sizes[i] = uint64_t(sizes[from]);
    if (i == 0)
      continue;
    if (std::string reason = checkPitch(from, rank, sizes[from], strides[from],
                                        element, view.pitches[i - 1]);
        !reason.empty())
      return reason;
  }
  return std::string();
}

BWGEMM_RUNTIME_C int32_t bwgemmHostTmaAddressable(void *alignedPtr,
                                                  int64_t offset, int32_t rank,
                                                  const int64_t *sizes,
                                                  const int64_t *strides,
                                                  int32_t elementType) {
  TensorView view;
  return checkView(alignedPtr, offset, rank, sizes, strides, elementType, view)
      .empty();
}

BWGEMM_RUNTIME_C void bwgemmHostEncodeTensorMap(
    void *map128, const char *operandName, void *alignedPtr, int64_t offset,
    int32_t rank, const int64_t *sizes, const int64_t *strides,
    int32_t elementType, const int32_t *box, int32_t swizzle) {
  if (inError())
    return;
  std::string operand =
      "operand " + std::string(operandName ? operandName : "?");
  TensorView view;
  std::string reason =
      checkView(alignedPtr, offset, rank, sizes, strides, elementType, view);
  if (reason.empty())
    reason = checkBox(rank, box, swizzle, *view.element);
  if (!reason.empty())
    return fail(operand + ": " + reason);

  uint32_t innerFirstBox[5] = {}, elementStrides[5] = {1, 1, 1, 1, 1};
  for (int32_t i = 0; i < rank; ++i)
    innerFirstBox[i] = uint32_t(box[rank - 1 - i]);
  Session session;
  if (!session)
    return;
  CUtensorMap map = {};
  if (session.check(
          session.driver().cuTensorMapEncodeTiled(
              &map, CUtensorMapDataType(elementType), unsigned(rank),
              reinterpret_cast<void *>(view.address), view.sizes, view.pitches,
              innerFirstBox, elementStrides, CU_TENSOR_MAP_INTERLEAVE_NONE,
              CUtensorMapSwizzle(swizzle), CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
              CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
          "encoding the tensor map of " + operand))
    std::memcpy(map128, &map, sizeof(map));
}
