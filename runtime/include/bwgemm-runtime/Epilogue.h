//===- Epilogue.h - What is done to a sum before it is stored ---*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The oracle's epilogues: a list of steps, each of which computes a value from
// earlier ones, on intervals. What each step yields is rounded to its type, as
// the definition of epilogues says; rounding and all operations but divisions
// by an interval around zero keep intervals intervals. So an exact sum has an
// exact result where every step is exact or correctly rounded, and else the
// result's interval follows from that of the sum.
//
// exp, exp2, log, log2, tanh, erf and rsqrt are not correctly rounded anywhere.
// They may be off by 2^-22 of their value, two units in the last place of f32.
// What may be approximated by hardware may be off by what the PTX ISA says of
// tanh.approx.f32 (2^-11 of its value) and ex2.approx.f32 (two units); exp,
// which is exp2 of a rounded product, by the more the larger its argument is.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_RUNTIME_EPILOGUE_H
#define BWGEMM_RUNTIME_EPILOGUE_H

#include "bwgemm-runtime/Reference.h"

#include <string>
#include <vector>

namespace bwgemm::runtime {

/// A type of values of an epilogue: floating point, or integers of `bits` bits,
/// at most 32, without a sign of their own.
struct EpilogueType {
  ElementType type = ElementType::F32;
  unsigned bits = 0;

  bool isInteger() const { return bits != 0; }
  /// "f32", "bf16", "i8", "i1"; false if there is no type of that name.
  static bool parse(const std::string &name, EpilogueType &type);
};

/// One value: `op`, as MLIR calls it, of the values with the numbers
/// `arguments`.
struct EpilogueStep {
  std::string op;
  std::vector<size_t> arguments;
  EpilogueType type;
  /// Of comparisons: "olt", "slt" and so on.
  std::string predicate;
  /// Of constants.
  uint64_t bits = 0;
  /// Of tanh, exp and exp2: whether it may be the hardware's approximation.
  bool isApproximate = false;
};

/// Value 0 is the sum; the operands' elements follow, then the steps.
struct Epilogue {
  /// F32, or I32 for sums of integers.
  ElementType sumType = ElementType::F32;
  /// Row and column strides tell where the element for a place of D is.
  std::vector<MatrixView> operands;
  std::vector<EpilogueStep> steps;
  /// The number of the value that is stored.
  size_t result = 0;

  /// "" if all steps are known and their arguments come before them; else what
  /// is wrong.
  std::string check() const;
};

/// What D may hold at `index` if the sum is as expected.
Expected applyEpilogue(const Epilogue &epilogue, const Expected &sum,
                       const ElementIndex &index);

} // namespace bwgemm::runtime

#endif // BWGEMM_RUNTIME_EPILOGUE_H
