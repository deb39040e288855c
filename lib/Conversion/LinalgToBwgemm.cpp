//===- LinalgToBwgemm.cpp - Matrix multiplications of linalg ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm/Conversion/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace mlir::bwgemm {
#define GEN_PASS_DEF_CONVERTLINALGTOBWGEMM
#include "bwgemm/Conversion/Passes.h.inc"
} // namespace mlir::bwgemm

using namespace mlir;
using namespace mlir::bwgemm;

namespace {

/// Positions of M, N and K among the loops of a contraction.
struct Loops {
  unsigned m, n, k;
};

/// The buffer that a view looks at.
Value getRoot(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  return buffer;
}

/// Whether two buffers may share memory. Allocations are their own memory, and
/// distinct arguments of a function are distinct buffers, as bufferization
/// assumes of tensors.
bool mayAlias(Value lhs, Value rhs) {
  Value left = getRoot(lhs), right = getRoot(rhs);
  auto isKnown = [](Value root) {
    return isa<BlockArgument>(root) || root.getDefiningOp<memref::AllocOp>();
  };
  return left == right || !isKnown(left) || !isKnown(right);
}

/// Whether `op` may read or write memory that `buffer` looks at.
bool touches(Operation *op, Value buffer) {
  if (isMemoryEffectFree(op) || isa<memref::AllocOp>(op))
    return false;
  if (op->getNumRegions() == 0 || isa<linalg::LinalgOp>(op)) {
    if (isa<MemoryEffectOpInterface>(op))
      return llvm::any_of(op->getOperands(), [&](Value operand) {
        return isa<BaseMemRefType>(operand.getType()) &&
               mayAlias(operand, buffer);
      });
  }
  return true;
}

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
    WalkResult result = getOperation().walk([&](linalg::LinalgOp op) {
      if (linalg::isaContractionOpInterface(op) && failed(convert(op)))
        return WalkResult::interrupt();
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    getOperation().walk([&](linalg::FillOp fill) { convertFill(fill); });
    if (failed(checkRest()))
      signalPassFailure();
  }

private:
  LogicalResult convert(linalg::LinalgOp op);
  void convertFill(linalg::FillOp fill);
  FailureOr<Loops> findLoops(linalg::LinalgOp op);
  LogicalResult checkRest();
};

/// Finds which loop is M, N and K, or says why the op is not a single matrix
/// product.
FailureOr<Loops> LinalgToBwgemmPass::findLoops(linalg::LinalgOp op) {
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(op);
  if (failed(dims) || !dims->batch.empty() || dims->m.size() != 1 ||
      dims->n.size() != 1 || dims->k.size() != 1) {
    op->emitOpError() << "cannot become a bwgemm.gemm: expects one M, one N "
                         "and one K dimension and no batch (a matrix times a "
                         "matrix)";
    return failure();
  }
  return Loops{dims->m.front(), dims->n.front(), dims->k.front()};
}

LogicalResult LinalgToBwgemmPass::convert(linalg::LinalgOp op) {
  if (op.hasPureTensorSemantics())
    return op->emitOpError("expects memref operands; bufferize first "
                           "(--bwgemm-lower does)");
  FailureOr<Loops> loops = findLoops(op);
  if (failed(loops))
    return failure();
  Value a = op.getDpsInputs()[0], b = op.getDpsInputs()[1];
  Value d = op.getDpsInits().front();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  auto isLoops = [&](AffineMap map, unsigned first, unsigned second) {
    return map.getNumResults() == 2 &&
           map.getResult(0).isFunctionOfDim(first) &&
           map.getResult(1).isFunctionOfDim(second) &&
           map.isProjectedPermutation();
  };
  auto [m, n, k] = *loops;
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
                           "indexed by (M, K) and (K, N) or their transposes");
  if (isLoops(maps[2], n, m)) {
    // D^T = (A B)^T = B^T A^T: the roles and the transposes change places.
    std::swap(a, b);
    bool oldTransposeA = transposeA;
    transposeA = !transposeB;
    transposeB = !oldTransposeA;
  } else if (!isLoops(maps[2], m, n)) {
    return op->emitOpError("cannot become a bwgemm.gemm: expects an output "
                           "indexed by (M, N) or (N, M)");
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
  GemmOp::create(builder, op.getLoc(), a, b, d, transposeA, transposeB,
                 /*accumulate=*/!fill, /*schedule=*/ScheduleAttr(),
                 /*fallback=*/ScheduleAttr());
  op->erase();
  if (fill)
    fill->erase();
  return success();
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
      if (isa<linalg::FillOp>(op))
        diag << "is not supported here: expects a fill of a matrix with zero";
      else
        diag << "is not supported in a function with a matmul yet: expects "
                "matmuls and fills with zero";
      return WalkResult::interrupt();
    });
  });
  return failure(result.wasInterrupted());
}

} // namespace
