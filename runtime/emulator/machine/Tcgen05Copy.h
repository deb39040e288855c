//===- Tcgen05Copy.h - Shared memory to tensor memory -----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The data movement of tcgen05.cp and tcgen05.shift (PTX ISA, "Tensor Memory
// data movement instructions").
//
// A copy reads a K-major matrix that a shared memory descriptor describes
// (SharedLayout.h): rows of one or two chunks of 16 bytes. Chunk c of a row
// goes to the four columns 4 * c behind the address, and row r to
//
//   128x256b, 128x128b          lane r
//   64x128b.warpx2::02_13       lanes r and r + 64
//   64x128b.warpx2::01_23       lanes r and r + 32 for r < 32, else r + 32 and
//                               r + 64
//   32x128b.warpx4              lanes r, r + 32, r + 64 and r + 96
//   4x256b                      lane base + 32 * r
//
// With .b8x16.b4x16_p64 or .b8x16.b6x16_p32 each chunk holds sixteen narrow
// elements and padding, and is spread to sixteen bytes (MmaElement.h).
//
// A shift moves, in the 32 lanes behind the address and in eight columns, each
// lane's cells to the next lane: lane 0 keeps its own, the last lane's are
// lost. The ISA says "downwards, all the rows except the last"; that down is
// toward higher lanes is an assumption.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_TCGEN05COPY_H
#define BWGEMM_EMULATOR_MACHINE_TCGEN05COPY_H

#include "machine/SharedLayout.h"
#include "machine/SharedWindow.h"
#include "machine/TensorMemory.h"

#include <cstdint>
#include <string>

namespace bwgemm::emulator {

enum class CopyShape : uint8_t {
  S128x256b,
  S4x256b,
  S128x128b,
  S64x128b02_13,
  S64x128b01_23,
  S32x128bX4,
};

/// An issued tcgen05.cp, in one CTA.
struct TensorFill {
  CopyShape shape = CopyShape::S128x256b;
  unsigned narrowBits = 0; ///< 4 or 6: elements are spread to bytes.
  SharedMatrix source;
  TensorAddress address{0};

  uint32_t rows() const;
  uint32_t chunks() const; ///< Of 16 bytes in a row.
  uint32_t columns() const { return 4 * chunks(); }

  /// Decodes and checks descriptor and address. On refusal returns false and
  /// says why; `unsupported` tells what is not modelled from what is illegal.
  static bool issue(CopyShape shape, unsigned narrowBits, uint32_t address,
                    uint64_t descriptor, const TensorMemory &tensor,
                    const SharedWindow &shared, TensorFill &result,
                    std::string &error, bool &unsupported);
  void land(TensorMemory &tensor, const SharedWindow &shared) const;
};

/// Columns that a shift moves: 32 bytes.
inline constexpr uint32_t shiftColumns = 8;

/// Checks the address of a tcgen05.shift.down.
bool checkShift(const TensorAddress &address, const TensorMemory &tensor,
                std::string &error);
/// Moves the cells. On one that was never written, or that is not allocated any
/// more, returns false and names it.
bool landShift(const TensorAddress &address, TensorMemory &tensor,
               std::string &error);

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_TCGEN05COPY_H
