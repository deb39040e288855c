//===- Epilogue.cpp - What is done to a sum before it is stored -----------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm-runtime/Epilogue.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace bwgemm::runtime {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A value and what a right implementation may have in its place. Integers are
/// the numbers that their bits are without a sign.
struct Interval {
  double value = 0, low = 0, high = 0;

  static Interval point(double value) { return {value, value, value}; }
  /// Anything may stand in the place of `value`.
  static Interval unknown(double value) { return {value, -infinity, infinity}; }
  bool isPoint() const {
    return low == high || (std::isnan(low) && std::isnan(high));
  }
};

using Arguments = std::vector<Interval>;
using Function = double (*)(const double *);

/// How a result follows from the ends of the arguments' intervals.
enum class Kind {
  Exact,       ///< A value of the type already, or rounded to it correctly.
  Approximate, ///< Off by up to 2^-22 before it is rounded.
};

struct Operation {
  size_t arity;
  Kind kind;
  /// Monotone in each argument, on an interval on which it is defined.
  Function function;
};

double maximum(const double *x) {
  return std::isnan(x[0]) || std::isnan(x[1]) ? x[0] + x[1]
                                              : std::fmax(x[0], x[1]);
}
double minimum(const double *x) {
  return std::isnan(x[0]) || std::isnan(x[1]) ? x[0] + x[1]
                                              : std::fmin(x[0], x[1]);
}

double divide(const double *x) { return x[0] / x[1]; }

// What is rounded to double and then to f32 or less is rounded once for sums,
// products, quotients and roots, since double has 53 >= 2 * 24 + 2 bits.
const std::map<std::string, Operation> &floatOperations() {
  static const std::map<std::string, Operation> operations = {
      {"addf", {2, Kind::Exact, [](const double *x) { return x[0] + x[1]; }}},
      {"subf", {2, Kind::Exact, [](const double *x) { return x[0] - x[1]; }}},
      {"mulf", {2, Kind::Exact, [](const double *x) { return x[0] * x[1]; }}},
      {"divf", {2, Kind::Exact, divide}},
      {"negf", {1, Kind::Exact, [](const double *x) { return -x[0]; }}},
      {"extf", {1, Kind::Exact, [](const double *x) { return x[0]; }}},
      {"truncf", {1, Kind::Exact, [](const double *x) { return x[0]; }}},
      {"maximumf", {2, Kind::Exact, maximum}},
      {"minimumf", {2, Kind::Exact, minimum}},
      {"maxnumf",
       {2, Kind::Exact, [](const double *x) { return std::fmax(x[0], x[1]); }}},
      {"minnumf",
       {2, Kind::Exact, [](const double *x) { return std::fmin(x[0], x[1]); }}},
      {"ceil",
       {1, Kind::Exact, [](const double *x) { return std::ceil(x[0]); }}},
      {"floor",
       {1, Kind::Exact, [](const double *x) { return std::floor(x[0]); }}},
      // In float, as a sum of three is not rounded twice without harm.
      {"fma",
       {3, Kind::Exact,
        [](const double *x) {
          return double(std::fma(float(x[0]), float(x[1]), float(x[2])));
        }}},
      {"sqrt",
       {1, Kind::Exact, [](const double *x) { return std::sqrt(x[0]); }}},
      {"rsqrt",
       {1, Kind::Approximate,
        [](const double *x) { return 1 / std::sqrt(x[0]); }}},
      {"exp",
       {1, Kind::Approximate, [](const double *x) { return std::exp(x[0]); }}},
      {"exp2",
       {1, Kind::Approximate, [](const double *x) { return std::exp2(x[0]); }}},
      {"log",
       {1, Kind::Approximate, [](const double *x) { return std::log(x[0]); }}},
      {"log2",
       {1, Kind::Approximate, [](const double *x) { return std::log2(x[0]); }}},
      {"tanh",
       {1, Kind::Approximate, [](const double *x) { return std::tanh(x[0]); }}},
      {"erf",
       {1, Kind::Approximate, [](const double *x) { return std::erf(x[0]); }}},
  };
  return operations;
}

Interval rounded(ElementType type, const Interval &x) {
  return {roundTo(type, x.value), roundTo(type, x.low), roundTo(type, x.high)};
}

