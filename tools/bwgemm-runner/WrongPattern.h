//===- WrongPattern.h - Where and how results are wrong ---------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BWGEMM_TOOLS_RUNNER_WRONGPATTERN_H
#define BWGEMM_TOOLS_RUNNER_WRONGPATTERN_H

#include "bwgemm-runtime/Reference.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace bwgemm::runner {

/// Looks for what the wrong elements of a result have in common, since that
/// usually names the fault: a mask, a tile, a quarter of a tile, a lost part of
/// K, an unwritten region.
class WrongPattern {
public:
  /// Of an M x N result that is made in tiles of `tileM` x `tileN`.
  WrongPattern(int64_t m, int64_t n, int64_t tileM, int64_t tileN)
      : m(m), n(n), tileM(tileM), tileN(tileN), rows(tileM), columns(tileN) {}

  /// A wrong element. `unwritten` if it still holds the poison.
  void add(const runtime::ElementIndex &index, double got, double expected,
           bool unwritten);

  size_t count() const { return wrong; }

  /// "all in rows >= 448, the last (partial) row of tiles; never written". ""
  /// if they have nothing in common. `checked` elements were looked at.
  std::string describe(size_t checked) const;

private:
  /// What the wrong rows (or columns) have in common.
  struct Lines {
    explicit Lines(int64_t tile) : tile(tile), leastInTile(tile) {}
    void add(int64_t line);
    /// "rows >= 448, the last (partial) row of tiles"; "" if spread over all.
    std::string describe(const char *lines, const char *line,
                         int64_t extent) const;

    int64_t tile;
    int64_t least = INT64_MAX, greatest = -1;
    int64_t leastInTile, greatestInTile = -1;
  };

  int64_t m, n, tileM, tileN;
  Lines rows, columns;
  int64_t leastBatch = INT64_MAX, greatestBatch = -1;
  size_t wrong = 0, unwritten = 0, zeros = 0, nans = 0;
  /// got / expected, where both are neither zero nor infinite.
  size_t ratios = 0;
  double leastRatio = 0, greatestRatio = 0;
};

} // namespace bwgemm::runner

#endif // BWGEMM_TOOLS_RUNNER_WRONGPATTERN_H
