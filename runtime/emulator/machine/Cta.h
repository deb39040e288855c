//===- Cta.h - CTAs and clusters --------------------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_MACHINE_CTA_H
#define BWGEMM_EMULATOR_MACHINE_CTA_H

#include "Emulator.h"
#include "machine/AsyncQueue.h"
#include "machine/Warp.h"

#include <deque>
#include <memory>
#include <random>
#include <vector>

namespace bwgemm::emulator {

/// One of a CTA's sixteen named barriers (PTX ISA, barrier).
struct NamedBarrier {
  uint32_t expected = 0;   ///< Threads; 0 while nobody has arrived.
  uint32_t arrived = 0;    ///< Threads.
  uint32_t generation = 0; ///< How often it completed.
  bool wholeCta = false;   ///< Used without a count.
  /// Reduction over the arriving threads of the running generation, and the
  /// result of the last.
  bool reduceAnd = true, reduceOr = false;
  uint32_t reduceCount = 0;
  bool lastAnd = true, lastOr = false;
  uint32_t lastCount = 0;
};

/// Memory blocks that CTAs give back, kept for the next; one pool per worker.
class StoragePool {
public:
  /// A block of at least `bytes` bytes, 1024-byte aligned, contents arbitrary;
  /// null if the host has no memory left.
  std::byte *take(size_t bytes);
  void give(std::byte *block, size_t bytes);
  StoragePool() = default;
  StoragePool(const StoragePool &) = delete;
  ~StoragePool();

private:
  std::vector<std::pair<size_t, std::byte *>> blocks;
};

/// A CTA: warps and the shared memory they have in common.
class Cta {
public:
  Cta(Cluster &cluster, unsigned rank, Dim3 index, StoragePool &pool);
  ~Cta();
  /// False if the host had no memory for the CTA; nothing else may be called.
  bool valid() const { return isValid; }

  Cluster &cluster() const { return *clusterPointer; }
  Grid &grid() const;
  /// %cluster_ctarank.
  unsigned rank() const { return ctaRank; }
  Dim3 index() const { return ctaIndex; }

  /// Shared memory [sharedBase, sharedEnd()), at shared().data offset
  /// address - sharedBase; the base is 1024-byte aligned like the hardware's.
  std::byte *sharedData() { return shared; }
  uint32_t sharedEnd() const { return sharedLimit; }
  /// Host memory behind `bytes` bytes at the offset (no rank bits) in the
  /// window, or null if any of them is outside the CTA's shared memory.
  std::byte *sharedAt(uint64_t offset, uint64_t bytes) {
    if (offset < sharedBase || offset > sharedLimit ||
        bytes > sharedLimit - offset)
      return nullptr;
    return shared + (offset - sharedBase);
  }
  /// Bytes of local memory that each thread has.
  uint32_t localBytesPerThread() const { return localStride; }
  /// Local memory of one thread (linear index in the CTA).
  std::byte *localAt(unsigned thread, uint64_t offset, uint64_t bytes);

  std::vector<std::unique_ptr<Warp>> &warps() { return warpList; }
  const std::vector<std::unique_ptr<Warp>> &warps() const { return warpList; }
  /// Threads that have not exited.
  unsigned aliveThreads() const;

  NamedBarrier barriers[16];
  /// Some thread has executed griddepcontrol.launch_dependents.
  bool letsDependentsBegin = false;
  /// Called when threads exit: barriers that count the whole CTA may complete.
  void threadsExited();

  template <class T> T &extension() { return extensions.get<T>(); }

private:
  Cluster *clusterPointer;
  unsigned ctaRank;
  Dim3 ctaIndex;
  std::byte *shared = nullptr;
  uint32_t sharedLimit = sharedBase;
  std::byte *registerBlock = nullptr, *localBlock = nullptr;
  size_t sharedBytes = 0, registerBytes = 0, localBytes = 0;
  uint32_t localStride = 0;
  bool isValid = false;
  StoragePool &storagePool;
  std::vector<std::unique_ptr<Warp>> warpList;
  Extensions extensions;
};

/// The CTAs that run together, on one host thread. Without .cluster launch
/// dimensions each CTA is a cluster of its own.
class Cluster {
public:
  /// `index` is %clusterid; CTA (0,0,0) of the cluster is at index * extent.
  Cluster(Grid &grid, Dim3 index, CounterSet &counters, StoragePool &pool);
  ~Cluster();

  /// False if the host had no memory for it.
  bool valid() const;
  /// True when all threads have exited.
  bool finished() const;

  Grid &grid() const { return *gridPointer; }
  Dim3 index() const { return clusterIndex; }
  /// The same as one number, in the order in which clusters start.
  uint64_t number() const;
  std::vector<std::unique_ptr<Cta>> &ctas() { return ctaList; }
  /// CTA of `rank`, or null.
  Cta *cta(unsigned rank) {
    return rank < ctaList.size() ? ctaList[rank].get() : nullptr;
  }
  /// Host memory behind a shared::cluster address (rank bits included).
  std::byte *sharedAt(uint64_t address, uint64_t bytes) {
    Cta *owner = cta(static_cast<unsigned>(address >> clusterRankShift));
    return owner ? owner->sharedAt(address & clusterOffsetMask, bytes)
                 : nullptr;
  }

  /// Operations in flight.
  AsyncQueue async;

  /// Counts whatever may let a blocked fragment go on: a barrier completed,
  /// an mbarrier changed, an operation landed, a thread exited. Every handler
  /// or landing that makes such a change calls `signal()`.
  void signal() { ++eventCount; }
  uint64_t events() const { return eventCount; }
  /// Counts stores and other changes that a polling loop might look for. A
  /// cluster in which neither this nor events() moves makes no progress.
  void noteWrite() { ++writeCount; }
  uint64_t writes() const { return writeCount; }

  CounterSet &counters() { return *counterSet; }
  std::mt19937_64 &random() { return generator; }

  template <class T> T &extension() { return extensions.get<T>(); }

private:
  Grid *gridPointer;
  Dim3 clusterIndex;
  std::vector<std::unique_ptr<Cta>> ctaList;
  uint64_t eventCount = 1;
  uint64_t writeCount = 0;
  CounterSet *counterSet;
  std::mt19937_64 generator;
  Extensions extensions;
};

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_MACHINE_CTA_H
