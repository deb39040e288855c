//===- CostModel.cpp - Predicted time of a schedule -----------------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm/Transforms/CostModel.h"

#include "StagedStore.h"
#include "bwgemm/Transforms/ResourcePlan.h"

#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::bwgemm;

/// Bytes along K that one MMA consumes.
static constexpr int64_t kMmaDepthBytes = 32;

/// Bytes of D that are written and, where C is added, read.
static double getResultBytes(const GemmProblem &problem) {
  return double(problem.m) * problem.n * problem.resultBytes *
         (problem.accumulate ? 2 : 1);
}

StringRef bwgemm::stringifyBound(Bound bound) {
  switch (bound) {
  case Bound::TensorCores:
    return "tensor cores";
  case Bound::L2:
    return "L2";
  case Bound::Latency:
    return "latency";
  case Bound::Dram:
    return "DRAM";
  }
  return "";
}

double bwgemm::getMmaInterval(const MachineModel &machine, int64_t m, int64_t n,
                              int64_t ctaGroup) {
  // A pair of CTAs with 128 rows has 64 in each, which takes half the time.
  double compute = ctaGroup == 2 && m == 128 ? n / 4.0 : n / 2.0;
  double bytes = double(kMmaDepthBytes) * (m + n) / ctaGroup;
  return std::max(compute, bytes / machine.sharedBytesPerCycle);
}

int64_t bwgemm::getMultiprocessors(const MachineModel &machine, int64_t ctas) {
  if (ctas <= 2)
    return machine.multiprocessors / ctas * ctas;
  return ctas <= 4 ? machine.multiprocessorsInFours / ctas * ctas
                   : machine.multiprocessorsInEights / ctas * ctas;
}

namespace {

/// One prediction under way.
class Predictor {
public:
  Predictor(const MachineModel &machine, const GemmProblem &problem,
            const ScheduleFields &fields)
      : machine(machine), problem(problem), fields(fields), tile(fields.tile),
        group(fields.ctaGroup) {}

  Prediction run();

private:
  double toMicroseconds(double cycles) const {
    return cycles / (machine.clock * 1e3);
  }
  /// Bytes that one SM gets from L2 in a cycle.
  double getL2Rate() const {
    return machine.l2Bandwidth /
           (machine.multiprocessors * machine.clock * 1e9);
  }
  void predictNaive();
  void countTiles();
  void predictStep();
  void predictEpilogue();
  double getDramBytes() const;
  void predictReduction();

