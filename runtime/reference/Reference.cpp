//===- Reference.cpp - Matrix multiplication as it should be ----*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm-runtime/Reference.h"

#include "Parallel.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <random>

namespace bwgemm::runtime {
namespace {

/// Products per step: panels of a few hundred rows then stay in the L2 cache.
constexpr int64_t chunkK = 512;

/// Rows of A or columns of B, for a range of k, as doubles.
struct Panel {
  std::vector<double> values, magnitudes;
  /// Whether all values so far, over all ranges of k, were integers. A char,
  /// as threads write neighbours.
  std::vector<char> integral;

  explicit Panel(size_t lines)
      : values(lines * chunkK), magnitudes(lines * chunkK), integral(lines, 1) {
  }

  /// Reads `length` elements from k on of each line: line i starts at
  /// address(i), and its elements are `stride` elements apart.
  template <typename Address>
  void read(ElementType type, int64_t stride, int64_t k, int64_t length,
            const Address &address) {
    double floor = smallestNormal(type);
    parallelFor(integral.size(), 16, [&](size_t begin, size_t end) {
      for (size_t line = begin; line < end; ++line) {
        double *value = &values[line * chunkK];
        double *magnitude = &magnitudes[line * chunkK];
        decode(type, address(line) + k * stride * int64_t(sizeInBytes(type)),
               stride, size_t(length), value);
        bool integers = true;
        for (int64_t i = 0; i < length; ++i) {
          double absolute = std::fabs(value[i]);
          magnitude[i] = absolute == 0 ? 0 : std::fmax(absolute, floor);
          integers &= absolute <= DBL_MAX && value[i] == std::rint(value[i]);
        }
        integral[line] &= char(integers);
      }
    });
  }
};

/// The inner product of `length` elements, in several partial sums so that the
/// compiler can keep them in vector registers.
double innerProduct(const double *x, const double *y, int64_t length) {
  constexpr int lanes = 8;
  double partial[lanes] = {};
  int64_t i = 0;
  for (; i + lanes <= length; i += lanes)
    for (int lane = 0; lane < lanes; ++lane)
      partial[lane] += x[i + lane] * y[i + lane];
  double sum = 0;
  for (; i < length; ++i)
    sum += x[i] * y[i];
  for (double p : partial)
    sum += p;
  return sum;
}

void addTo(DotProduct &dot, const Panel &rows, size_t row, const Panel &columns,
           size_t column, int64_t length) {
  size_t r = row * chunkK, c = column * chunkK;
  dot.sum += innerProduct(&rows.values[r], &columns.values[c], length);
  dot.magnitude +=
      innerProduct(&rows.magnitudes[r], &columns.magnitudes[c], length);
}

/// `value` without duplicates, in order.
std::vector<int64_t> sortedUnique(std::vector<int64_t> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

size_t positionIn(const std::vector<int64_t> &sorted, int64_t value) {
  return size_t(std::lower_bound(sorted.begin(), sorted.end(), value) -
                sorted.begin());
}

/// dotProductsAt for the elements of one batch: `positions` are places in
/// `indices` and in `result`.
void dotProductsInBatch(const GemmProblem &p, int64_t batch,
                        const std::vector<ElementIndex> &indices,
                        const std::vector<size_t> &positions,
                        std::vector<DotProduct> &result,
                        const Progress &progress) {
  std::vector<int64_t> rows, columns;
  for (size_t position : positions) {
    rows.push_back(indices[position].row);
    columns.push_back(indices[position].column);
  }
  rows = sortedUnique(std::move(rows));
  columns = sortedUnique(std::move(columns));
  Panel a(rows.size()), b(columns.size());
  for (int64_t k = 0; k < p.k; k += chunkK) {
    int64_t length = std::min(chunkK, p.k - k);
    a.read(p.a.type, p.a.columnStride, k, length,
           [&](size_t i) { return p.a.address(batch, rows[i], 0); });
    b.read(p.b.type, p.b.rowStride, k, length,
           [&](size_t i) { return p.b.address(batch, 0, columns[i]); });
    parallelFor(positions.size(), 256, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        const ElementIndex &index = indices[positions[i]];
        addTo(result[positions[i]], a, positionIn(rows, index.row), b,
              positionIn(columns, index.column), length);
      }
    });
    if (progress)
      progress(double(k + length) / double(p.k));
  }
  for (size_t position : positions)
    result[position].integral =
        a.integral[positionIn(rows, indices[position].row)] &&
        b.integral[positionIn(columns, indices[position].column)];
}

/// The first, the last and one random line of each tile along one dimension.
std::vector<int64_t> tileLines(int64_t extent, int64_t tile,
                               std::mt19937_64 &random) {
  constexpr int64_t most = 256, atEachEnd = 32;
  tile = std::max<int64_t>(1, tile);
  int64_t tiles = (extent + tile - 1) / tile;
  std::vector<int64_t> chosen;
  if (tiles <= most) {
    for (int64_t t = 0; t < tiles; ++t)
      chosen.push_back(t);
  } else {
    for (int64_t t = 0; t < atEachEnd; ++t) {
      chosen.push_back(t);
      chosen.push_back(tiles - 1 - t);
    }
    for (int64_t i = 2 * atEachEnd; i < most; ++i)
      chosen.push_back(int64_t(double(tiles) * double(i) / double(most)));
  }
  std::vector<int64_t> lines;
  for (int64_t t : chosen) {
    int64_t first = t * tile, last = std::min(extent, first + tile) - 1;
    lines.push_back(first);
    lines.push_back(last);
    lines.push_back(first + int64_t(random() % uint64_t(last - first + 1)));
  }
  return sortedUnique(std::move(lines));
}

/// `value` modulo 2^(bits of an integer type), in the type's range. `value` is
/// an integer below 2^53 in magnitude.
double wrapped(ElementType type, double value) {
  if (sizeInBytes(type) == 8)
    return value;
  return toDouble(type, uint64_t(int64_t(value)));
}

/// With 6 of the header's head, how far sums in f16 may be off.
double errorOfHalfSums(const GemmProblem &problem, double magnitude) {
  double depth = double(std::min(problem.k, problem.halfBlock));
  double growth = std::ceil(depth / 8) * (0x1p-11 + 0x1p-19);
  // Beyond that the bound says nothing any more; keep it finite.
  growth = std::fmin(growth, 30);
  return std::expm1(growth) * magnitude +
         std::ceil(double(problem.k) / 8) * std::exp(growth) * 0x1p-24;
}

/// Whether sums of integers with that sum of magnitudes are exact, as far as
/// what adds up the products goes.
bool holdsIntegers(const GemmProblem &problem, double magnitude) {
  return problem.halfBlock == 0 || magnitude <= 0x1p11;
}

} // namespace

