//===- Reduction.h - Reductions of the copy engine --------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What cp.reduce.async.bulk(.tensor) and red.async do to one element of memory
// (PTX ISA, "cp.reduce.async.bulk"), with the rules measured on an H200:
//
// - sums of f32 round to nearest even and keep subnormals; those of a tensor
//   of type f32.ftz flush subnormal inputs and results; a NaN is 7FFFFFFF;
// - sums of f64 pass a NaN on as it is, that of the operand first, and are
//   FFF8000000000000 for infinities of both signs;
// - sums of f16 and bf16 round each element once, to nearest even, keep
//   subnormals, and overflow to infinity; a NaN is 7FFF;
// - minimum and maximum of f16 and bf16 prefer a number to a NaN, and -0 is
//   less than +0;
// - inc: old >= v ? 0 : old + 1; dec: old = 0 or old > v ? v : old - 1.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_REDUCTION_H
#define BWGEMM_EMULATOR_MACHINE_REDUCTION_H

#include "machine/TensorMap.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace bwgemm::emulator {

enum class ReduceOp : uint8_t { Add, Min, Max, Inc, Dec, And, Or, Xor };

/// The words of the modifiers, in the order of ReduceOp.
inline constexpr const char *reduceOpNames[] = {"add", "min", "max", "inc",
                                                "dec", "and", "or",  "xor"};

/// Elements are named as in a tensor map; a type such as .b32 is the unsigned
/// one of its width.
struct Reduction {
  ReduceOp op = ReduceOp::Add;
  TensorElement element = TensorElement::U32;

  /// True if the copy engine has this combination: sums of u32, s32, u64, f16,
  /// bf16, f32, f32.ftz and f64; minimum and maximum of u32, s32, u64, s64, f16
  /// and bf16; inc and dec of u32; and, or, xor of 32 and 64 bits.
  bool isLegal() const;
  /// "min of f32", for messages.
  std::string describe() const;
  /// to[i] = op(to[i], from[i]) for `bytes` bytes of elements, each element
  /// without interference from other threads of the host.
  void apply(std::byte *to, const std::byte *from, size_t bytes) const;
};

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_REDUCTION_H
