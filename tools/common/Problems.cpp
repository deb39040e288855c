//===- Problems.cpp - What is to be timed ---------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Problems.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace bwgemm::tools {

using runtime::ElementType;

using runtime::MatmulEpilogue;

namespace {
constexpr struct {
  MatmulEpilogue epilogue;
  const char *name;
  bool isApproximate = false;
} epilogues[] = {{MatmulEpilogue::None, "none"},
                 {MatmulEpilogue::Bias, "bias"},
                 {MatmulEpilogue::BiasRelu, "bias_relu"},
                 {MatmulEpilogue::BiasGelu, "bias_gelu"},
                 {MatmulEpilogue::BiasGelu, "bias_gelu_approx", true}};
} // namespace

std::string Problem::epilogueName() const {
  if (accumulate)
    return "accumulate";
  for (const auto &each : epilogues)
    if (each.epilogue == epilogue && each.isApproximate == isApproximate)
      return each.name;
  return "";
}

std::string Problem::sizes() const {
  return std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
}

std::string Problem::kind() const {
  return std::string(name(operands)) + "-" + std::string(name(result)) + " " +
         (transposedA ? "t" : "n") + (transposedB ? "t" : "n") +
         (epilogueName() == "none" ? "" : " " + epilogueName());
}

std::string Problem::text() const { return sizes() + " " + kind(); }

double Problem::bytes() const {
  double in = double(sizeInBytes(operands)), out = double(sizeInBytes(result));
  return in * (double(m) * double(k) + double(k) * double(n)) +
         out * double(m) * double(n) * (accumulate ? 2 : 1) +
         (epilogue == MatmulEpilogue::None ? 0 : out * double(n));
}

/// A positive number that leaves room for products of three.
static bool parseSize(const std::string &text, int64_t &value) {
  if (text.empty() || text.size() > 7)
    return false;
  value = 0;
  for (char c : text) {
    if (!std::isdigit(static_cast<unsigned char>(c)))
      return false;
    value = 10 * value + (c - '0');
  }
  return value > 0;
}

static std::vector<std::string> split(const std::string &text, char at) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, at);)
    parts.push_back(part);
  if (!text.empty() && text.back() == at)
    parts.emplace_back();
  return parts;
}

bool parseProblem(const std::string &line, Problem &problem,
                  std::string &error) {
  std::stringstream words(line);
  std::vector<std::string> word;
  for (std::string next; words >> next;)
    word.push_back(next);
  auto fail = [&](const std::string &what) {
    error = "expected " + what + ", got '" + line + "'";
    return false;
  };
  if (word.size() < 3 || word.size() > 4)
    return fail("MxNxK TYPES TRANSPOSES [EPILOGUE], such as 4096x4096x4096 "
                "bf16-bf16 nt");
  std::vector<std::string> sizes = split(word[0], 'x');
  if (sizes.size() != 3 || !parseSize(sizes[0], problem.m) ||
      !parseSize(sizes[1], problem.n) || !parseSize(sizes[2], problem.k))
    return fail("sizes MxNxK of 1 to 9999999");
  std::vector<std::string> types = split(word[1], '-');
  auto known = [](const std::string &type, ElementType &found) {
    std::optional<ElementType> parsed = runtime::parseElementType(type);
    if (parsed)
      found = *parsed;
    return parsed.has_value();
  };
  if (types.size() != 2 || !known(types[0], problem.operands) ||
      !known(types[1], problem.result))
    return fail("types OPERANDS-RESULT, such as bf16-f32");
  if (word[2].size() != 2 ||
      word[2].find_first_not_of("nt") != std::string::npos)
    return fail("transposes nn, nt, tn or tt");
  problem.transposedA = word[2][0] == 't';
  problem.transposedB = word[2][1] == 't';
  std::string epilogue = word.size() == 4 ? word[3] : "none";
  problem.accumulate = epilogue == "accumulate";
  bool isKnown = problem.accumulate;
  problem.epilogue = MatmulEpilogue::None;
  problem.isApproximate = false;
  for (const auto &each : epilogues)
    if (epilogue == each.name) {
      problem.epilogue = each.epilogue;
      problem.isApproximate = each.isApproximate;
      isKnown = true;
    }
  if (!isKnown)
    return fail("the epilogue none, accumulate, bias, bias_relu, bias_gelu or "
                "bias_gelu_approx");
  if (problem.epilogue != MatmulEpilogue::None &&
      !runtime::isFloat(problem.result))
    return fail("a result of f32, f16 or bf16 for the epilogue " + epilogue);
  return true;
}

