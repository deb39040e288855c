//===- WrongPattern.cpp - Where and how results are wrong -------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WrongPattern.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace bwgemm::runner {

void WrongPattern::Lines::add(int64_t line) {
  least = std::min(least, line);
  greatest = std::max(greatest, line);
  leastInTile = std::min(leastInTile, line % tile);
  greatestInTile = std::max(greatestInTile, line % tile);
}

std::string WrongPattern::Lines::describe(const char *lines, const char *line,
                                          int64_t extent) const {
  std::string name = lines;
  int64_t lastTile = (extent - 1) / tile * tile;
  bool severalTiles = extent > tile;
  std::string text;
  if (least == greatest && extent > 1)
    return std::string(line) + " " + std::to_string(least) +
           (severalTiles ? " (" + std::to_string(least % tile) + " in its tile)"
                         : "");
  if (severalTiles && least >= lastTile)
    text = name + " >= " + std::to_string(least) + ", in the last " +
           (extent % tile ? "(partial) " : "") + line + " of tiles";
  else if (severalTiles && least / tile == greatest / tile)
    text = name + " " + std::to_string(least) + " to " +
           std::to_string(greatest) + ", in one " + line + " of tiles";
  else if (leastInTile > 0 || greatestInTile < tile - 1)
    // Only where it says more than the extent of the result does.
    if (severalTiles || least > 0 || greatest < extent - 1)
      text = name + " whose place in the tile is " +
             std::to_string(leastInTile) + " to " +
             std::to_string(greatestInTile);
  return text;
}

void WrongPattern::add(const runtime::ElementIndex &index, double got,
                       double expected, bool isUnwritten) {
  ++wrong;
  rows.add(index.row);
  columns.add(index.column);
  leastBatch = std::min(leastBatch, index.batch);
  greatestBatch = std::max(greatestBatch, index.batch);
  unwritten += isUnwritten;
  zeros += got == 0;
  nans += std::isnan(got);
  double ratio = got / expected;
  if (got == 0 || expected == 0 || !std::isfinite(ratio))
    return;
  leastRatio = ratios ? std::min(leastRatio, ratio) : ratio;
  greatestRatio = ratios ? std::max(greatestRatio, ratio) : ratio;
  ++ratios;
}

std::string WrongPattern::describe(size_t checked) const {
  std::string text;
  auto append = [&](const std::string &part) {
    if (!part.empty())
      text += (text.empty() ? "" : "; ") + part;
  };
  if (wrong == 0)
    return text;
  if (wrong == checked && checked > 1) {
    append("every checked element is wrong");
  } else if (wrong > 1) {
    std::string inRows = rows.describe("rows", "row", m);
    std::string inColumns = columns.describe("columns", "column", n);
    if (!inRows.empty() || !inColumns.empty())
      append("all in " + inRows +
             (inRows.empty() || inColumns.empty() ? "" : "; and in ") +
             inColumns);
  }
  if (greatestBatch > 0 && leastBatch == greatestBatch)
    append("all in batch " + std::to_string(leastBatch));
  if (unwritten == wrong)
    append("never written: they still hold the poison from before the call");
  else if (nans == wrong)
    append("all are NaN");
  else if (zeros == wrong)
    append("all are zero");
  if (wrong > 3 && ratios == wrong &&
      greatestRatio - leastRatio <= 1e-3 * std::fabs(greatestRatio)) {
    char number[64];
    std::snprintf(number, sizeof number, "%.6g",
                  (leastRatio + greatestRatio) / 2);
    append(std::string("all are ") + number + " times what is expected");
  }
  return text;
}

} // namespace bwgemm::runner
