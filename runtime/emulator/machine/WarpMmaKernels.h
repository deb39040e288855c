//===- WarpMmaKernels.h - Arithmetic of one warp's mma ----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The inner loops of mma.sync, in variants for what the host can do. All
// variants give the same bits: chains of fp32 fused multiply-adds in K order,
// and 32-bit integer sums.
//
// A register of a fragment is 8 rows (of A, D) or columns (of B) of 16 bytes
// along K, in the order of the lanes: lane 4r + c holds word c of row r. That
// is so for every shape and type (PTX ISA, "Matrix fragments for mma").
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_WARPMMAKERNELS_H
#define BWGEMM_EMULATOR_MACHINE_WARPMMAKERNELS_H

#include <cstdint>

namespace bwgemm::emulator {

/// The registers of m16n8k8 and m16n8k16 with 16-bit elements and f32 C and D,
/// each 32 lanes.
struct HalfFragments {
  const uint32_t *a[4]; ///< Rows 0 to 7 and 8 to 15, for each block of K.
  const uint32_t *b[2];
  const uint32_t *c[4]; ///< Even and odd columns of rows 0 to 7, of 8 to 15.
  uint32_t *d[4];       ///< May be any of the registers above.
  unsigned blocks;      ///< K / 8: 1 or 2.
  bool bf16;            ///< Else f16.
};

struct WarpMmaKernels {
  const char *name;
  void (*halves)(const HalfFragments &work);
  /// c[16][8] += a[16][k] * b[8][k]; k is at most 128.
  void (*floats)(const float *a, const float *b, unsigned k, float *c);
  /// c[16][8] += a[16][k] * b[8][k], modulo 2^32; k is a multiple of 16, at
  /// most 256, and the elements lie in [-128, 255].
  void (*integers)(const int16_t *a, const int16_t *b, unsigned k, int32_t *c);
};

/// The variants that this host can run, best first; null-terminated.
const WarpMmaKernels *const *availableWarpMmaKernels();
/// The best of them.
const WarpMmaKernels &warpMmaKernels();

/// Null if the host cannot run them.
const WarpMmaKernels *avx2WarpMmaKernels();
const WarpMmaKernels *avx512WarpMmaKernels();

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_WARPMMAKERNELS_H
