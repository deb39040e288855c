//===- FuseElementwise.cpp - Elementwise ops into epilogues ---------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FuseElementwise.h"

#include "Buffers.h"
#include "bwgemm/Conversion/Passes.h"
#include "bwgemm/IR/ElementTypes.h"
#include "bwgemm/IR/Epilogue.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::bwgemm;

namespace {

/// `map` with its dimensions taken from `dims` by their number: m, n and, where
/// the result depends on it, b.
AffineMap renameDims(AffineMap map, ArrayRef<AffineExpr> dims) {
  auto renamed = map.replaceDimsAndSymbols(dims, /*symReplacements=*/{},
                                           /*numResultDims=*/3,
                                           /*numResultSyms=*/0);
  bool isBatched = renamed.isFunctionOfDim(2);
  return AffineMap::get(isBatched ? 3 : 2, /*symbolCount=*/0,
                        renamed.getResults(), map.getContext());
}

/// Whether `op` asks for an extent of a buffer that it need not have for that.
bool isKnownExtent(Operation *op) {
  auto dim = dyn_cast<memref::DimOp>(op);
  return dim && dim.getConstantIndex();
}

/// One elementwise op that reads the result of one gemm.
class Fusion {
public:
  Fusion(GemmOp gemm, linalg::LinalgOp op, bool fromTensors)
      : gemm(gemm), op(op), fromTensors(fromTensors), old(gemm.getD()),
        context(gemm.getContext()), rank(gemm.getDType().getRank()),
        m(getAffineDimExpr(0, context)), n(getAffineDimExpr(1, context)),
        b(getAffineDimExpr(2, context)) {}

  /// Why it cannot be fused; empty if it can.
  std::string check();
  GemmOp run();

private:
  std::string checkLoops();
  std::string checkBuffers();
  std::string checkBody();
  /// Whether nobody but `op` can see what the gemm writes.
  bool isIntermediate();
  AffineMap getMap(OpOperand &operand) {
    return op.getMatchingIndexingMap(&operand);
  }
  /// The places of an operand of `op`, from (m, n) of its result.
  AffineMap getPlaces(OpOperand &operand) {
    return renameDims(getMap(operand), placeOfLoop);
  }
  BlockArgument getElement(OpOperand &operand) {
    Block *body = op.getBlock();
    return operand.getOperandNumber() < body->getNumArguments()
               ? body->getArgument(operand.getOperandNumber())
               : BlockArgument();
  }
  bool isRead(OpOperand &operand) {
    BlockArgument element = getElement(operand);
    return element && !element.use_empty();
  }
  /// The places of a whole matrix, or batch of them, like the result or like
  /// its transpose.
  AffineMap getWhole(bool transposed) {
    SmallVector<AffineExpr> places{transposed ? n : m, transposed ? m : n};
    if (rank == 3)
      places.insert(places.begin(), b);
    return AffineMap::get(rank, /*symbolCount=*/0, places, context);
  }
  OpOperand &getResult() { return op.getDpsInitsMutable()[0]; }

