//===- InsertWarps.cpp - Tile programs to mma.sync ------------------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program of targets that have nothing but mma.sync, and of matrices that
// TMA cannot address. All threads copy, all warps multiply:
//
//   sum = 0
//   loop over K
//     start to copy the tiles of A and B, wait for them, barrier
//     for every 16 of K: load this warp's rows of A and of B, sum += A * B^T
//     barrier
//   store sum
//
// With accumulator = f16 the sum is f16 within the loop and f32 behind it.
//
//===----------------------------------------------------------------------===//

#include "Outlining.h"
#include "TileProgramOps.h"
#include "bwgemm/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace mlir::bwgemm {
#define GEN_PASS_DEF_INSERTWARPS
#include "bwgemm/Transforms/Passes.h.inc"
} // namespace mlir::bwgemm

using namespace mlir;
using namespace mlir::bwgemm;

namespace {

/// K of one mma.sync, in bytes.
constexpr int64_t kStepBytes = 32;
/// The widest copy of cp.async, in bytes.
constexpr int64_t kWidestCopy = 16;

/// The next width of copies below `bytes`: of less than 4 bytes there are none
/// but for one element.
int64_t getNarrower(int64_t bytes, int64_t elementBytes) {
  return bytes / 2 < 4 ? elementBytes : bytes / 2;
}

/// How many bytes a copy of neighbouring elements may have, as far as the type
/// tells: where that takes an aligned base or a pitch known at run time only,
/// `bwgemm.aligned` has the last word.
int64_t getCopyBytes(MemRefType type) {
  int64_t elementBytes = type.getElementTypeBitWidth() / 8;
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) || strides[1] != 1)
    return elementBytes;
  int64_t bytes = kWidestCopy;
  for (int64_t distance : {strides[0], offset})
    while (!ShapedType::isDynamic(distance) && bytes > elementBytes &&
           distance * elementBytes % bytes != 0)
      bytes = getNarrower(bytes, elementBytes);
  return bytes;
}

class WarpProgram {
public:
  WarpProgram(gpu::GPUFuncOp kernel, TileProgramOps ops, ScheduleAttr schedule)
      : kernel(kernel), ops(ops), schedule(schedule), builder(ops.accumulator),
        loc(ops.mma.getLoc()) {}

  void emit() {
    emitPrologue();
    builder.setInsertionPoint(ops.store);
    Value sum = emitSum();
    ops.store.cloneFor(builder, sum);
    auto [warpsM, warpsN] = schedule.getWarps();
    setBlockSize(kernel, 32 * warpsM * warpsN);
    ops.store.erase();
    ops.mma.erase();
    ops.loadA.erase();
    ops.loadB.erase();
    ops.loop.erase();
    ops.accumulator.erase();
  }

private:
  /// One operand: where it comes from and which part of it a warp multiplies.
  struct Side {
    TypedValue<MemRefType> source;
    SmallVector<Value> coordinates;
    Value tile, firstRow;
    OperandType part;
    int64_t getElementBytes() const {
      return source.getType().getElementTypeBitWidth() / 8;
    }
  };

  /// Elements of K of one mma.sync.
  static int64_t getDepth(Type element) {
    return kStepBytes * 8 / element.getIntOrFloatBitWidth();
  }
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  void emitPrologue();
  Value emitSum();
  /// Whether rows of all of `sides` are aligned to their copies' bytes; null if
  /// that is certain.
  Value emitAligned(ArrayRef<const Side *> sides);
  /// The sum over K, in the type of the tile program's; `copy` starts the copy
  /// of a tile.
  Value emitLoop(llvm::function_ref<void(const Side &, ValueRange)> copy);
  void emitCopy(const Side &side, ValueRange coordinates, int64_t bytes);
  /// Whether all tiles of a side lie inside of its source along M or N.
  static bool isInside(const Side &side, ValueRange coordinates);
  /// Takes as many bytes at once as the alignment allows, but less than
  /// `below`.
  void emitNarrowCopy(const Side &side, ValueRange coordinates, int64_t below);

  gpu::GPUFuncOp kernel;
  TileProgramOps ops;
  ScheduleAttr schedule;
  OpBuilder builder;
  Location loc;
  Side a, b;
  /// Behind the loop, and in it.
  FragmentType fragment, accumulator;
};