/// What a function that is not correctly rounded may be off by, where it is
/// `x`.
double getError(const EpilogueStep &step, double x) {
  double size = std::fabs(x);
  if (!step.isApproximate)
    return size * 0x1p-22 + 0x1p-148;
  if (step.op == "tanh")
    return size * 0x1p-11 + 0x1p-148;
  // The argument of exp is the logarithm of its value.
  double product = step.op == "exp" && size > 0 && std::isfinite(size)
                       ? std::fabs(std::log(size)) * 0x1p-23
                       : 0;
  return size * (0x1p-22 + product) + 0x1p-148;
}

Interval applyFloat(const Operation &operation, const EpilogueStep &step,
                    const Arguments &arguments) {
  ElementType type = step.type.type;
  double values[3] = {}, corner[3] = {};
  for (size_t i = 0; i < operation.arity; ++i)
    values[i] = arguments[i].value;
  Interval result = Interval::point(operation.function(values));
  if (std::isnan(result.value))
    return std::all_of(arguments.begin(), arguments.end(),
                       [](const Interval &x) { return x.isPoint(); })
               ? result
               : Interval::unknown(result.value);
  const Interval &last = arguments.back();
  bool dividesByZero = operation.function == divide && !last.isPoint() &&
                       last.low <= 0 && last.high >= 0;
  if (dividesByZero)
    return rounded(type, Interval::unknown(result.value));
  for (size_t corners = 0; corners < size_t(1) << operation.arity; ++corners) {
    for (size_t i = 0; i < operation.arity; ++i)
      corner[i] = corners >> i & 1 ? arguments[i].high : arguments[i].low;
    double at = operation.function(corner);
    if (std::isnan(at))
      return rounded(type, Interval::unknown(result.value));
    result.low = std::fmin(result.low, at);
    result.high = std::fmax(result.high, at);
  }
  if (operation.kind == Kind::Approximate) {
    if (std::isfinite(result.low))
      result.low -= getError(step, result.low);
    if (std::isfinite(result.high))
      result.high += getError(step, result.high);
  }
  return rounded(type, result);
}

/// Whether a comparison of floating-point numbers holds.
bool compares(const std::string &predicate, double x, double y) {
  if (predicate == "true" || predicate == "false")
    return predicate == "true";
  bool unordered = std::isnan(x) || std::isnan(y);
  if (predicate == "ord" || predicate == "uno")
    return unordered == (predicate == "uno");
  if (unordered)
    return predicate[0] == 'u';
  std::string order = predicate.substr(1);
  return order == "eq"   ? x == y
         : order == "ne" ? x != y
         : order == "lt" ? x < y
         : order == "le" ? x <= y
         : order == "gt" ? x > y
                         : x >= y;
}

/// An interval of truth values: what a comparison yields for the values and may
/// yield for what may stand in their place.
Interval compareFloats(const std::string &predicate, const Interval &x,
                       const Interval &y) {
  double value = compares(predicate, x.value, y.value);
  if (x.isPoint() && y.isPoint())
    return Interval::point(value);
  // An order that holds at the ends that are least in favour of it holds
  // everywhere; equality of intervals can be ruled out only.
  bool apart = x.high < y.low || y.high < x.low;
  std::string order = predicate.size() == 3 ? predicate.substr(1) : "";
  bool decided = apart;
  if (order == "lt" || order == "ge")
    decided = x.high < y.low || x.low >= y.high;
  else if (order == "le" || order == "gt")
    decided = x.high <= y.low || x.low > y.high;
  return decided ? Interval::point(value) : Interval{value, 0, 1};
}

/// The signed number that the low `bits` of `value` are.
int64_t toSigned(uint64_t value, unsigned bits) {
  uint64_t sign = uint64_t(1) << (bits - 1);
  return int64_t(value ^ sign) - int64_t(sign);
}

uint64_t mask(unsigned bits) { return (uint64_t(1) << bits) - 1; }

