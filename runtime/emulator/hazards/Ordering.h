//===- Ordering.h - What happens before what --------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vector clocks over the warps of a cluster and what works for them, whatever
// the order in which the emulator happened to execute. Actors are
//
// - the warps: lanes of one warp are taken to be ordered, so that a missing
//   bar.warp.sync is not seen and divergence gives no false alarm;
// - mbarriers: a bulk copy that completes bytes in phase n happens before
//   whoever waits for phase n;
// - of each thread, its tcgen05.mma, .cp and .shift, which complete in order;
// - of each warp, its cp.async, its bulk stores, its tcgen05.ld and its
//   tcgen05.st; of each warpgroup its wgmmas, which its warps issue together.
//
// Edges are those of the PTX ISA: barriers of CTA and cluster, mbarriers
// (arrivals with .relaxed say no more than the last fence before them),
// fences, atomics and accesses with .acquire and .release at one address,
// completion mechanisms with the waits that belong to them.
//
// tcgen05.fence is asked for in kernels that have one. Code without any is what
// Triton emits; there, barriers count as fences.
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_EMULATOR_HAZARDS_ORDERING_H
#define BWGEMM_EMULATOR_HAZARDS_ORDERING_H

#include "hazards/Cells.h"
#include "hazards/Clock.h"
#include "instructions/AsyncSupport.h"

#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>
#include <vector>

namespace bwgemm::emulator {

/// Pairs of PTX lines that have been reported: one report for each is enough.
/// An extension of Cta.
struct ReportedPairs {
  std::set<std::pair<uint32_t, uint32_t>> pairs;
  /// True the first time.
  bool isNew(uint32_t line, uint32_t other) {
    return pairs.insert({line, other}).second;
  }
};

/// What the clusters of a grid share. Thread safe.
class GridFacts {
public:
  /// Bits of `semantics`.
  enum : uint8_t { Strong = 1, Acquires = 2, Releases = 4 };

  /// Looks at the kernel, the first time.
  void look(const Kernel &kernel);
  /// Of an ld, st, atom or red; 0 if it is weak.
  uint8_t semanticsOf(const Kernel &kernel, const Instruction &i) const {
    return semantics[size_t(&i - kernel.code.data())];
  }
  bool hasTensorFences() const { return tensorFences; }
  /// True the first time in the grid, and if the CTA has not reported it.
  bool isNew(Cta &cta, uint32_t line, uint32_t other);

private:
  std::once_flag once;
  std::vector<uint8_t> semantics; ///< By index in the code.
  bool tensorFences = false;
  std::mutex mutex;
  ReportedPairs reported;
};

/// Columns [first, first + count) of tensor memory, in groups of 16 lanes.
struct TensorRange {
  uint32_t first, count;
  uint16_t groups;
};
/// One bit for each group of 16 lanes that has a lane of `lanes`.
uint16_t laneGroups(uint64_t low, uint64_t high);
/// The groups of `count` lanes from `first` on.
uint16_t laneGroupRange(uint32_t first, uint32_t count);

/// An extension of Cluster.
class Ordering {
public:
  void start(Cluster &cluster);
  bool hasStarted() const { return cluster != nullptr; }

  //===--- Barriers ---===//

  void barrierArrive(Warp &warp, unsigned number);
  void barrierComplete(Cta &cta, unsigned number);
  void barrierPass(Warp &warp, unsigned number);
  void clusterArrive(Warp &warp, bool relaxed);
  void clusterComplete();
  void clusterPass(Warp &warp);
  void fence(Warp &warp, const Instruction &instruction);

  //===--- mbarriers ---===//

  void mbarrierInit(const Scene &scene, Cta &cta, uint32_t offset,
                    bool invalidates);
  /// A thread is about to use the mbarrier at `offset`, which holds `object`:
  /// reports one that still has what memory starts with (machine/Poison.h).
  void mbarrierFound(const Scene &scene, Cta &cta, uint32_t offset,
                     uint64_t object);
  /// An operation of a thread. Arrivals tell what the warp knows.
  void mbarrierUsed(const Scene &scene, Cta &cta, uint32_t offset,
                    bool arrives);
  /// An asynchronous operation is issued that will arrive.
  void mbarrierNamed(const Scene &scene, Cta &cta, uint32_t offset) {
    checkInitialised(scene, cta, barrierAt(cta, offset));
  }
  void mbarrierWaited(const Scene &scene, uint32_t offset);
  void mbarrierCompleted(Cta &cta, uint32_t offset);
  /// An asynchronous operation of another CTA has arrived, or completed bytes,
  /// in the phase that has not completed.
  void mbarrierSignalledByOther(const Scene &scene, Cta &cta, uint32_t offset);
  /// All threads of `cta` have exited.
  void ctaEnded(Cta &cta);
  /// An asynchronous operation that was issued with `message` arrives.
  void mbarrierJoin(Cta &cta, uint32_t offset, const Knowledge &message);
  /// What the completion of an operation tells that is issued now.
  std::shared_ptr<Knowledge> issueMessage(const Scene &scene);

