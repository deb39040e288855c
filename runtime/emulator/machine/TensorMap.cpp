//===- TensorMap.cpp - The 128-byte tensor map ------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/TensorMap.h"

namespace bwgemm::emulator {

unsigned tensorElementBytes(TensorElement element) {
  switch (element) {
  case TensorElement::U8:
    return 1;
  case TensorElement::U16:
  case TensorElement::F16:
  case TensorElement::BF16:
    return 2;
  case TensorElement::U32:
  case TensorElement::S32:
  case TensorElement::F32:
  case TensorElement::F32Ftz:
    return 4;
  case TensorElement::U64:
  case TensorElement::S64:
  case TensorElement::F64:
    return 8;
  case TensorElement::B4x16:
  case TensorElement::B4x16P64:
  case TensorElement::B6x16P32:
    break;
  }
  return 0;
}

static uint64_t bits(uint64_t word, unsigned from, unsigned to) {
  return (word >> from) & ((1ull << (to - from)) - 1);
}

bool TensorMap::decode(const TensorMapWords &words, TensorMap &map,
                       std::string &error) {
  uint64_t control = words[1];
  TensorMap result;
  result.globalAddress = words[0];
  result.im2col = control & 1;
  result.rank = unsigned(bits(control, 4, 7)) + 1;
  result.element = TensorElement(bits(control, 7, 11));
  result.interleave = unsigned(bits(control, 11, 13));
  result.swizzle = TensorSwizzle(bits(control, 13, 15));
  result.atom = SwizzleAtom(bits(control, 20, 22));
  result.nanFill = bits(control, 15, 16);
  result.roundTf32 = bits(control, 16, 17);
  result.l2Promotion = unsigned(bits(control, 17, 19));

  if (result.rank > maxRank) {
    error = "the tensor map has rank " + std::to_string(result.rank) +
            ", expected 1 to 5";
    return false;
  }
  if (result.elementBytes() == 0 && !isSubByte(result.element)) {
    error = "the tensor map has element code " +
            std::to_string(unsigned(result.element)) +
            ", expected 0 to 10 or 13 to 15";
    return false;
  }
  if (bits(control, 1, 4) != 0 || bits(control, 19, 20) != 0 ||
      bits(control, 22, 32) != 0) {
    error = "the tensor map sets control bits that no driver is known to set";
    return false;
  }
  if (result.atom != SwizzleAtom::B16 &&
      result.swizzle != TensorSwizzle::B128) {
    error = "the tensor map has swizzle atom " +
            std::to_string(unsigned(result.atom)) +
            " with a swizzle other than 128B, expected 0";
    return false;
  }
  if (result.interleave > 2) {
    error = "the tensor map has interleave code 3, expected 0 to 2";
    return false;
  }

  const uint64_t lowStride[4] = {words[1] >> 32, words[2] & 0xffffffff,
                                 words[2] >> 32, words[3] & 0xffffffff};
  const uint64_t dim[5] = {words[4] & 0xffffffff, words[4] >> 32,
                           words[5] & 0xffffffff, words[5] >> 32,
                           words[6] & 0xffffffff};
  result.strides[0] = result.elementBytes();
  for (unsigned d = 0; d < result.rank; ++d) {
    result.dims[d] = dim[d] + 1;
    result.box[d] = 1 + uint32_t(d == 0 ? words[6] >> 56
                                        : bits(words[7], 8 * (d - 1), 8 * d));
    result.elementStrides[d] =
        1 + uint32_t(bits(words[6], 32 + 3 * d, 35 + 3 * d));
    if (d > 0) {
      uint64_t high = bits(words[3], 28 + 4 * d, 32 + 4 * d);
      result.strides[d] = (lowStride[d - 1] | high << 32) << 4;
    }
  }
  map = result;
  return true;
}

TensorMapWords TensorMap::encode() const {
  TensorMapWords words{};
  words[0] = globalAddress;
  words[1] = uint64_t(im2col) | uint64_t(rank - 1) << 4 |
             uint64_t(element) << 7 | uint64_t(interleave) << 11 |
             uint64_t(swizzle) << 13 | uint64_t(nanFill) << 15 |
             uint64_t(roundTf32) << 16 | uint64_t(l2Promotion) << 17 |
             uint64_t(atom) << 20;
  uint64_t stride[4] = {}, dim[5] = {}, boxMinusOne[5] = {};
  for (unsigned d = 0; d < rank; ++d) {
    dim[d] = (dims[d] - 1) & 0xffffffff;
    boxMinusOne[d] = (box[d] - 1) & 0xff;
    words[6] |= uint64_t((elementStrides[d] - 1) & 7) << (32 + 3 * d);
    if (d > 0)
      stride[d - 1] = strides[d] >> 4;
  }
  words[1] |= (stride[0] & 0xffffffff) << 32;
  words[2] = (stride[1] & 0xffffffff) | (stride[2] & 0xffffffff) << 32;
  words[3] = stride[3] & 0xffffffff;
  for (unsigned d = 0; d < 4; ++d)
    words[3] |= (stride[d] >> 32) << (32 + 4 * d);
  words[4] = dim[0] | dim[1] << 32;
  words[5] = dim[2] | dim[3] << 32;
  words[6] |= dim[4] | boxMinusOne[0] << 56;
  words[7] = boxMinusOne[1] | boxMinusOne[2] << 8 | boxMinusOne[3] << 16 |
             boxMinusOne[4] << 24;
  // Words 8 and 9 are the driver's notes to itself. It floors where a copy
  // rounds up, so word 8 is not the number of bytes that a copy completes.
  words[8] = isSubByte(element) ? sharedRowBytes() : elementBytes();
  for (unsigned d = isSubByte(element) ? 1 : 0; d < rank; ++d)
    words[8] *= box[d] / elementStrides[d];
  words[9] = swizzle == TensorSwizzle::None ? 16 : 128u << unsigned(swizzle);
  return words;
}

/// CUtensorMapDataType to the element code, and whether loads round to tf32.
static bool elementOfDataType(unsigned dataType, TensorElement &element,
                              bool &tf32) {
  static constexpr TensorElement codes[16] = {
      TensorElement::U8,      TensorElement::U16,    TensorElement::U32,
      TensorElement::S32,     TensorElement::U64,    TensorElement::S64,
      TensorElement::F16,     TensorElement::F32,    TensorElement::F64,
      TensorElement::BF16,    TensorElement::F32Ftz, TensorElement::F32,
      TensorElement::F32Ftz,  TensorElement::B4x16,  TensorElement::B4x16P64,
      TensorElement::B6x16P32};
  if (dataType >= 16)
    return false;
  element = codes[dataType];
  tf32 = dataType == 11 || dataType == 12;
  return true;
}

namespace {
/// Collects one refusal; every check returns false so that callers can return
/// its result.
struct Refusal {
  std::string &error;
  bool operator()(std::string text) const {
    error = std::move(text);
    return false;
  }
};
} // namespace

static bool isFloatingPoint(TensorElement element) {
  return element >= TensorElement::F16 && !isSubByte(element);
}

/// What the driver's documentation says of 4-bit and 6-bit types.
static bool checkNarrow(const TiledMapArguments &args, const TensorMap &map,
                        const Refusal &refuse) {
  bool padded = isPadded(map.element);
  if (map.interleave != 0)
    return refuse("a 4-bit or 6-bit type cannot be interleaved");
  if (args.dims && args.dims[0] % (padded ? 128 : 2) != 0)
    return refuse("dimension 0 is " + std::to_string(args.dims[0]) +
                  ", expected a multiple of " + (padded ? "128" : "2") +
                  " with this element type");
  if (padded && args.box[0] != 128)
    return refuse("box dimension 0 is " + std::to_string(args.box[0]) +
                  ", expected 128 with a padded element type");
  if (padded && map.swizzle != TensorSwizzle::None &&
      map.swizzle != TensorSwizzle::B128)
    return refuse("a padded element type needs no swizzle or one of 128B");
  if (padded && map.atom == SwizzleAtom::B32Flip8)
    return refuse("a padded element type does not go with a swizzle that flips "
                  "8 bytes");
  return true;
}

/// The enumerations, and what they say about each other.
static bool checkEnumerations(const TiledMapArguments &args, TensorMap &map,
                              const Refusal &refuse) {
  if (args.dataType >= 13 && args.dataType <= 15 && !args.blackwell)
    return refuse("element type " + std::to_string(args.dataType) +
                  " (4-bit and 6-bit types): needs sm_100; types 0 to 12 work");
  if (!elementOfDataType(args.dataType, map.element, map.roundTf32))
    return refuse("element type " + std::to_string(args.dataType) +
                  ", expected 0 to 15");
  if (args.rank < 1 || args.rank > TensorMap::maxRank)
    return refuse("rank " + std::to_string(args.rank) + ", expected 1 to 5");
  if (args.interleave < 0 || args.interleave > 2)
    return refuse("interleave " + std::to_string(args.interleave) +
                  ", expected 0 to 2");
  if (args.interleave != 0 && args.rank < 3)
    return refuse("interleave needs rank 3 or more, got rank " +
                  std::to_string(args.rank));
  static const char *const atoms[] = {"128B_ATOM_32B", "128B_ATOM_32B_FLIP_8B",
                                      "128B_ATOM_64B"};
  if (args.swizzle < 0 || args.swizzle > 6)
    return refuse("swizzle " + std::to_string(args.swizzle) +
                  ", expected 0 to " + (args.blackwell ? "6" : "3"));
  if (args.swizzle > 3 && !args.blackwell)
    return refuse("swizzle " + std::string(atoms[args.swizzle - 4]) +
                  ": needs sm_100; none, 32B, 64B and 128B work");
  if (args.l2Promotion < 0 || args.l2Promotion > 3)
    return refuse("L2 promotion " + std::to_string(args.l2Promotion) +
                  ", expected 0 to 3");
  if (args.oobFill < 0 || args.oobFill > 1)
    return refuse("out-of-bounds fill " + std::to_string(args.oobFill) +
                  ", expected 0 or 1");
  if (args.oobFill == 1 && !isFloatingPoint(map.element))
    return refuse("a NaN fill needs a floating-point element type");
  map.rank = args.rank;
  map.interleave = unsigned(args.interleave);
  map.swizzle = TensorSwizzle(args.swizzle > 3 ? 3 : args.swizzle);
  map.atom = SwizzleAtom(args.swizzle > 3 ? args.swizzle - 3 : 0);
  map.l2Promotion = unsigned(args.l2Promotion);
  map.nanFill = args.oobFill == 1;
  return !isSubByte(map.element) || checkNarrow(args, map, refuse);
}

/// The tensor in global memory: address, dimensions, strides.
static bool checkTensor(const TiledMapArguments &args, TensorMap &map,
                        const Refusal &refuse) {
  unsigned alignment = args.interleave == 2 || isPadded(map.element) ? 32 : 16;
  if (args.globalAddress % alignment != 0)
    return refuse("the global address must be a multiple of " +
                  std::to_string(alignment) + ", got a remainder of " +
                  std::to_string(args.globalAddress % alignment));
  if (args.globalAddress >= 1ull << 57)
    return refuse("the global address must be below 2^57");
  map.globalAddress = args.globalAddress;
  map.strides[0] = map.elementBytes();
  for (unsigned d = 0; d < args.rank; ++d) {
    std::string which = std::to_string(d);
    if (args.dims[d] == 0 || args.dims[d] > 1ull << 32)
      return refuse("dimension " + which + " is " +
                    std::to_string(args.dims[d]) + ", expected 1 to 2^32");
    map.dims[d] = args.dims[d];
    if (d == 0)
      continue;
    uint64_t stride = args.strides[d - 1];
    if (stride % alignment != 0 || stride >= 1ull << 40)
      return refuse("the stride of dimension " + which + " is " +
                    std::to_string(stride) + " bytes, expected a multiple of " +
                    std::to_string(alignment) + " below 2^40");
    map.strides[d] = stride;
  }
  return true;
}

/// The box: its extents, and the shared memory it takes.
static bool checkBox(const TiledMapArguments &args, TensorMap &map,
                     const Refusal &refuse) {
  // What a thread block may allocate, 227 KiB, also bounds a box.
  constexpr uint64_t maxBoxBytes = 227 * 1024;
  for (unsigned d = 0; d < args.rank; ++d) {
    std::string which = std::to_string(d);
    if (args.box[d] == 0 || args.box[d] > 256)
      return refuse("box dimension " + which + " is " +
                    std::to_string(args.box[d]) + ", expected 1 to 256");
    if (args.elementStrides[d] == 0 || args.elementStrides[d] > 8)
      return refuse("element stride " + which + " is " +
                    std::to_string(args.elementStrides[d]) +
                    ", expected 1 to 8");
    map.box[d] = args.box[d];
    map.elementStrides[d] = args.elementStrides[d];
  }
  if (args.interleave == 0) {
    uint32_t inner = map.sharedRowBytes();
    if (inner % 16 != 0)
      return refuse("the inner box dimension takes " + std::to_string(inner) +
                    " bytes, expected a multiple of 16");
    unsigned span = swizzleSpan(map.swizzle);
    if (span != 0 && inner > span)
      return refuse("the inner box dimension takes " + std::to_string(inner) +
                    " bytes, expected at most the swizzle span of " +
                    std::to_string(span));
  }
  uint64_t bytes = map.encode()[8];
  if (bytes > maxBoxBytes)
    return refuse("the box takes " + std::to_string(bytes) +
                  " bytes of shared memory, expected at most " +
                  std::to_string(maxBoxBytes));
  return true;
}

bool encodeTiled(const TiledMapArguments &arguments, TensorMapWords &words,
                 std::string &error) {
  Refusal refuse{error};
  if (!arguments.dims || !arguments.strides || !arguments.box ||
      !arguments.elementStrides)
    return refuse("dimensions, strides, box and element strides must not be "
                  "null, also at rank 1");
  TensorMap map;
  if (!checkEnumerations(arguments, map, refuse) ||
      !checkTensor(arguments, map, refuse) || !checkBox(arguments, map, refuse))
    return false;
  words = map.encode();
  return true;
}

} // namespace bwgemm::emulator