double Expected::bound() const {
  double distance = std::fmax(high - value, value - low);
  return std::isnan(distance) ? 0 : distance;
}

bool Expected::accepts(double got) const {
  if (mayOverflow && !std::isfinite(got))
    return true;
  if (std::isnan(value))
    return std::isnan(got);
  return low <= got && got <= high;
}

Expected exactly(double value) {
  return {value, value, value, std::fabs(value), false};
}

Expected expectedElement(const GemmProblem &problem, const DotProduct &dot,
                         const Expected *initial) {
  ElementType type = problem.resultType;
  double sum = dot.sum, low = dot.sum, high = dot.sum;
  double magnitude = dot.magnitude;
  bool integral = dot.integral;
  if (initial) {
    sum += initial->value;
    low += initial->low;
    high += initial->high;
    magnitude += std::fmax(std::fabs(initial->low), std::fabs(initial->high));
    integral &= initial->exact() && initial->value == std::rint(initial->value);
  }
  Expected expected;
  expected.magnitude = magnitude;
  if (!std::isfinite(sum)) {
    // An infinity or NaN among the inputs decides the result.
    expected.value = expected.low = expected.high = roundTo(type, sum);
    return expected;
  }
  if (integral && !isFloat(type) && magnitude < 0x1p53) {
    expected.value = expected.low = expected.high = wrapped(type, sum);
    return expected;
  }
  if (integral && magnitude < std::ldexp(1, int(problem.sumBits)) &&
      holdsIntegers(problem, dot.magnitude)) {
    expected.value = expected.low = expected.high = roundTo(type, sum);
    return expected;
  }
  double terms = double(problem.k) + 4;
  double relative = terms * 0x1p-24;
  // With 2^23 terms the bound says nothing any more; keep it finite.
  double gamma = relative < 0.5 ? relative / (1 - relative) : 2 * relative;
  double error = gamma * magnitude + terms * 0x1p-149;
  if (problem.sumBits < 24)
    error += 36 * std::ceil(double(problem.k) / 32) *
             std::ldexp(magnitude, 1 - int(problem.sumBits));
  bool halfOverflows = false;
  if (problem.halfBlock) {
    double ofSums = errorOfHalfSums(problem, dot.magnitude);
    // Halfway from the largest f16 to where the next one would be.
    halfOverflows = dot.magnitude + ofSums >= 65520;
    error += ofSums;
  }
  expected.value = roundTo(type, sum);
  expected.low = roundTo(type, low - error);
  expected.high = roundTo(type, high + error);
  expected.mayOverflow = halfOverflows || magnitude + error > double(FLT_MAX);
  return expected;
}

