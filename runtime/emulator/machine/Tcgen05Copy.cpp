//===- Tcgen05Copy.cpp - Shared memory to tensor memory ---------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/Tcgen05Copy.h"
#include "machine/MmaElement.h"

#include <cstring>

namespace bwgemm::emulator {

uint32_t TensorFill::rows() const {
  switch (shape) {
  case CopyShape::S128x256b:
  case CopyShape::S128x128b:
    return 128;
  case CopyShape::S64x128b02_13:
  case CopyShape::S64x128b01_23:
    return 64;
  case CopyShape::S32x128bX4:
    return 32;
  case CopyShape::S4x256b:
    break;
  }
  return 4;
}

uint32_t TensorFill::chunks() const {
  return shape == CopyShape::S128x256b || shape == CopyShape::S4x256b ? 2 : 1;
}

bool TensorFill::issue(CopyShape shape, unsigned narrowBits, uint32_t address,
                       uint64_t descriptor, const TensorMemory &tensor,
                       const SharedWindow &shared, TensorFill &result,
                       std::string &error, bool &unsupported) {
  TensorFill fill;
  fill.shape = shape;
  fill.narrowBits = narrowBits;
  fill.address = TensorAddress(address);
  unsupported = false;
  // 4x256b alone leaves lanes between its rows, so that it may begin in any.
  uint32_t lanes = shape == CopyShape::S4x256b ? 32 : 1;
  if (fill.address.lane >= lanes) {
    error = "the copy begins in tensor memory lane " +
            std::to_string(fill.address.lane) + ", expected lane 0" +
            (lanes == 1 ? "" : " to 31");
    return false;
  }
  if (!tensor.checkAllocated(fill.address.column, fill.columns(), error))
    return false;
  MatrixDescriptor decoded;
  if (!MatrixDescriptor::decode(descriptor, decoded, error, unsupported))
    return false;
  if (decoded.atom32) {
    unsupported = true;
    error = "shared memory descriptor: layout 1 (128B swizzle with 32B atom) "
            "is not modelled for tcgen05.cp; 0, 2, 4 and 6 are";
    return false;
  }
  fill.source = SharedMatrix(decoded, false);
  uint32_t end = fill.source.end(fill.rows(), fill.chunks());
  if (decoded.start < shared.begin || end > shared.end) {
    error = "the source of the copy at shared address " +
            std::to_string(decoded.start) + " (LBO " +
            std::to_string(decoded.leadingOffset) + ", SBO " +
            std::to_string(decoded.strideOffset) + ") ends at " +
            std::to_string(end) + ", outside of the CTA's shared memory [" +
            std::to_string(shared.begin) + ", " + std::to_string(shared.end) +
            ")";
    return false;
  }
  result = fill;
  return true;
}

/// Calls `visit(lane)` for each lane that takes row `row`.
template <typename Visit>
static void forEachLane(CopyShape shape, uint32_t base, uint32_t row,
                        Visit visit) {
  switch (shape) {
  case CopyShape::S128x256b:
  case CopyShape::S128x128b:
    visit(row);
    return;
  case CopyShape::S4x256b:
    visit(base + 32 * row);
    return;
  case CopyShape::S64x128b02_13:
    visit(row);
    visit(row + 64);
    return;
  case CopyShape::S64x128b01_23:
    visit(row % 32 + row / 32 * 64);
    visit(row % 32 + row / 32 * 64 + 32);
    return;
  case CopyShape::S32x128bX4:
    for (uint32_t copy = 0; copy < 4; ++copy)
      visit(row + 32 * copy);
    return;
  }
}

void TensorFill::land(TensorMemory &tensor, const SharedWindow &shared) const {
  const std::byte *origin = shared.origin();
  TensorMemory::LaneSet written;
  for (uint32_t row = 0; row < rows(); ++row) {
    uint32_t cells[8];
    for (uint32_t c = 0; c < chunks(); ++c) {
      const std::byte *from = origin + source.address(row, c);
      if (narrowBits)
        spreadChunk(narrowBits, from,
                    reinterpret_cast<uint8_t *>(cells + 4 * c));
      else
        std::memcpy(cells + 4 * c, from, 16);
    }
    forEachLane(shape, address.lane, row, [&](uint32_t lane) {
      for (uint32_t column = 0; column < columns(); ++column)
        tensor.column(address.column + column)[lane] = cells[column];
      written.insert(TensorMemory::LaneSet::range(lane, 1));
    });
  }
  for (uint32_t column = 0; column < columns(); ++column)
    tensor.markWritten(address.column + column, written);
}

bool checkShift(const TensorAddress &address, const TensorMemory &tensor,
                std::string &error) {
  if (address.lane % 32 != 0) {
    error = "tcgen05.shift begins in tensor memory lane " +
            std::to_string(address.lane) + ", expected a multiple of 32";
    return false;
  }
  return tensor.checkAllocated(address.column, shiftColumns, error);
}

bool landShift(const TensorAddress &address, TensorMemory &tensor,
               std::string &error) {
  // What the last lane held is lost, and need not have been written.
  TensorMemory::LaneSet moved = TensorMemory::LaneSet::range(address.lane, 31);
  if (!tensor.checkAllocated(address.column, shiftColumns, error) ||
      !tensor.checkWritten(address.column, shiftColumns, moved, error))
    return false;
  TensorMemory::LaneSet written =
      TensorMemory::LaneSet::range(address.lane + 1, 31);
  for (uint32_t c = 0; c < shiftColumns; ++c) {
    uint32_t *cells = tensor.column(address.column + c) + address.lane;
    std::memmove(cells + 1, cells, 31 * sizeof(uint32_t));
    tensor.markWritten(address.column + c, written);
  }
  return true;
}

} // namespace bwgemm::emulator
