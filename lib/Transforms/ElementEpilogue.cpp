//===- ElementEpilogue.cpp - From sums to what is stored ------------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementEpilogue.h"

#include "bwgemm/IR/Epilogue.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::bwgemm;

ElementEpilogue::ElementEpilogue(ValueRange extras, ArrayAttr maps,
                                 Region &region, MemRefType d)
    : extras(extras), maps(maps), region(&region), element(d.getElementType()),
      given(extras.size(), false) {}

ElementEpilogue::ElementEpilogue(StoreOp store)
    : ElementEpilogue(store.getExtras(), store.getEpilogueMapsAttr(),
                      store.getEpilogue(),
                      cast<MemRefType>(store.getD().getType())) {}

AffineMap ElementEpilogue::getMap(unsigned index) const {
  return cast<AffineMapAttr>(maps[index]).getValue();
}

bool ElementEpilogue::isOfColumns(unsigned index) const {
  AffineMap map = getMap(index);
  return isa<MemRefType>(extras[index].getType()) && map.isFunctionOfDim(1) &&
         !map.isFunctionOfDim(0);
}

Type ElementEpilogue::getOperandType(unsigned index) const {
  return getEpilogueElementType(extras[index].getType());
}

bool ElementEpilogue::hasOperandsAlongRows() const {
  for (unsigned i = 0; i < extras.size(); ++i)
    if (!given[i] && getMap(i).isFunctionOfDim(1))
      return true;
  return false;
}

/// Whether neighbours in a row of D are neighbours in memory.
bool ElementEpilogue::isVectorLoad(unsigned index) const {
  AffineMap map = getMap(index);
  if (!map.isFunctionOfDim(1) || !map.getResults().back().isFunctionOfDim(1))
    return false;
  SmallVector<int64_t> strides;
  int64_t offset;
  auto type = cast<MemRefType>(extras[index].getType());
  return succeeded(type.getStridesAndOffset(strides, offset)) &&
         strides.back() == 1;
}

/// Bytes of an access of `width` elements; 16 are the most that one takes.
static int64_t getAccessBytes(Type element, int64_t width) {
  return std::min<int64_t>(
      16, width * llvm::divideCeil(element.getIntOrFloatBitWidth(), 8));
}

Value ElementEpilogue::emitAligned(OpBuilder &builder, Location loc,
                                   int64_t width) const {
  Value aligned;
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  for (auto [index, extra] : llvm::enumerate(extras)) {
    if (given[index] || !isVectorLoad(index))
      continue;
    auto type = cast<MemRefType>(extra.getType());
    int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    auto metadata =
        memref::ExtractStridedMetadataOp::create(builder, loc, extra);
    auto inBytes = [&](Value elements) -> Value {
      return builder.createOrFold<arith::MulIOp>(loc, elements,
                                                 constant(bytes));
    };
    Value bits = arith::AddIOp::create(
        builder, loc,
        memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, extra),
        inBytes(metadata.getOffset()));
    // Of all dimensions but the last one, which is contiguous.
    for (Value stride : metadata.getStrides().drop_back())
      bits = builder.createOrFold<arith::OrIOp>(loc, bits, inBytes(stride));
    Value low = arith::AndIOp::create(
        builder, loc, bits,
        constant(getAccessBytes(type.getElementType(), width) - 1));
    Value here = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       low, constant(0));
    aligned =
        aligned ? arith::AndIOp::create(builder, loc, aligned, here).getResult()
                : here;
  }
  return aligned;
}

/// Where the element for a place of D is in an operand.
static SmallVector<Value> getPlace(OpBuilder &builder, Location loc,
                                   AffineMap map, Value row, Value column) {
  SmallVector<Value> place;
  for (AffineExpr result : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(result);
    if (!dim)
      place.push_back(arith::ConstantIndexOp::create(builder, loc, 0));
    else
      place.push_back(dim.getPosition() == 0 ? row : column);
  }
  return place;
}

Value ElementEpilogue::loadOne(OpBuilder &builder, Location loc, unsigned index,
                               Value row, Value column) const {
  if (!isa<MemRefType>(extras[index].getType()))
    return extras[index];
  return memref::LoadOp::create(
      builder, loc, extras[index],
      getPlace(builder, loc, getMap(index), row, column));
}