std::vector<DotProduct> dotProductsAt(const GemmProblem &problem,
                                      const std::vector<ElementIndex> &indices,
                                      const Progress &progress) {
  std::vector<DotProduct> result(indices.size());
  std::vector<int64_t> batches;
  for (const ElementIndex &index : indices)
    batches.push_back(index.batch);
  batches = sortedUnique(std::move(batches));
  for (size_t done = 0; done < batches.size(); ++done) {
    std::vector<size_t> positions;
    for (size_t i = 0; i < indices.size(); ++i)
      if (indices[i].batch == batches[done])
        positions.push_back(i);
    dotProductsInBatch(
        problem, batches[done], indices, positions, result, [&](double part) {
          if (progress)
            progress((double(done) + part) / double(batches.size()));
        });
  }
  return result;
}

std::vector<DotProduct> allDotProducts(const GemmProblem &p,
                                       const Progress &progress) {
  size_t perBatch = size_t(p.m) * size_t(p.n);
  std::vector<DotProduct> result(size_t(p.batch) * perBatch);
  if (result.empty())
    return result;
  double steps = double(p.batch) * std::ceil(double(p.k) / double(chunkK));
  double done = 0;
  // Columns of B that are worked on together, to stay in the cache.
  constexpr size_t blockN = 64;
  for (int64_t batch = 0; batch < p.batch; ++batch) {
    DotProduct *d = &result[size_t(batch) * perBatch];
    size_t rows = size_t(p.m), columns = size_t(p.n);
    Panel a(rows), b(columns);
    for (int64_t k = 0; k < p.k; k += chunkK) {
      int64_t length = std::min(chunkK, p.k - k);
      a.read(p.a.type, p.a.columnStride, k, length,
             [&](size_t i) { return p.a.address(batch, int64_t(i), 0); });
      b.read(p.b.type, p.b.rowStride, k, length,
             [&](size_t i) { return p.b.address(batch, 0, int64_t(i)); });
      size_t blocks = (columns + blockN - 1) / blockN;
      parallelFor(blocks, 1, [&](size_t begin, size_t end) {
        for (size_t block = begin; block < end; ++block)
          for (size_t row = 0; row < rows; ++row)
            for (size_t column = block * blockN;
                 column < std::min(columns, (block + 1) * blockN); ++column)
              addTo(d[row * columns + column], a, row, b, column, length);
      });
      if (progress)
        progress(++done / steps);
    }
    for (size_t row = 0; row < rows; ++row)
      for (size_t column = 0; column < columns; ++column)
        d[row * columns + column].integral =
            a.integral[row] && b.integral[column];
  }
  return result;
}

std::vector<ElementIndex> sampleElements(int64_t batch, int64_t m, int64_t n,
                                         int64_t tileM, int64_t tileN,
                                         size_t randomCount, uint64_t seed) {
  std::vector<ElementIndex> elements;
  if (batch <= 0 || m <= 0 || n <= 0)
    return elements;
  std::mt19937_64 random(seed);
  std::vector<int64_t> rows = tileLines(m, tileM, random);
  std::vector<int64_t> columns = tileLines(n, tileN, random);
  auto below = [&](int64_t extent) {
    return int64_t(random() % uint64_t(extent));
  };
  for (int64_t b = 0; b < batch; ++b) {
    if (batch > 4 && b == 3)
      b = batch - 1;
    for (int64_t row : rows)
      for (int64_t column : columns)
        elements.push_back({b, row, column});
    for (size_t i = 0; i < randomCount; ++i) {
      int64_t row = below(m);
      elements.push_back({b, row, below(n)});
    }
  }
  auto less = [](const ElementIndex &x, const ElementIndex &y) {
    return x.batch != y.batch ? x.batch < y.batch
           : x.row != y.row   ? x.row < y.row
                              : x.column < y.column;
  };
  std::sort(elements.begin(), elements.end(), less);
  elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
  return elements;
}

} // namespace bwgemm::runtime