/// An operation of integers of `bits` bits. False if it is none.
bool applyInteger(const std::string &op, const std::string &predicate,
                  unsigned bits, uint64_t x, uint64_t y, uint64_t &result) {
  int64_t sx = toSigned(x, bits), sy = toSigned(y, bits);
  if (op == "addi")
    result = x + y;
  else if (op == "subi")
    result = x - y;
  else if (op == "muli")
    result = x * y;
  else if (op == "andi")
    result = x & y;
  else if (op == "ori")
    result = x | y;
  else if (op == "xori")
    result = x ^ y;
  else if (op == "extui" || op == "trunci")
    result = x;
  else if (op == "extsi")
    result = uint64_t(sx);
  else if (op == "cmpi")
    result = predicate == "eq"    ? x == y
             : predicate == "ne"  ? x != y
             : predicate == "slt" ? sx < sy
             : predicate == "sle" ? sx <= sy
             : predicate == "sgt" ? sx > sy
             : predicate == "sge" ? sx >= sy
             : predicate == "ult" ? x < y
             : predicate == "ule" ? x <= y
             : predicate == "ugt" ? x > y
                                  : x >= y;
  else
    return false;
  return true;
}

/// How many arguments an operation that is none of floatOperations has; 0 if
/// there is none of that name.
size_t arityOf(const std::string &op) {
  if (op == "select")
    return 3;
  if (op == "absf" || op == "sitofp" || op == "uitofp" || op == "extui" ||
      op == "extsi" || op == "trunci")
    return 1;
  uint64_t ignored;
  return op == "cmpf" || applyInteger(op, "", 32, 0, 0, ignored) ? 2 : 0;
}

Interval absolute(const Interval &x) {
  double low = std::fabs(x.low), high = std::fabs(x.high);
  bool crosses = x.low < 0 && x.high > 0;
  return {std::fabs(x.value), crosses ? 0 : std::fmin(low, high),
          std::fmax(low, high)};
}

Interval select(const Interval &condition, const Interval &x,
                const Interval &y) {
  if (condition.isPoint())
    return condition.value != 0 ? x : y;
  return {condition.value != 0 ? x.value : y.value, std::fmin(x.low, y.low),
          std::fmax(x.high, y.high)};
}

Interval toFloat(const Interval &x, unsigned bits, bool isSigned,
                 ElementType type) {
  auto convert = [&](double value) {
    return isSigned ? double(toSigned(uint64_t(value), bits)) : value;
  };
  // The order of numbers with a sign is another one.
  if (!x.isPoint())
    return {roundTo(type, convert(x.value)),
            isSigned ? -double(uint64_t(1) << (bits - 1)) : 0,
            double(mask(bits))};
  return Interval::point(roundTo(type, convert(x.value)));
}

/// The value of one step, whose arguments have the types `types`.
Interval apply(const EpilogueStep &step, const Arguments &arguments,
               const std::vector<EpilogueType> &types) {
  if (step.op == "constant")
    return Interval::point(step.type.isInteger()
                               ? double(step.bits & mask(step.type.bits))
                               : toDouble(step.type.type, step.bits));
  if (step.op == "select")
    return select(arguments[0], arguments[1], arguments[2]);
  if (step.op == "absf")
    return absolute(arguments[0]);
  if (step.op == "cmpf")
    return compareFloats(step.predicate, arguments[0], arguments[1]);
  if (step.op == "sitofp" || step.op == "uitofp")
    return toFloat(arguments[0], types[0].bits, step.op == "sitofp",
                   step.type.type);
  auto operation = floatOperations().find(step.op);
  if (operation != floatOperations().end())
    return applyFloat(operation->second, step, arguments);
  uint64_t x = uint64_t(arguments[0].value), result = 0;
  uint64_t y = arguments.size() > 1 ? uint64_t(arguments[1].value) : 0;
  applyInteger(step.op, step.predicate, types[0].bits, x, y, result);
  double value = double(result & mask(step.type.bits));
  bool exact = std::all_of(arguments.begin(), arguments.end(),
                           [](const Interval &a) { return a.isPoint(); });
  return exact ? Interval::point(value)
               : Interval{value, 0, double(mask(step.type.bits))};
}

/// Whether a step's arguments and its result have types that go together.
bool typesFit(const EpilogueStep &step,
              const std::vector<EpilogueType> &types) {
  auto same = [](const EpilogueType &x, const EpilogueType &y) {
    return x.bits == y.bits && (x.isInteger() || x.type == y.type);
  };
  if (step.op == "select")
    return types[0].bits == 1 && same(types[1], types[2]) &&
           same(types[1], step.type);
  bool integers =
      step.op.back() == 'i' || step.op == "uitofp" || step.op == "sitofp";
  for (const EpilogueType &type : types)
    if (type.isInteger() != integers || !same(type, types[0]))
      return false;
  bool toInteger = step.op.back() == 'i' || step.op == "cmpf";
  return step.op == "constant" || step.type.isInteger() == toInteger;
}

} // namespace

