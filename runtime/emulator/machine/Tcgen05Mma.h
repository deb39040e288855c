//===- Tcgen05Mma.h - D = A * B + D in tensor memory ------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One dense tcgen05.mma of cta_group::1 (PTX ISA, "tcgen05.mma"): decoded and
// checked when it is issued, executed when it lands. Operands are read when it
// lands, so that a program that overwrites them too early gets what it asked
// for.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_TCGEN05MMA_H
#define BWGEMM_EMULATOR_MACHINE_TCGEN05MMA_H

#include "Emulator.h"
#include "machine/MmaDescriptor.h"
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
  uint32_t d = 0; ///< Tensor memory address.
  bool aInTensorMemory = false;
  uint64_t a = 0; ///< Descriptor, or tensor memory address.
  uint64_t b = 0; ///< Descriptor.
  uint32_t instructionDescriptor = 0;
  bool accumulate = false;                 ///< enable-input-d.
  unsigned scaleInputD = 0;                ///< D enters as D * 2^-scaleInputD.
  std::array<uint32_t, 4> disabledLanes{}; ///< Bit i of word w: lane 32w + i.
};

/// Why an mma cannot be issued.
struct MmaRefusal {
  std::string message;
  bool unsupported = false; ///< Legal, but not modelled.
};

/// An issued mma.
struct Mma {
  MmaDescriptor shape;
  SharedMatrix a, b;
  bool aInTensorMemory = false;
  TensorAddress aTensor{0};
  TensorAddress d{0};
  bool accumulate = false;
  unsigned scaleInputD = 0;
  TensorMemory::LaneSet disabledLanes;

  /// Decodes and checks everything that does not depend on memory contents:
  /// descriptors, shape, lanes, that shared memory and tensor memory hold the
  /// operands.
  static bool issue(const MmaOperands &operands, const TensorMemory &tensor,
                    const SharedWindow &shared, Mma &result,
                    MmaRefusal &refusal);

  /// The lanes that hold rows of D (and of A in tensor memory).
  TensorMemory::LaneSet lanes() const;
  /// Columns of A in tensor memory.
  uint32_t aColumns() const { return 8; }

  /// Executes. On a read of tensor memory that was never written returns
  /// false and names the cell.
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
  static bool landChain(const Mma *mmas, uint32_t count, TensorMemory &tensor,
                        const SharedWindow &shared, Numerics numerics,
                        std::string &error);
};

/// The lane of the first of 16 consecutive rows, `group` = row / 16: lane 16 *
/// group for M = 128 (layout D), 32 * group plus the base lane for M = 64
/// (layout F).
constexpr uint32_t mmaLaneOfGroup(uint32_t m, uint32_t baseLane,
                                  uint32_t group) {
  return m == 64 ? 32 * group + baseLane : 16 * group;
}

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_TCGEN05MMA_H
