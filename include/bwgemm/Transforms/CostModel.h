//===- CostModel.h - Predicted time of a schedule ---------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What `schedule=auto` chooses by. The model is arithmetic on published
/// measurements of B200 GPUs, all of which stand in one table here; nothing in
/// it has been measured by this project. It predicts which schedule is faster,
/// not how fast one is. docs/Schedules.md explains the rule.
///
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TRANSFORMS_COSTMODEL_H
#define BWGEMM_TRANSFORMS_COSTMODEL_H

#include "bwgemm/IR/Bwgemm.h"

namespace mlir::bwgemm {

/// The figures of the model. Cycles are those of an SM.
struct MachineModel {
  /// SMs that run at one time, and those that clusters of 4 and of 8 and more
  /// leave (StuartSul/gpu-experiments 4cb7ade, experiment 107: 148, 148, 132
  /// and 120 for clusters of 1, 2, 4 and 8 CTAs).
  int64_t multiprocessors = 148;
  int64_t multiprocessorsInFours = 132;
  int64_t multiprocessorsInEights = 120;
  /// SM clock in GHz: what fits experiment 087 (MMAs without loads).
  double clock = 1.845;
  /// Bytes of shared memory that MMAs read per cycle, and what an instruction
  /// takes at least beside that (SemiAnalysisAI/microbench-blackwell 9a068d8,
  /// umma_throughput: II = max(N / 2, bytes / 128); N / 4 for M = 128 of a
  /// pair).
  double sharedBytesPerCycle = 128;
  /// Cycles from the issue of an MMA to the mbarrier that its commit signals,
  /// beside N / 2 (the same, umma_latency).
  double mmaLatency = 120;
  /// Bytes per second that all SMs together get from L2 by TMA, up to the
  /// working set after which it falls, and from DRAM (experiment 094; section
  /// of microbench-blackwell's tma2d for DRAM).
  double l2Bandwidth = 20.1e12;
  double l2Bytes = 78e6;
  double dramBandwidth = 7.1e12;
  /// Cycles of TMA for each row of a box (experiment 088: rows of 32 and of 64
  /// bytes take the same time).
  double cyclesPerBoxRow = 1.2;
  /// Cycles from asking for a slot's operands to having them, with the ring
  /// full of requests (NVIDIA CUTLASS, cutlass_gemm_mainloop of
  /// gpu-experiments: 1480 to 1560 over rings of 2 to 7 stages), and for one
  /// load alone (experiment 053: 705 to 831).
  double ringLatency = 1500;
  double loadLatency = 770;
  /// Microseconds: launch of a kernel (experiment 087: 3.25 to 4.45 for launch
  /// and prologue); allocation, initialisation and first load (gau-nernst's
  /// traces: 0.67 + 0.93); from the end of one CTA to the start of the next on
  /// its SM (the same).
  double launch = 2.2;
  double prologue = 1.6;
  double handOver = 1.31;
  /// Cycles to bring 128 columns of an accumulator to registers (experiment
  /// 053), and microseconds to write 128 x 256 elements from registers
  /// (gau-nernst's traces: 2.5 to 2.75).
  double tensorLoad = 282;
  double directStore = 2.6;
  /// Cycles to memory and back (FlashGPU-Sim's configuration of a B200).
  double memoryLatency = 800;
  /// Cycles that a step takes longer where one thread both loads and
  /// multiplies: two mbarriers one after the other, 18 to issue and 24 until
  /// seen (the same).
  double mergedRoles = 84;
  /// FLOPs per second of one thread for each result (rung 1 of Modular's
  /// ladder).
  double naiveFlops = 5e12;
};

/// The figures of the model for wgmma, all of them measured: a fit to the times
/// of 777 kernels on an H200, `persistent` with tiles of 64 to 256 rows and 16
/// to 256 columns, teams in turn, and clusters of two, over 37 shapes, the
/// faster ones of a shape counting more (docs/Hopper.md says how and when).
struct WarpgroupModel {
  int64_t multiprocessors = 132;
  /// Microseconds for all of a kernel that begins in the end of another one,
  /// and more for one that does not; and for one in clusters.
  double launch = 1.35, late = 0.8;
  double cluster = 0.486, clusterOverlapped = 0.383;
  /// For 128 rows of each tile of a CTA, and for each of that tile's columns,
  /// where results leave from registers and where they leave by TMA; there also
  /// for each slice that is narrower than 128 bytes, and until the last one is
  /// out. For each turn of teams.
  double tile = 0.0768, tileColumn = 0.00454;
  double tileByTma = 0.158, tileColumnByTma = 0.00214;
  double narrowSlice = 0.0545, lastByTma = 0.203;
  double turn = 0.00756;
  /// How much longer a main loop takes while TMA stores the tile before; teams
  /// gain as much by it.
  double mainLoopByTma = 1.015;
  /// Microseconds of the tensor cores for 128 bytes of K, and for each column
  /// of a tile: of 64 rows; of 128, which two warpgroups share, or which one
  /// has for itself (a team); and of 256.
  double step64 = 0.0741, column64 = 0.0011;
  double step128 = 0.0586, column128 = 0.00225;
  double stepTeam = 0.116, columnTeam = 0.00193;
  double step256 = 0.0388, column256 = 0.00475;
  /// Microseconds in which a multiprocessor gets 128 bytes from L2 while all of
  /// them ask, and in which it gets what another one of its cluster asks for;
  /// the share of these that is left to one alone; and what rows cost that do
  /// not begin with a line.
  double line = 0.00112, sharedLine = 0.000326;
  double lineAlone = 0.979;
  double splitLine = 1.88;
  /// The same for each row of a box, which TMA takes one by one however narrow
  /// it is; and how much longer a main loop takes with rows of less than 128
  /// bytes where products bound it.
  double boxRow = 0.00082;
  double narrowRows = 1.04;
  /// Microseconds from the release of a slot until its first line has come;
  /// more in a cluster; and slots that a warpgroup that multiplies alone holds,
  /// since it waits for the products of the step before.
  double latency = 0.827, clusterLatency = 0.142;
  double heldSlots = 0.756;
  /// Bytes per second of DRAM, and of sums that are read and written again; and
  /// what remains of the shorter one of main loop and DRAM.
  double dramBandwidth = 4.65e12;
  double l2Bandwidth = 2.18e12;
  double remains = 0.171;
};

/// The figures of the model for mma.sync, all of them measured: a least-squares
/// fit of the times of 110 kernels on an H200, `multistage` with ten tiles
/// (docs/MmaSync.md says how). On other targets it ranks tiles.
struct WarpModel {
  int64_t multiprocessors = 132;
  /// Microseconds for all of a kernel, and beside the steps for 128 x 128
  /// elements of each CTA's result.
  double launch = 2.56;
  double result = 1.77;
  /// Microseconds of a multiprocessor for 128 bytes of K: for 128 x 128
  /// results, for 128 rows of A or B, and for each CTA.
  double products = 0.416;
  double rows = 0.0558;
  double step = 0.0578;
  /// What such a step takes at least, however small the tile.
  double latency = 0.384;
  /// Bytes per second of DRAM, and of sums that are read and written again.
  double dramBandwidth = 4.2e12;
  double l2Bandwidth = 5.5e12;
};

/// A product, as far as its time depends on it.
struct GemmProblem {
  int64_t m = 0, n = 0, k = 0;
  int64_t operandBytes = 2;
  int64_t resultBytes = 4;
  bool accumulate = false;
  /// Whether each row of A and B in memory begins at a multiple of 128 bytes,
  /// if the first one does.
  bool wholeLines = true;
  double getFlops() const { return 2.0 * m * n * k; }
};

/// What bounds the main loop.
enum class Bound { TensorCores, L2, Latency, Dram };
StringRef stringifyBound(Bound bound);

/// Predicted figures. Times are microseconds.
struct Prediction {
  /// Tiles of D, of all parts of K; and rounds in which the SMs take them.
  int64_t tiles = 0;
  int64_t waves = 0;
  /// Steps along K of the longest tile, and cycles of one; 0 where the model
  /// knows times only.
  int64_t steps = 0;
  double stepCycles = 0;
  Bound bound = Bound::TensorCores;
  /// What DRAM has to move at least.
  double dramBytes = 0;
  double mainLoop = 0;
  double epilogue = 0;
  /// Adding partial sums, its launch included.
  double reduction = 0;
  double microseconds = 0;
  double teraflops = 0;
};

/// Cycles from one tcgen05.mma to the next with the same shape, operands of 32
/// bytes along K in shared memory, `m` rows for all CTAs of the group.
double getMmaInterval(const MachineModel &machine, int64_t m, int64_t n,
                      int64_t ctaGroup);

/// SMs that work at one time with clusters of `ctas`.
int64_t getMultiprocessors(const MachineModel &machine, int64_t ctas);

/// Predicts the time of `problem` under a complete schedule. All of the
/// problem's extents are known and not zero.
Prediction predict(const MachineModel &machine, const GemmProblem &problem,
                   const ScheduleFields &fields);

/// As above on a target with wgmma.
Prediction predictWarpgroups(const WarpgroupModel &machine,
                             const GemmProblem &problem,
                             const ScheduleFields &fields);

/// As above with mma.sync, where a multiprocessor has room for `residents` CTAs
/// at one time.
Prediction predictWarps(const WarpModel &machine, const GemmProblem &problem,
                        const ScheduleFields &fields, int64_t residents);

} // namespace mlir::bwgemm

#endif // BWGEMM_TRANSFORMS_COSTMODEL_H
