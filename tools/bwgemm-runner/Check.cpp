//===- Check.cpp - Compare results with the oracle --------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check.h"

#include "WrongPattern.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bwgemm::runner {

using namespace bwgemm::runtime;

namespace {

constexpr double fullCheckLimit = 0x1p28;
constexpr size_t randomElements = 1024;
constexpr size_t maxExamples = 5;
/// Where the schedule has no tile: the extent of a thread block's work in
/// kernels without tensor cores.
constexpr int64_t defaultTile = 32;

/// The image that holds what operation `reader` read from `argument`; null if
/// that is gone.
const std::vector<unsigned char> *
imageRead(const FunctionInfo &function, const Operand &operand, size_t reader) {
  bool earlier = false, later = false;
  for (size_t i = 0; i < function.operations.size(); ++i)
    if (function.operations[i].d.argument == int64_t(operand.index))
      (i < reader ? earlier : later) = true;
  if (!earlier)
    return &operand.before;
  return later ? nullptr : &operand.after;
}

/// Checks the result of the operations `chain`, which all write `result`.
class ResultChecker {
public:
  ResultChecker(const FunctionInfo &function,
                const std::vector<Operand> &operands, const Operand &result,
                CheckResult &outcome)
      : function(function), operands(operands), result(result),
        outcome(outcome), view(result.view(result.after)),
        initial(result.view(result.before)) {}

  /// Says in outcome.notChecked why not, if it cannot be checked.
  bool addOperation(size_t index, const std::vector<Shape> &shapes) {
    const OperationInfo &operation = function.operations[index];
    const Operand &a = operands[size_t(operation.a.argument)];
    const Operand &b = operands[size_t(operation.b.argument)];
    const auto *imageA = imageRead(function, a, index);
    const auto *imageB = imageRead(function, b, index);
    if (!imageA || !imageB) {
      outcome.notChecked = "operation " + std::to_string(index) + " reads " +
                           (imageA ? b : a).text() +
                           ", which is written before and after";
      return false;
    }
    GemmSizes sizes = sizesOf(operation, shapes);
    GemmProblem problem;
    problem.batch = sizes.batch;
    problem.m = sizes.m;
    problem.n = sizes.n;
    problem.k = sizes.k;
    problem.a = a.view(*imageA);
    problem.b = b.view(*imageB);
    problem.a.type = operation.a.type;
    problem.b.type = operation.b.type;
    problem.sumBits = operation.sumBits;
    problem.halfBlock = operation.halfBlock;
    if (operation.a.transposed)
      problem.a = problem.a.transposed();
    if (operation.b.transposed)
      problem.b = problem.b.transposed();
    problem.resultType =
        operation.hasEpilogue ? operation.epilogue.sumType : result.info.type;
    Epilogue epilogue;
    if (!viewEpilogue(index, epilogue))
      return false;
    if (!operation.accumulate) {
      // What was there before is overwritten.
      problems.clear();
      epilogues.clear();
      startsFromInitial = false;
    } else if (problems.empty()) {
      startsFromInitial = true;
    }
    problems.push_back(problem);
    epilogues.push_back(std::move(epilogue));
    return true;
  }

  double multiplications() const {
    double count = 0;
    for (const GemmProblem &p : problems)
      count += double(p.batch) * double(p.m) * double(p.n) * double(p.k);
    return count;
  }

  void run(bool full, uint64_t seed, const Progress &progress) {
    const GemmProblem &shape = problems.front();
    int64_t tileM = defaultTile, tileN = defaultTile;
    bool found;
    function.tile(tileM, tileN, found);
    std::vector<ElementIndex> indices;
    if (!full)
      indices = sampleElements(shape.batch, shape.m, shape.n, tileM, tileN,
                               randomElements, seed);
    std::vector<std::vector<DotProduct>> dots;
    for (size_t i = 0; i < problems.size(); ++i) {
      auto part = [&](double done) {
        if (progress)
          progress((double(i) + done) / double(problems.size()));
      };
      dots.push_back(full ? allDotProducts(problems[i], part)
                          : dotProductsAt(problems[i], indices, part));
    }
    WrongPattern pattern(shape.m, shape.n, tileM, tileN);
    size_t count = dots.front().size();
    for (size_t i = 0; i < count; ++i) {
      ElementIndex index;
      if (full)
        index = {int64_t(i) / (shape.m * shape.n),
                 int64_t(i) / shape.n % shape.m, int64_t(i) % shape.n};
      else
        index = indices[i];
      compare(index, dots, i, pattern);
    }
    outcome.checked += count;
    if (pattern.count()) {
      std::string hint = pattern.describe(count);
      outcome.hints.push_back(
          result.text() + ": " + std::to_string(pattern.count()) + " of " +
          std::to_string(count) + " checked elements are wrong" +
          (hint.empty() ? "" : "; ") + hint);
    }
  }

private:
  /// The epilogue of an operation, with views of what its operands held; if
  /// there is none, one that stores the sum.
  bool viewEpilogue(size_t index, Epilogue &epilogue) {
    const OperationInfo &operation = function.operations[index];
    epilogue = operation.epilogue;
    for (const EpilogueOperandInfo &info : operation.epilogueOperands) {
      const Operand &operand = operands[size_t(info.argument)];
      const auto *image = imageRead(function, operand, index);
      if (!image) {
        outcome.notChecked = "operation " + std::to_string(index) + " reads " +
                             operand.text() +
                             ", which is written before and after";
        return false;
      }
      MatrixView view = operand.view(*image);
      view.batchStride = view.rowStride = view.columnStride = 0;
      for (size_t d = 0; d < info.place.size(); ++d) {
        if (info.place[d] == 'm')
          view.rowStride = operand.strides[d];
        if (info.place[d] == 'n')
          view.columnStride = operand.strides[d];
        if (info.place[d] == 'b')
          view.batchStride = operand.strides[d];
      }
      epilogue.operands.push_back(view);
    }
    if (operation.hasEpilogue)
      if (std::string error = epilogue.check(); !error.empty()) {
        outcome.notChecked =
            "operation " + std::to_string(index) + ": " + error;
        return false;
      }
    return true;
  }

