//===- Tma.h - Tensor copies between global and shared memory ---*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The data movement of cp.async.bulk.tensor in tile mode (PTX ISA, "Tensor
// copy"), with the rules measured on an H200:
//
// - Rows of the box lie one after the other in shared memory; a swizzle pads
//   them to its span and does not write the padding.
// - The swizzle XORs bits 7.. of the absolute shared address into bits 4..
// - The shared address must be a multiple of 128, and coordinate 0 times the
//   element size a multiple of 16.
// - Elements outside of the tensor are filled by a load. A store skips them,
//   but along dimension 0 in units of 16 bytes: the unit that holds the last
//   element of a row is written whole, whatever lies behind that element.
// - A store traps on a negative coordinate.
// - tile::gather4 and tile::scatter4 (PTX ISA) move four rows that lie anywhere
//   in a tensor of rank 2, through a map whose box has one row: coordinate 0 is
//   the column, 1 to 4 are the rows.
// - With element strides a store takes its rows one after the other from shared
//   memory, as a load puts them there.
// - A load completes the bytes of the whole box, without padding.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_TMA_H
#define BWGEMM_EMULATOR_MACHINE_TMA_H

#include "machine/Reduction.h"
#include "machine/SharedWindow.h"
#include "machine/TensorMap.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace bwgemm::emulator {

/// Whether kernels may access `bytes` bytes of global memory at `address`.
struct GlobalCheck {
  bool (*contains)(void *context, uint64_t address, uint64_t bytes) = nullptr;
  void *context = nullptr;
  bool operator()(uint64_t address, uint64_t bytes) const {
    return contains(context, address, bytes);
  }
};

/// Why a copy would trap.
struct TmaTrap {
  std::string message;
  uint64_t address = 0;
  bool hasAddress = false;
  bool unsupported = false; ///< Legal, but not modelled.
};

using TmaCoordinates = std::array<int32_t, TensorMap::maxRank>;

/// What all copies through one tensor map have in common, worked out once.
struct TmaPlan {
  uint64_t base = 0;
  unsigned rank = 1;
  TensorElement element = TensorElement::U8;
  unsigned elementBytes = 1;
  uint32_t innerElements = 0;
  uint32_t innerBytes = 0; ///< Of one row, without padding.
  /// Elements of the map in one of the plan's along dimension 0: two 4-bit
  /// elements are a byte, sixteen with padding a unit of 8 or 12 bytes.
  uint32_t perElement = 1;
  uint32_t unitPadding = 0; ///< Bytes behind each element in shared memory.
  uint32_t pitch = 0;       ///< Bytes from row to row in shared memory.
  uint32_t rows = 0;
  uint32_t swizzle = 0; ///< Mask for swizzleAddress.
  SwizzleAtom atom = SwizzleAtom::B16;
  bool nanFill = false;
  bool roundTf32 = false;
  /// Four rows of its own choice: see takeFourRows.
  bool fourRows = false;
  std::array<uint64_t, TensorMap::maxRank> dims{};
  std::array<uint64_t, TensorMap::maxRank> strides{};
  std::array<uint32_t, TensorMap::maxRank> counts{}; ///< Elements copied.
  std::array<uint32_t, TensorMap::maxRank> steps{};  ///< Element strides.

  /// The bytes that a load completes on its mbarrier.
  uint64_t txBytes() const { return uint64_t(innerBytes) * rows; }
  /// The bytes of a row in shared memory, padding behind elements included.
  uint32_t sharedRowBytes() const {
    return innerBytes + innerElements * unitPadding;
  }
  /// Where the byte at a shared address lies after the swizzle, but for the
  /// flip of SwizzleAtom::B32Flip8.
  uint32_t place(uint32_t address) const {
    switch (atom) {
    case SwizzleAtom::B16:
      break;
    case SwizzleAtom::B32:
    case SwizzleAtom::B32Flip8:
      return address ^ ((address >> 7) & 3) << 5;
    case SwizzleAtom::B64:
      return address ^ ((address >> 7) & 1) << 6;
    }
    return swizzleAddress(address, swizzle);
  }
  /// The bytes of shared memory from the first to the last of the box.
  uint64_t sharedExtent() const {
    return uint64_t(pitch) * (rows - 1) + sharedRowBytes();
  }

  static bool make(const TensorMap &map, TmaPlan &plan, TmaTrap &trap);
  /// Makes it a plan for tile::gather4 or tile::scatter4.
  bool takeFourRows(TmaTrap &trap);
};

/// True if a load of the box at `coordinates` to shared address `destination`
/// is legal; else says in `trap` why not.
bool checkTensorLoad(const TmaPlan &plan, const TmaCoordinates &coordinates,
                     uint32_t destination, const SharedWindow &shared,
                     const GlobalCheck &global, TmaTrap &trap);

/// Copies the box to shared memory. The copy must have passed
/// checkTensorLoad.
void tensorLoad(const TmaPlan &plan, const TmaCoordinates &coordinates,
                uint32_t destination, const SharedWindow &shared);

/// As checkTensorLoad, for a store from shared address `source`.
bool checkTensorStore(const TmaPlan &plan, const TmaCoordinates &coordinates,
                      uint32_t source, const SharedWindow &shared,
                      const GlobalCheck &global, TmaTrap &trap);

/// Copies the box to global memory. The copy must have passed
/// checkTensorStore. Returns the bytes written.
uint64_t tensorStore(const TmaPlan &plan, const TmaCoordinates &coordinates,
                     uint32_t source, const SharedWindow &shared);

/// As tensorStore, but combines the box with what is in global memory. The
/// reduction must be legal.
uint64_t tensorReduce(const TmaPlan &plan, const TmaCoordinates &coordinates,
                      uint32_t source, const SharedWindow &shared,
                      const Reduction &reduction);

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_TMA_H
