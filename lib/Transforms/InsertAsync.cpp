//===- InsertAsync.cpp - Tile programs to asynchronous programs ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileProgramOps.h"
#include "bwgemm/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::bwgemm {
#define GEN_PASS_DEF_INSERTASYNC
#include "bwgemm/Transforms/Passes.h.inc"
} // namespace mlir::bwgemm

using namespace mlir;
using namespace mlir::bwgemm;

namespace {

/// Rewrites one kernel.
class AsyncProgram {
public:
  AsyncProgram(gpu::GPUFuncOp kernel, TileProgramOps ops)
      : ops(ops), builder(kernel.getContext()), loc(ops.mma.getLoc()) {}

  void emit() {
    emitPrologue();
    emitLoop();
    emitEpilogue();
  }

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  void fence(FenceKind kind) { FenceOp::create(builder, loc, kind); }
  /// A barrier across which tensor-memory operations keep their order.
  void barrier() {
    fence(FenceKind::Tcgen05Before);
    gpu::BarrierOp::create(builder, loc);
    fence(FenceKind::Tcgen05After);
  }
  /// Emits `body` for warp 0 alone.
  void inFirstWarp(llvm::function_ref<void()> body);
  /// Emits `body` for one thread of warp 0. The same thread is elected every
  /// time, so the commits track its MMAs.
  void inElectedThread(llvm::function_ref<void()> body);
  void emitPrologue();
  void emitLoop();
  void emitEpilogue();

  TileProgramOps ops;
  OpBuilder builder;
  Location loc;
  Value zero, isFirstWarp;
  TypedValue<SmemType> tileA, tileB;
  Value loaded, multiplied;
  Value slot, tmem;
};

void AsyncProgram::inFirstWarp(llvm::function_ref<void()> body) {
  auto guard = scf::IfOp::create(builder, loc, isFirstWarp,
                                 /*withElseRegion=*/false);
  OpBuilder::InsertionGuard restore(builder);
  builder.setInsertionPointToStart(guard.thenBlock());
  body();
}

void AsyncProgram::inElectedThread(llvm::function_ref<void()> body) {
  inFirstWarp([&] {
    Value elected = ElectOp::create(builder, loc, builder.getI1Type());
    auto guard =
        scf::IfOp::create(builder, loc, elected, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard restore(builder);
    builder.setInsertionPointToStart(guard.thenBlock());
    body();
  });
}

void AsyncProgram::emitPrologue() {
  builder.setInsertionPoint(ops.accumulator);
  MLIRContext *context = builder.getContext();
  zero = constant(0);
  auto oneBarrier = MBarrierType::get(context, 1);
  tileA = SmemAllocOp::create(builder, loc, ops.loadA.getTile().getType(),
                              IntegerAttr());
  tileB = SmemAllocOp::create(builder, loc, ops.loadB.getTile().getType(),
                              IntegerAttr());
  loaded = MBarrierAllocOp::create(builder, loc, oneBarrier, IntegerAttr());
  multiplied = MBarrierAllocOp::create(builder, loc, oneBarrier, IntegerAttr());
  AccType acc = ops.accumulator.getAcc().getType();
  auto tmemType = TmemType::get(context, acc.getRows(), acc.getColumns(),
                                acc.getElementType());
  slot = TmemSlotOp::create(
      builder, loc, TmemSlotType::get(context, tmemType.getAllocatedColumns()),
      IntegerAttr());
  Value warp = WarpIdOp::create(builder, loc, builder.getIndexType());
  isFirstWarp =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, warp, zero);
  inFirstWarp([&] { TmemAllocOp::create(builder, loc, slot); });
  inElectedThread([&] {
    TensorMapPrefetchOp::create(builder, loc, ops.loadA.getMap());
    TensorMapPrefetchOp::create(builder, loc, ops.loadB.getMap());
    if (Value map = ops.store.getMap())
      TensorMapPrefetchOp::create(builder, loc, map);
    MBarrierInitOp::create(builder, loc, loaded, zero, 1);
    MBarrierInitOp::create(builder, loc, multiplied, zero, 1);
    fence(FenceKind::MBarrierInit);
  });
  barrier();
  tmem = TmemGetOp::create(builder, loc, tmemType, slot);
}

void AsyncProgram::emitLoop() {
  builder.setInsertionPoint(ops.loop);
  Type i32 = builder.getI32Type();
  Value phase =
      arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(0));
  Value one =
      arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(1));
  auto loop = scf::ForOp::create(
      builder, ops.loop.getLoc(), ops.loop.getLowerBound(),
      ops.loop.getUpperBound(), ops.loop.getStep(), ValueRange{phase});
  loop->setAttrs(ops.loop->getAttrs());
  ops.loop.getInductionVar().replaceAllUsesWith(loop.getInductionVar());
  // Whatever else the loop computes (coordinates) comes first.
  loop.getBody()->getOperations().splice(
      loop.getBody()->end(), ops.loop.getBody()->getOperations(),
      ops.loop.getBody()->begin(), std::prev(ops.loop.getBody()->end()));
  builder.setInsertionPointToEnd(loop.getBody());
  // Both barriers complete one phase in each iteration.
  Value parity = loop.getRegionIterArgs().front();
  int64_t bytes = ops.loadA.getTile().getType().getStageBytes() +
                  ops.loadB.getTile().getType().getStageBytes();
  inElectedThread([&] {
    MBarrierArriveExpectTxOp::create(builder, loc, loaded, zero, bytes);
    emitCopies(builder, loc,
               TileCopy(ops.loadA, /*isA=*/true, tileA, loaded, zero));
    emitCopies(builder, loc,
               TileCopy(ops.loadB, /*isA=*/false, tileB, loaded, zero));
  });
  MBarrierWaitOp::create(builder, loc, loaded, zero, parity);
  fence(FenceKind::Tcgen05After);
  inElectedThread([&] {
    Value accumulate =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                              loop.getInductionVar(), loop.getLowerBound());
    Tcgen05MmaOp::create(builder, loc, tmem, tileA, tileB, accumulate);
    Tcgen05CommitOp::create(builder, loc, multiplied, zero,
                            /*mask=*/Value());
  });
  // The tiles may be overwritten once the MMAs have read them.
  MBarrierWaitOp::create(builder, loc, multiplied, zero, parity);
  // A wait tells a phase by its parity. While a warp has not seen that this one
  // is complete, the next one must not be, or it would wait for ever.
  gpu::BarrierOp::create(builder, loc);
  Value next = arith::XOrIOp::create(builder, loc, i32, parity, one);
  scf::YieldOp::create(builder, loc, next);
  ops.mma.erase();
  ops.loadA.erase();
  ops.loadB.erase();
  ops.loop.erase();
}

void AsyncProgram::emitEpilogue() {
  builder.setInsertionPoint(ops.store);
  fence(FenceKind::Tcgen05After);
  ops.store.cloneFor(builder, tmem);
  // Every warp has read its part before the columns are freed.
  barrier();
  inFirstWarp([&] { TmemDeallocOp::create(builder, loc, tmem, slot); });
  ops.store.erase();
  ops.accumulator.erase();
}

class InsertAsyncPass : public bwgemm::impl::InsertAsyncBase<InsertAsyncPass> {
public:
  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](gpu::GPUFuncOp kernel) {
      if (!TileProgramOps::isTileProgram(kernel))
        return WalkResult::skip();
      FailureOr<TileProgramOps> ops = TileProgramOps::matchTma(kernel);
      if (failed(ops))
        return WalkResult::interrupt();
      AsyncProgram(kernel, *ops).emit();
      return WalkResult::skip();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
