//===- SharedLayout.h - Matrices in shared memory, as MMAs see --*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The 64-bit shared-memory descriptors of tcgen05 (PTX ISA, "Shared memory
// descriptor") and of wgmma ("Matrix-descriptor format"), and the address of
// every 16-byte chunk of the matrix that it describes (PTX ISA, "Canonical
// layouts").
//
// A matrix is rows (M or N) by K, and is stored in chunks of 16 bytes: along K
// if it is K-major, along the rows if it is MN-major. With c = chunk index
// along the contiguous direction and s = index along the other:
//
//   K-major, none      (s%8)*16 + (s/8)*SBO + c*LBO
//   K-major, swizzled  (s%8)*span + (s/8)*SBO + (c%w)*16 + (c/w)*LBO
//   MN-major, none     (s%8)*16 + (s/8)*LBO + c*SBO
//   MN-major, swizzled (s%8)*span + (s/8)*SBO + (c%w)*16 + (c/w)*LBO
//   MN-major, 32B atom (s%4)*128 + (s/4)*SBO + (c%8)*16 + (c/8)*LBO
//
// with w = span/16. The swizzle then XORs bits of the sum of this and the
// start address: bits 7.. into bits 4.., with the 32-byte atom bits 7 and 8
// into bits 5 and 6. The roles of LBO and SBO without swizzle do change with
// the major-ness.
//
// A base offset says that the swizzle pattern begins that many lines of 128
// bytes after a multiple of its size (the ISA's formula for it, for both
// families; no operand of a public kernel has one).
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_SHAREDLAYOUT_H
#define BWGEMM_EMULATOR_MACHINE_SHAREDLAYOUT_H

#include "machine/TensorMap.h"

#include <cstdint>
#include <string>

namespace bwgemm::emulator {

/// The decoded fields of a shared-memory descriptor.
struct MatrixDescriptor {
  uint32_t start = 0;         ///< Bytes; the window has 18 address bits.
  uint32_t leadingOffset = 0; ///< LBO, bytes.
  uint32_t strideOffset = 0;  ///< SBO, bytes.
  TensorSwizzle swizzle = TensorSwizzle::None;
  /// The 128-byte swizzle that moves 32 bytes at a time.
  bool atom32 = false;
  /// Lines of 128 bytes by which the pattern is shifted.
  uint32_t baseOffset = 0;

  /// Decodes `bits` as wgmma does, for which every value is legal.
  static MatrixDescriptor decodeWgmma(uint64_t bits);
  /// Decodes `bits` as tcgen05 does. On a field that sm_100 does not allow, or
  /// that is not modelled, returns false and names it with its value;
  /// `unsupported` tells the two apart.
  static bool decode(uint64_t bits, MatrixDescriptor &result,
                     std::string &error, bool &unsupported);
};

/// Where the chunks of one operand lie.
struct SharedMatrix {
  uint32_t start = 0;
  uint32_t groupShift = 3; ///< log2 of the indices s in a group.
  uint32_t within8 = 0;    ///< Bytes from s to s + 1 within a group.
  uint32_t group8 = 0;     ///< Bytes from one group of s to the next.
  uint32_t chunk = 0;      ///< Bytes from c to c + 1 within a span.
  uint32_t chunkWrap = 1;  ///< Chunks in a span.
  uint32_t chunkGroup = 0; ///< Bytes from one span to the next.
  uint32_t swizzle = 0;    ///< Mask for bits 7.. of an address, at bit 0.
  uint32_t atomShift = 4;  ///< log2 of the bytes that the swizzle moves.
  uint32_t shift = 0;      ///< Bytes by which the pattern is shifted.
  bool mnMajor = false;

  SharedMatrix() = default;
  SharedMatrix(const MatrixDescriptor &descriptor, bool mnMajor);

  /// The address before the swizzle, of chunk `c` at index `s`.
  uint32_t linear(uint32_t s, uint32_t c) const {
    return start + (s & ((1u << groupShift) - 1)) * within8 +
           (s >> groupShift) * group8 + (c % chunkWrap) * chunk +
           (c / chunkWrap) * chunkGroup;
  }
  /// The shared address that the swizzle makes of a linear one.
  uint32_t swizzled(uint32_t linear) const {
    uint32_t place = linear & addressMask;
    return place ^ ((((place - shift) >> 7) & swizzle) << atomShift);
  }
  /// The same where the swizzle moves 16 bytes, as it does for all but tf32.
  uint32_t swizzledBy16(uint32_t linear) const {
    uint32_t place = linear & addressMask;
    return place ^ ((((place - shift) >> 7) & swizzle) << 4);
  }
  /// The shared address of chunk `c` at index `s`.
  uint32_t address(uint32_t s, uint32_t c) const {
    return swizzled(linear(s, c));
  }

  /// One past the highest byte that `indices` by `chunks` chunks touch; more
  /// than addressMask + 1 if the matrix leaves the 18-bit window.
  uint32_t end(uint32_t indices, uint32_t chunks) const;

  static constexpr uint32_t addressMask = 0x3ffff;
};

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_SHAREDLAYOUT_H
