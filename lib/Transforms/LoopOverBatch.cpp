//===- LoopOverBatch.cpp - Gemms of a batch, one after the other ----------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Outlining.h"
#include "bwgemm/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::bwgemm {
#define GEN_PASS_DEF_LOOPOVERBATCH
#include "bwgemm/Transforms/Passes.h.inc"
} // namespace mlir::bwgemm

using namespace mlir;
using namespace mlir::bwgemm;

namespace {

/// Emits the loop for one gemm.
class BatchLoop {
public:
  explicit BatchLoop(GemmOp gemm)
      : gemm(gemm), builder(gemm), loc(gemm.getLoc()) {}

  void emit();

private:
  bool isBatched(unsigned extra);
  AffineMap getMap(unsigned extra) {
    return cast<AffineMapAttr>((*gemm.getEpilogueMaps())[extra]).getValue();
  }
  Value getExtent(Value buffer, unsigned dimension) {
    return builder.createOrFold<memref::DimOp>(loc, buffer, dimension);
  }
  Value slice(Value buffer, unsigned dimension, Value index);

  GemmOp gemm;
  OpBuilder builder;
  Location loc;
};

bool BatchLoop::isBatched(unsigned extra) {
  return getMap(extra).getNumDims() == 3;
}

/// What `buffer` has at `index` of `dimension`: a view with one dimension less.
Value BatchLoop::slice(Value buffer, unsigned dimension, Value index) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<OpFoldResult> offsets, sizes, strides;
  SmallVector<int64_t> shape;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    bool isHere = i == dimension;
    offsets.push_back(isHere ? OpFoldResult(index) : builder.getIndexAttr(0));
    strides.push_back(builder.getIndexAttr(1));
    sizes.push_back(isHere ? OpFoldResult(builder.getIndexAttr(1))
                           : memref::getMixedSize(builder, loc, buffer, i));
    if (!isHere)
      shape.push_back(type.getDimSize(i));
  }
  auto view = memref::SubViewOp::inferRankReducedResultType(
      shape, type, offsets, sizes, strides);
  return memref::SubViewOp::create(builder, loc, view, buffer, offsets, sizes,
                                   strides);
}

void BatchLoop::emit() {
  Value batch = getExtent(gemm.getD(), 0);
  Value ok;
  for (auto [operand, name] :
       {std::pair(gemm.getA(), "A"), std::pair(gemm.getB(), "B")})
    if (cast<MemRefType>(operand.getType()).getRank() == 3)
      requireEqual(builder, loc, getExtent(operand, 0), batch,
                   std::string("gemm: the batch of ") + name +
                       " ({got}) must equal that of the result ({expected})",
                   ok);
  AffineExpr b = getAffineDimExpr(2, builder.getContext());
  for (auto [index, extra] : llvm::enumerate(gemm.getExtras()))
    if (isBatched(index))
      requireEqual(builder, loc,
                   getExtent(extra, *getMap(index).getResultPosition(b)), batch,
                   "gemm: the batch of operand " + std::to_string(index) +
                       " of the epilogue ({got}) must equal that of the result "
                       "({expected})",
                   ok);
  if (ok) {
    auto guard = scf::IfOp::create(builder, loc, ok, /*withElseRegion=*/false);
    builder.setInsertionPointToStart(guard.thenBlock());
  }
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  auto loop = scf::ForOp::create(builder, loc, zero, batch, one);
  builder.setInsertionPointToStart(loop.getBody());
  Value index = loop.getInductionVar();
  auto single = cast<GemmOp>(builder.clone(*gemm));
  builder.setInsertionPoint(single);
  for (OpOperand *operand :
       {&single.getAMutable(), &single.getBMutable(), &single.getDMutable()})
    if (cast<MemRefType>(operand->get().getType()).getRank() == 3)
      operand->set(slice(operand->get(), 0, index));
  SmallVector<Attribute> maps;
  for (auto [number, operand] : llvm::enumerate(single.getExtrasMutable())) {
    AffineMap map = getMap(number);
    if (isBatched(number)) {
      unsigned dimension = *map.getResultPosition(b);
      operand.set(slice(operand.get(), dimension, index));
      map = map.dropResult(dimension);
      map = AffineMap::get(/*dimCount=*/2, /*symbolCount=*/0, map.getResults(),
                           builder.getContext());
    }
    maps.push_back(AffineMapAttr::get(map));
  }
  if (!maps.empty())
    single.setEpilogueMapsAttr(builder.getArrayAttr(maps));
  gemm.erase();
}

class LoopOverBatchPass
    : public bwgemm::impl::LoopOverBatchBase<LoopOverBatchPass> {
public:
  void runOnOperation() override {
    SmallVector<GemmOp> gemms;
    getOperation().walk([&](GemmOp gemm) {
      if (gemm.isBatched())
        gemms.push_back(gemm);
    });
    for (GemmOp gemm : gemms)
      BatchLoop(gemm).emit();
  }
};

} // namespace