  const MachineModel &machine;
  const GemmProblem &problem;
  const ScheduleFields &fields;
  std::array<int64_t, 3> tile;
  int64_t group;
  /// Parts of K, and tiles or pairs' tiles that are under way at one time.
  int64_t parts = 1, atOnce = 1;
  Prediction result;
};

void Predictor::predictNaive() {
  int64_t rows = llvm::divideCeil(problem.m, tile[0]);
  result.tiles = rows * llvm::divideCeil(problem.n, tile[1]);
  result.waves = llvm::divideCeil(result.tiles, machine.multiprocessors);
  result.steps = problem.k;
  result.bound = Bound::Latency;
  double flops = 2.0 * result.waves * machine.multiprocessors * tile[0] *
                 tile[1] * problem.k;
  result.mainLoop = flops / machine.naiveFlops * 1e6;
}

/// Clusters work at whole numbers of tiles; those beyond D's edge are empty but
/// take their time.
void Predictor::countTiles() {
  auto [clusterM, clusterN] = fields.cluster;
  // Along M the CTAs of a pair share one tile.
  int64_t tilesM = clusterM / group, tilesN = clusterN;
  auto roundUp = [](int64_t extent, int64_t tile, int64_t cluster) {
    return int64_t(llvm::divideCeil(extent, tile * cluster)) * cluster;
  };
  int64_t rows = roundUp(problem.m, tile[0], std::max<int64_t>(tilesM, 1));
  int64_t columns = roundUp(problem.n, tile[1], tilesN);
  int64_t depth = llvm::divideCeil(problem.k, tile[2]);
  parts = std::min(fields.splitK, depth);
  result.tiles = rows * columns * parts;
  result.steps = llvm::divideCeil(depth, parts);
  atOnce = getMultiprocessors(machine, clusterM * clusterN) / group;
  result.waves = llvm::divideCeil(result.tiles, atOnce);
}

void Predictor::predictStep() {
  auto [clusterM, clusterN] = fields.cluster;
  int64_t depthBytes = tile[2] * problem.operandBytes;
  double instructions = llvm::divideCeil(depthBytes, kMmaDepthBytes);
  double multiply =
      instructions * getMmaInterval(machine, tile[0], tile[1], group);
  // Of A's rows and B's columns each SM holds its share of the pair's; with
  // multicast each of the CTAs that use the same ones fetches a part.
  double rowsOfA = double(tile[0]) / group / clusterN;
  double rowsOfB = double(tile[1]) / group / (double(clusterM) / group);
  double bytes = (rowsOfA + rowsOfB) * depthBytes;
  double boxRow = std::max<unsigned>(fields.swizzleSpan, 16);
  double fetch =
      std::max(bytes / getL2Rate(), bytes / boxRow * machine.cyclesPerBoxRow);
  if (fields.preset < Preset::Pipelined) {
    // Copying and multiplying in turn.
    result.stepCycles = machine.loadLatency + fetch + multiply +
                        machine.mmaLatency + tile[1] / 2.0;
    result.bound = Bound::Latency;
    return;
  }
  double latency = machine.ringLatency / fields.stages;
  result.stepCycles = std::max({multiply, fetch, latency});
  double slowest = result.stepCycles;
  if (fields.preset == Preset::Pipelined)
    result.stepCycles += machine.mergedRoles;
  result.bound = multiply >= slowest ? Bound::TensorCores
                 : fetch >= slowest  ? Bound::L2
                                     : Bound::Latency;
}

void Predictor::predictEpilogue() {
  double rows = double(tile[0]) / group;
  double load = machine.tensorLoad * tile[1] / 128;
  int64_t bytes = parts > 1 ? 4 : problem.resultBytes;
  double stored = rows * tile[1] * bytes;
  // The time to memory and back comes once. What is left of that of 128 x 256
  // elements from registers goes with the number of elements; TMA stores run
  // while the next slice is loaded.
  double latency = toMicroseconds(machine.memoryLatency);
  double share = rows * tile[1] / (128.0 * 256.0);
  result.epilogue = latency + (fields.store == StoreKind::Tma
                                   ? toMicroseconds(load + stored / getL2Rate())
                                   : (machine.directStore - latency) * share);
}

/// What DRAM has to move at least, of A, B and D, and of operands again where
/// they do not stay in L2 from one wave to the next.
double Predictor::getDramBytes() const {
  double a = double(problem.m) * problem.k * problem.operandBytes;
  double b = double(problem.n) * problem.k * problem.operandBytes;
  double operands = a + b;
  if (operands > machine.l2Bytes) {
    // A wave's tiles are `height` rows of tiles, as wide as there are tiles.
    double rows = std::ceil(double(problem.m) / tile[0]);
    double columns = std::ceil(double(problem.n) / tile[1]);
    double height = std::min<double>(fields.raster, rows);
    double width = std::ceil(atOnce / height);
    if (width > columns) {
      width = columns;
      height = std::min(rows, std::ceil(atOnce / width));
    }
    double perWave =
        (height * tile[0] + width * tile[1]) * problem.k * problem.operandBytes;
    double waves = std::max(1.0, rows * columns / (height * width));
    operands = std::max(operands, waves * perWave);
  }
  return operands + getResultBytes(problem);
}

/// Partial sums are written and read once, and D is written.
void Predictor::predictReduction() {
  if (fields.splitK == 1)
    return;
  double slice = double(llvm::divideCeil(problem.m, tile[0]) * tile[0]) *
                 (llvm::divideCeil(problem.n, tile[1]) * tile[1]) * 4;
  double sums = slice * parts;
  double d = getResultBytes(problem);
  double bandwidth =
      sums <= machine.l2Bytes ? machine.l2Bandwidth : machine.dramBandwidth;
  result.reduction = machine.launch +
                     toMicroseconds(2 * machine.memoryLatency) +
                     (sums / bandwidth + d / machine.dramBandwidth) * 1e6;
}

Prediction Predictor::run() {
  if (fields.preset == Preset::Naive) {
    predictNaive();
    result.microseconds = machine.launch + result.mainLoop;
  } else {
    countTiles();
    predictStep();
    predictEpilogue();
    predictReduction();
    double tileTime = toMicroseconds(result.steps * result.stepCycles);
    double fill = fields.preset < Preset::Pipelined
                      ? 0
                      : toMicroseconds(machine.mmaLatency + tile[1] / 2.0);
    tileTime += fill;
    double waves = result.waves;
    result.dramBytes = getDramBytes();
    double dram = result.dramBytes / machine.dramBandwidth * 1e6;
    if (fields.preset >= Preset::Persistent) {
      // The epilogue of a tile runs beside the next one's main loop if there is
      // an accumulator for each.
      bool overlaps = 2 * tile[1] <= 512;
      result.mainLoop =
          overlaps
              ? tileTime + (waves - 1) * std::max(tileTime, result.epilogue)
              : waves * tileTime + (waves - 1) * result.epilogue;
      result.mainLoop += machine.prologue;
    } else {
      result.mainLoop = waves * (tileTime + machine.prologue) +
                        (waves - 1) * (result.epilogue + machine.handOver);
    }
    if (dram > result.mainLoop) {
      result.mainLoop = dram;
      result.bound = Bound::Dram;
    }
    result.microseconds =
        machine.launch + result.mainLoop + result.epilogue + result.reduction;
  }
  result.teraflops = problem.getFlops() / result.microseconds / 1e6;
  return result;
}

} // namespace

