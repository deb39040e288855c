//===- Epilogue.cpp - What is done to a sum before it is stored -----------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm/IR/Epilogue.h"

#include "EpilogueSyntax.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::bwgemm;

Type bwgemm::getEpilogueElementType(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref ? memref.getElementType() : type;
}

bool bwgemm::isEpilogueType(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.isSignless() &&
           llvm::is_contained({1, 8, 16, 32}, integer.getWidth());
  return type.isF32() || type.isF16() || type.isBF16();
}

bool bwgemm::isEpilogueElement(Type type) {
  return isEpilogueType(type) && !type.isInteger(1);
}

bool bwgemm::isEpilogueOp(Operation *op) {
  bool known =
      isa<arith::ConstantOp, arith::AddFOp, arith::SubFOp, arith::MulFOp,
          arith::DivFOp, arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp,
          arith::MaxNumFOp, arith::MinNumFOp, arith::CmpFOp, arith::ExtFOp,
          arith::TruncFOp, arith::AddIOp, arith::SubIOp, arith::MulIOp,
          arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::CmpIOp,
          arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::SIToFPOp,
          arith::UIToFPOp, arith::SelectOp>(op) ||
      isa<math::AbsFOp, math::CeilOp, math::FloorOp, math::FmaOp, math::ExpOp,
          math::Exp2Op, math::LogOp, math::Log2Op, math::SqrtOp, math::RsqrtOp,
          math::TanhOp, math::ErfOp>(op);
  // Only to nearest even is rounding the same on every road. A fused
  // multiply-add of 16 bits cannot be had from one of f32.
  if (auto trunc = dyn_cast<arith::TruncFOp>(op))
    if (trunc.getRoundingmode().value_or(
            arith::RoundingMode::to_nearest_even) !=
        arith::RoundingMode::to_nearest_even)
      return false;
  if (isa<math::FmaOp>(op) && !op->getResult(0).getType().isF32())
    return false;
  return known && llvm::all_of(op->getOperandTypes(), isEpilogueType) &&
         llvm::all_of(op->getResultTypes(), isEpilogueType);
}

bool bwgemm::isApproximateOp(Operation *op) {
  if (!isa<math::TanhOp, math::ExpOp, math::Exp2Op>(op))
    return false;
  auto fast = cast<arith::ArithFastMathInterface>(op);
  return arith::bitEnumContainsAll(fast.getFastMathFlagsAttr().getValue(),
                                   arith::FastMathFlags::afn);
}