bool readProblems(const std::string &path, std::vector<Problem> &problems,
                  std::string &error) {
  std::ifstream file(path);
  if (!file) {
    error = path + ": cannot be read: " + std::strerror(errno);
    return false;
  }
  unsigned number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    line = line.substr(0, line.find('#'));
    if (line.find_first_not_of(" \t\r") == std::string::npos)
      continue;
    Problem problem;
    if (!parseProblem(line, problem, error)) {
      error = path + ":" + std::to_string(number) + ": " + error;
      return false;
    }
    problems.push_back(problem);
  }
  if (!problems.empty())
    return true;
  error = path + ": expected at least one problem";
  return false;
}

bool gatherProblems(const std::string &file,
                    const std::vector<std::string> &given,
                    std::vector<Problem> &problems, std::string &error) {
  if (!file.empty() && !readProblems(file, problems, error))
    return false;
  for (const std::string &text : given) {
    Problem problem;
    if (!parseProblem(text, problem, error)) {
      error = "--problem: " + error;
      return false;
    }
    problems.push_back(problem);
  }
  if (!problems.empty())
    return true;
  error = "expected a FILE of problems or --problem";
  return false;
}

//===----------------------------------------------------------------------===//
// Sweeps
//===----------------------------------------------------------------------===//

int64_t &sizeAlong(Problem &problem, char axis) {
  return axis == 'M' ? problem.m : axis == 'N' ? problem.n : problem.k;
}

std::vector<Problem> Sweep::points(const Problem &base) const {
  std::vector<Problem> result;
  for (int64_t size = first; size <= last; size += step) {
    result.push_back(base);
    sizeAlong(result.back(), axis) = size;
  }
  return result;
}