  //===--- Accesses of threads ---===//

  void access(const Scene &scene, Cta &owner, uint32_t offset, uint32_t bytes,
              bool isWrite);
  /// An ordered access at `address`, which is unique in the cluster.
  void synchronise(Warp &warp, const Instruction &instruction, uint64_t address,
                   bool isWrite);

  //===--- Asynchronous operations ---===//

  void threadCopyIssued(const Scene &scene, uint32_t offset, uint32_t bytes,
                        bool isFirst);
  void threadCopyCommit(Warp &warp, LaneMask lanes);
  /// At most `pending` groups of `lanes` are pending; everything has landed if
  /// `all`.
  void threadCopyWait(Warp &warp, LaneMask lanes, size_t pending, bool all);
  /// The message of a cp.async.mbarrier.arrive.
  std::shared_ptr<Knowledge> threadCopyMessage(const Scene &scene);

  /// A copy that writes `granules` of `cta` is issued, and completes on an
  /// mbarrier. `id` is unique in `cta`.
  void bulkWriteIssued(const Scene &scene, Cta &cta,
                       const std::vector<uint32_t> &granules, uint64_t id,
                       Cta &signalled, uint32_t barrier, bool reduces);
  /// A st.async or red.async of up to 16 bytes, aligned. Returns the number
  /// for bulkWriteLanded.
  uint64_t storeIssued(const Scene &scene, Cta &cta, uint32_t offset,
                       uint32_t bytes, uint32_t barrier, bool reduces);
  void bulkWriteLanded(Cta &cta, uint64_t id);
  /// A copy that reads `granules` of the thread's CTA and belongs to its open
  /// bulk group; or completes on an mbarrier.
  void bulkReadIssued(const Scene &scene,
                      const std::vector<uint32_t> &granules);
  void bulkReadIssued(const Scene &scene, const std::vector<uint32_t> &granules,
                      Cta &signalled, uint32_t barrier);
  void bulkCommit(Warp &warp, LaneMask lanes);
  void bulkWait(Warp &warp, LaneMask lanes, size_t pending);

  /// A tcgen05.mma, .cp or .shift of a thread begins: what follows belongs to
  /// it.
  void pipeIssue(const Scene &scene);
  void pipeReads(const Scene &scene, Cta &cta,
                 const std::vector<uint32_t> &granules, AccessKind kind);
  void pipeTouches(const Scene &scene, Cta &cta, const TensorRange &range,
                   bool isWrite);
  std::shared_ptr<Knowledge> commitMessage(const Scene &scene);

  void wgmmaIssued(const Scene &scene, unsigned firstWarp, uint64_t number,
                   const std::vector<uint32_t> &granules);
  void wgmmaWaited(Warp &warp, unsigned firstWarp, uint64_t count);

  void tensorTransfer(const Scene &scene, const std::vector<TensorRange> &where,
                      bool isStore);
  void tensorWait(Warp &warp, bool stores);
  void tensorFreed(const Scene &scene, uint32_t column, uint32_t count);
  /// Of tensor memory of a pair: a warp comes to tcgen05.alloc; the CTA's
  /// columns are allocated; a warp comes to tcgen05.dealloc.
  void pairAllocates(const Scene &scene);
  void pairAllocated(const Scene &scene);
  void pairFrees(const Scene &scene, uint32_t column, uint32_t count);

private:
  /// Copies of a warp that its threads commit in groups.
  struct Groups {
    uint32_t actor = 0, issued = 0;
    std::vector<uint32_t> ends[warpSize]; ///< `issued` at each commit.
  };
  struct Pipe {
    uint32_t actor = 0, issued = 0;
  };
  struct WarpState {
    /// Time 1 is before the first instruction: known of a warp that runs.
    uint32_t actor = 0, time = 2;
    Knowledge now;
    /// What .relaxed operations tell and have heard: `now` at the last fence,
    /// and what the next fence makes known.
    Knowledge released, acquirable;
    /// The same for tcgen05.fence::before_thread_sync and after_thread_sync.
    Clock tensorOut, tensorIn;
    /// At cluster barriers, of whatever semantics.
    uint32_t clusterArrivals = 0, clusterPasses = 0;
    Groups threadCopies, bulkStores;
    Pipe pipes[warpSize], loads, stores;
  };
  struct Use {
    uint32_t actor, time, line;
  };
  struct Barrier {
    uint32_t offset = 0, actor = 0, phases = 0, copiesInFlight = 0;
    Knowledge open, done;
    bool isLive = false;
    MemoryAccess init;
    std::vector<Use> uses;
    /// Signals of other CTAs' operations of which no thread of this CTA has
    /// heard: one for each phase and PTX line.
    struct Signal {
      uint32_t phase;
      Scene scene;
    };
    std::vector<Signal> signals;
    /// The last wait of each warp for the phase that completed last.
    struct Passage {
      uint32_t actor, time;
      Scene scene;
    };
    std::vector<Passage> passages;
    /// What has come before the arrivals of the phase in progress, in the order
    /// of execution alone.
    Clock before;
  };
  /// Of a warpgroup: its wgmmas, and what its four warps had come past when
  /// they issued those that are complete, and each of the others.
  struct Warpgroup {
    uint32_t actor = 0;
    Clock passed;
    std::deque<std::pair<uint32_t, Clock>> issued;
  };
  struct Slot {
    Knowledge open, done;
  };
  /// The last time that an instruction of a warp of another CTA has used a
  /// CTA's shared memory, and the cluster barriers that it had arrived at
  /// before.
  struct Visit {
    uint32_t actor, time, arrivals;
    Scene scene;
  };
  struct CtaState {
    std::vector<MemoryCell> shared; ///< By granule.
    std::vector<MemoryCell> tensor; ///< By column.
    std::deque<Barrier> mbarriers;
    Slot barriers[16];
    std::vector<Warpgroup> warpgroups;
    std::vector<Visit> visits;
    /// The last allocation of a pair; of no line if there was none.
    Use allocation = {0, 0, 0};
  };
  /// A copy in flight.
  struct Flight {
    std::vector<uint32_t> granules;
    Cta *signalled;
    uint32_t barrier;
    std::shared_ptr<Knowledge> message;
  };
  /// Whoever touches a cell.
  struct Doer {
    const Scene &scene;
    MemoryAccess access;
    const Knowledge &knows;
    const char *name; ///< "the bulk copy"; null for a thread.
    /// Of a thread's access.
    uint32_t offset = 0, bytes = 0;
  };