  GemmOp gemm;
  linalg::LinalgOp op;
  bool fromTensors;
  /// What the gemm writes, and what it will write.
  Value old, result;
  MLIRContext *context;
  /// Of the result: 3 with a batch.
  unsigned rank;
  AffineExpr m, n, b;
  /// Which of m, n and b of the new result a loop of `op` is.
  SmallVector<AffineExpr> placeOfLoop;
  bool isTransposed = false;
};

std::string Fusion::check() {
  for (auto part :
       {&Fusion::checkLoops, &Fusion::checkBuffers, &Fusion::checkBody})
    if (std::string reason = (this->*part)(); !reason.empty())
      return reason;
  return "";
}

std::string Fusion::checkLoops() {
  if (op.getNumLoops() != rank || op.getNumParallelLoops() != rank ||
      op.getNumDpsInits() != 1)
    return rank == 3 ? "expects three parallel loops and one result"
                     : "expects two parallel loops and one result";
  result = getResult().get();
  AffineMap written = getMap(getResult());
  if (!written.isPermutation())
    return "expects a result that is indexed by all loops";
  placeOfLoop.resize(rank);
  for (auto [i, place] : llvm::enumerate(getWhole(false).getResults()))
    placeOfLoop[written.getDimPosition(i)] = place;
  std::optional<AffineMap> read;
  for (OpOperand &operand : op->getOpOperands()) {
    if (operand.get() != old ||
        (operand.get() == result && !isRead(operand) && op.isDpsInit(&operand)))
      continue;
    AffineMap places = getPlaces(operand);
    if ((places != getWhole(false) && places != getWhole(true)) ||
        (read && *read != places))
      return "expects it to read the result of the matmul element by element, "
             "in one order";
    read = places;
  }
  if (!read)
    return "expects it to read the result of the matmul";
  isTransposed = *read != getWhole(false);
  if (isTransposed && old == result)
    return "expects it not to transpose the result of the matmul in place";
  return "";
}

bool Fusion::isIntermediate() {
  bool isOwn = old.getDefiningOp<memref::AllocOp>() != nullptr;
  if (auto argument = dyn_cast<BlockArgument>(old)) {
    auto func = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
    isOwn = fromTensors && func && argument.getOwner()->isEntryBlock() &&
            !func.getArgAttr(argument.getArgNumber(), kCallersBufferAttr);
  }
  // In a loop around it the next iteration would see what this one wrote.
  if (!isOwn || old.getParentBlock() != gemm->getBlock())
    return false;
  return llvm::all_of(old.getUsers(), [&](Operation *user) {
    if (user == op || user == gemm || isa<memref::DeallocOp>(user) ||
        isKnownExtent(user))
      return true;
    // What came before the gemm is overwritten or is its C.
    Operation *here = gemm->getBlock()->findAncestorOpInBlock(*user);
    return here && here->isBeforeInBlock(gemm) &&
           isa<MemoryEffectOpInterface>(user) && user->getNumResults() == 0;
  });
}

std::string Fusion::checkBuffers() {
  if (old != result && !isIntermediate())
    return "the result of the matmul is used elsewhere, too";
  SmallVector<Value> inputs{gemm.getA(), gemm.getB()};
  for (Value extra : gemm.getExtras())
    if (isa<MemRefType>(extra.getType()))
      inputs.push_back(extra);
  // The gemm moves to where the op is.
  for (Operation *between = gemm->getNextNode(); between != op;
       between = between->getNextNode())
    for (Value input : inputs)
      if (mayWrite(between, input))
        return "an operand of the matmul is written between them";
  auto isSamePlace = [&](Value value, AffineMap places) {
    return value == result && places == getWhole(false);
  };
  for (Value operand : {gemm.getA(), gemm.getB()})
    if (mayAlias(operand, result))
      return "it may overwrite an operand of the matmul";
  for (auto [index, extra] : llvm::enumerate(gemm.getExtras())) {
    if (!isa<MemRefType>(extra.getType()) || !mayAlias(extra, result))
      continue;
    auto places =
        cast<AffineMapAttr>((*gemm.getEpilogueMaps())[index]).getValue();
    if (isTransposed || !isSamePlace(extra, places))
      return "it may overwrite an operand of the epilogue";
  }
  for (OpOperand &operand : op->getOpOperands()) {
    if (operand.get() == old || !isRead(operand))
      continue;
    if (isa<MemRefType>(operand.get().getType()) &&
        mayAlias(operand.get(), result) &&
        !isSamePlace(operand.get(), getPlaces(operand)))
      return "it may overwrite its own operand " +
             std::to_string(operand.getOperandNumber());
  }
  return "";
}

std::string Fusion::checkBody() {
  for (OpOperand &operand : op->getOpOperands()) {
    if (operand.get() == old || !isRead(operand))
      continue;
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    SmallVector<int64_t> strides;
    int64_t offset;
    if (!isEpilogueElement(getEpilogueElementType(operand.get().getType())) ||
        (type && failed(type.getStridesAndOffset(strides, offset))) ||
        !isEpilogueMap(getPlaces(operand), rank == 3))
      return "operand " + std::to_string(operand.getOperandNumber()) +
             " expects elements of f32, f16, bf16, i8, i16 or i32, in places "
             "given by the loops or 0";
  }
  Type element = cast<MemRefType>(result.getType()).getElementType();
  bool isInteger = gemm.getSumType().isInteger();
  if (!element.isF32() && !element.isF16() && !element.isBF16() &&
      !(isInteger && element.isInteger(32)))
    return isInteger ? "expects a result of i32, f32, f16 or bf16"
                     : "expects a result of f32, f16 or bf16";
  for (Operation &inner : op.getBlock()->without_terminator()) {
    if (!isEpilogueOp(&inner))
      return "it contains " + inner.getName().getStringRef().str() +
             ", which docs/Epilogues.md does not list for these types";
    for (Value operand : inner.getOperands())
      if (operand.getParentBlock() != op.getBlock() &&
          !operand.getDefiningOp<arith::ConstantOp>() &&
          !isEpilogueElement(operand.getType()))
        return "it uses a value of another type than f32, f16, bf16, i8, i16 "
               "or i32";
  }
  return "";
}

/// Copies `from`'s epilogue into `block`, arguments included, with `sum` for
/// its sum. Returns the element that it stores.
Value copyEpilogue(OpBuilder &builder, GemmOp from, Block &block, Value sum) {
  Location loc = from.getLoc();
  if (!from.hasEpilogue()) {
    Type element = from.getDType().getElementType();
    if (element == sum.getType())
      return sum;
    return arith::TruncFOp::create(builder, loc, element, sum);
  }
  IRMapping mapping;
  Block &body = from.getEpilogue().front();
  mapping.map(body.getArgument(0), sum);
  for (BlockArgument argument : body.getArguments().drop_front())
    mapping.map(argument, block.addArgument(argument.getType(), loc));
  for (Operation &inner : body.without_terminator())
    builder.clone(inner, mapping);
  return mapping.lookupOrDefault(
      cast<YieldOp>(body.getTerminator()).getValue());
}

/// Whether an epilogue only does what a gemm without one does.
bool isRounding(Block &block) {
  Value stored = cast<YieldOp>(block.getTerminator()).getValue();
  if (auto trunc = stored.getDefiningOp<arith::TruncFOp>())
    stored = trunc.getIn();
  return block.getNumArguments() == 1 && stored == block.getArgument(0);
}

/// An intermediate that nobody uses any more is not allocated.
void eraseUnused(memref::AllocOp alloc) {
  if (!llvm::all_of(alloc->getUsers(), [](Operation *user) {
        return isa<memref::DeallocOp>(user) || isKnownExtent(user);
      }))
    return;
  MemRefType type = alloc.getType();
  for (Operation *user : llvm::make_early_inc_range(alloc->getUsers())) {
    if (auto dim = dyn_cast<memref::DimOp>(user)) {
      int64_t index = *dim.getConstantIndex();
      OpBuilder builder(dim);
      Value extent;
      if (type.isDynamicDim(index))
        extent = alloc.getDynamicSizes()[type.getDynamicDimIndex(index)];
      else
        extent = arith::ConstantIndexOp::create(builder, dim.getLoc(),
                                                type.getDimSize(index));
      dim.replaceAllUsesWith(extent);
    }
    user->erase();
  }
  alloc->erase();
}

GemmOp Fusion::run() {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  SmallVector<Value> extras(gemm.getExtras());
  SmallVector<AffineMap> maps;
  if (ArrayAttr before = gemm.getEpilogueMapsAttr())
    llvm::append_range(maps, before.getAsValueRange<AffineMapAttr>());
  if (isTransposed)
    for (AffineMap &map : maps)
      map =
          renameDims(map, map.getNumDims() == 3 ? ArrayRef<AffineExpr>{n, m, b}
                                                : ArrayRef<AffineExpr>{n, m});

  Region region;
  Block &block = region.emplaceBlock();
  Value sum = block.addArgument(gemm.getSumType(), gemm.getLoc());
  builder.setInsertionPointToEnd(&block);
  auto addExtra = [&](Value value, AffineMap map) -> Value {
    extras.push_back(value);
    maps.push_back(map);
    return block.addArgument(getEpilogueElementType(value.getType()), loc);
  };
  // The block's arguments follow the order of the operands: those of the old
  // epilogue come first.
  bool addsOld = gemm.getAccumulate() && old != result;
  Value element = copyEpilogue(builder, gemm, block, sum);
  if (addsOld) {
    // C is no longer where the result goes.
    Value c = addExtra(old, getWhole(isTransposed));
    builder.setInsertionPointToStart(&block);
    Value total =
        addSums(builder, loc, widenToSum(builder, loc, c, sum.getType()), sum);
    sum.replaceAllUsesExcept(total, total.getDefiningOp());
    if (element == sum)
      element = total;
    builder.setInsertionPointToEnd(&block);
  }
  IRMapping mapping;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isRead(operand))
      continue;
    mapping.map(getElement(operand),
                operand.get() == old
                    ? element
                    : addExtra(operand.get(), getPlaces(operand)));
  }
  auto capture = [&](Value value) {
    if (mapping.contains(value) || value.getParentBlock() == op.getBlock())
      return;
    Operation *constant = value.getDefiningOp();
    if (constant && isa<arith::ConstantOp>(constant))
      builder.clone(*constant, mapping);
    else
      mapping.map(value, addExtra(value, AffineMap::get(2, 0, context)));
  };
  Operation *yield = op.getBlock()->getTerminator();
  for (Operation &inner : *op.getBlock()) {
    for (Value operand : inner.getOperands())
      capture(operand);
    if (&inner != yield)
      builder.clone(inner, mapping);
  }
  YieldOp::create(builder, loc, mapping.lookup(yield->getOperand(0)));

  builder.setInsertionPoint(op);
  Value a = gemm.getA(), b = gemm.getB();
  bool transposeA = gemm.getTransposeA(), transposeB = gemm.getTransposeB();
  bool unsignedA = gemm.getUnsignedA(), unsignedB = gemm.getUnsignedB();
  if (isTransposed) {
    // D^T = B^T A^T.
    std::swap(a, b);
    std::swap(unsignedA, unsignedB);
    bool oldTransposeA = transposeA;
    transposeA = !transposeB;
    transposeB = !oldTransposeA;
  }
  auto fused = GemmOp::create(
      builder, gemm.getLoc(), a, b, result, extras, transposeA, transposeB,
      unsignedA, unsignedB, gemm.getAccumulate() && !addsOld,
      /*schedule=*/ScheduleAttr(),
      /*fallback=*/ScheduleAttr(),
      maps.empty() ? ArrayAttr() : builder.getAffineMapArrayAttr(maps));
  if (!isRounding(block))
    fused.getEpilogue().takeBody(region);
  gemm->erase();
  op->erase();
  if (auto alloc = old.getDefiningOp<memref::AllocOp>())
    eraseUnused(alloc);
  return fused;
}

