//===- Granules.cpp - Memory that operations touch --------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hazards/HazardChecker.h"

#include "machine/Tcgen05Copy.h"
#include "machine/Tcgen05Mma.h"
#include "machine/Tma.h"

#include <algorithm>

namespace bwgemm::emulator {

static constexpr uint32_t granuleBytes = 16;

Granules sortedGranules(Granules granules) {
  std::sort(granules.begin(), granules.end());
  granules.erase(std::unique(granules.begin(), granules.end()), granules.end());
  return granules;
}

static void append(Granules &granules, const SharedMatrix &matrix,
                   uint32_t rows, uint32_t depth, MmaElement element) {
  uint32_t perChunk = mmaElementsPerChunk(element);
  uint32_t indices = matrix.mnMajor ? depth : rows;
  uint32_t chunks = (matrix.mnMajor ? rows : depth) / perChunk;
  for (uint32_t s = 0; s < indices; ++s)
    for (uint32_t c = 0; c < chunks; ++c)
      granules.push_back(matrix.address(s, c));
}

Granules granulesOf(const Mma &mma) {
  Granules granules;
  if (!mma.aInTensorMemory)
    append(granules, mma.a, mma.placement.rows, mma.shape.storedK(),
           mma.shape.a);
  append(granules, mma.b, mma.rowsOfB, mma.shape.k(), mma.shape.b);
  return sortedGranules(std::move(granules));
}

Granules granulesOf(const TensorFill &fill) {
  Granules granules;
  for (uint32_t row = 0; row < fill.rows(); ++row)
    for (uint32_t c = 0; c < fill.chunks(); ++c)
      granules.push_back(fill.source.address(row, c));
  return sortedGranules(std::move(granules));
}

Granules granulesOf(const TmaPlan &plan, uint32_t address) {
  Granules granules;
  for (uint32_t row = 0; row < plan.rows; ++row)
    for (uint32_t offset = 0; offset < plan.sharedRowBytes();
         offset += granuleBytes)
      granules.push_back(plan.place(address + row * plan.pitch + offset));
  return sortedGranules(std::move(granules));
}

Granules granulesOf(uint32_t address, uint32_t bytes) {
  Granules granules;
  for (uint32_t offset = 0; offset < bytes; offset += granuleBytes)
    granules.push_back(address + offset);
  return granules;
}

} // namespace bwgemm::emulator
