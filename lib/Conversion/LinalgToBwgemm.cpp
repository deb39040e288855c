//===- LinalgToBwgemm.cpp - Matrix multiplications of linalg ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Buffers.h"
#include "FuseElementwise.h"
#include "bwgemm/Conversion/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

namespace mlir::bwgemm {
#define GEN_PASS_DEF_CONVERTLINALGTOBWGEMM
#include "bwgemm/Conversion/Passes.h.inc"
} // namespace mlir::bwgemm

using namespace mlir;
using namespace mlir::bwgemm;

namespace {

/// Positions of M, N, K and the batch among the loops of a contraction.
struct Loops {
  unsigned m, n, k;
  std::optional<unsigned> batch;
};

bool isZero(linalg::FillOp fill) {
  return matchPattern(fill.getInputs().front(), m_AnyZeroFloat()) ||
         matchPattern(fill.getInputs().front(), m_Zero());
}

/// The fill with zero whose value `output` still holds at `op`, if any.
linalg::FillOp findZeroFill(Operation *op, Value output) {
  for (Operation *before = op->getPrevNode(); before;
       before = before->getPrevNode()) {
    auto fill = dyn_cast<linalg::FillOp>(before);
    if (fill && fill.getOutputs().front() == output) {
      return isZero(fill) ? fill : nullptr;
    }
    if (touches(before, output))
      return nullptr;
  }
  return nullptr;
}

class LinalgToBwgemmPass
    : public bwgemm::impl::ConvertLinalgToBwgemmBase<LinalgToBwgemmPass> {
public:
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> contractions;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (linalg::isaContractionOpInterface(op))
        contractions.push_back(op);
    });
    bool fromTensors = getOperation()->hasAttr(kBufferizedAttr);
    for (linalg::LinalgOp op : contractions) {
      FailureOr<GemmOp> gemm = convert(op);
      if (failed(gemm))
        return signalPassFailure();
      fuseElementwise(*gemm, fromTensors, notFused);
    }
    getOperation().walk([&](linalg::FillOp fill) { convertFill(fill); });
    if (failed(checkRest()))
      signalPassFailure();
  }

private:
  FailureOr<GemmOp> convert(linalg::LinalgOp op);
  void convertFill(linalg::FillOp fill);
  FailureOr<Loops> findLoops(linalg::LinalgOp op);
  LogicalResult checkRest();

  /// Why elementwise ops behind a gemm are not in its epilogue.
  NotFused notFused;
};

/// Finds which loop is M, N, K and the batch, or says why the op is not a
/// matrix product or a batch of them.
FailureOr<Loops> LinalgToBwgemmPass::findLoops(linalg::LinalgOp op) {
  auto refuse = [&](const Twine &why) -> FailureOr<Loops> {
    return op->emitOpError() << "cannot become a bwgemm.gemm: " << why;
  };
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(op);
  if (failed(dims) || dims->m.empty() || dims->n.empty())
    return refuse("expects one M, one N and one K dimension and at most one "
                  "batch (a matrix times a matrix)");
  if (dims->k.size() != 1)
    return refuse("expects one K dimension, but got " + Twine(dims->k.size()) +
                  "; a matmul for each that accumulates into one result works");
  Loops loops{0, 0, dims->k.front(), std::nullopt};
  SmallVector<unsigned, 2> m = dims->m, n = dims->n;
  // What only one operand has beside M or N, outermost, is a batch of it and of
  // the result; the other operand is the same for all.
  AffineMap result = op.getIndexingMapsArray().back();
  unsigned outermost = result.getNumResults() ? result.getDimPosition(0) : 0;
  if (dims->batch.size() == 1)
    loops.batch = dims->batch.front();
  else if (dims->batch.empty())
    for (SmallVector<unsigned, 2> *of : {&m, &n})
      if (of->size() == 2 && llvm::is_contained(*of, outermost) &&
          result.getNumResults() == 3) {
        llvm::erase(*of, outermost);
        loops.batch = outermost;
      }
  if (m.size() != 1 || n.size() != 1 || dims->batch.size() > 1)
    return refuse("expects one M, one N and one K dimension and at most one "
                  "batch (a matrix times a matrix)");
  loops.m = m.front();
  loops.n = n.front();
  return loops;
}

