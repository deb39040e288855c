//===- Tcgen05MmaExact.h - The integer model of the tensor core -*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How a tensor core forms a sum of products. One window spans the products of
// the whole K of an instruction and the addend C:
//
// - A term's exponent is the sum of the raw exponents of its factors, a
//   subnormal's being that of the smallest normal; products are not
//   normalised. C enters with its own. Terms that are zero do not count.
// - The unit of the window is 2^(largest exponent - 25). Every term is
//   truncated toward zero to it; the sum is exact and is rounded once: toward
//   zero to f32, to nearest even to f16.
// - Every zero result is +0. NaN results are 0x7fffffff and 0x7fff.
// - The largest exponent is at least -133 for f32, -21 for f16.
//
// The window of 25 bits is published for Blackwell, and measured bit for bit
// on an H200, where the last two rules also come from; that Blackwell follows
// those is an assumption.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_TCGEN05MMAEXACT_H
#define BWGEMM_EMULATOR_MACHINE_TCGEN05MMAEXACT_H

#include "machine/MmaDescriptor.h"

#include <cstdint>

namespace bwgemm::emulator {

/// A finite number as significand * 2^(exponent - fraction bits of its type);
/// or one that is not finite.
struct ExactTerm {
  enum class Class : uint8_t { Finite, Infinite, NaN };
  int32_t significand = 0; ///< Signed; for infinities +1 or -1.
  int32_t exponent = 0;
  Class kind = Class::Finite;
};

/// The fraction bits of the elements of an operand, e.g. 7 for bf16.
int exactFractionBits(MmaElement element);

/// Decomposes the f32 value of an element of type `element`.
ExactTerm exactElement(MmaElement element, float value);
/// Decomposes an f32 or f16 addend; its fraction bits are 23 and 10.
ExactTerm exactAddend(MmaAccumulator type, uint32_t bits);

/// The bits of D for `count` products a[i] * b[i] and the addend `c`, whose
/// value is scaled by 2^-scale.
uint32_t exactDot(const ExactTerm *a, int aFraction, const ExactTerm *b,
                  int bFraction, unsigned count, const ExactTerm &c,
                  unsigned scale, MmaAccumulator type);

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_TCGEN05MMAEXACT_H
