//===- HazardChecker.h - Rules that a program breaks unseen -----*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Watches shared memory in granules of 16 bytes and reports, without stopping
// the kernel,
//
// - what the async proxy reads (an mma's operands, the source of a bulk copy)
//   and a thread wrote with an ordinary store, without a fence.proxy.async
//   between the two (PTX ISA, "Causality order"): of the thread that wrote, or
//   of the one that issues the read, behind a barrier;
// - what the async proxy reads and nobody has written;
// - an mma whose operands a bulk copy in flight is still writing;
// - a tcgen05.ld from an accumulator that an mma in flight still writes;
// - a bulk copy into memory that an mma in flight still reads;
// - any access to memory that a cp.async in flight still writes;
// - an ordinary store, or a bulk copy, over what a bulk store in flight has yet
//   to read;
//
// - a copy through a tensor map that some thread has written since the
//   cluster last executed fence.proxy.tensormap::generic.acquire on it.
//
// The first is judged in the order in which the emulator executed. What needs
// none of that, because vector clocks tell what happens before what, is in
// Ordering.h, which this calls: races, missing barriers and waits. One pair of
// PTX lines is reported by one of the two.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_HAZARDS_HAZARDCHECKER_H
#define BWGEMM_EMULATOR_HAZARDS_HAZARDCHECKER_H

#include "hazards/Ordering.h"
#include "hazards/TensorMapWrites.h"
#include "instructions/AsyncSupport.h"
#include "machine/Observer.h"

#include <cstdint>
#include <vector>

namespace bwgemm::emulator {

struct CtaGroup;
struct Mma;
struct TensorFill;
struct TmaPlan;

/// An mma in flight: its number in each of its CTAs.
struct MmaWatch {
  uint64_t id[2] = {0, 0};
};

/// The addresses, multiples of 16, of the granules that an operation touches.
using Granules = std::vector<uint32_t>;
/// In ascending order, each once.
Granules sortedGranules(Granules granules);

/// The granules of an mma's operands in the shared memory of each CTA.
Granules granulesOf(const Mma &mma);
/// The granules of the source of a tcgen05.cp.
Granules granulesOf(const TensorFill &fill);
/// The granules of a box at `address`.
Granules granulesOf(const TmaPlan &plan, uint32_t address);
/// The granules of contiguous bytes.
Granules granulesOf(uint32_t address, uint32_t bytes);

class HazardChecker : public Observer {
public:
  //===--- Observer ---===//

  void fence(Warp &warp, const Instruction &instruction,
             LaneMask mask) override;
  void access(Warp &warp, const Instruction &instruction, unsigned lane,
              Space space, uint64_t address, uint32_t bytes,
              bool isWrite) override;
  void exchange(Warp &warp, const Instruction &instruction, Space space,
                uint64_t address) override;
  void barrier(Warp &warp, const Instruction &instruction) override;

  //===--- cp.async ---===//

  /// `bytes` bytes a lane are to be written at `operand`. Returns a number for
  /// threadCopyLanded.
  uint64_t threadCopyIssued(Warp &warp, const Instruction &instruction,
                            const Operand &operand, LaneMask lanes,
                            uint32_t bytes);
  void threadCopyLanded(Warp &warp, const Instruction &instruction,
                        uint64_t id);

  //===--- The async proxy ---===//

  /// An mma is issued. Returns what mmaLanded needs.
  MmaWatch mmaIssued(const CtaGroup &group, const Mma &mma, const Scene &scene);
  void mmaLanded(const CtaGroup &group, const MmaWatch &watch);
  /// A tcgen05.cp is issued that reads `granules` and writes the columns
  /// [column, column + count); or a tcgen05.shift, which reads none. Returns
  /// what tensorWriteLanded needs.
  uint64_t tensorWriteIssued(Cta &cta, Granules granules, uint32_t column,
                             uint32_t count, const char *writer,
                             const Scene &scene);
  void tensorWriteLanded(Cta &cta, uint64_t id);
  /// A wgmma is issued whose operands are `granules`. Returns a number for
  /// wgmmaDone, which is to be called when the program has waited for it.
  uint64_t wgmmaIssued(Cta &cta, Granules granules, const Scene &scene);
  /// All four warps have come to it: it may read from now on.
  void wgmmaStarted(Cta &cta, uint64_t id, unsigned firstWarp, uint64_t number,
                    const Scene &scene);
  void wgmmaDone(Cta &cta, uint64_t id);
  /// The columns [column, column + count) are deallocated.
  void tensorFreed(Cta &cta, uint32_t column, uint32_t count,
                   const Scene &scene);
  /// A tcgen05.ld reads the columns [column, column + count).
  void tensorRead(Cta &cta, uint32_t column, uint32_t count,
                  const Scene &scene);
  /// A bulk copy is issued that writes `granules` and completes its bytes on
  /// the mbarrier at `barrier` of `signalled`; `reduces` if it is a reduction.
  uint64_t copyIssued(Cta &cta, Granules granules, const Scene &scene,
                      Cta &signalled, uint32_t barrier, bool reduces = false);
  void copyLanded(Cta &cta, uint64_t id);
  /// A bulk copy is issued that reads `granules`, and belongs to a bulk group
  /// unless it completes on an mbarrier of `signalled`. Returns a number for
  /// copyHasRead.
  uint64_t copyReads(Cta &cta, const Granules &granules, const Scene &scene,
                     Cta *signalled = nullptr, uint32_t barrier = 0);
  void copyHasRead(Cta &cta, uint64_t id);

  //===--- Tensor maps ---===//

  /// A copy is issued through the map at `address`.
  void tensorMapUsed(Cluster &cluster, uint64_t address, const Scene &scene);
  /// fence.proxy.tensormap::generic.acquire of the map at `address`.
  void tensorMapAcquired(Cluster &cluster, uint64_t address);

  GridFacts &facts() { return gridFacts; }

private:
  void noteAccess(Warp &warp, const Instruction &instruction, unsigned lane,
                  uint32_t offset, uint32_t bytes, bool isWrite);

  TensorMapWrites tensorMapWrites;
  GridFacts gridFacts;
};

/// The checker of a grid; null unless hazards are checked.
inline HazardChecker *hazardsOf(Grid &grid) {
  return static_cast<HazardChecker *>(grid.observer);
}

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_HAZARDS_HAZARDCHECKER_H
