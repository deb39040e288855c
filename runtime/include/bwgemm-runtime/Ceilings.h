//===- Ceilings.h - What a GPU can do at most -------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A matrix product is bounded by how fast its operands come from memory and by
// how fast tensor cores multiply. Both are measured, in the same run as what is
// compared with them, since data sheets give clocks that a busy GPU does not
// keep.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_RUNTIME_CEILINGS_H
#define BWGEMM_RUNTIME_CEILINGS_H

#include "bwgemm-runtime/ElementType.h"
#include "bwgemm-runtime/Measure.h"

namespace bwgemm::runtime {

/// A kernel `ceiling(.param .u64 out, .param .u32 rounds)` that does nothing
/// but multiply: for sm_90a wgmma on shared memory that is filled once,
/// otherwise mma.sync on registers, with operands of either sign between 1
/// and 2. Stores a word to `out` only if a sum is what it cannot be.
struct CeilingKernel {
  std::string ptx;
  /// "wgmma m64n256k16" or "mma.sync m16n8k16".
  std::string instruction;
  unsigned threads = 0;
  /// CTAs for each multiprocessor.
  unsigned ctas = 0;
  /// Floating-point operations of a CTA in one round.
  double flops = 0;
  /// Rounds that take about a millisecond.
  unsigned rounds = 0;
};

/// The kernel for a target, with operands of f16 or bf16. False, with the
/// reason in `error`, if there is none.
bool makeCeilingKernel(std::string_view target, ElementType operands,
                       CeilingKernel &kernel, std::string &error);

struct Ceilings {
  /// Bytes a second, read and written, of a copy within device memory.
  double bytesPerSecond = 0;
  /// Floating-point operations a second of tensor cores, and of which
  /// instruction; 0 where there is no kernel for it, and `unknown` says why.
  double flopsPerSecond = 0;
  std::string instruction, unknown;

  /// The least time for so many bytes and operations, in microseconds; 0 if
  /// nothing is known.
  double leastMicroseconds(double bytes, double flops) const;
};

/// Measures both. The context must be current. Returns an error text.
std::string measureCeilings(const DriverApi &driver, std::string_view target,
                            ElementType operands, const MeasurePlan &plan,
                            ClockMeter *clocks, Ceilings &ceilings);

} // namespace bwgemm::runtime

#endif // BWGEMM_RUNTIME_CEILINGS_H
