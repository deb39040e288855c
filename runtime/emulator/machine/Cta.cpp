//===- Cta.cpp - CTAs and clusters ------------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/Cta.h"

#include "machine/Grid.h"
#include "machine/Poison.h"

#include <cstdlib>
#include <cstring>

namespace bwgemm::emulator {

//===----------------------------------------------------------------------===//
// StoragePool
//===----------------------------------------------------------------------===//

static constexpr size_t blockAlignment = 1024;

static size_t roundUp(size_t bytes, size_t to) {
  return (bytes + to - 1) / to * to;
}

std::byte *StoragePool::take(size_t bytes) {
  for (size_t i = 0; i < blocks.size(); ++i)
    if (blocks[i].first == bytes) {
      std::byte *block = blocks[i].second;
      blocks[i] = blocks.back();
      blocks.pop_back();
      return block;
    }
  return static_cast<std::byte *>(
      std::aligned_alloc(blockAlignment, roundUp(bytes, blockAlignment)));
}

void StoragePool::give(std::byte *block, size_t bytes) {
  if (block)
    blocks.emplace_back(bytes, block);
}

StoragePool::~StoragePool() {
  for (auto &[bytes, block] : blocks)
    std::free(block);
}

//===----------------------------------------------------------------------===//
// Cta
//===----------------------------------------------------------------------===//

Cta::Cta(Cluster &cluster, unsigned rank, Dim3 index, StoragePool &pool)
    : clusterPointer(&cluster), ctaRank(rank), ctaIndex(index),
      storagePool(pool) {
  const Kernel &kernel = grid().kernel;
  const LaunchConfig &config = grid().config;
  unsigned threads = static_cast<unsigned>(config.block.count());
  unsigned warpCount = (threads + warpSize - 1) / warpSize;

  sharedLimit = kernel.dynamicSharedOffset + config.dynamicSharedBytes;
  sharedBytes = sharedLimit - sharedBase;
  registerBytes = size_t(kernel.registerBytes) * warpCount;
  localStride =
      kernel.localBytes + (kernel.dynamicStack ? config.stackBytes : 0);
  localBytes = size_t(localStride) * threads;
  if ((sharedBytes && !(shared = pool.take(sharedBytes))) ||
      (registerBytes && !(registerBlock = pool.take(registerBytes))) ||
      (localBytes && !(localBlock = pool.take(localBytes))))
    return;
  // Memory and registers start undefined. All ones is a NaN in every format,
  // so a result that depends on them shows, and does so in every run.
  bool poisoned = grid().options.hazards;
  if (sharedBytes && poisoned)
    fillPoison(shared, sharedBase, sharedBytes);
  else if (sharedBytes)
    std::memset(shared, 0xFF, sharedBytes);
  if (registerBytes)
    std::memset(registerBlock, 0, registerBytes);
  if (localBytes)
    std::memset(localBlock, 0xFF, localBytes);

  warpList.reserve(warpCount);
  for (unsigned w = 0; w < warpCount; ++w) {
    unsigned lanes = threads - w * warpSize;
    LaneMask mask = lanes >= warpSize ? allLanes : (1u << lanes) - 1;
    warpList.push_back(std::make_unique<Warp>(
        *this, w, mask, registerBlock + size_t(w) * kernel.registerBytes));
  }
  isValid = true;
}

Cta::~Cta() {
  storagePool.give(shared, sharedBytes);
  storagePool.give(registerBlock, registerBytes);
  storagePool.give(localBlock, localBytes);
}

Grid &Cta::grid() const { return clusterPointer->grid(); }

std::byte *Cta::localAt(unsigned thread, uint64_t offset, uint64_t bytes) {
  uint64_t end = uint64_t(localBase) + localStride;
  if (offset < localBase || offset > end || bytes > end - offset)
    return nullptr;
  return localBlock + size_t(thread) * localStride + (offset - localBase);
}

unsigned Cta::aliveThreads() const {
  unsigned count = 0;
  for (const auto &warp : warpList)
    count += static_cast<unsigned>(__builtin_popcount(warp->alive()));
  return count;
}

//===----------------------------------------------------------------------===//
// Cluster
//===----------------------------------------------------------------------===//

Cluster::Cluster(Grid &grid, Dim3 index, CounterSet &counters,
                 StoragePool &pool)
    : gridPointer(&grid), clusterIndex(index), counterSet(&counters) {
  Dim3 extent = grid.config.cluster;
  // A stream of its own for every cluster, whichever thread runs it.
  std::seed_seq seed{uint32_t(grid.options.seed),
                     uint32_t(grid.options.seed >> 32), index.x, index.y,
                     index.z};
  generator.seed(seed);
  unsigned rank = 0;
  for (uint32_t z = 0; z < extent.z; ++z)
    for (uint32_t y = 0; y < extent.y; ++y)
      for (uint32_t x = 0; x < extent.x; ++x) {
        Dim3 cta{index.x * extent.x + x, index.y * extent.y + y,
                 index.z * extent.z + z};
        ctaList.push_back(std::make_unique<Cta>(*this, rank++, cta, pool));
      }
}

Cluster::~Cluster() { async.clear(); }

uint64_t Cluster::number() const {
  Dim3 count = gridPointer->clusterCount();
  return clusterIndex.x +
         (clusterIndex.y + uint64_t(clusterIndex.z) * count.y) * count.x;
}

bool Cluster::valid() const {
  for (const auto &cta : ctaList)
    if (!cta->valid())
      return false;
  return true;
}

bool Cluster::finished() const {
  for (const auto &cta : ctaList)
    for (const auto &warp : cta->warps())
      if (!warp->finished())
        return false;
  return true;
}

} // namespace bwgemm::emulator
