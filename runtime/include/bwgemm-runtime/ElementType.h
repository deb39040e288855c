//===- ElementType.h - Matrix element types and conversions -----*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The element types of matrices, and their conversions from and to double.
//
// These conversions are the yardstick that compiled kernels and the emulator
// are measured with, so they share no code with either. They work on the bits
// of the double and round once.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_RUNTIME_ELEMENTTYPE_H
#define BWGEMM_RUNTIME_ELEMENTTYPE_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bwgemm::runtime {

/// An element type. All but TF32 are stored in as many bytes as their name
/// says; TF32 is stored in four bytes, of which the low 13 bits do not count.
///
/// F16, F32, F64: IEEE 754 binary16, binary32 and binary64. BF16: the upper
/// half of a binary32. E4M3, E5M2: OCP 8-bit floating point (OFP8), where E4M3
/// has no infinity and 0x7F and 0xFF are its only NaNs (MLIR: f8E4M3FN,
/// f8E5M2). I*: two's complement. U*: unsigned.
enum class ElementType : uint8_t {
  F64,
  F32,
  TF32,
  F16,
  BF16,
  E4M3,
  E5M2,
  I8,
  U8,
  I16,
  U16,
  I32,
  U32,
  I64,
  U64
};

/// The name of `type` as it appears in metadata and options, e.g. "bf16".
std::string_view name(ElementType type);

/// The type called `name`; MLIR's "f8E4M3FN", "f8E5M2" and "si8" or "ui8" forms
/// are understood too. Nothing if there is none of that name.
std::optional<ElementType> parseElementType(std::string_view name);

/// The names that parseElementType prefers, separated by ", ", for messages.
std::string elementTypeNames();

/// Bytes per element in memory.
size_t sizeInBytes(ElementType type);

bool isFloat(ElementType type);

/// Bits of the significand that are stored (10 for F16 and TF32, 7 for BF16).
/// 0 for integers.
unsigned mantissaBits(ElementType type);

/// The smallest positive normal number of a floating-point type; 0 for
/// integers.
double smallestNormal(ElementType type);

/// The largest finite number.
double largestFinite(ElementType type);

/// The value of the element whose bits are the low bits of `bits`. Exact, but
/// for I64 and U64 beyond 2^53, which round to nearest even. A NaN stays one
/// and keeps its sign and payload. TF32 ignores the low 13 bits, as the tensor
/// cores do (measured on an H200), so a NaN with only those set is an infinity.
double toDouble(ElementType type, uint64_t bits);

/// The bits of `value` in `type`, rounded once, to nearest with ties to even.
///
/// Overflow: to infinity for F64, F32, TF32, F16 and BF16; to the largest
/// finite number, and infinities with it, for E4M3 and E5M2, since PTX converts
/// to these with `.satfinite` only (PTX ISA, cvt); to the nearest limit for
/// integers. A NaN stays a NaN with its sign and the upper bits of its payload;
/// integers get 0.
uint64_t fromDouble(ElementType type, double value);

/// `value` as `type` can hold it: toDouble(type, fromDouble(type, value)).
double roundTo(ElementType type, double value);

/// Reads or writes one element at `address`, which needs no alignment.
uint64_t loadBits(ElementType type, const void *address);
void storeBits(ElementType type, void *address, uint64_t bits);

/// Converts `count` elements, `stride` elements apart, to doubles.
void decode(ElementType type, const void *source, int64_t stride, size_t count,
            double *result);

/// A bit pattern that no computation of a kernel leaves behind: for floating
/// point a NaN, with a payload that differs from the hardware's canonical NaN
/// where the type has room for one; for integers 0xA5 in every byte.
uint64_t poisonBits(ElementType type);

} // namespace bwgemm::runtime

#endif // BWGEMM_RUNTIME_ELEMENTTYPE_H
