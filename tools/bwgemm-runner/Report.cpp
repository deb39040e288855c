//===- Report.cpp - Print what a run found ----------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Run.h"

#include "bwgemm-runtime/Npy.h"

#include <cmath>
#include <cstdarg>
#include <cstdio>

namespace bwgemm::runner {

using nlohmann::json;
using runtime::formatShape;

namespace {

__attribute__((format(printf, 1, 2))) std::string format(const char *pattern,
                                                         ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, pattern);
  std::vsnprintf(text, sizeof text, pattern, arguments);
  va_end(arguments);
  return text;
}

/// JSON has no infinities.
json number(double value) {
  return std::isfinite(value) ? json(value) : json();
}

const char *statusName(Status status) {
  switch (status) {
  case Status::Right:
    return "right";
  case Status::Wrong:
    return "wrong";
  case Status::BadInput:
    return "error";
  case Status::Fault:
    return "fault";
  }
  return "error";
}

/// Milliseconds of a call: the median if it was timed.
double milliseconds(const RunResult &result) {
  return result.bench.done ? result.bench.median : result.callMilliseconds;
}

double tflops(const RunResult &result) {
  double time = milliseconds(result);
  return time > 0 ? result.flops() / time * 1e-9 : 0;
}

/// With the digits that tell floats apart; the C library would show the sign of
/// a NaN, which means nothing.
std::string valueText(double value) {
  return std::isnan(value) ? "NaN" : format("%.9g", value);
}

std::string timeText(double ms) {
  return ms >= 1000 ? format("%.2f s", ms / 1000)
         : ms >= 1  ? format("%.3g ms", ms)
                    : format("%.3g us", 1000 * ms);
}

std::string indexText(const RunResult &result, const WrongElement &wrong) {
  if (result.shapes[wrong.argument].size() == 3)
    return format("[%lld, %lld, %lld]", (long long)wrong.index.batch,
                  (long long)wrong.index.row, (long long)wrong.index.column);
  return format("[%lld, %lld]", (long long)wrong.index.row,
                (long long)wrong.index.column);
}

std::string checkText(const RunResult &result) {
  const CheckResult &check = result.check;
  if (!check.notChecked.empty())
    return "nothing checked: " + check.notChecked;
  if (check.total == 0)
    return "right: the result is empty, and nothing else was written";
  std::string text = check.wrong                   ? "WRONG: "
                     : !result.guardErrors.empty() ? "WRONG, though the "
                                                     "numbers are right: "
                                                   : "right: ";
  if (check.wrong)
    text += std::to_string(check.wrong) + " of ";
  if (check.sampled)
    text += format("%zu checked elements (of %zu: corners of all tiles, edges, "
                   "random ones)",
                   check.checked, check.total);
  else
    text += format("all %zu elements", check.total);
  if (check.exact == check.checked && !check.wrong)
    return text + ", exactly";
  return text +
         format("; max error %.2g of sum |a||b|", check.maxRelativeError) +
         (check.wrong
              ? ""
              : format(", %.0f %% of the bound", 100 * check.maxOfBound));
}

std::string timingText(const RunResult &result) {
  double time = milliseconds(result);
  std::string text;
  if (result.emulated) {
    if (result.launches == 0)
      return "no kernel was launched";
    text = timeText(time) + " of emulation, which says nothing about speed";
  } else if (result.bench.done) {
    text = timeText(time) + format(", %.4g TFLOPS", tflops(result));
  } else {
    text = timeText(time) +
           " from call to return, of the first call, which loads the kernel";
  }
  if (result.bench.done)
    text += "; median of " + std::to_string(result.bench.repetitions) +
            (result.emulated ? " calls" : " samples") + ", from " +
            timeText(result.bench.least) + " to " +
            timeText(result.bench.greatest);
  if (result.bench.perSample)
    text += "; " + std::to_string(result.bench.perSample) + " executions each" +
            (result.bench.graph ? ", from a graph" : "");
  return text;
}

double baselineTflops(const RunResult &result) {
  double time = result.bench.baseline.median;
  return time > 0 ? result.flops() / time * 1e-9 : 0;
}

std::string baselineText(const RunResult &result) {
  const BenchResult::Baseline &baseline = result.bench.baseline;
  return timeText(baseline.median) +
         format(", %.4g TFLOPS; ", baselineTflops(result)) + baseline.library +
         ", the best of " + std::to_string(baseline.algorithms) +
         (baseline.algorithms == 1 ? " algorithm" : " algorithms") +
         format("; ratio %.3f", tflops(result) / baselineTflops(result));
}

std::string clocksText(const runtime::ClockRange &clocks) {
  return clocks.median
             ? format("%u MHz, from %u to %u; memory %u MHz", clocks.median,
                      clocks.least, clocks.greatest, clocks.memory)
             : "unknown: " + clocks.unknown;
}

json clocksJson(const runtime::ClockRange &clocks) {
  if (!clocks.median)
    return {{"unknown", clocks.unknown}};
  return {{"sm_mhz", clocks.median},
          {"sm_mhz_min", clocks.least},
          {"sm_mhz_max", clocks.greatest},
          {"memory_mhz", clocks.memory}};
}

} // namespace