Prediction bwgemm::predict(const MachineModel &machine,
                           const GemmProblem &problem,
                           const ScheduleFields &fields) {
  return Predictor(machine, problem, fields).run();
}

/// Microseconds of the kernel that adds up partial sums of `sums` bytes, which
/// are written to L2 and read from there once, and writes D.
template <typename Model>
static double getReduction(double launch, const Model &machine,
                           const GemmProblem &problem, double sums) {
  return launch + (sums * 2 / machine.l2Bandwidth +
                   getResultBytes(problem) / machine.dramBandwidth) *
                      1e6;
}

/// Microseconds of the tensor cores for 128 bytes of K of a tile.
static double getProducts(const WarpgroupModel &machine,
                          const ScheduleFields &fields) {
  auto [m, n, k] = fields.tile;
  auto columns = double(n);
  if (m == 64)
    return machine.step64 + machine.column64 * columns;
  if (fields.pingpong)
    return machine.stepTeam + machine.columnTeam * columns;
  return m == 128 ? machine.step128 + machine.column128 * columns
                  : machine.step256 + machine.column256 * columns;
}

/// Microseconds for 128 rows of a tile's end, with results of `bytes` bytes.
static double getTileEnd(const WarpgroupModel &machine,
                         const ScheduleFields &fields, int64_t bytes) {
  auto columns = double(fields.tile[1]);
  if (fields.store != StoreKind::Tma)
    return machine.tile + machine.tileColumn * columns;
  auto row = double(fields.tile[1] * bytes);
  auto slice = double(getSliceBytes(fields.tile[1] * bytes));
  double narrow = row / slice - row / 128;
  return machine.tileByTma + machine.tileColumnByTma * columns +
         machine.narrowSlice * narrow;
}

