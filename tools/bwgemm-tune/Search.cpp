//===- Search.cpp - The fastest of many candidates --------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Search.h"

#include <algorithm>

namespace bwgemm::tune {

using runtime::Timing;

namespace {

/// One search under way.
class Searcher {
public:
  Searcher(Bench &bench, size_t candidates, const std::vector<size_t> &skipped,
           const SearchPlan &plan)
      : bench(bench), skipped(skipped), plan(plan), begin(plan.clock()) {
    result.verdicts.resize(candidates);
  }

  /// False if that is the end.
  bool check(double share);
  bool time();
  SearchResult result;

private:
  /// Seconds that are left until a share of all has passed; 0 without a limit,
  /// and hardly any where it has passed already.
  double leftUntil(double share) const {
    return plan.seconds > 0
               ? std::max(share * plan.seconds - (plan.clock() - begin), 1e-3)
               : 0;
  }
  void progress(double done) {
    if (plan.progress)
      plan.progress(done);
  }
  void keepBest(const std::vector<Timing> &timings, size_t count);

  Bench &bench;
  const std::vector<size_t> &skipped;
  const SearchPlan &plan;
  double begin;
  std::vector<size_t> right;
};

} // namespace

bool Searcher::check(double share) {
  for (size_t i = 0; i < result.verdicts.size(); ++i) {
    if (std::find(skipped.begin(), skipped.end(), i) != skipped.end())
      continue;
    // One that is right is needed, however long that takes.
    if (!right.empty() && plan.seconds > 0 && leftUntil(share) <= 1e-3)
      break;
    result.verdicts[i] = bench.check(i);
    if (result.verdicts[i].kind == Verdict::Right)
      right.push_back(i);
    if (result.verdicts[i].isLost) {
      result.error = result.verdicts[i].message;
      return false;
    }
    progress(share * double(i + 1) / double(result.verdicts.size()));
  }
  if (right.empty())
    result.error = "no candidate is right";
  return !right.empty();
}

/// Keeps the fastest, and what the cost model takes.
void Searcher::keepBest(const std::vector<Timing> &timings, size_t count) {
  std::vector<size_t> order(right.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](size_t x, size_t y) {
    return timings[x].median < timings[y].median;
  });
  std::vector<size_t> kept;
  for (size_t i = 0; i < order.size(); ++i)
    if (i < count || right[order[i]] == 0)
      kept.push_back(right[order[i]]);
  right = std::move(kept);
}

bool Searcher::time() {
  result.timed = right.size();
  const double ends[] = {0.65, 0.85, 1};
  std::vector<Timing> timings;
  for (unsigned round = 0; round < 3; ++round) {
    if (round == 1)
      keepBest(timings, std::max(plan.atLeast, right.size() / 4));
    else if (round == 2)
      keepBest(timings, plan.finalists);
    result.error =
        bench.time(right, plan.samples[round], leftUntil(ends[round]), timings);
    if (!result.error.empty())
      return false;
    progress(ends[round]);
  }
  size_t best = 0, model = right.size();
  for (size_t i = 0; i < right.size(); ++i) {
    if (timings[i].median < timings[best].median)
      best = i;
    if (right[i] == 0)
      model = i;
  }
  if (model < right.size()) {
    result.modelTiming = timings[model];
    if (timings[model].median < leastGain * timings[best].median)
      best = model;
  }
  result.best = right[best];
  result.bestTiming = timings[best];
  return true;
}

SearchResult search(Bench &bench, size_t candidates,
                    const std::vector<size_t> &skipped,
                    const SearchPlan &plan) {
  Searcher searcher(bench, candidates, skipped, plan);
  if (searcher.check(0.4))
    searcher.time();
  return searcher.result;
}

SearchResult checkAll(Bench &bench, size_t candidates,
                      const std::vector<size_t> &skipped,
                      const SearchPlan &plan) {
  Searcher searcher(bench, candidates, skipped, plan);
  searcher.check(1);
  return searcher.result;
}

} // namespace bwgemm::tune
