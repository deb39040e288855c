//===- DescribeEpilogue.cpp - Epilogues as JSON ---------------------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DescribeEpilogue.h"

#include "bwgemm/IR/Epilogue.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::bwgemm;
namespace json = llvm::json;

/// The bits of a constant, as a number.
static int64_t getBits(Attribute value) {
  if (auto number = dyn_cast<FloatAttr>(value))
    return static_cast<int64_t>(
        number.getValue().bitcastToAPInt().getZExtValue());
  return static_cast<int64_t>(
      cast<IntegerAttr>(value).getValue().getZExtValue());
}

static json::Object describeStep(Operation &op,
                                 const DenseMap<Value, int64_t> &numbers) {
  std::string type;
  llvm::raw_string_ostream(type) << op.getResult(0).getType();
  json::Object step{{"op", op.getName().stripDialect()}, {"type", type}};
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    step["bits"] = getBits(constant.getValue());
    return step;
  }
  json::Array arguments;
  for (Value operand : op.getOperands())
    arguments.push_back(numbers.lookup(operand));
  step["args"] = std::move(arguments);
  if (isApproximateOp(&op))
    step["approximate"] = true;
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    step["predicate"] = stringifyCmpFPredicate(compare.getPredicate());
  else if (auto compare = dyn_cast<arith::CmpIOp>(op))
    step["predicate"] = stringifyCmpIPredicate(compare.getPredicate());
  return step;
}

json::Object bwgemm::describeEpilogue(
    GemmOp gemm,
    llvm::function_ref<json::Object(Value, StringRef)> describeOperand) {
  Block &block = gemm.getEpilogue().front();
  DenseMap<Value, int64_t> numbers;
  auto number = [&](Value value) {
    int64_t next = numbers.size();
    numbers[value] = next;
  };
  llvm::for_each(block.getArguments(), number);
  json::Array operands;
  for (auto [index, extra] : llvm::enumerate(gemm.getExtras())) {
    json::Object operand =
        describeOperand(extra, "epilogue operand " + std::to_string(index));
    if (isa<MemRefType>(extra.getType())) {
      auto map =
          cast<AffineMapAttr>((*gemm.getEpilogueMaps())[index]).getValue();
      json::Array place;
      for (AffineExpr result : map.getResults())
        place.push_back(getPlaceName(result));
      operand["place"] = std::move(place);
    }
    operands.push_back(std::move(operand));
  }
  json::Array steps;
  for (Operation &op : block.without_terminator()) {
    steps.push_back(describeStep(op, numbers));
    number(op.getResult(0));
  }
  int64_t result =
      numbers.lookup(cast<YieldOp>(block.getTerminator()).getValue());
  return json::Object{{"operands", std::move(operands)},
                      {"steps", std::move(steps)},
                      {"result", result}};
}