/// The next op that reads or writes what `gemm` writes.
Operation *findNext(GemmOp gemm) {
  for (Operation *op = gemm->getNextNode(); op; op = op->getNextNode())
    if (touches(op, gemm.getD()))
      return op;
  return nullptr;
}

/// A fill of the result of `gemm` that it overwrites unread does nothing.
void eraseOverwrittenFill(GemmOp gemm) {
  if (gemm.getAccumulate() || llvm::is_contained(gemm.getExtras(), gemm.getD()))
    return;
  for (Operation *op = gemm->getPrevNode(); op; op = op->getPrevNode()) {
    if (!touches(op, gemm.getD()))
      continue;
    auto fill = dyn_cast<linalg::FillOp>(op);
    if (fill && fill.getOutputs().front() == gemm.getD())
      fill->erase();
    return;
  }
}

} // namespace

void bwgemm::fuseElementwise(GemmOp gemm, bool fromTensors,
                             NotFused &notFused) {
  while (Operation *next = findNext(gemm)) {
    auto op = dyn_cast<linalg::LinalgOp>(next);
    if (!op || isa<linalg::FillOp>(next) ||
        linalg::isaContractionOpInterface(op) ||
        !llvm::is_contained(op->getOperands(), gemm.getD()))
      return;
    Fusion fusion(gemm, op, fromTensors);
    if (std::string reason = fusion.check(); !reason.empty()) {
      notFused[next] = reason;
      return;
    }
    gemm = fusion.run();
    eraseOverwrittenFill(gemm);
  }
}