void WarpProgram::emitPrologue() {
  auto [warpsM, warpsN] = schedule.getWarps();
  AccType acc = ops.accumulator.getAcc().getType();
  fragment =
      FragmentType::get(builder.getContext(), acc.getRows(), acc.getColumns(),
                        acc.getElementType(), warpsM, warpsN);
  accumulator = fragment;
  if (schedule.getAccumulator() == Accumulator::F16)
    accumulator =
        FragmentType::get(builder.getContext(), acc.getRows(), acc.getColumns(),
                          builder.getF16Type(), warpsM, warpsN);
  Value warp = WarpIdOp::create(builder, loc, builder.getIndexType());
  auto makeSide = [&](OperandSide which, LoadOp load, Value place,
                      int64_t rows) -> Side {
    SmemType tile = load.getTile().getType();
    SmallVector<int64_t> shape(tile.getShape());
    if (schedule.getStages() > 1)
      shape.insert(shape.begin(), schedule.getStages());
    auto stages = SmemType::get(shape, tile.getElementType(), tile.getMajor(),
                                tile.getSwizzle());
    Side side;
    side.source = cast<TypedValue<MemRefType>>(load.getSource());
    side.coordinates = llvm::to_vector(load.getCoordinates());
    side.tile = SmemAllocOp::create(builder, loc, stages, IntegerAttr());
    side.firstRow = arith::MulIOp::create(builder, loc, place, constant(rows));
    side.part = OperandType::get(builder.getContext(), which, rows,
                                 getDepth(tile.getElementType()),
                                 tile.getElementType());
    return side;
  };
  Value columns = constant(warpsN);
  a = makeSide(OperandSide::A, ops.loadA,
               arith::DivUIOp::create(builder, loc, warp, columns),
               fragment.getWarpRows());
  b = makeSide(OperandSide::B, ops.loadB,
               arith::RemUIOp::create(builder, loc, warp, columns),
               fragment.getWarpColumns());
}

Value WarpProgram::emitAligned(ArrayRef<const Side *> sides) {
  Value all;
  for (const Side *side : sides) {
    int64_t bytes = getCopyBytes(side->source.getType());
    // Elements are aligned to their own size.
    if (bytes == side->getElementBytes())
      continue;
    Value aligned = AlignedOp::create(builder, loc, builder.getI1Type(),
                                      side->source, bytes);
    all = all ? arith::AndIOp::create(builder, loc, all, aligned).getResult()
              : aligned;
  }
  return all;
}

void WarpProgram::emitCopy(const Side &side, ValueRange coordinates,
                           int64_t bytes) {
  Value stage = schedule.getStages() > 1 ? constant(0) : Value();
  CopyTileOp::create(builder, loc, side.source, coordinates, side.tile, stage,
                     ops.loop.getUpperBound(), /*whole=*/false,
                     isInside(side, coordinates), /*part=*/{}, bytes);
}

bool WarpProgram::isInside(const Side &side, ValueRange coordinates) {
  auto tile = cast<SmemType>(side.tile.getType());
  bool kMajor = tile.getMajor() == Major::K;
  Value origin = coordinates[kMajor ? 0 : 1];
  int64_t extent = side.source.getType().getDimSize(kMajor ? 0 : 1);
  // A number of the tile's own grid, of which all are inside if they divide the
  // extent.
  auto grid = origin.getDefiningOp<TileCoordOp>();
  if (!grid || grid.getCluster() || ShapedType::isDynamic(extent))
    return false;
  auto step = static_cast<int64_t>(origin == grid.getM() ? grid.getTileM()
                                                         : grid.getTileN());
  return step == tile.getMN() && extent % step == 0;
}