bool bwgemm::computesFunctions(Region &epilogue) {
  return epilogue
      .walk([](Operation *op) {
        return isa<math::ExpOp, math::Exp2Op, math::LogOp, math::Log2Op,
                   math::TanhOp, math::ErfOp>(op) &&
                       !isApproximateOp(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

bool bwgemm::isEpilogueMap(AffineMap map, bool isBatched) {
  bool dims = map.getNumDims() == 2 || (map.getNumDims() == 3 && isBatched);
  return dims && map.getNumSymbols() == 0 &&
         map.isProjectedPermutation(/*allowZeroInResults=*/true);
}

unsigned bwgemm::getDimOfResult(AffineDimExpr place, int64_t rank) {
  // m, n, b; in memory the batch is outermost.
  return place.getPosition() == 2 ? 0 : rank - 2 + place.getPosition();
}

StringRef bwgemm::getPlaceName(AffineExpr place) {
  auto dim = dyn_cast<AffineDimExpr>(place);
  return dim ? StringRef("mnb").substr(dim.getPosition(), 1) : "0";
}

LogicalResult bwgemm::verifyEpilogue(Operation *op, ValueRange extras,
                                     ArrayAttr maps, Region &region,
                                     MemRefType d, Type sum) {
  if (region.empty()) {
    // epilogue_c1
    if (!extras.empty() || maps)
      return op->emitOpError("expects no operands for an epilogue without a "
                             "region");
    return success();
  }
  // epilogue_c2
  size_t count = maps ? maps.size() : 0;
  if (count != extras.size())
    return op->emitOpError() << "expects one map for each of the epilogue's "
                             << extras.size() << " operands, but got " << count;
  for (auto [index, extra] : llvm::enumerate(extras)) {
    auto map = cast<AffineMapAttr>(maps[index]).getValue();
    auto error = [&]() -> InFlightDiagnostic {
      return op->emitOpError() << "operand " << index << " of the epilogue ";
    };
    auto type = dyn_cast<MemRefType>(extra.getType());
    // epilogue_c3
    if (!isEpilogueElement(getEpilogueElementType(extra.getType())))
      return error() << "expects a memref or a number of f32, f16, bf16, i8, "
                        "i16 or i32, but got "
                     << extra.getType();
    // epilogue_c4
    size_t rank = type ? type.getRank() : 0;
    if (!isEpilogueMap(map, d.getRank() == 3) || map.getNumResults() != rank)
      return error() << "expects m, n or 0 for each of its " << rank
                     << " dimensions, m and n at most once, but got "
                     << maps[index];
    if (!type)
      continue;
    // epilogue_c5
    SmallVector<int64_t> strides;
    int64_t offset;
    if (failed(type.getStridesAndOffset(strides, offset)))
      return error() << "expects a strided layout, but got " << type;
    // epilogue_c6
    for (auto [dimension, result] : llvm::enumerate(map.getResults())) {
      auto place = dyn_cast<AffineDimExpr>(result);
      int64_t got = type.getDimSize(dimension);
      int64_t expected =
          place ? d.getDimSize(getDimOfResult(place, d.getRank())) : 1;
      if (!ShapedType::isDynamic(got) && !ShapedType::isDynamic(expected) &&
          got != expected)
        return error() << "expects an extent of " << expected
                       << " in dimension " << dimension << ", but got " << got;
    }
  }
  Block &block = region.front();
  // epilogue_c7
  SmallVector<Type> expected{sum};
  for (Value extra : extras)
    expected.push_back(getEpilogueElementType(extra.getType()));
  if (block.getArgumentTypes() != TypeRange(expected))
    return op->emitOpError()
           << "expects an epilogue of the arguments (" << expected
           << "), but got (" << block.getArgumentTypes() << ")";
  // epilogue_c8
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield || yield.getValue().getType() != d.getElementType())
    return op->emitOpError() << "expects an epilogue that ends with a "
                                "bwgemm.yield of the result's type "
                             << d.getElementType();
  // epilogue_c9
  for (Operation &inner : block.without_terminator())
    if (!isEpilogueOp(&inner))
      return inner.emitOpError("cannot stand in an epilogue: expects an op of "
                               "arith or math on f32, f16, bf16, i1, i8, i16 "
                               "or i32 that docs/Epilogues.md lists");
  return success();
}

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

/// `[m, n]`, if it is there.
static ParseResult parsePlace(OpAsmParser &parser, AffineMap &map) {
  MLIRContext *context = parser.getContext();
  SmallVector<AffineExpr> results;
  unsigned dims = 2;
  auto parseOne = [&]() -> ParseResult {
    int64_t zero = 0;
    OptionalParseResult number = parser.parseOptionalInteger(zero);
    if (number.has_value()) {
      if (failed(*number) || zero != 0)
        return parser.emitError(parser.getCurrentLocation(),
                                "expected m, n, 0 or, with a batch, b");
      results.push_back(getAffineConstantExpr(0, context));
      return success();
    }
    StringRef name;
    if (parser.parseKeyword(&name))
      return failure();
    size_t dim =
        name.size() == 1 ? StringRef("mnb").find(name) : StringRef::npos;
    if (dim == StringRef::npos)
      return parser.emitError(parser.getCurrentLocation(),
                              "expected m, n, 0 or, with a batch, b, got '")
             << name << "'";
    dims = std::max<unsigned>(dims, dim + 1);
    results.push_back(getAffineDimExpr(dim, context));
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::OptionalSquare,
                                     parseOne))
    return failure();
  map = AffineMap::get(dims, /*symbolCount=*/0, results, context);
  return success();
}

ParseResult
bwgemm::parseEpilogue(OpAsmParser &parser,
                      SmallVectorImpl<OpAsmParser::UnresolvedOperand> &extras,
                      SmallVectorImpl<Type> &types, ArrayAttr &maps,
                      Region &region) {
  Builder &builder = parser.getBuilder();
  SmallVector<OpAsmParser::Argument> arguments(1);
  arguments.front().type = builder.getF32Type();
  if (parser.parseLParen() || parser.parseArgument(arguments.front()) ||
      (succeeded(parser.parseOptionalColon()) &&
       parser.parseType(arguments.front().type)))
    return failure();
  SmallVector<AffineMap> places;
  while (succeeded(parser.parseOptionalComma())) {
    OpAsmParser::Argument &argument = arguments.emplace_back();
    if (parser.parseArgument(argument) || parser.parseEqual() ||
        parser.parseOperand(extras.emplace_back()) ||
        parsePlace(parser, places.emplace_back()) ||
        parser.parseColonType(types.emplace_back()))
      return failure();
    argument.type = getEpilogueElementType(types.back());
  }
  if (!places.empty())
    maps = builder.getAffineMapArrayAttr(places);
  return failure(parser.parseRParen() || parser.parseRegion(region, arguments));
}

void bwgemm::printEpilogue(OpAsmPrinter &printer, Operation *,
                           OperandRange extras, TypeRange types, ArrayAttr maps,
                           Region &region) {
  auto argument = [&](unsigned index) {
    printer.printRegionArgument(region.getArgument(index), /*argAttrs=*/{},
                                /*omitType=*/true);
  };
  printer << "(";
  argument(0);
  if (Type sum = region.getArgument(0).getType(); !sum.isF32())
    printer << " : " << sum;
  for (auto [index, extra] : llvm::enumerate(extras)) {
    printer << ", ";
    argument(index + 1);
    printer << " = " << extra;
    if (isa<MemRefType>(types[index])) {
      auto map = cast<AffineMapAttr>(maps[index]).getValue();
      printer << "[";
      llvm::interleaveComma(map.getResults(), printer, [&](AffineExpr place) {
        printer << getPlaceName(place);
      });
      printer << "]";
    }
    printer << " : " << types[index];
  }
  printer << ") ";
  printer.printRegion(region, /*printEntryBlockArgs=*/false);
}