  WarpState &stateOf(const Warp &warp);
  WarpState &stateOf(const Scene &scene) {
    return stateOf(*scene.cta->warps()[size_t(scene.warp)]);
  }
  CtaState &stateOf(const Cta &cta) { return ctas[cta.rank()]; }
  Barrier &barrierAt(Cta &cta, uint32_t offset);
  uint32_t newActor() { return actorCount++; }
  void tick(WarpState &state);
  void tell(Knowledge &target, WarpState &state, bool relaxed, bool narrow);
  void hear(WarpState &state, const Knowledge &message, bool relaxed);
  void checkInitialised(const Scene &scene, Cta &cta, Barrier &barrier);
  void checkPassages(Barrier &barrier);
  void checkPeer(const Scene &scene, Cta &owner, const char *what);
  /// The same for its shared memory, which must be there until then.
  void visit(const Scene &scene, Cta &owner, const char *what);
  bool knowsOf(const Cta &cta, const Visit &visit);

  MemoryAccess accessOf(const Scene &scene, AccessKind kind, uint32_t actor,
                        uint32_t time) const;
  MemoryCell &sharedCell(Cta &cta, uint32_t offset);
  MemoryCell &tensorCell(Cta &cta, uint32_t column);
  void touchShared(const Doer &doer, Cta &cta, uint32_t offset, uint32_t bytes);
  void touchShared(const Doer &doer, Cta &cta,
                   const std::vector<uint32_t> &granules);
  void touchTensor(const Doer &doer, Cta &cta, const TensorRange &range);
  void touch(MemoryCell &cell, const Doer &doer, Cta &cta, uint32_t where);
  bool isOrdered(const MemoryAccess &old, const Doer &doer) const;
  uint8_t semanticsOf(const Instruction &instruction) const {
    return facts->semanticsOf(cluster->grid().kernel, instruction);
  }
  bool changesNothing(const Doer &doer, Cta &cta) const;
  void report(const MemoryAccess &old, const Doer &doer, Cta &cta,
              uint32_t where);
  std::string describeShared(const MemoryAccess &old, const Doer &doer) const;
  std::string describeTensor(const MemoryAccess &old, const Doer &doer) const;
  std::string nameOf(const MemoryAccess &access, const Doer &doer) const;

  Cluster *cluster = nullptr;
  GridFacts *facts = nullptr;
  uint32_t warpCount = 0, actorCount = 0;
  std::vector<WarpState> warps;
  std::vector<CtaState> ctas;
  Slot clusterBarrier;
  /// For storeIssued: apart from the numbers of the others.
  uint64_t nextStore = 0x40000000;
  std::unordered_map<uint64_t, Knowledge> locations;
  std::unordered_map<uint64_t, Flight> flights; ///< By rank and id.
};

/// Null unless hazards are checked.
Ordering *orderingOf(Cluster &cluster);

} // namespace bwgemm::emulator

#endif // BWGEMM_EMULATOR_HAZARDS_ORDERING_H
