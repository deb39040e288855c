//===- MmaElement.h - Element types of tcgen05.mma operands -----*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the elements of A and B are and how they are packed (PTX ISA, "Packing
// formats of elements in Tensor and Shared memory"). Shared memory is read in
// chunks of 16 bytes, tensor memory in cells of four:
//
//   type                 in a chunk                       in a cell
//   32, 16, 8 bits       4, 8, 16 side by side            1, 2, 4
//   e2m3, e3m2           16 in 12 bytes, 4 bytes unused   4, in bits 0..5
//   e2m1 of f8f6f4       16 in 8 bytes, 8 bytes unused    4, in bits 2..5
//   e2m1 of mxf4(nvf4)   32, two per byte                 8, two per byte
//
// The first of two or four elements that share bytes is in the low bits. The
// ISA shows where an e2m1 lies in its byte of tensor memory in a figure alone;
// bits 2..5 are those of mma.sync's containers.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_MMAELEMENT_H
#define BWGEMM_EMULATOR_MACHINE_MMAELEMENT_H

#include <cstddef>
#include <cstdint>

namespace bwgemm::emulator {

enum class MmaElement : uint8_t {
  F16,
  BF16,
  TF32,
  E4M3,
  E5M2,
  U8,
  S8,
  E2M3,
  E3M2,
  E2M1,       ///< Of kind::f8f6f4 and mxf8f6f4.
  PackedE2M1, ///< Of kind::mxf4 and mxf4nvf4.
};

/// Bytes that an element takes in shared memory where elements lie side by
/// side; 1 for every type of 8 bits or fewer.
unsigned mmaElementBytes(MmaElement element);
/// Elements in a chunk of 16 bytes.
unsigned mmaElementsPerChunk(MmaElement element);
/// Elements in a cell of tensor memory.
inline unsigned mmaElementsPerCell(MmaElement element) {
  return mmaElementsPerChunk(element) / 4;
}
/// True if elements are narrower than a byte: such operands are K-major.
inline bool isSubByte(MmaElement element) {
  return element >= MmaElement::E2M3;
}

/// The most that mmaElementsPerChunk returns.
inline constexpr unsigned maxElementsPerChunk = 32;

/// The values of the elements of a chunk. tf32 ignores the low 13 bits.
void loadMmaChunk(MmaElement element, const std::byte *chunk, float *values);
/// The values of the elements of a cell of tensor memory.
void loadMmaCell(MmaElement element, uint32_t cell, float *values);

/// The value of the low 4 bits, an e2m1.
float e2m1ToFloat(uint32_t bits);
/// The value of the low 6 bits.
float e2m3ToFloat(uint32_t bits);
float e3m2ToFloat(uint32_t bits);

/// Spreads a chunk of sixteen 4- or 6-bit elements with padding behind them
/// (b4x16_p64, b6x16_p32) to sixteen bytes as tensor memory holds them.
void spreadChunk(unsigned elementBits, const std::byte *chunk,
                 uint8_t *containers);

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_MMAELEMENT_H