static Value splat(OpBuilder &builder, Location loc, Value value,
                   int64_t width) {
  if (width == 0)
    return value;
  return vector::BroadcastOp::create(
      builder, loc, VectorType::get(width, value.getType()), value);
}

SmallVector<Value> ElementEpilogue::load(OpBuilder &builder, Location loc,
                                         Value row, Value column, int64_t width,
                                         ArrayRef<Value> known) const {
  SmallVector<Value> elements;
  for (unsigned i = 0; i < extras.size(); ++i) {
    if (given[i]) {
      elements.push_back(known[i]);
      continue;
    }
    AffineMap map = getMap(i);
    if (width == 0 || !map.isFunctionOfDim(1)) {
      elements.push_back(
          splat(builder, loc, loadOne(builder, loc, i, row, column), width));
      continue;
    }
    Type type = getOperandType(i);
    if (isVectorLoad(i)) {
      elements.push_back(vector::LoadOp::create(
          builder, loc, VectorType::get(width, type), extras[i],
          getPlace(builder, loc, map, row, column), /*nontemporal=*/false,
          llvm::MaybeAlign(getAccessBytes(type, width))));
      continue;
    }
    SmallVector<Value> neighbours;
    for (int64_t n = 0; n < width; ++n) {
      Value at = builder.createOrFold<arith::AddIOp>(
          loc, column, arith::ConstantIndexOp::create(builder, loc, n));
      neighbours.push_back(loadOne(builder, loc, i, row, at));
    }
    elements.push_back(vector::FromElementsOp::create(
        builder, loc, VectorType::get(width, type), neighbours));
  }
  return elements;
}

/// `place`, or the last one of `extent`.
static Value clamp(OpBuilder &builder, Location loc, Value place,
                   Value extent) {
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value last = builder.createOrFold<arith::SubIOp>(loc, extent, one);
  return builder.createOrFold<arith::MinUIOp>(loc, place, last);
}

Value ElementEpilogue::loadOfColumn(OpBuilder &builder, Location loc,
                                    unsigned index, Value column,
                                    Value columns) const {
  // There are no rows in its map.
  return loadOne(builder, loc, index, /*row=*/Value(),
                 clamp(builder, loc, column, columns));
}

SmallVector<Value> ElementEpilogue::loadClamped(OpBuilder &builder,
                                                Location loc, Value row,
                                                Value column, int64_t width,
                                                Value rows, Value columns,
                                                ArrayRef<Value> known) const {
  Value inRow = clamp(builder, loc, row, rows);
  SmallVector<Value> places;
  for (int64_t n = 0; n < std::max<int64_t>(width, 1); ++n)
    places.push_back(
        clamp(builder, loc,
              builder.createOrFold<arith::AddIOp>(
                  loc, column, arith::ConstantIndexOp::create(builder, loc, n)),
              columns));
  SmallVector<Value> elements;
  for (unsigned i = 0; i < extras.size(); ++i) {
    if (given[i]) {
      elements.push_back(known[i]);
      continue;
    }
    if (width == 0 || !getMap(i).isFunctionOfDim(1)) {
      elements.push_back(splat(builder, loc,
                               loadOne(builder, loc, i, inRow, places.front()),
                               width));
      continue;
    }
    SmallVector<Value> neighbours;
    for (Value place : places)
      neighbours.push_back(loadOne(builder, loc, i, inRow, place));
    elements.push_back(vector::FromElementsOp::create(
        builder, loc, VectorType::get(width, getOperandType(i)), neighbours));
  }
  return elements;
}

/// `type` for numbers or for vectors, as `like` is.
static Type getLike(Type type, Type like) {
  auto vector = dyn_cast<VectorType>(like);
  return vector ? vector.clone(type) : type;
}

static bool is16BitFloat(Type type) { return type.isF16() || type.isBF16(); }

