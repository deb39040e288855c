//===- Description.cpp - What a library says of its functions ---*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Description.h"

#include "bwgemm-runtime/Npy.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>

using nlohmann::json;

namespace bwgemm::runner {
namespace {

/// The newest version of the format that this program reads.
constexpr int64_t descriptionVersion = 1;

/// Reads JSON values and keeps the first thing that is not as expected.
class Reader {
public:
  explicit Reader(std::string &error) : error(error) {}

  bool ok() const { return error.empty(); }

  void fail(const std::string &where, const std::string &expected) {
    if (ok())
      error = where + ": expected " + expected;
  }

  const json *member(const json &object, const char *key,
                     const std::string &where, bool required = true) {
    auto found = object.is_object() ? object.find(key) : object.end();
    if (object.is_object() && found != object.end())
      return &*found;
    if (required)
      fail(where, std::string("a field '") + key + "'");
    return nullptr;
  }

  std::string string(const json &object, const char *key,
                     const std::string &where, bool required = true) {
    const json *value = member(object, key, where, required);
    if (!value)
      return "";
    if (value->is_string())
      return value->get<std::string>();
    fail(where + "." + key, "a string");
    return "";
  }

  int64_t integer(const json &value, const std::string &where) {
    if (value.is_number_integer())
      return value.get<int64_t>();
    fail(where, "an integer");
    return 0;
  }

  bool boolean(const json &object, const char *key, const std::string &where,
               bool otherwise) {
    const json *value = member(object, key, where, false);
    if (!value)
      return otherwise;
    if (value->is_boolean())
      return value->get<bool>();
    fail(where + "." + key, "true or false");
    return otherwise;
  }

  const json &array(const json &object, const char *key,
                    const std::string &where, bool required = true) {
    static const json none = json::array();
    const json *value = member(object, key, where, required);
    if (!value)
      return none;
    if (value->is_array())
      return *value;
    fail(where + "." + key, "an array");
    return none;
  }

