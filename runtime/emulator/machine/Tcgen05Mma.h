//===- Tcgen05Mma.h - D = A * B + D in tensor memory ------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One dense tcgen05.mma (PTX ISA, "tcgen05.mma"), of one CTA or of a CTA pair:
// decoded and checked when it is issued, executed when it lands. Operands are
// read when it lands, so that a program that overwrites them too early gets
// what it asked for.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_TCGEN05MMA_H
#define BWGEMM_EMULATOR_MACHINE_TCGEN05MMA_H

#include "Emulator.h"
#include "machine/MmaDescriptor.h"
#include "machine/MmaPlacement.h"
#include "machine/MmaZeroColumns.h"
#include "machine/SharedLayout.h"
#include "machine/SharedWindow.h"
#include "machine/TensorMemory.h"

#include <array>
#include <cstdint>
#include <string>

namespace bwgemm::emulator {

/// The operands of the instruction, as 32- and 64-bit register values.
struct MmaOperands {
  MmaKind kind = MmaKind::F16;
  uint8_t ctas = 1; ///< .cta_group
  bool ws = false;
  bool sparse = false;
  uint8_t scaleBlocks = 0; ///< 1, 2 or 4 of .scale_vec; 0 without scaling.
  uint32_t d = 0;          ///< Tensor memory address.
  bool aInTensorMemory = false;
  uint64_t a = 0;           ///< Descriptor, or tensor memory address.
  bool shiftA = false;      ///< .ashift
  uint64_t b = 0;           ///< Descriptor.
  uint64_t zeroColumns = 0; ///< .ws: the zero-column mask descriptor.
  uint32_t instructionDescriptor = 0;
  uint32_t metadata = 0;           ///< Tensor memory address, if sparse.
  uint32_t scaleA = 0, scaleB = 0; ///< Tensor memory addresses, if scaled.
  bool accumulate = false;         ///< enable-input-d.
  unsigned scaleInputD = 0;        ///< D enters as D * 2^-scaleInputD.
  /// Bit i of word w: lane 32w + i. Words 4 to 7 are the odd CTA's of a pair.
  std::array<uint32_t, 8> disabledLanes{};
};

/// The memories of the CTA that executes an mma; of a pair, the even CTA's come
/// first.
struct MmaCtas {
  unsigned count = 1;
  std::array<TensorMemory *, 2> tensor{};
  std::array<SharedWindow, 2> shared;

  MmaCtas(TensorMemory &tensor, const SharedWindow &shared)
      : tensor{&tensor}, shared{shared} {}
  MmaCtas(TensorMemory &evenTensor, const SharedWindow &evenShared,
          TensorMemory &oddTensor, const SharedWindow &oddShared)
      : count(2), tensor{&evenTensor, &oddTensor},
        shared{evenShared, oddShared} {}
};

/// Why an mma cannot be issued.
struct MmaRefusal {
  std::string message;
  bool unsupported = false; ///< Legal, but not modelled.
};

/// An issued mma.
struct Mma {
  MmaDescriptor shape;
  MmaPlacement placement;
  /// Of a pair: each CTA's part, at the same addresses in both.
  SharedMatrix a, b;
  uint32_t rowsOfB = 0; ///< Of one CTA in shared memory, skipped ones included.
  MmaZeroColumns zeroColumns; ///< .ws
  bool aInTensorMemory = false;
  /// Row r > 0 of A is what lies in the lane of row r - 1; row 0 is where it
  /// is. The ISA says "shifts down by one row, except for the last", and does
  /// not say which way down is: as for tcgen05.shift, toward higher lanes.
  bool shiftA = false;
  TensorAddress aTensor{0};
  TensorAddress d{0};
  TensorAddress metadata{0};          ///< If shape.sparse.
  TensorAddress scaleA{0}, scaleB{0}; ///< If shape.scaleBlocks.
  bool accumulate = false;
  unsigned scaleInputD = 0;
  std::array<TensorMemory::LaneSet, 2> disabledLanes; ///< Per CTA.

  /// Decodes and checks everything that does not depend on memory contents:
  /// descriptors, shape, lanes, that shared memory and tensor memory hold the
  /// operands.
  static bool issue(const MmaOperands &operands, const MmaCtas &ctas,
                    Mma &result, MmaRefusal &refusal);
  static bool issue(const MmaOperands &operands, TensorMemory &tensor,
                    const SharedWindow &shared, Mma &result,
                    MmaRefusal &refusal) {
    return issue(operands, MmaCtas(tensor, shared), result, refusal);
  }

  /// Columns of A in tensor memory.
  uint32_t aColumns() const { return 8; }

  /// Executes. If it reads tensor memory that was never written, or uses any
  /// that has been deallocated since it was issued, returns false and names the
  /// cell.
  bool land(TensorMemory &tensor, const SharedWindow &shared, Numerics numerics,
            std::string &error) const {
    return landChain(this, 1, tensor, shared, numerics, error);
  }

  /// True if `next` accumulates into what this mma leaves in D, so that the
  /// two may execute as one of twice the K with Numerics::Fast: the chain of
  /// multiply-adds of each element of D is the same.
  bool chains(const Mma &next) const;
  /// Executes `count` mmas, each of which chains with the one before it; more
  /// than one, and at most maxMmaChain, with Numerics::Fast alone.
  static bool landChain(const Mma *mmas, uint32_t count, const MmaCtas &ctas,
                        Numerics numerics, std::string &error);
  static bool landChain(const Mma *mmas, uint32_t count, TensorMemory &tensor,
                        const SharedWindow &shared, Numerics numerics,
                        std::string &error) {
    return landChain(mmas, count, MmaCtas(tensor, shared), numerics, error);
  }
};

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_TCGEN05MMA_H
