//===- MmaPlacement.cpp - Where an mma puts its accumulator -----*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/MmaPlacement.h"

namespace bwgemm::emulator {

MmaLayout mmaLayout(const MmaDescriptor &shape) {
  if (shape.ctas == 2)
    return shape.m == 256 ? MmaLayout::A
           : shape.sparse ? MmaLayout::C
                          : MmaLayout::B;
  if (shape.m == 128)
    return MmaLayout::D;
  if (shape.m == 32)
    return MmaLayout::G;
  return shape.ws ? MmaLayout::E : MmaLayout::F;
}

TensorMemory::LaneSet MmaBlock::lanes() const {
  TensorMemory::LaneSet set;
  for (uint32_t group = 0; group < groups; ++group)
    set.insert(TensorMemory::LaneSet::range(lane[group], 16));
  return set;
}

TensorMemory::LaneSet MmaPlacement::lanes() const {
  TensorMemory::LaneSet set;
  for (unsigned i = 0; i < blockCount; ++i)
    set.insert(blocks[i].lanes());
  return set;
}

MmaPlacement::MmaPlacement(const MmaDescriptor &shape, uint32_t baseLane)
    : layout(mmaLayout(shape)), ctas(shape.ctas), rows(shape.m / shape.ctas),
      columnsOfB(shape.n / shape.ctas) {
  // How many sets of lanes the columns are spread over.
  unsigned spread = layout == MmaLayout::G   ? 4
                    : layout == MmaLayout::B ? 2
                    : layout == MmaLayout::E ? 2
                                             : 1;
  bool interleaved = layout == MmaLayout::F || layout == MmaLayout::C;
  cellColumns = shape.n / spread;
  // A block ends where the lanes change, and where B comes from the other CTA.
  blockCount = spread > ctas ? spread : ctas;
  for (unsigned i = 0; i < blockCount; ++i) {
    MmaBlock &block = blocks[i];
    block.columns = shape.n / blockCount;
    block.firstColumn = i * block.columns;
    block.cellColumn = block.firstColumn % cellColumns;
    block.groups = rows / 16;
    uint32_t firstLane = (block.firstColumn / cellColumns) * rows;
    for (uint32_t group = 0; group < block.groups; ++group)
      block.lane[group] =
          interleaved ? 32 * group + baseLane : firstLane + 16 * group;
  }
}

} // namespace bwgemm::emulator