bool EpilogueType::parse(const std::string &name, EpilogueType &type) {
  for (unsigned bits : {1u, 8u, 16u, 32u})
    if (name == "i" + std::to_string(bits)) {
      type.bits = bits;
      return true;
    }
  type.bits = 0;
  for (ElementType known :
       {ElementType::F32, ElementType::F16, ElementType::BF16})
    if (name == runtime::name(known)) {
      type.type = known;
      return true;
    }
  return false;
}

static EpilogueType typeOfElement(ElementType type) {
  if (isFloat(type))
    return {type, 0};
  return {type, unsigned(8 * sizeInBytes(type))};
}

std::string Epilogue::check() const {
  std::vector<EpilogueType> types{typeOfElement(sumType)};
  for (const MatrixView &operand : operands)
    types.push_back(typeOfElement(operand.type));
  for (const EpilogueStep &step : steps) {
    auto operation = floatOperations().find(step.op);
    size_t arity = step.op == "constant" ? 0
                   : operation != floatOperations().end()
                       ? operation->second.arity
                       : arityOf(step.op);
    if (step.op != "constant" && arity == 0)
      return "this program does not know " + step.op + " in an epilogue";
    std::vector<EpilogueType> of;
    for (size_t argument : step.arguments) {
      if (argument >= types.size())
        return step.op + " uses value " + std::to_string(argument) +
               " before it is there";
      of.push_back(types[argument]);
    }
    if (step.arguments.size() != arity)
      return step.op + " expects " + std::to_string(arity) +
             " arguments, got " + std::to_string(step.arguments.size());
    if (!typesFit(step, of))
      return step.op + " has arguments or a result of the wrong type";
    types.push_back(step.type);
  }
  bool storesInteger = result < types.size() && types[result].isInteger() &&
                       types[result].bits != 1 && !isFloat(sumType);
  if (result >= types.size() || (types[result].isInteger() && !storesInteger))
    return "there is no floating-point value " + std::to_string(result) +
           (isFloat(sumType) ? "" : " and no integer") + " to store";
  return "";
}

Expected applyEpilogue(const Epilogue &epilogue, const Expected &sum,
                       const ElementIndex &index) {
  std::vector<Interval> values{{sum.value, sum.low, sum.high}};
  std::vector<EpilogueType> types{typeOfElement(epilogue.sumType)};
  if (sum.mayOverflow)
    values.front() = Interval::unknown(sum.value);
  // Sums of integers are exact.
  if (types.front().isInteger())
    values.front() = Interval::point(
        double(uint64_t(int64_t(sum.value)) & mask(types.front().bits)));
  for (const MatrixView &operand : epilogue.operands) {
    double value =
        toDouble(operand.type,
                 loadBits(operand.type, operand.address(index.batch, index.row,
                                                        index.column)));
    EpilogueType type = typeOfElement(operand.type);
    if (type.isInteger())
      value = double(uint64_t(int64_t(value)) & mask(type.bits));
    values.push_back(Interval::point(value));
    types.push_back(type);
  }
  for (const EpilogueStep &step : epilogue.steps) {
    Arguments arguments;
    std::vector<EpilogueType> of;
    for (size_t argument : step.arguments) {
      arguments.push_back(values[argument]);
      of.push_back(types[argument]);
    }
    values.push_back(apply(step, arguments, of));
    types.push_back(step.type);
  }
  Interval stored = values[epilogue.result];
  if (unsigned bits = types[epilogue.result].bits) {
    auto withSign = [&](double x) {
      return double(toSigned(uint64_t(x), bits));
    };
    double most = double(mask(bits - 1));
    stored = stored.isPoint()
                 ? Interval::point(withSign(stored.value))
                 : Interval{withSign(stored.value), -most - 1, most};
  }
  Expected expected;
  expected.value = stored.value;
  expected.low = stored.low;
  expected.high = stored.high;
  expected.magnitude = std::fmax(sum.magnitude, std::fabs(stored.value));
  // What may be infinite may be the difference of infinities as well.
  expected.mayOverflow = !std::isnan(stored.value) &&
                         (stored.low == -infinity || stored.high == infinity) &&
                         !stored.isPoint();
  return expected;
}

} // namespace bwgemm::runtime