void WarpProgram::emitNarrowCopy(const Side &side, ValueRange coordinates,
                                 int64_t below) {
  int64_t bytes = getNarrower(below, side.getElementBytes());
  if (bytes <= side.getElementBytes())
    return emitCopy(side, coordinates, side.getElementBytes());
  Value aligned =
      AlignedOp::create(builder, loc, builder.getI1Type(), side.source, bytes);
  auto choice =
      scf::IfOp::create(builder, loc, aligned, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard restore(builder);
  builder.setInsertionPointToStart(choice.thenBlock());
  emitCopy(side, coordinates, bytes);
  builder.setInsertionPointToStart(choice.elseBlock());
  emitNarrowCopy(side, coordinates, bytes);
}

Value WarpProgram::emitSum() {
  auto wide = [&] {
    return emitLoop([&](const Side &side, ValueRange coordinates) {
      emitCopy(side, coordinates, getCopyBytes(side.source.getType()));
    });
  };
  Value aligned = emitAligned({&a, &b});
  if (!aligned)
    return wide();
  // What the types do not promise is asked once, ahead of the loop.
  auto choice = scf::IfOp::create(builder, loc, TypeRange{fragment}, aligned,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard restore(builder);
  builder.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(builder, loc, wide());
  builder.setInsertionPointToStart(choice.elseBlock());
  Value narrow = emitLoop([&](const Side &side, ValueRange coordinates) {
    // Of two operands the one may be aligned although the other one is not.
    emitNarrowCopy(side, coordinates, 2 * getCopyBytes(side.source.getType()));
  });
  scf::YieldOp::create(builder, loc, narrow);
  return choice.getResult(0);
}

Value WarpProgram::emitLoop(
    llvm::function_ref<void(const Side &, ValueRange)> copy) {
  Value zero = FragmentZeroOp::create(builder, loc, accumulator);
  auto loop = scf::ForOp::create(
      builder, ops.loop.getLoc(), ops.loop.getLowerBound(),
      ops.loop.getUpperBound(), ops.loop.getStep(), ValueRange{zero});
  OpBuilder::InsertionGuard restore(builder);
  builder.setInsertionPointToEnd(loop.getBody());
  for (const Side *side : {&a, &b}) {
    SmallVector<Value> coordinates(side->coordinates);
    for (Value &coordinate : coordinates)
      if (coordinate == ops.loop.getInductionVar())
        coordinate = loop.getInductionVar();
    copy(*side, coordinates);
  }
  NVVM::CpAsyncCommitGroupOp::create(builder, loc);
  NVVM::CpAsyncWaitGroupOp::create(builder, loc, 0);
  gpu::BarrierOp::create(builder, loc);
  Value sum = loop.getRegionIterArg(0);
  int64_t depth = a.part.getColumns();
  for (int64_t k = 0; k < schedule.getTileK(); k += depth) {
    auto load = [&](const Side &side) -> Value {
      SmallVector<Value> origin{side.firstRow, constant(k)};
      if (schedule.getStages() > 1)
        origin.insert(origin.begin(), constant(0));
      return LdMatrixOp::create(builder, loc, side.part, side.tile, origin);
    };
    Value left = load(a), right = load(b);
    sum = MmaSyncOp::create(builder, loc, accumulator, sum, left, right);
  }
  // The next tiles may not come before all warps have read these.
  gpu::BarrierOp::create(builder, loc);
  scf::YieldOp::create(builder, loc, sum);
  if (accumulator == fragment)
    return loop.getResult(0);
  builder.setInsertionPointAfter(loop);
  return FragmentExtendOp::create(builder, loc, fragment, loop.getResult(0));
}

class InsertWarpsPass : public bwgemm::impl::InsertWarpsBase<InsertWarpsPass> {
public:
  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](gpu::GPUFuncOp kernel) {
      auto schedule = kernel->getAttrOfType<ScheduleAttr>("bwgemm.schedule");
      if (!schedule || !usesMmaSync(schedule.getPreset()) ||
          !TileProgramOps::isTileProgram(kernel))
        return WalkResult::skip();
      FailureOr<TileProgramOps> ops = TileProgramOps::match(kernel);
      if (failed(ops) || failed(check(*ops)))
        return WalkResult::interrupt();
      WarpProgram(kernel, *ops, schedule).emit();
      return WalkResult::skip();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  static LogicalResult check(TileProgramOps &ops) {
    for (LoadOp load : {ops.loadA, ops.loadB}) {
      if (!isa<MemRefType>(load.getSource().getType()))
        return load.emitOpError(
            "expects a matrix as source, since threads "
            "copy it for mma.sync; tensor maps are for TMA");
      for (Value coordinate : load.getCoordinates())
        if (coordinate != ops.loop.getInductionVar() &&
            !ops.loop.isDefinedOutsideOfLoop(coordinate))
          return load.emitOpError("expects coordinates that are the loop's "
                                  "variable or computed before the loop");
    }
    return success();
  }
};

} // namespace
