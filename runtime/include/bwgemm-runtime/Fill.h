//===- Fill.h - Reproducible contents for matrices --------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fills buffers. Element i depends only on the kind, the seed and i, so the
// contents are the same on every machine and for any number of threads.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_RUNTIME_FILL_H
#define BWGEMM_RUNTIME_FILL_H

#include "bwgemm-runtime/ElementType.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bwgemm::runtime {

enum class Fill : uint8_t {
  Zeros,
  Ones,
  /// 0, 1, 2, … modulo the number of integers that the type holds exactly from
  /// 0 on (256 for bf16, 2048 for f16, 2^24 for f32, 16 for e4m3).
  Iota,
  /// Integers from -3 to 3 (0 to 3 if unsigned), each as likely. All types hold
  /// them exactly, and with K <= 2^24 / 9 any sum of K products, in any order,
  /// is exact in fp32.
  Int,
  /// Floating point: from [-1, 1). I8 and U8: all values, each as likely. Wider
  /// integers: from -1024 to 1023 (0 to 1023 if unsigned).
  Uniform,
  /// Floating point: mean 0, variance 1. Integers: 16 times that, rounded; the
  /// magnitude if unsigned.
  Normal,
  /// poisonBits(type) in every element: NaN for floating-point types.
  Poison,
};

/// The fill called "zeros", "ones", "iota", "int", "uniform", "normal" or
/// "poison"; nothing if there is none of that name.
std::optional<Fill> parseFill(std::string_view name);

/// All names, separated by ", ", for messages.
std::string fillNames();

/// Fills `count` elements of `type` at `data`, which needs no alignment.
void fill(ElementType type, void *data, size_t count, Fill kind,
          uint64_t seed = 0);

} // namespace bwgemm::runtime

#endif // BWGEMM_RUNTIME_FILL_H
