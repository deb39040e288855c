//===- Tcgen05MmaKernels.h - Packing and fp32 multiplication ----*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The inner loops of tcgen05.mma, in variants for what the host can do. All
// variants give the same bits: chains of fp32 fused multiply-adds in K order.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_TCGEN05MMAKERNELS_H
#define BWGEMM_EMULATOR_MACHINE_TCGEN05MMAKERNELS_H

#include "machine/MmaDescriptor.h"
#include "machine/SharedLayout.h"

#include <cstddef>
#include <cstdint>

namespace bwgemm::emulator {

/// A matrix of f32, element (row, k) at data[row * rowStride + k * kStride].
struct Panel {
  float *data = nullptr;
  uint32_t rowStride = 1;
  uint32_t kStride = 1;
};

/// Mmas of one accumulator that are multiplied together.
inline constexpr uint32_t maxMmaChain = 4;
/// The most that one operand takes: 256 rows, of K = 16 per mma of a chain, or
/// of K = 128 for one mma of 4-bit elements with a sparse A.
inline constexpr uint32_t maxPanelFloats = 256 * 128;

/// One multiplication. Rows come in groups of 16; the elements of group g and
/// column n of D lie at d[n * dColumnStride + laneOffset[g]] onwards.
struct PanelMultiply {
  const float *a = nullptr; ///< (m, k) at a[k * m_total + m].
  Panel b;                  ///< (n, k)
  uint32_t groups = 0;      ///< M / 16: 4 or 8.
  uint32_t n = 0;           ///< A multiple of 8.
  uint32_t k = 0;
  float *d = nullptr;
  uint32_t dColumnStride = 0;
  const uint32_t *laneOffset = nullptr;
  bool accumulate = false; ///< Else D starts from zero.
};

struct MmaKernels {
  const char *name;
  /// Converts `rows` rows (a multiple of 16 for A, of 8 for B) of 16-bit
  /// elements, K = 16, into `panel` with rowStride 1 (the form of A).
  void (*packTransposed)(const SharedMatrix &matrix, const std::byte *shared,
                         MmaElement element, uint32_t rows, float *panel);
  /// Converts a B of 16-bit elements, K = 16, in whichever form is cheaper: it
  /// is mma number `index` in a chain of `chain`, whose panels make up one of K
  /// = 16 * chain in `buffer`. Returns that.
  Panel (*packB)(const SharedMatrix &matrix, const std::byte *shared,
                 MmaElement element, uint32_t rows, uint32_t index,
                 uint32_t chain, float *buffer);
  void (*multiply)(const PanelMultiply &work);
};

/// The variants that this host can run, best first; null-terminated.
const MmaKernels *const *availableMmaKernels();
/// The best of them.
const MmaKernels &mmaKernels();

/// f32 value of an element of 8 bits or more at `bytes`; tf32 ignores the low
/// 13 bits.
float loadMmaElement(MmaElement element, const std::byte *bytes);

/// Packs elements of any type: (row, k) to panel[k * rows + row], for k below
/// `depth`, a multiple of the elements in a chunk.
void packElements(const SharedMatrix &matrix, const std::byte *shared,
                  MmaElement element, uint32_t rows, uint32_t depth,
                  float *panel);

/// Null if the host or the build has no such instructions.
const MmaKernels *avx2MmaKernels();
const MmaKernels *avx512MmaKernels();

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_TCGEN05MMAKERNELS_H
