//===- TensorMemoryOps.cpp - Verifiers of tensor-memory ops ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandVerifiers.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::bwgemm;

/// A slot holds what an accumulator needs.
static LogicalResult verifySlot(Operation *op, TmemType tmem,
                                TmemSlotType slot) {
  int64_t needed = tmem.getAllocatedColumns();
  if (slot.getColumns() < needed)
    return op->emitOpError() << "expects a slot of at least " << needed
                             << " columns, but got " << slot.getColumns();
  return success();
}

// tmem_alloc_c1
LogicalResult TmemAllocOp::verify() {
  return verifyCtaGroup(*this, static_cast<int64_t>(getCtaGroup()));
}

// tmem_get_c1
LogicalResult TmemGetOp::verify() {
  return verifySlot(*this, getTmem().getType(), getSlot().getType());
}

LogicalResult TmemDeallocOp::verify() {
  // tmem_dealloc_c2
  if (failed(verifyCtaGroup(*this, static_cast<int64_t>(getCtaGroup()))))
    return failure();
  // tmem_dealloc_c1
  return verifySlot(*this, getTmem().getType(), getSlot().getType());
}

LogicalResult TmemLoadOp::verify() {
  int64_t elements = getFragment().getType().getNumElements();
  bool wide = getShape() == TmemShape::Shape16x256b;
  // tmem_load_c1: registers per repetition, and the most repetitions (PTX ISA,
  // tcgen05.ld).
  int64_t unit = wide ? 4 : 1, maxRepeat = wide ? 32 : 128;
  int64_t repeat = elements / unit;
  if (elements % unit != 0 || repeat < 1 || repeat > maxRepeat ||
      !llvm::isPowerOf2_64(repeat))
    return emitOpError() << "expects " << unit
                         << " elements times a power of two up to " << maxRepeat
                         << " for shape " << stringifyTmemShape(getShape())
                         << ", but got " << elements;
  int64_t columns = wide ? 8 * repeat : repeat;
  TmemType tmem = getTmem().getType();
  // tmem_load_c2
  int64_t room = tmem.getCellColumns();
  if (columns > room)
    return emitOpError() << "expects a fragment of at most " << room
                         << " columns, but got " << columns;
  // tmem_load_c5
  Type element = getFragment().getType().getElementType();
  if (element != tmem.getElementType())
    return emitOpError() << "expects a fragment of " << tmem.getElementType()
                         << ", but got " << element;
  IntegerAttr constant;
  // tmem_load_c3
  if (matchPattern(getColumn(), m_Constant(&constant))) {
    int64_t column = constant.getValue().getSExtValue();
    if (column < 0 || column + columns > room)
      return emitOpError() << "expects columns within the accumulator's "
                           << room << ", but got " << column << " to "
                           << column + columns - 1;
  }
  // tmem_load_c4: an accumulator of 64 rows has none in lanes 16 to 31 of a
  // warp's quarter.
  if (matchPattern(getLane(), m_Constant(&constant))) {
    int64_t lane = constant.getValue().getSExtValue();
    bool filled = tmem.getRows() == 128 || tmem.getFolded();
    int64_t step = wide && filled ? 16 : 32;
    if (lane < 0 || lane >= 128 || lane % step != 0)
      return emitOpError() << "expects a lane below 128 that is a multiple of "
                           << step << " for shape "
                           << stringifyTmemShape(getShape()) << " and "
                           << tmem.getRows() << " rows, but got " << lane;
  }
  return success();
}

ParseResult TmemLoadOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand tmem, lane, column;
  std::string shapeName;
  Type tmemType, fragmentType;
  SMLoc shapeLoc;
  if (parser.parseOperand(tmem) || parser.parseLSquare() ||
      parser.parseOperand(lane) || parser.parseComma() ||
      parser.parseOperand(column) || parser.parseRSquare() ||
      parser.getCurrentLocation(&shapeLoc) || parser.parseString(&shapeName) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(tmemType) || parser.parseArrow() ||
      parser.parseType(fragmentType))
    return failure();
  std::optional<TmemShape> shape = symbolizeTmemShape(shapeName);
  if (!shape)
    return parser.emitError(shapeLoc, "expects a shape of \"32x32b\" or "
                                      "\"16x256b\", but got \"")
           << shapeName << "\"";
  Builder &builder = parser.getBuilder();
  result.addAttribute("shape",
                      builder.getI32IntegerAttr(static_cast<int32_t>(*shape)));
  result.addTypes(fragmentType);
  Type index = builder.getIndexType();
  return failure(parser.resolveOperand(tmem, tmemType, result.operands) ||
                 parser.resolveOperand(lane, index, result.operands) ||
                 parser.resolveOperand(column, index, result.operands));
}

void TmemLoadOp::print(OpAsmPrinter &printer) {
  printer << " " << getTmem() << "[" << getLane() << ", " << getColumn()
          << "] \"" << stringifyTmemShape(getShape()) << "\"";
  printer.printOptionalAttrDict((*this)->getAttrs(), {"shape"});
  printer << " : " << getTmem().getType() << " -> " << getFragment().getType();
}
