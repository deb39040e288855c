//===- ExactDot.h - The integer model of tensor cores -----------*- C++ -*-===//
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
// - The unit of the window is 2^(largest exponent - F), F fraction bits being
//   kept. Every term is truncated toward zero to it; the sum is exact and is
//   rounded once: toward zero to f32, to nearest even to f16.
// - Every zero result is +0. NaN results are 0x7fffffff and 0x7fff.
// - The largest exponent is at least -133 for f32, -21 for f16: the exponent
//   of the smallest normal result less 7.
//
// F is 25, but 13 in Hopper's wgmma of 8-bit floating point, whose f32 result
// has 13 fraction bits too. All of this is measured bit for bit on an H200
// (wgmma and mma.sync); F = 25 is published for Blackwell's tcgen05 (8-bit
// types included), and that it follows the last two rules is an assumption.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_EXACTDOT_H
#define BWGEMM_EMULATOR_MACHINE_EXACTDOT_H

#include "machine/MmaDescriptor.h"

#include <cstdint>

namespace bwgemm::emulator {

/// A floating-point format, as far as the model asks.
struct ExactFormat {
  int fractionBits = 0;
  int smallestExponent = 0; ///< Of the smallest normal number.
};

inline constexpr ExactFormat exactF32 = {23, -126}, exactTF32 = {10, -126},
                             exactBF16 = {7, -126}, exactF16 = {10, -14},
                             exactE5M2 = {2, -14}, exactE4M3 = {3, -6},
                             exactE3M2 = {2, -2}, exactE2M3 = {3, 0},
                             exactE2M1 = {1, 0};

/// The format of a floating-point element of an operand.
ExactFormat exactFormat(MmaElement element);

/// The type of C and D, and how a sum is rounded to it.
enum class ExactOutput : uint8_t {
  F32,      ///< Toward zero.
  F32Short, ///< Toward zero to 13 fraction bits: the low 10 bits are zero.
  F16,      ///< To nearest even.
};

/// The arithmetic of one instruction.
struct ExactModel {
  int windowBits = 25; ///< F.
  ExactOutput output = ExactOutput::F32;

  bool toF16() const { return output == ExactOutput::F16; }
  /// The least that the largest exponent is.
  int floor() const { return toF16() ? -21 : -133; }
  ExactFormat addend() const { return toF16() ? exactF16 : exactF32; }
};

/// A finite number as significand * 2^(exponent - fraction bits of its type);
/// or one that is not finite.
struct ExactTerm {
  enum class Class : uint8_t { Finite, Infinite, NaN };
  int32_t significand = 0; ///< Signed; for infinities +1 or -1.
  int32_t exponent = 0;
  Class kind = Class::Finite;
};

/// Decomposes an element of `format` from its value, which f32 represents
/// exactly. A power-of-two scale of the element is added to the exponent.
ExactTerm exactElement(ExactFormat format, float value);
/// Decomposes the bits of C: f16 if the model gives f16, else f32.
ExactTerm exactAddend(const ExactModel &model, uint32_t bits);

/// The bits of D for `count` products a[i] * b[i] and the addend `c`, whose
/// value is scaled by 2^-scale. Every product is scaled by 2^productExponent.
uint32_t exactDot(const ExactModel &model, const ExactTerm *a,
                  ExactFormat aFormat, const ExactTerm *b, ExactFormat bFormat,
                  unsigned count, const ExactTerm &c, unsigned scale = 0,
                  int productExponent = 0);

/// Rounds sum * 2^unit as the model does; for sums formed elsewhere.
uint32_t exactRound(const ExactModel &model, int64_t sum, int unit);

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_EXACTDOT_H
