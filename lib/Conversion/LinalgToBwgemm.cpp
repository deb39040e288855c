//===- LinalgToBwgemm.cpp - Matrix multiplications of linalg ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Buffers.h"
#include "FuseElementwise.h"
#include "bwgemm/Conversion/Passes.h"
#include "bwgemm/IR/ElementTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
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

/// One operand of a contraction.
struct Factor {
  Value value;
  AffineMap map;
  bool isTransposed = false;
  /// Whether its integers have no sign.
  bool isUnsigned = false;
};

/// Follows `value`, which is multiplied, through conversions to the argument
/// that it is of. Returns why it is not what bwgemm.gemm multiplies; empty if
/// it is. The type of the result rounds nothing but the sum, so that `rounds`,
/// where an op has no other way to say what it computes, is left out.
std::string followFactor(Value value, bool rounds, Value &source,
                         bool &isUnsigned) {
  bool isInteger = isa<IntegerType>(value.getType());
  while (Operation *op = value.getDefiningOp()) {
    bool converts = isInteger ? isa<arith::ExtSIOp, arith::ExtUIOp>(op)
                              : isa<arith::ExtFOp>(op) ||
                                    (rounds && isa<arith::TruncFOp>(op));
    if (!converts)
      return "expects factors that are elements of the operands, extended to "
             "the type of the result, but got " +
             op->getName().getStringRef().str();
    // What was extended with its sign is no longer the element's value when
    // that is extended without.
    if (isUnsigned && isa<arith::ExtSIOp>(op))
      return "expects factors that are extended with one sign, but got "
             "arith.extui of arith.extsi";
    isUnsigned = isa<arith::ExtUIOp>(op);
    value = op->getOperand(0);
  }
  source = value;
  return "";
}

/// Refuses element types that bwgemm.gemm does not multiply, or not to such a
/// result.
LogicalResult checkTypes(linalg::LinalgOp op) {
  Type types[3];
  for (auto [type, operand] : llvm::zip_equal(types, op->getOperands()))
    type = getElementTypeOrSelf(operand.getType());
  auto [first, second, result] = types;
  for (auto [name, type] : {std::pair("A", first), std::pair("B", second)})
    if (type.isUnsignedInteger() || !isOperandType(type))
      return op->emitOpError() << "operand " << name << " has element type "
                               << type << "; " << getOperandTypeHint(type);
  if (!isOperandPair(first, second))
    return op->emitOpError()
           << "operands have element types " << first << " and " << second
           << "; expects both of the same, or both of 8-bit floats";
  if (isByteInteger(first)) {
    if (result.isInteger(32))
      return success();
    return op->emitOpError()
           << "result has element type " << result
           << "; expects i32 for operands of i8, which an elementwise "
              "linalg.generic behind it may convert (arith.sitofp)";
  }
  if (!result.isF32() && !result.isBF16() && !result.isF16())
    return op->emitOpError() << "result has element type " << result
                             << "; expects f32, f16 or bf16";
  return success();
}

/// Reads the signs of the operands from the body of a contraction, or says why
/// it is no sum of products.
std::string readBody(linalg::LinalgOp op, Factor &first, Factor &second) {
  Block &body = *op.getBlock();
  Value sum = body.getTerminator()->getOperand(0);
  Operation *add = sum.getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp>(add))
    return "expects a sum of products, but it yields the result of " +
           (add ? add->getName().getStringRef().str() : "no op");
  BlockArgument old = body.getArgument(2);
  Value product = add->getOperand(add->getOperand(0) == old ? 1 : 0);
  Operation *multiply = product.getDefiningOp();
  if (!llvm::is_contained(add->getOperands(), old) ||
      !isa_and_nonnull<arith::MulFOp, arith::MulIOp>(multiply))
    return "expects the result plus a product of two elements";
  Value sources[2];
  bool areUnsigned[2] = {};
  bool rounds = !isa<linalg::GenericOp>(op);
  for (unsigned i : {0, 1})
    if (std::string why = followFactor(multiply->getOperand(i), rounds,
                                       sources[i], areUnsigned[i]);
        !why.empty())
      return why;
  bool isSwapped = sources[0] == body.getArgument(1);
  if (sources[isSwapped] != body.getArgument(0) ||
      sources[!isSwapped] != body.getArgument(1))
    return "expects a product of an element of each operand";
  first.isUnsigned = areUnsigned[isSwapped];
  second.isUnsigned = areUnsigned[!isSwapped];
  return "";
}

FailureOr<GemmOp> LinalgToBwgemmPass::convert(linalg::LinalgOp op) {
  if (op.hasPureTensorSemantics())
    return op->emitOpError("expects memref operands; bufferize first "
                           "(--bwgemm-lower does)");
  FailureOr<Loops> loops = findLoops(op);
  if (failed(loops))
    return failure();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  Factor a{op.getDpsInputs()[0], maps[0]}, b{op.getDpsInputs()[1], maps[1]};
  Value d = op.getDpsInits().front();
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
  if (failed(checkTypes(op)))
    return failure();
  if (std::string why = readBody(op, a, b); !why.empty())
    return op->emitOpError() << "cannot become a bwgemm.gemm: " << why;
  if (!isLoops(a.map, m, k) && !isLoops(a.map, k, m))
    std::swap(a, b);
  a.isTransposed = isLoops(a.map, k, m);
  b.isTransposed = isLoops(b.map, n, k);
  if ((!a.isTransposed && !isLoops(a.map, m, k)) ||
      (!b.isTransposed && !isLoops(b.map, k, n)))
    return op->emitOpError("cannot become a bwgemm.gemm: expects operands "
                           "indexed by (M, K) and (K, N) or their transposes, "
                           "a batch outermost");
  if (isLoops(maps[2], n, m)) {
    // D^T = (A B)^T = B^T A^T: the roles and the transposes change places.
    std::swap(a, b);
    a.isTransposed = !a.isTransposed;
    b.isTransposed = !b.isTransposed;
  } else if (!isLoops(maps[2], m, n)) {
    return op->emitOpError("cannot become a bwgemm.gemm: expects an output "
                           "indexed by (M, N) or (N, M), a batch outermost");
  }
  for (auto [name, factor] : {std::pair("A", a), std::pair("B", b)})
    if (overlaps(factor.value, d))
      return op->emitOpError()
             << "writes its result over operand " << name
             << ", which other parts of the result are computed from; expects "
                "a buffer of its own";
  linalg::FillOp fill = findZeroFill(op, d);
  OpBuilder builder(op);
  auto gemm = GemmOp::create(
      builder, op.getLoc(), a.value, b.value, d, /*extras=*/ValueRange(),
      a.isTransposed, b.isTransposed, a.isUnsigned, b.isUnsigned,
      /*accumulate=*/!fill, /*schedule=*/ScheduleAttr(),
      /*fallback=*/ScheduleAttr(), /*epilogueMaps=*/ArrayAttr());
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
