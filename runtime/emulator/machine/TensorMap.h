//===- TensorMap.h - The 128-byte tensor map --------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUtensorMap in the encoding that cuTensorMapEncodeTiled writes for an H200
// (driver API 13.0), found by encoding some 15 000 maps and decoding the
// result. Sixteen little-endian 64-bit words:
//
//   w0          global address
//   w1 [0]      1 im2col        w1 [4,7)    rank - 1
//   w1 [7,11)   element code    w1 [11,13)  interleave
//   w1 [13,15)  swizzle         w1 [15]     out-of-bounds NaN fill
//   w1 [16]     round to tf32   w1 [17,19)  L2 promotion
//   w1 [20,22)  swizzle atom
//   w1 hi, w2 lo, w2 hi, w3 lo  low 32 bits of strides 1..4, each / 16
//   w3 [32,48)  bits 32..35 of strides 1..4, each / 16
//   w4 lo .. w6 lo              dimensions 0..4, each - 1
//   w6 [32,47)  element strides - 1, 3 bits each
//   w6 [56,64), w7 [0,32)       box 0, boxes 1..4, each - 1
//   w8          box bytes (host bookkeeping)
//   w9          bytes of the swizzle pattern (host bookkeeping)
//
// The driver that was measured refuses 4-bit and 6-bit types and swizzle atoms
// other than 16 bytes, which exist on sm_100. Their element codes here are
// those of tensormap.replace; that a map carries them, and the place and the
// codes of the atom, are assumptions.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_TENSORMAP_H
#define BWGEMM_EMULATOR_MACHINE_TENSORMAP_H

#include <array>
#include <cstdint>
#include <string>

namespace bwgemm::emulator {

/// The element codes inside a tensor map. They are those of
/// tensormap.replace.elemtype and differ from CUtensorMapDataType.
enum class TensorElement : uint8_t {
  U8 = 0,
  U16 = 1,
  U32 = 2,
  S32 = 3,
  U64 = 4,
  S64 = 5,
  F16 = 6,
  F32 = 7,
  F32Ftz = 8,
  F64 = 9,
  BF16 = 10,
  B4x16 = 13,    ///< 4 bits, packed in shared memory as well.
  B4x16P64 = 14, ///< 4 bits; 8 bytes of padding behind sixteen.
  B6x16P32 = 15, ///< 6 bits; 4 bytes of padding behind sixteen.
};

/// Bytes of one element; 0 for 4-bit and 6-bit types, and for a code that no
/// map carries.
unsigned tensorElementBytes(TensorElement element);

/// True for the 4-bit and 6-bit types.
constexpr bool isSubByte(TensorElement element) {
  return element >= TensorElement::B4x16 && element <= TensorElement::B6x16P32;
}
/// True if shared memory holds padding behind every sixteen elements.
constexpr bool isPadded(TensorElement element) {
  return element == TensorElement::B4x16P64 ||
         element == TensorElement::B6x16P32;
}

/// How a tensor map swizzles shared memory; the codes of the map and of
/// CUtensorMapSwizzle.
enum class TensorSwizzle : uint8_t { None = 0, B32 = 1, B64 = 2, B128 = 3 };

/// Bytes of one swizzled row: 32, 64 or 128; 0 for none.
constexpr unsigned swizzleSpan(TensorSwizzle swizzle) {
  return swizzle == TensorSwizzle::None ? 0 : 16u << unsigned(swizzle);
}

/// What the 128-byte swizzle moves as a whole (tensormap.replace, "swizzle
/// atomicity").
enum class SwizzleAtom : uint8_t {
  B16 = 0,
  B32 = 1,
  B32Flip8 = 2, ///< And swaps the halves of 16 bytes on every other line.
  B64 = 3,
};

/// Which bits 7..9 of a shared address are XORed into bits 4..6.
constexpr uint32_t swizzleMask(TensorSwizzle swizzle) {
  return (1u << unsigned(swizzle)) - 1;
}

/// The hardware's swizzle: a function of the absolute shared address.
constexpr uint32_t swizzleAddress(uint32_t address, uint32_t mask) {
  return address ^ (((address >> 7) & mask) << 4);
}

using TensorMapWords = std::array<uint64_t, 16>;

/// The contents of a tensor map.
struct TensorMap {
  static constexpr unsigned maxRank = 5;

  uint64_t globalAddress = 0;
  unsigned rank = 1;
  bool im2col = false;
  TensorElement element = TensorElement::U8;
  unsigned interleave = 0; ///< 0 none, 1 16 bytes, 2 32 bytes.
  TensorSwizzle swizzle = TensorSwizzle::None;
  SwizzleAtom atom = SwizzleAtom::B16;
  bool nanFill = false;
  bool roundTf32 = false;
  unsigned l2Promotion = 0; ///< 0 none, 1 64, 2 128, 3 256 bytes.
  /// Elements along each dimension, dimension 0 innermost.
  std::array<uint64_t, maxRank> dims{};
  /// Bytes between neighbours along dimension d; strides[0] is the element.
  std::array<uint64_t, maxRank> strides{};
  /// Elements of the box along each dimension.
  std::array<uint32_t, maxRank> box{};
  /// Distance, in elements, of the elements that a copy takes.
  std::array<uint32_t, maxRank> elementStrides{};

  unsigned elementBytes() const { return tensorElementBytes(element); }
  /// Bytes of shared memory that a row of the box takes, padding included.
  uint32_t sharedRowBytes() const {
    return element == TensorElement::B4x16 ? box[0] / 2
           : isPadded(element)             ? box[0]
                                           : box[0] * elementBytes();
  }

  /// Reads words 0 to 7. False, with the field and its value in `error`, if
  /// they hold what cuTensorMapEncodeTiled never writes.
  static bool decode(const TensorMapWords &words, TensorMap &map,
                     std::string &error);

  /// Writes all sixteen words.
  TensorMapWords encode() const;
};

/// The arguments of cuTensorMapEncodeTiled, with the numbers of the CUDA
/// enumerations.
struct TiledMapArguments {
  unsigned dataType = 0;
  unsigned rank = 0;
  uint64_t globalAddress = 0;
  const uint64_t *dims = nullptr;           ///< rank values, elements
  const uint64_t *strides = nullptr;        ///< rank - 1 values, bytes
  const uint32_t *box = nullptr;            ///< rank values, elements
  const uint32_t *elementStrides = nullptr; ///< rank values
  int interleave = 0;
  int swizzle = 0;
  int l2Promotion = 0;
  int oobFill = 0;
  /// sm_100: 4-bit and 6-bit types, and atoms of the 128-byte swizzle.
  bool blackwell = false;
};

/// cuTensorMapEncodeTiled: accepts what the driver accepts and writes the
/// words that it writes. On refusal returns false and says in `error` which
/// argument was wrong; `words` is then unchanged.
bool encodeTiled(const TiledMapArguments &arguments, TensorMapWords &words,
                 std::string &error);

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_TENSORMAP_H