bool parseSweep(const std::string &text, Sweep &sweep, std::string &error) {
  constexpr int64_t mostPoints = 1000;
  auto fail = [&](const char *what) {
    error = std::string("--sweep: expected ") + what + ", got '" + text + "'";
    return false;
  };
  size_t equals = text.find('=');
  std::vector<std::string> numbers = equals == std::string::npos
                                         ? std::vector<std::string>()
                                         : split(text.substr(equals + 1), ':');
  if (equals != 1 || std::string("MNK").find(text[0]) == std::string::npos ||
      numbers.size() != 3 || !parseSize(numbers[0], sweep.first) ||
      !parseSize(numbers[1], sweep.last) || !parseSize(numbers[2], sweep.step))
    return fail("AXIS=FIRST:LAST:STEP, such as K=64:8192:64, with M, N or K");
  sweep.axis = text[0];
  if (sweep.last < sweep.first)
    return fail("a last size that is not below the first");
  if ((sweep.last - sweep.first) / sweep.step >= mostPoints)
    return fail("at most 1000 points");
  return true;
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

/// An f32 matrix `%t` becomes `%d`, both M x N.
static std::string makeEpilogue(const Problem &p, const std::string &d) {
  std::string size = std::to_string(p.m) + "x" + std::to_string(p.n);
  std::string type(name(p.result));
  bool isWide = p.result == ElementType::F32;
  std::string text =
      "  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, "
      "affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], "
      "iterator_types = [\"parallel\", \"parallel\"]}\n      ins(%t, %bias : "
      "memref<" +
      size + "xf32>, memref<" + std::to_string(p.n) + "x" + type +
      ">) outs(%d : " + d + ") {\n  ^bb0(%sum: f32, %b0: " + type +
      ", %old: " + type + "):\n";
  std::string bias = "%b0", result = "%x";
  auto op = [&](const std::string &line) { text += "    " + line + "\n"; };
  if (!isWide) {
    op("%b1 = arith.extf %b0 : " + type + " to f32");
    bias = "%b1";
  }
  op("%x = arith.addf %sum, " + bias + " : f32");
  if (p.epilogue == MatmulEpilogue::BiasRelu) {
    op("%c0 = arith.constant 0.0 : f32");
    op("%y = arith.maximumf %x, %c0 : f32");
    result = "%y";
  } else if (p.epilogue == MatmulEpilogue::BiasGelu) {
    // x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), as kernels write it:
    // in multiply-adds, with both constants in one.
    op("%c1 = arith.constant 0.0356774081 : f32");
    op("%c2 = arith.constant 0.797884561 : f32");
    op("%c3 = arith.constant 0.5 : f32");
    op("%x2 = arith.mulf %x, %x : f32");
    op("%v = math.fma %x2, %c1, %c2 : f32");
    op("%w = arith.mulf %v, %x : f32");
    op(std::string("%t1 = math.tanh %w ") +
       (p.isApproximate ? "fastmath<afn> " : "") + ": f32");
    op("%h = arith.mulf %x, %c3 : f32");
    op("%y = math.fma %h, %t1, %h : f32");
    result = "%y";
  }
  if (!isWide) {
    op("%r = arith.truncf " + result + " : f32 to " + type);
    result = "%r";
  }
  op("linalg.yield " + result + " : " + type);
  return text + "  }\n";
}

std::string makeModule(const Problem &p, bool open) {
  // MLIR has names of its own for numbers of 8 bits; tf32 is what multiplies of
  // an f32, and memory has no signs.
  auto spelling = [](ElementType type) -> std::string {
    switch (type) {
    case ElementType::E4M3:
      return "f8E4M3FN";
    case ElementType::E5M2:
      return "f8E5M2";
    case ElementType::TF32:
      return "f32";
    case ElementType::U8:
      return "i8";
    default:
      return std::string(name(type));
    }
  };
  auto matrix = [&](int64_t rows, int64_t columns, ElementType type) {
    return "memref<" +
           (open ? std::string("?x?")
                 : std::to_string(rows) + "x" + std::to_string(columns)) +
           "x" + spelling(type) + ">";
  };
  std::string a = p.transposedA ? matrix(p.k, p.m, p.operands)
                                : matrix(p.m, p.k, p.operands);
  std::string b = p.transposedB ? matrix(p.n, p.k, p.operands)
                                : matrix(p.k, p.n, p.operands);
  std::string d = matrix(p.m, p.n, p.result);
  auto map = [](const char *dims) {
    return std::string("affine_map<(m, n, k) -> (") + dims + ")>";
  };
  std::string element = spelling(p.result);
  bool hasEpilogue = p.epilogue != MatmulEpilogue::None;
  std::string sumName = "%d", sum = d;
  std::string text = "func.func @matmul(%a: " + a + ", %b: " + b;
  if (hasEpilogue)
    text += ", %bias: memref<" + std::to_string(p.n) + "x" + element + ">";
  text += ", %d: " + d + ") {\n";
  if (hasEpilogue) {
    sumName = "%t";
    element = "f32";
    sum = matrix(p.m, p.n, ElementType::F32);
    text += "  %t = memref.alloc() : " + sum + "\n";
  }
  if (!p.accumulate)
    text += std::string("  %zero = arith.constant ") +
            (runtime::isFloat(p.result) ? "0.0" : "0") + " : " + element +
            "\n  linalg.fill ins(%zero : " + element + ") outs(" + sumName +
            " : " + sum + ")\n";
  return text + "  linalg.matmul indexing_maps = [" +
         map(p.transposedA ? "k, m" : "m, k") + ", " +
         map(p.transposedB ? "n, k" : "k, n") + ", " + map("m, n") +
         "]\n      ins(%a, %b : " + a + ", " + b + ") outs(" + sumName + " : " +
         sum + ")\n" + (hasEpilogue ? makeEpilogue(p, d) : "") +
         "  return\n}\n";
}

} // namespace bwgemm::tools