void printJson(const RunResult &result) {
  json object;
  object["status"] = statusName(result.status);
  if (!result.message.empty())
    object["message"] = result.message;
  object["device"] = result.device;
  object["emulated"] = result.emulated;
  object["target"] = result.target;
  object["function"] = result.function;
  object["schedule"] = result.schedule;
  object["fallback"] = result.fallback;
  object["arguments"] = result.arguments;
  object["shapes"] = json::array();
  for (const Shape &shape : result.shapes)
    object["shapes"].push_back(formatShape(shape));
  bool checked = result.called && result.check.notChecked.empty();
  object["max_rel_err"] =
      checked ? number(result.check.maxRelativeError) : json();
  object["max_of_bound"] = checked ? number(result.check.maxOfBound) : json();
  object["checked"] = result.check.checked;
  object["elements"] = result.check.total;
  object["wrong"] = result.check.wrong;
  if (result.called && !checked)
    object["not_checked"] = result.check.notChecked;
  object["wrong_elements"] = json::array();
  for (const WrongElement &wrong : result.check.examples)
    object["wrong_elements"].push_back(
        {{"argument", wrong.argument},
         {"index", {wrong.index.batch, wrong.index.row, wrong.index.column}},
         {"expected", number(wrong.expected.value)},
         {"got", number(wrong.got)},
         {"bound", number(wrong.expected.bound())}});
  object["hints"] = result.check.hints;
  object["repeated"] = result.repeated;
  if (!result.unsteady.empty())
    object["unsteady"] = result.unsteady;
  object["guards"] = result.guardErrors;
  // An emulated time is no speed: it comes under this name with a label, and
  // without TFLOPS.
  object["timing"] = !result.called    ? json()
                     : result.emulated ? json("emulation")
                                       : json("measured");
  object["kernel_ms"] = result.called ? number(milliseconds(result)) : json();
  object["tflops"] =
      result.called && !result.emulated ? number(tflops(result)) : json();
  const BenchResult &bench = result.bench;
  const BenchResult::Baseline &baseline = bench.baseline;
  object["baseline_tflops"] =
      baseline.done ? number(baselineTflops(result)) : json();
  object["baseline_ratio"] =
      baseline.done ? number(tflops(result) / baselineTflops(result)) : json();
  if (bench.done)
    object["bench"] = {{"repetitions", bench.repetitions},
                       {"rotation", bench.rotation},
                       {"median_ms", bench.median},
                       {"min_ms", bench.least},
                       {"max_ms", bench.greatest}};
  if (bench.done && !result.emulated) {
    object["bench"]["executions_per_sample"] = bench.perSample;
    object["bench"]["graph"] = bench.graph;
    object["bench"]["clocks"] = clocksJson(bench.clocks);
  }
  if (baseline.done)
    object["baseline"] = {{"library", baseline.library},
                          {"algorithms", baseline.algorithms},
                          {"median_ms", baseline.median},
                          {"min_ms", baseline.least},
                          {"max_ms", baseline.greatest}};
  // Only the emulator counts them.
  object["launches"] = result.emulated ? json(result.launches) : json();
  object["hazards"] = result.hazards;
  object["fault"] = result.fault;
  object["counters"] = result.counters;
  object["outputs"] = result.outputs;
  object["wall_s"] = result.wallSeconds;
  // Messages may quote bytes of files that are not UTF-8.
  std::printf(
      "%s\n",
      object.dump(2, ' ', false, json::error_handler_t::replace).c_str());
}

void printText(const RunResult &result) {
  auto line = [](const char *label, const std::string &text) {
    std::printf("%-9s %s\n", label, text.c_str());
  };
  if (!result.device.empty()) {
    line("device", result.device);
    line("function",
         result.function + ", for " + result.target +
             (result.schedule.empty() ? "" : ", schedule " + result.schedule));
    if (!result.fallback.empty())
      line("", "schedule " + result.fallback +
                   " where TMA cannot address an operand");
    std::string shapes;
    for (const std::string &argument : result.arguments)
      shapes += (shapes.empty() ? "" : ", ") + argument;
    line("shapes", shapes);
  }
  if (result.called) {
    line("check", checkText(result));
    if (!result.unsteady.empty())
      line("repeated", "WRONG: " + result.unsteady);
    else if (result.repeated > 1)
      line("repeated", "the same bits in all " +
                           std::to_string(result.repeated) + " calls");
    for (const WrongElement &wrong : result.check.examples)
      line("", indexText(result, wrong) + " of argument " +
                   std::to_string(wrong.argument) + ": expected " +
                   valueText(wrong.expected.value) + ", got " +
                   valueText(wrong.got) +
                   format(", may differ by %.3g", wrong.expected.bound()));
    for (const std::string &hint : result.check.hints)
      line("hint", hint);
    for (const std::string &error : result.guardErrors)
      line("guards", error);
    if (!result.hazards.empty())
      line("hazards",
           std::to_string(result.hazards.size()) + " found by the emulator:");
    for (const json &hazard : result.hazards)
      line("", hazard.is_object() ? hazard.value("message", hazard.dump())
                                  : hazard.dump());
    line("time", timingText(result));
    if (result.bench.baseline.done)
      line("baseline", baselineText(result));
    if (result.bench.done && !result.emulated)
      line("clocks", clocksText(result.bench.clocks));
    for (const std::string &output : result.outputs)
      line("written", output);
  }
  std::fflush(stdout);
  if (!result.message.empty())
    std::fprintf(stderr, "bwgemm-runner: error: %s\n", result.message.c_str());
}

} // namespace bwgemm::runner
