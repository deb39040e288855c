//===- MmaPlacement.h - Where an mma puts its accumulator -------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which lanes and columns of tensor memory hold D, and how a CTA pair shares
// the work (PTX ISA, "Data path layout organization"). With M and N of the
// instruction, row r and column n:
//
//   M    form             layout  CTA    lane                       column
//   32   .ws              G       -      r + 32 * (n / (N/4))       n % (N/4)
//   64   .ws              E       -      r + 64 * (n / (N/2))       n % (N/2)
//   64   one CTA          F       -      32 * (r/16) + r%16 + base  n
//   128  one CTA, .ws     D       -      r                          n
//   128  pair             B       r/64   r%64 + 64 * (n / (N/2))    n % (N/2)
//   128  pair, sparse     C       r/64   as F, of r%64              n
//   256  pair             A       r/128  r%128                      n
//
// `base` is the lane of D's address, 0 or 16. Of B, CTA p of a pair provides
// the columns of half p, and both CTAs use both halves. The even CTA is p = 0,
// whichever of the two issues the instruction.
//
// A in tensor memory lies in the lanes of the rows that it is multiplied for:
// where D's columns are spread over several sets of lanes, each set needs its
// own copy of A.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_MMAPLACEMENT_H
#define BWGEMM_EMULATOR_MACHINE_MMAPLACEMENT_H

#include "machine/MmaDescriptor.h"
#include "machine/TensorMemory.h"

#include <array>
#include <cstdint>

namespace bwgemm::emulator {

/// The letters of the PTX ISA.
enum class MmaLayout : uint8_t { A, B, C, D, E, F, G };

MmaLayout mmaLayout(const MmaDescriptor &shape);

/// All rows that one CTA computes, for consecutive columns of D that come from
/// one CTA's part of B and lie side by side in tensor memory.
struct MmaBlock {
  uint32_t firstColumn = 0; ///< Of D, below N.
  uint32_t columns = 0;
  uint32_t cellColumn = 0;        ///< Of firstColumn, relative to D's address.
  uint32_t groups = 0;            ///< Of 16 rows.
  std::array<uint32_t, 8> lane{}; ///< Of the first row of each group.

  TensorMemory::LaneSet lanes() const;
};

/// The blocks of an instruction; the same in both CTAs of a pair.
struct MmaPlacement {
  MmaLayout layout = MmaLayout::D;
  unsigned ctas = 1;
  uint32_t rows = 0;        ///< That one CTA computes, and holds of A.
  uint32_t columnsOfB = 0;  ///< Of N, that one CTA holds.
  uint32_t cellColumns = 0; ///< That D takes in tensor memory.
  unsigned blockCount = 0;
  std::array<MmaBlock, 4> blocks;

  MmaPlacement() = default;
  /// `baseLane` is the lane of D's address.
  MmaPlacement(const MmaDescriptor &shape, uint32_t baseLane);

  /// The lanes that hold D in some column.
  TensorMemory::LaneSet lanes() const;
};

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_MMAPLACEMENT_H