  std::vector<int64_t> extents(const json &object, const char *key,
                               const std::string &where, bool required) {
    std::vector<int64_t> result;
    for (const json &value : array(object, key, where, required)) {
      result.push_back(integer(value, where + "." + key));
      if (result.back() < -1)
        fail(where + "." + key, "numbers of at least 0, or -1");
    }
    return result;
  }

private:
  std::string &error;
};

bool readArgument(Reader &reader, const json &object, const std::string &where,
                  FunctionInfo &function) {
  ArgumentInfo argument;
  std::string typeName = reader.string(object, "element_type", where);
  auto unusable = [&](const std::string &why) {
    if (function.notCallable.empty())
      function.notCallable =
          "argument " + std::to_string(function.arguments.size()) + " " + why;
  };
  if (reader.boolean(object, "scalar", where, false)) {
    unusable("is a scalar of type " + typeName +
             "; this program can only pass memrefs");
    function.arguments.push_back(argument);
    return reader.ok();
  }
  if (auto type = runtime::parseElementType(typeName))
    argument.type = *type;
  else
    unusable("has element type " + typeName + "; this program knows " +
             runtime::elementTypeNames());
  argument.shape = reader.extents(object, "shape", where, true);
  argument.strides = reader.extents(object, "strides", where, false);
  if (!argument.strides.empty() &&
      argument.strides.size() != argument.shape.size())
    reader.fail(where + ".strides", "as many numbers as in 'shape'");
  if (const json *offset = reader.member(object, "offset", where, false))
    argument.offset = reader.integer(*offset, where + ".offset");
  std::string access = reader.string(object, "access", where);
  argument.read = access.find("read") != std::string::npos;
  argument.written = access.find("write") != std::string::npos;
  if (!argument.read && !argument.written)
    reader.fail(where + ".access", "read, write or read_write");
  function.arguments.push_back(std::move(argument));
  return reader.ok();
}

OperandInfo readOperand(Reader &reader, const json &object, const char *key,
                        const std::string &where,
                        const FunctionInfo &function) {
  OperandInfo operand;
  const json *value = reader.member(object, key, where);
  if (!value)
    return operand;
  std::string place = where + "." + key;
  if (const json *argument = reader.member(*value, "arg", place, false)) {
    operand.argument = reader.integer(*argument, place + ".arg");
    if (operand.argument < 0 ||
        operand.argument >= int64_t(function.arguments.size())) {
      reader.fail(place + ".arg", "the index of an argument");
      operand.argument = -1;
    }
  }
  if (operand.argument >= 0)
    operand.type = function.arguments[size_t(operand.argument)].type;
  if (reader.boolean(*value, "unsigned", place, false) &&
      operand.type == runtime::ElementType::I8)
    operand.type = runtime::ElementType::U8;
  operand.transposed = reader.boolean(*value, "transposed", place, false);
  return operand;
}

void readEpilogue(Reader &reader, const json &object, const std::string &where,
                  const FunctionInfo &function, OperationInfo &operation) {
  operation.hasEpilogue = true;
  for (const json &entry : reader.array(object, "operands", where)) {
    std::string place = where + ".operands";
    EpilogueOperandInfo operand;
    if (const json *argument = reader.member(entry, "arg", place, false))
      operand.argument = reader.integer(*argument, place + ".arg");
    if (operand.argument >= int64_t(function.arguments.size()))
      reader.fail(place + ".arg", "the index of an argument");
    for (const json &dimension : reader.array(entry, "place", place, false)) {
      std::string text =
          dimension.is_string() ? dimension.get<std::string>() : "";
      if (text != "m" && text != "n" && text != "b" && text != "0")
        reader.fail(place + ".place", "m, n, b or 0");
      operand.place.push_back(text.empty() ? '0' : text[0]);
    }
    operation.epilogueOperands.push_back(std::move(operand));
  }
  for (const json &entry : reader.array(object, "steps", where)) {
    std::string place = where + ".steps";
    runtime::EpilogueStep step;
    step.op = reader.string(entry, "op", place);
    step.predicate = reader.string(entry, "predicate", place, false);
    std::string type = reader.string(entry, "type", place);
    if (!runtime::EpilogueType::parse(type, step.type))
      operation.notCheckable =
          "this program does not know values of " + type + " in an epilogue";
    for (const json &argument : reader.array(entry, "args", place, false))
      step.arguments.push_back(
          size_t(reader.integer(argument, place + ".args")));
    if (const json *bits = reader.member(entry, "bits", place, false))
      step.bits = uint64_t(reader.integer(*bits, place + ".bits"));
    step.isApproximate = reader.boolean(entry, "approximate", place, false);
    operation.epilogue.steps.push_back(std::move(step));
  }
  if (const json *result = reader.member(object, "result", where))
    operation.epilogue.result =
        size_t(reader.integer(*result, where + ".result"));
}

/// How the operands multiply, which decides what sums may be.
void readArithmetic(Reader &reader, const json &object,
                    const std::string &where, const std::string &target,
                    OperationInfo &operation) {
  using runtime::ElementType;
  auto isFp8 = [](const OperandInfo &operand) {
    return operand.type == ElementType::E4M3 ||
           operand.type == ElementType::E5M2;
  };
  // See runtime/include/bwgemm-runtime/Reference.h.
  std::string by = reader.string(object, "multiplied_by", where, false);
  bool isShort = by == "wgmma" || (by == "mma.sync" && target == "sm_89");
  if (isShort && isFp8(operation.a) && isFp8(operation.b))
    operation.sumBits = 14;
  if (reader.string(object, "precision", where, false) == "tf32")
    operation.a.type = operation.b.type = ElementType::TF32;
  std::string sums = reader.string(object, "accumulator", where, false);
  if (sums == "f16") {
    operation.halfBlock = std::numeric_limits<int64_t>::max();
    if (const json *block = reader.member(object, "promote", where, false))
      operation.halfBlock = reader.integer(*block, where + ".promote");
    if (operation.halfBlock < 1)
      reader.fail(where + ".promote", "a number of 1 or more");
  } else if (!sums.empty()) {
    operation.notCheckable = "this program does not know sums of " + sums;
  }
  if (!runtime::isFloat(operation.a.type))
    operation.epilogue.sumType = ElementType::I32;
}

void readOperation(Reader &reader, const json &object, const std::string &where,
                   const std::string &target, FunctionInfo &function) {
  OperationInfo operation;
  std::string kind = reader.string(object, "op", where);
  if (kind != "gemm") {
    operation.notCheckable = "this program does not know the operation " + kind;
  } else {
    operation.a = readOperand(reader, object, "a", where, function);
    operation.b = readOperand(reader, object, "b", where, function);
    operation.d = readOperand(reader, object, "d", where, function);
    operation.accumulate = reader.boolean(object, "accumulate", where, false);
    readArithmetic(reader, object, where, target, operation);
    if (const json *epilogue = reader.member(object, "epilogue", where, false))
      readEpilogue(reader, *epilogue, where + ".epilogue", function, operation);
    if (!reader.boolean(object, "checkable", where, true)) {
      operation.notCheckable = reader.string(object, "reason", where, false);
      if (operation.notCheckable.empty())
        operation.notCheckable = "the library says that it cannot be checked";
    } else if (operation.a.argument < 0 || operation.b.argument < 0 ||
               operation.d.argument < 0) {
      operation.notCheckable = "not all operands are arguments";
    }
  }
  function.operations.push_back(std::move(operation));
}

} // namespace

bool ArgumentInfo::isDynamic() const {
  return std::find(shape.begin(), shape.end(), -1) != shape.end();
}

std::string ArgumentInfo::text() const {
  return std::string(runtime::name(type)) + " " + runtime::formatShape(shape);
}

void FunctionInfo::tile(int64_t &m, int64_t &n, bool &found) const {
  long long tileM = 0, tileN = 0;
  size_t place = schedule.find("tile=");
  found = place != std::string::npos &&
          std::sscanf(schedule.c_str() + place, "tile=%lldx%lld", &tileM,
                      &tileN) == 2 &&
          tileM > 0 && tileN > 0;
  if (found) {
    m = tileM;
    n = tileN;
  }
}

bool Description::parse(const char *text, Description &description,
                        std::string &error) {
  error.clear();
  json document = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded() || !document.is_object()) {
    error = "expected a JSON object";
    return false;
  }
  Reader reader(error);
  const json *version = reader.member(document, "bwgemm", "description");
  if (version && reader.integer(*version, "bwgemm") > descriptionVersion)
    reader.fail("bwgemm", "version " + std::to_string(descriptionVersion) +
                              " of the description, got " + version->dump() +
                              "; the library was made by a newer "
                              "bwgemm-compile");
  description.target = reader.string(document, "target", "description");
  for (const json &object :
       reader.array(document, "functions", "description")) {
    FunctionInfo function;
    std::string where =
        "functions[" + std::to_string(description.functions.size()) + "]";
    function.name = reader.string(object, "name", where);
    function.schedule = reader.string(object, "schedule", where, false);
    function.fallback = reader.string(object, "fallback", where, false);
    for (const json &argument : reader.array(object, "arguments", where))
      if (!readArgument(reader, argument,
                        where + ".arguments[" +
                            std::to_string(function.arguments.size()) + "]",
                        function))
        break;
    for (const json &operation :
         reader.array(object, "operations", where, false))
      readOperation(reader, operation,
                    where + ".operations[" +
                        std::to_string(function.operations.size()) + "]",
                    description.target, function);
    if (!reader.array(object, "results", where, false).empty())
      function.notCallable =
          "it returns values; this program can only call functions that write "
          "to their arguments";
    if (!reader.ok())
      return false;
    description.functions.push_back(std::move(function));
  }
  if (reader.ok() && description.functions.empty())
    error = "functions: expected at least one function";
  return reader.ok();
}

const FunctionInfo *Description::find(const std::string &name,
                                      std::string &error) const {
  std::string names;
  for (const FunctionInfo &function : functions) {
    if (function.name == name || (name.empty() && functions.size() == 1))
      return &function;
    names += (names.empty() ? "" : ", ") + function.name;
  }
  error = name.empty() ? "there are several functions; choose one with --func: "
                       : "there is no function '" + name + "'; there is: ";
  error += names;
  return nullptr;
}

} // namespace bwgemm::runner
