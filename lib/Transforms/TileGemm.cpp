//===- TileGemm.cpp - Gemms to synchronous tile programs ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleTarget.h"
#include "Outlining.h"
#include "bwgemm/IR/TargetInfo.h"
#include "bwgemm/Transforms/OperandTile.h"
#include "bwgemm/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::bwgemm {
#define GEN_PASS_DEF_TILEGEMM
#include "bwgemm/Transforms/Passes.h.inc"
} // namespace mlir::bwgemm

using namespace mlir;
using namespace mlir::bwgemm;

TensorMapType bwgemm::getMapFor(SmemType tile) {
  return getMapFor(tile, tile.getRows());
}

TensorMapType bwgemm::getMapFor(SmemType tile, int64_t rows) {
  // The most rows that one box may have, so that equal boxes fill a column.
  int64_t boxes = llvm::divideCeil(rows, kMaxBoxExtent);
  while (rows % boxes != 0 || rows / boxes % 8 != 0)
    ++boxes;
  return TensorMapType::get({rows / boxes, tile.getRowElements()},
                            tile.getElementType(), tile.getSwizzle());
}

unsigned bwgemm::getWidestSwizzle(unsigned span, int64_t bytes) {
  while (span > 0 && bytes % span != 0)
    span = span > 32 ? span / 2 : 0;
  return span;
}

namespace {

/// Threads of a CTA: four warps, since each reaches one quarter of the tensor
/// memory's lanes.
constexpr int32_t kThreads = 128;

/// The kernel of one gemm.
class TileProgram {
public:
  explicit TileProgram(GemmOp gemm)
      : gemm(gemm), schedule(*gemm.getSchedule()),
        a{gemm.getAType(), "A", !gemm.getTransposeA(),
          gemm.getOperandTypeOfA()},
        b{gemm.getBType(), "B", gemm.getTransposeB(), gemm.getOperandTypeOfB()},
        d(gemm.getDType()) {
    if (!schedule.getSwapAB())
      return;
    // D^T = (A B)^T = B^T A^T, seen through the strides of D.
    std::swap(a, b);
    auto [strides, offset] = d.getStridesAndOffset();
    d = MemRefType::get({d.getDimSize(1), d.getDimSize(0)}, d.getElementType(),
                        StridedLayoutAttr::get(d.getContext(), offset,
                                               {strides[1], strides[0]}),
                        d.getMemorySpace());
  }

  LogicalResult emit() {
    MLIRContext *context = gemm.getContext();
    SwizzleAttr none = SwizzleAttr::getNone(context);
    auto emitError = [&] { return gemm.emitOpError(); };
    auto tile = [&](int64_t extent, bool kMajor, Type element) {
      return SmemType::getChecked(
          emitError, context, ArrayRef<int64_t>{extent, schedule.getTileK()},
          element, kMajor ? Major::K : Major::MN, none);
    };
    aTile = tile(getTileM(), a.isKMajor, a.element);
    bTile = tile(schedule.getTileN(), b.isKMajor, b.element);
    if (!aTile || !bTile)
      return failure();
    if (usesMmaSync(schedule.getPreset())) {
      emitWithMatrices();
      return success();
    }
    TensorMapType aMap = getMapFor(aTile), bMap = getMapFor(bTile);
    kernel = createKernel(
        gemm, withExtraTypes({aMap, bMap, d, IndexType::get(context)}, gemm),
        {kThreads, 1});
    emitKernel();
    replaceWithHostCode(gemm, [&](OpBuilder &builder, Location loc,
                                  const DeviceOperands &given) {
      DeviceOperands operands = given;
      if (schedule.getSwapAB()) {
        std::swap(operands.a, operands.b);
        std::swap(operands.m, operands.n);
        operands.d = memref::TransposeOp::create(
            builder, loc, given.d,
            AffineMapAttr::get(getTransposition(context)));
      }
      auto encode = [&](TensorMapType map, Value source, StringRef name) {
        return TensorMapEncodeOp::create(builder, loc, map, source,
                                         builder.getStringAttr(name));
      };
      Value mapOfA = encode(aMap, operands.a, a.name);
      Value mapOfB = encode(bMap, operands.b, b.name);
      emitLaunch(builder, loc, kernel, operands, getTileM(),
                 schedule.getTileN(),
                 withExtras({mapOfA, mapOfB, operands.d, operands.k}, operands),
                 schedule.getCluster());
    });
    return success();
  }

private:
  /// What stands on one side of the product.
  struct Side {
    MemRefType type;
    StringRef name;
    bool isKMajor;
    /// What an element of it multiplies as.
    Type element;
  };
  static AffineMap getTransposition(MLIRContext *context) {
    return AffineMap::getPermutationMap(ArrayRef<unsigned>{1, 0}, context);
  }
  ArrayAttr getEpilogueMaps();
  /// A kernel that reads the matrices themselves.
  void emitWithMatrices() {
    kernel = createKernel(
        gemm,
        withExtraTypes({a.type, b.type, d, IndexType::get(gemm.getContext())},
                       gemm),
        {kThreads, 1});
    emitKernel();
    replaceWithHostCode(gemm, [&](OpBuilder &builder, Location loc,
                                  const DeviceOperands &operands) {
      emitLaunch(builder, loc, kernel, operands, getTileM(),
                 schedule.getTileN(),
                 withExtras({operands.a, operands.b, operands.d, operands.k},
                            operands));
    });
  }
  void emitKernel();
  /// Rows of one CTA; those of a pair have one half each.
  int64_t getTileM() { return schedule.getTileOfCta()[0]; }