/// Emits integers of 32 bits as the f32 of which rounding to bf16 makes what it
/// would make of them: of those that f32 does not hold, the odd one of the two
/// multiples of 256 round each, so that no tie comes or goes.
static Value emitOddF32(OpBuilder &builder, Location loc, Value value,
                        bool isSigned) {
  Type like = value.getType();
  auto constant = [&](int64_t number) -> Value {
    TypedAttr attribute = builder.getI32IntegerAttr(number);
    if (auto vector = dyn_cast<VectorType>(like))
      attribute = DenseElementsAttr::get(vector, Attribute(attribute));
    return arith::ConstantOp::create(builder, loc, attribute);
  };
  auto both = [&](Value lhs, Value rhs) -> Value {
    return arith::AndIOp::create(builder, loc, lhs, rhs);
  };
  constexpr int64_t exact = int64_t(1) << 24;
  Value rest = both(value, constant(0xFF));
  Value isInexact = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ne, rest, constant(0));
  Value odd = arith::OrIOp::create(builder, loc, both(value, constant(-256)),
                                   constant(256));
  // Between -2^24 and 2^24 nothing is lost.
  Value place =
      isSigned ? arith::AddIOp::create(builder, loc, value, constant(exact))
                     .getResult()
               : value;
  Value isLarge =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ugt, place,
                            constant(isSigned ? 2 * exact : exact));
  value = arith::SelectOp::create(builder, loc, both(isInexact, isLarge), odd,
                                  value);
  Type f32 = getLike(builder.getF32Type(), like);
  if (isSigned)
    return arith::SIToFPOp::create(builder, loc, f32, value);
  return arith::UIToFPOp::create(builder, loc, f32, value);
}

/// Emits `op` of an epilogue for numbers or vectors, as `like` is.
static Value emitOp(OpBuilder &builder, Location loc, Operation &op, Type like,
                    const IRMapping &mapping) {
  Type type = op.getResult(0).getType();
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    TypedAttr value = constant.getValue();
    if (auto vector = dyn_cast<VectorType>(like))
      value = DenseElementsAttr::get(vector.clone(type), value);
    return arith::ConstantOp::create(builder, loc, value);
  }
  SmallVector<Value> operands;
  for (Value operand : op.getOperands())
    operands.push_back(mapping.lookup(operand));
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op) && type.isBF16() &&
      op.getOperand(0).getType().isInteger(32))
    return arith::TruncFOp::create(
        builder, loc, getLike(type, like),
        emitOddF32(builder, loc, operands[0], isa<arith::SIToFPOp>(op)));
  // Arithmetic of 16 bits is that of f32, rounded: f32 has more than twice the
  // digits and two more, so that for sums, products, quotients and roots
  // rounding twice is rounding once.
  bool isWidened = llvm::any_of(op.getOperandTypes(), is16BitFloat) &&
                   !isa<arith::ExtFOp, arith::TruncFOp, arith::SelectOp>(op);
  if (isWidened)
    for (Value &operand : operands)
      operand = arith::ExtFOp::create(
          builder, loc, getLike(builder.getF32Type(), like), operand);
  Type computed = isWidened && is16BitFloat(type) ? builder.getF32Type() : type;
  OperationState state(loc, op.getName());
  state.addOperands(operands);
  state.addTypes(getLike(computed, like));
  for (NamedAttribute attribute : op.getAttrs())
    if (attribute.getName() != "fastmath" &&
        attribute.getName() != "overflowFlags")
      state.addAttribute(attribute.getName(), attribute.getValue());
  // Of what fast-math flags allow, approximations are all that is made use of.
  if (isApproximateOp(&op))
    state.addAttribute(
        "fastmath", arith::FastMathFlagsAttr::get(op.getContext(),
                                                  arith::FastMathFlags::afn));
  Value result = builder.create(state)->getResult(0);
  if (computed != type)
    result = arith::TruncFOp::create(builder, loc, getLike(type, like), result);
  return result;
}

Value ElementEpilogue::compute(OpBuilder &builder, Location loc, Value sum,
                               ValueRange elements) const {
  Type like = sum.getType();
  if (isRounding()) {
    if (element == getElementTypeOrSelf(like))
      return sum;
    return arith::TruncFOp::create(builder, loc, getLike(element, like), sum);
  }
  Block &block = region->front();
  IRMapping mapping;
  mapping.map(block.getArgument(0), sum);
  mapping.map(block.getArguments().drop_front(), elements);
  for (Operation &op : block.without_terminator())
    mapping.map(op.getResult(0), emitOp(builder, loc, op, like, mapping));
  return mapping.lookup(cast<YieldOp>(block.getTerminator()).getValue());
}