  void compare(const ElementIndex &index,
               const std::vector<std::vector<DotProduct>> &dots, size_t place,
               WrongPattern &pattern) {
    Expected expected;
    bool known = startsFromInitial;
    if (known)
      expected = exactly(valueAt(initial, index));
    for (size_t i = 0; i < problems.size(); ++i) {
      expected = expectedElement(problems[i], dots[i][place],
                                 known ? &expected : nullptr);
      if (epilogues[i].result != 0)
        expected = applyEpilogue(epilogues[i], expected, index);
      known = true;
    }
    double got = valueAt(view, index);
    outcome.exact += expected.exact();
    double error = std::fabs(got - expected.value);
    if (expected.accepts(got)) {
      // Equal infinities and NaNs differ by NaN, which std::fmax ignores.
      if (expected.magnitude > 0)
        outcome.maxRelativeError =
            std::fmax(outcome.maxRelativeError, error / expected.magnitude);
      if (expected.bound() > 0)
        outcome.maxOfBound =
            std::fmax(outcome.maxOfBound, error / expected.bound());
      return;
    }
    ++outcome.wrong;
    double relative = error / expected.magnitude;
    outcome.maxRelativeError =
        std::isfinite(relative) ? std::fmax(outcome.maxRelativeError, relative)
                                : std::numeric_limits<double>::infinity();
    uint64_t bits =
        loadBits(view.type, view.address(index.batch, index.row, index.column));
    pattern.add(index, got, expected.value, bits == poisonBits(view.type));
    if (outcome.examples.size() < maxExamples)
      outcome.examples.push_back({result.index, index, got, expected});
  }

  static double valueAt(const MatrixView &view, const ElementIndex &index) {
    return toDouble(view.type,
                    loadBits(view.type, view.address(index.batch, index.row,
                                                     index.column)));
  }

  const FunctionInfo &function;
  const std::vector<Operand> &operands;
  const Operand &result;
  CheckResult &outcome;
  MatrixView view, initial;
  std::vector<GemmProblem> problems;
  std::vector<Epilogue> epilogues;
  bool startsFromInitial = false;
};

} // namespace

CheckResult checkResults(const FunctionInfo &function,
                         const std::vector<Operand> &operands, CheckMode mode,
                         uint64_t seed, const Progress &progress) {
  CheckResult outcome;
  if (mode == CheckMode::None) {
    outcome.notChecked = "not asked for";
    return outcome;
  }
  if (function.operations.empty()) {
    outcome.notChecked =
        "the library does not say what '" + function.name + "' computes";
    return outcome;
  }
  for (size_t i = 0; i < function.operations.size(); ++i)
    if (!function.operations[i].notCheckable.empty()) {
      outcome.notChecked = "operation " + std::to_string(i) + ": " +
                           function.operations[i].notCheckable;
      return outcome;
    }
  std::vector<Shape> shapes;
  for (const Operand &operand : operands)
    shapes.push_back(operand.shape);

  std::vector<ResultChecker> checkers;
  double work = 0;
  for (const Operand &operand : operands) {
    ResultChecker checker(function, operands, operand, outcome);
    bool isResult = false;
    for (size_t i = 0; i < function.operations.size(); ++i) {
      if (function.operations[i].d.argument != int64_t(operand.index))
        continue;
      if (!checker.addOperation(i, shapes))
        return outcome;
      isResult = true;
    }
    if (!isResult)
      continue;
    int64_t count = 0;
    elementCount(operand.shape, count);
    outcome.total += size_t(count);
    work += checker.multiplications();
    checkers.push_back(std::move(checker));
  }
  bool full = mode == CheckMode::Full ||
              (mode == CheckMode::Auto && work <= fullCheckLimit);
  outcome.sampled = !full;
  for (size_t i = 0; i < checkers.size(); ++i)
    checkers[i].run(full, seed, [&](double done) {
      if (progress)
        progress((double(i) + done) / double(checkers.size()));
    });
  return outcome;
}

} // namespace bwgemm::runner