Prediction bwgemm::predictWarpgroups(const WarpgroupModel &machine,
                                     const GemmProblem &problem,
                                     const ScheduleFields &fields) {
  Prediction result;
  auto [m, n, k] = fields.tile;
  auto [clusterM, clusterN] = fields.cluster;
  bool inCluster = clusterM * clusterN > 1;
  int64_t height = problem.m, width = problem.n;
  if (fields.swapAB)
    std::swap(height, width);
  int64_t rows = llvm::divideCeil(height, m * clusterM) * clusterM;
  int64_t columns = llvm::divideCeil(width, n * clusterN) * clusterN;
  int64_t depth = llvm::divideCeil(problem.k, k);
  int64_t parts = std::min(fields.splitK, depth);
  result.tiles = rows * columns * parts;
  result.waves = llvm::divideCeil(result.tiles, machine.multiprocessors);
  result.steps = llvm::divideCeil(depth, parts);
  // The figures are for 128 bytes of K, which are a line of each row.
  double lines = k * problem.operandBytes / 128.0;
  double products = lines * getProducts(machine, fields);
  // Of what CTAs of a cluster share each fetches a part.
  double fetched = double(m) / clusterN + double(n) / clusterM;
  double active = std::min(1.0, double(result.tiles) / machine.multiprocessors);
  // A line comes as one row of a box or as several.
  double rowsOfLine = 128.0 / std::max<unsigned>(fields.swizzleSpan, 16);
  double line = std::max(machine.line, rowsOfLine * machine.boxRow);
  double fetch =
      lines *
      (fetched * line + (double(m + n) - fetched) * machine.sharedLine) *
      (machine.lineAlone + (1 - machine.lineAlone) * active) *
      (problem.wholeLines ? 1 : machine.splitLine);
  // A slot is filled and multiplied once in as many steps as there are slots.
  double filled =
      machine.latency + fetch + (inCluster ? machine.clusterLatency : 0);
  auto slots = double(fields.stages);
  double ring = planWarpgroups(fields).isPipelined
                    ? filled / (slots - machine.heldSlots)
                    : (filled + products) / slots;
  double step = std::max({products, fetch, ring});
  double main = double(result.waves) * double(result.steps) * step;
  if (fields.store == StoreKind::Tma && !fields.pingpong)
    main *= machine.mainLoopByTma;
  if (rowsOfLine > 1)
    main *= machine.narrowRows;
  double end =
      std::max(1.0, double(m) / 128) *
      getTileEnd(machine, fields, parts > 1 ? int64_t(4) : problem.resultBytes);
  // Of two teams the one multiplies while the other one writes, but for the
  // last tile.
  auto waves = double(result.waves);
  double rest =
      fields.pingpong ? end + (waves - 1) * machine.turn : waves * end;
  if (fields.store == StoreKind::Tma)
    rest += machine.lastByTma;
  double operands =
      (double(problem.m) + problem.n) * problem.k * problem.operandBytes;
  result.dramBytes = operands + getResultBytes(problem);
  double dram = result.dramBytes / machine.dramBandwidth * 1e6;
  result.bound = dram > main                        ? Bound::Dram
                 : ring > std::max(products, fetch) ? Bound::Latency
                 : products >= fetch                ? Bound::TensorCores
                                                    : Bound::L2;
  // A few CTAs cannot ask for as much as DRAM can give.
  dram /= active;
  result.mainLoop =
      std::max(main, dram) + machine.remains * std::min(main, dram);
  result.epilogue = rest;
  double launch = machine.launch + (fields.pdl ? 0 : machine.late);
  if (parts > 1)
    result.reduction = getReduction(launch, machine, problem,
                                    4.0 * rows * m * columns * n * parts);
  if (inCluster)
    launch += fields.pdl ? machine.clusterOverlapped : machine.cluster;
  result.microseconds =
      launch + result.mainLoop + result.epilogue + result.reduction;
  result.teraflops = problem.getFlops() / result.microseconds / 1e6;
  return result;
}

Prediction bwgemm::predictWarps(const WarpModel &machine,
                                const GemmProblem &problem,
                                const ScheduleFields &fields,
                                int64_t residents) {
  Prediction result;
  auto [m, n, k] = fields.tile;
  int64_t rows = llvm::divideCeil(problem.m, m);
  int64_t columns = llvm::divideCeil(problem.n, n);
  int64_t depth = llvm::divideCeil(problem.k, k);
  int64_t parts = std::min(fields.splitK, depth);
  result.tiles = rows * columns * parts;
  result.steps = llvm::divideCeil(depth, parts);
  // The multiprocessor with the most tiles takes as many at one time as it has
  // room for.
  int64_t most = llvm::divideCeil(result.tiles, machine.multiprocessors);
  result.waves = llvm::divideCeil(most, residents);
  double share = double(k) * problem.operandBytes / 128;
  double products = double(m) * n / (128 * 128);
  double busy = share * (machine.products * products +
                         machine.rows * double(m + n) / 128) +
                machine.step;
  double least = machine.latency * std::max(share, 0.5);
  auto getRound = [&](int64_t ctas) {
    double step = std::max(ctas * busy, least);
    if (step > ctas * busy)
      result.bound = Bound::Latency;
    return result.steps * step;
  };
  int64_t last = most % residents;
  double main = (most / residents) * getRound(residents);
  if (last)
    main += getRound(last);
  double rest = most * machine.result * products;
  double operands =
      (double(problem.m) + problem.n) * problem.k * problem.operandBytes;
  result.dramBytes = operands + getResultBytes(problem);
  double dram = result.dramBytes / machine.dramBandwidth * 1e6;
  if (dram > main)
    result.bound = Bound::Dram;
  result.mainLoop = std::max(main, dram);
  result.epilogue = rest;
  if (parts > 1)
    result.reduction = getReduction(machine.launch, machine, problem,
                                    4.0 * rows * m * columns * n * parts);
  result.microseconds =
      machine.launch + result.mainLoop + result.epilogue + result.reduction;
  result.teraflops = problem.getFlops() / result.microseconds / 1e6;
  return result;
}