FailureOr<GemmOp> LinalgToBwgemmPass::convert(linalg::LinalgOp op) {
  if (op.hasPureTensorSemantics())
    return op->emitOpError("expects memref operands; bufferize first "
                           "(--bwgemm-lower does)");
  FailureOr<Loops> loops = findLoops(op);
  if (failed(loops))
    return failure();
  Value a = op.getDpsInputs()[0], b = op.getDpsInputs()[1];
  Value d = op.getDpsInits().front();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  auto [m, n, k, batch] = *loops;
  // Whether the last dimensions are these loops, behind the batch if there is
  // one, which the result has.
  auto isLoops = [&, batch = batch](AffineMap map, unsigned first,
                                    unsigned second) {
    unsigned rank = map.getNumResults();
    return map.isProjectedPermutation() &&
           (rank == 2 ||
            (rank == 3 && batch && map.getDimPosition(0) == *batch)) &&
           map.getDimPosition(rank - 2) == first &&
           map.getDimPosition(rank - 1) == second;
  };
  // The operand that carries M is A; a generic may name its inputs the other
  // way round.
  if (!isLoops(maps[0], m, k) && !isLoops(maps[0], k, m)) {
    std::swap(a, b);
    std::swap(maps[0], maps[1]);
  }
  bool transposeA = isLoops(maps[0], k, m), transposeB = isLoops(maps[1], n, k);
  if ((!transposeA && !isLoops(maps[0], m, k)) ||
      (!transposeB && !isLoops(maps[1], k, n)))
    return op->emitOpError("cannot become a bwgemm.gemm: expects operands "
                           "indexed by (M, K) and (K, N) or their transposes, "
                           "a batch outermost");
  if (isLoops(maps[2], n, m)) {
    // D^T = (A B)^T = B^T A^T: the roles and the transposes change places.
    std::swap(a, b);
    bool oldTransposeA = transposeA;
    transposeA = !transposeB;
    transposeB = !oldTransposeA;
  } else if (!isLoops(maps[2], m, n)) {
    return op->emitOpError("cannot become a bwgemm.gemm: expects an output "
                           "indexed by (M, N) or (N, M), a batch outermost");
  }
  for (auto [value, name] : {std::pair(a, "A"), std::pair(b, "B")}) {
    Type type = cast<MemRefType>(value.getType()).getElementType();
    if (!type.isBF16() && !type.isF16())
      return op->emitOpError()
             << "operand " << name << " has element type " << type
             << "; expects f16 or bf16 (accumulated in f32)";
  }
  Type aType = cast<MemRefType>(a.getType()).getElementType();
  Type bType = cast<MemRefType>(b.getType()).getElementType();
  if (aType != bType)
    return op->emitOpError()
           << "operands have element types " << aType << " and " << bType
           << "; expects both f16 or both bf16";
  Type dType = cast<MemRefType>(d.getType()).getElementType();
  if (!dType.isF32() && !dType.isBF16() && !dType.isF16())
    return op->emitOpError() << "result has element type " << dType
                             << "; expects f32, f16 or bf16";

  linalg::FillOp fill = findZeroFill(op, d);
  OpBuilder builder(op);
  auto gemm = GemmOp::create(builder, op.getLoc(), a, b, d, transposeA,
                             transposeB, /*accumulate=*/!fill,
                             /*schedule=*/ScheduleAttr(),
                             /*fallback=*/ScheduleAttr());
  op->erase();
  if (fill)
    fill->erase();
  return gemm;
}

/// A fill with zero that is no gemm's is done where the buffer lives. Upstream
/// leaves such fills when it erases products without elements.
void LinalgToBwgemmPass::convertFill(linalg::FillOp fill) {
  Value buffer = fill.getOutputs().front();
  auto type = dyn_cast<MemRefType>(buffer.getType());
  Value with = fill.getInputs().front();
  // Of the zeros one has all bits zero.
  if (!isZero(fill) || matchPattern(with, m_NegZeroFloat()) || !type ||
      type.getRank() != 2 || !type.getElementType().isIntOrFloat() ||
      type.getElementTypeBitWidth() % 8 != 0 || !type.isLastDimUnitStride())
    return;
  OpBuilder builder(fill);
  Location loc = fill.getLoc();
  Value device = ToDeviceOp::create(builder, loc, type, buffer,
                                    /*read=*/false, /*write=*/true);
  ZeroFillOp::create(builder, loc, device);
  FromDeviceOp::create(builder, loc, device);
  fill.erase();
}

/// Buffers may live on the device, so nothing but gemms may touch them: what
/// the host would compute itself is refused.
LogicalResult LinalgToBwgemmPass::checkRest() {
  WalkResult result = getOperation().walk([&](func::FuncOp func) {
    bool hasGemm = false;
    func.walk([&](GemmOp) { hasGemm = true; });
    if (!hasGemm)
      return WalkResult::skip();
    return func.walk([&](Operation *op) {
      bool fine = isMemoryEffectFree(op) ||
                  isa<func::FuncOp, func::ReturnOp, GemmOp, ToDeviceOp,
                      ZeroFillOp, FromDeviceOp, memref::AllocOp,
                      memref::AllocaOp, memref::DeallocOp>(op);
      if (fine)
        return WalkResult::advance();
      InFlightDiagnostic diag = op->emitOpError();
      auto reason = notFused.find(op);
      if (reason != notFused.end())
        diag << "cannot join the epilogue of the matmul before it: "
             << reason->second;
      else if (isa<linalg::FillOp>(op))
        diag << "is not supported here: expects a fill of a matrix with zero";
      else
        diag << "is not supported in a function with a matmul yet: expects "
                "matmuls, elementwise ops on their results and fills with zero";
      return WalkResult::interrupt();
    });
  });
  return failure(result.wasInterrupted());
}

} // namespace