  GemmOp gemm;
  ScheduleAttr schedule;
  /// Of what the kernel computes: the gemm's, or with `swap_ab` those of the
  /// transpose.
  Side a, b;
  MemRefType d;
  SmemType aTile, bTile;
  gpu::GPUFuncOp kernel;
};

/// Where the epilogue's operands are in what the kernel computes.
ArrayAttr TileProgram::getEpilogueMaps() {
  ArrayAttr maps = gemm.getEpilogueMapsAttr();
  if (!maps || !schedule.getSwapAB())
    return maps;
  MLIRContext *context = gemm.getContext();
  AffineMap transposition = getTransposition(context);
  SmallVector<Attribute> swapped;
  for (AffineMap map : maps.getAsValueRange<AffineMapAttr>())
    swapped.push_back(AffineMapAttr::get(map.compose(transposition)));
  return ArrayAttr::get(context, swapped);
}

void TileProgram::emitKernel() {
  Location loc = gemm.getLoc();
  OpBuilder builder(kernel.getContext());
  builder.setInsertionPointToStart(&kernel.getBody().front());
  Value a = kernel.getArgument(0), b = kernel.getArgument(1);
  Value d = kernel.getArgument(2), depth = kernel.getArgument(3);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value columns = builder.createOrFold<memref::DimOp>(loc, d, 1);
  Type index = builder.getIndexType();
  Value rows;
  if (schedule.getRaster() != 1)
    rows = builder.createOrFold<memref::DimOp>(loc, d, 0);
  std::array<int64_t, 2> cluster = schedule.getCluster();
  auto origin = TileCoordOp::create(
      builder, loc, index, index, getTileM(), schedule.getTileN(), columns,
      /*tile=*/Value(), schedule.getRaster(), rows, schedule.getOrder(),
      schedule.getClusterSize() == 1 ? DenseI64ArrayAttr()
                                     : builder.getDenseI64ArrayAttr(cluster));
  Value m = origin.getM(), n = origin.getN();
  auto accType = AccType::get(kernel.getContext(), getTileM(),
                              schedule.getTileN(), gemm.getSumType());
  Value acc = AccumulatorOp::create(builder, loc, accType);
  scf::ForOp::create(
      builder, loc, constant(0), depth, constant(schedule.getTileK()),
      ValueRange{}, [&](OpBuilder &body, Location loc, Value k, ValueRange) {
        // Coordinates follow memory: K-major operands are stored MN x K.
        auto load = [&](Value source, SmemType tile, Value mn) -> Value {
          SmallVector<Value> at{mn, k};
          if (tile.getMajor() == Major::MN)
            std::swap(at[0], at[1]);
          return LoadOp::create(body, loc, tile, source, at);
        };
        Value left = load(a, aTile, m), right = load(b, bTile, n);
        MmaOp::create(body, loc, acc, left, right);
        scf::YieldOp::create(body, loc);
      });
  auto store = StoreOp::create(builder, loc, acc, d, m, n, /*map=*/Value(),
                               kernel.getArguments().drop_front(4),
                               gemm.getAccumulate(), getEpilogueMaps());
  IRMapping mapping;
  gemm.getEpilogue().cloneInto(&store.getEpilogue(), mapping);
  gpu::ReturnOp::create(builder, loc);
}

class TileGemmPass : public bwgemm::impl::TileGemmBase<TileGemmPass> {
public:
  void runOnOperation() override {
    if (failed(getModuleTarget(getOperation())))
      return signalPassFailure();
    SmallVector<GemmOp> gemms;
    getOperation().walk([&](GemmOp gemm) {
      if (gemm.getSchedule() &&
          gemm.getSchedule()->getPreset() != Preset::Naive)
        gemms.push_back(gemm);
    });
    for (GemmOp gemm : gemms)
      if (failed(TileProgram(gemm).emit()))
        return signalPassFailure();
  }
};

} // namespace
