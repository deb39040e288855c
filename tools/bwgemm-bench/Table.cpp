//===- Table.cpp - What was measured -----------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Table.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <map>

namespace bwgemm::bench {

using nlohmann::json;

__attribute__((format(printf, 1, 2))) static std::string
format(const char *pattern, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, pattern);
  std::vsnprintf(text, sizeof text, pattern, arguments);
  va_end(arguments);
  return text;
}

void markDrops(std::vector<Row> &rows) {
  constexpr double part = 0.9;
  constexpr size_t reach = 2;
  std::map<std::string, std::vector<Row *>> series;
  for (Row &row : rows)
    if (row.timed)
      series[row.asked].push_back(&row);
  for (auto &[schedule, points] : series)
    for (size_t i = 0; i < points.size(); ++i) {
      double best = 0;
      for (size_t j = i > reach ? i - reach : 0; j < i; ++j)
        best = std::max(best, points[j]->tflops());
      points[i]->drop = points[i]->tflops() < part * best;
    }
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// Columns as wide as they need be; the first two to the left.
static std::string
alignColumns(const std::vector<std::vector<std::string>> &lines) {
  std::vector<size_t> widths;
  for (const auto &line : lines)
    for (size_t i = 0; i < line.size(); ++i) {
      widths.resize(std::max(widths.size(), i + 1));
      widths[i] = std::max(widths[i], line[i].size());
    }
  std::string text;
  for (const auto &line : lines) {
    std::string row;
    for (size_t i = 0; i < line.size(); ++i) {
      std::string space(widths[i] - line[i].size(), ' ');
      row += (i ? "  " : "") + (i < 2 ? line[i] + space : space + line[i]);
    }
    text += row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

static std::string orDash(double value, const char *pattern) {
  return value > 0 ? format(pattern, value) : "-";
}

static std::string ceilingsText(const Table &table) {
  const runtime::Ceilings &c = table.ceilings;
  std::string text = format("memory %.2f TB/s", c.bytesPerSecond * 1e-12);
  text += c.flopsPerSecond > 0
              ? format("; %s %.1f TFLOPS", c.instruction.c_str(),
                       c.flopsPerSecond * 1e-12)
              : "; tensor cores unknown: " + c.unknown;
  return text;
}

std::string makeText(const Table &table) {
  std::string text =
      "device    " + table.device + ", target " + table.target + "\n";
  if (!table.emulated) {
    if (!table.baseline.empty())
      text += "baseline  " + table.baseline + "\n";
    text += "ceilings  " + ceilingsText(table) + "\n";
    text += "clocks    " +
            (table.clocks.median
                 ? format("%u MHz, from %u to %u; memory %u MHz",
                          table.clocks.median, table.clocks.least,
                          table.clocks.greatest, table.clocks.memory)
                 : "unknown: " + table.clocks.unknown) +
            "\n";
  }
  std::vector<std::vector<std::string>> lines;
  if (table.emulated)
    lines.push_back({"problem", "schedule", "result", "seconds of emulation"});
  else
    lines.push_back({"problem", "schedule", "result", "us", "min", "max",
                     "TFLOPS", "cuBLASLt", "ratio", "of ceiling"});
  double product = 0;
  size_t ratios = 0;
  for (const Row &row : table.rows) {
    std::vector<std::string> line = {row.problem.text(), row.asked, row.status};
    if (table.emulated) {
      line.push_back(orDash(row.emulatedSeconds, "%.3g"));
    } else {
      line.push_back(orDash(row.median, "%.2f"));
      line.push_back(orDash(row.least, "%.2f"));
      line.push_back(orDash(row.greatest, "%.2f"));
      line.push_back(orDash(row.tflops(), "%.1f") + (row.drop ? " v" : ""));
      double baseline =
          row.baseline > 0 ? row.problem.flops() / row.baseline * 1e-6 : 0;
      line.push_back(orDash(baseline, "%.1f"));
      line.push_back(orDash(row.ratio(), "%.3f"));
      line.push_back(orDash(100 * row.ofCeiling(), "%.0f %%"));
      if (row.ratio() > 0) {
        product += std::log(row.ratio());
        ++ratios;
      }
    }
    lines.push_back(std::move(line));
  }
  text += "\n" + alignColumns(lines);
  for (const Row &row : table.rows) {
    std::string what = row.problem.text() + ", " + row.asked + ": ";
    if (!row.message.empty())
      text += what + row.message + "\n";
    if (!row.noBaseline.empty())
      text += what + row.noBaseline + "\n";
    if (row.drop)
      text += what + format("%.1f TFLOPS is a drop (v)\n", row.tflops());
  }
  if (ratios)
    text += format("geometric mean of the ratios: %.3f (%zu)\n",
                   std::exp(product / double(ratios)), ratios);
  return text;
}

//===----------------------------------------------------------------------===//
// JSON and CSV
//===----------------------------------------------------------------------===//

static json orNull(double value) { return value > 0 ? json(value) : json(); }

std::string makeJson(const Table &table) {
  json object;
  object["device"] = table.device;
  object["target"] = table.target;
  object["emulated"] = table.emulated;
  if (!table.emulated) {
    object["baseline"] = table.baseline.empty() ? json() : json(table.baseline);
    object["bytes_per_second"] = orNull(table.ceilings.bytesPerSecond);
    object["flops_per_second"] = orNull(table.ceilings.flopsPerSecond);
    object["clocks"] = {{"sm_mhz", table.clocks.median},
                        {"sm_mhz_min", table.clocks.least},
                        {"sm_mhz_max", table.clocks.greatest},
                        {"memory_mhz", table.clocks.memory}};
  }
  if (table.sweep.axis)
    object["sweep"] = std::string(1, table.sweep.axis);
  object["rows"] = json::array();
  for (const Row &row : table.rows) {
    json entry = {{"m", row.problem.m},  {"n", row.problem.n},
                  {"k", row.problem.k},  {"kind", row.problem.kind()},
                  {"asked", row.asked},  {"schedule", row.schedule},
                  {"status", row.status}};
    if (!row.message.empty())
      entry["message"] = row.message;
    if (table.emulated) {
      entry["emulation_s"] = orNull(row.emulatedSeconds);
    } else {
      entry["us"] = orNull(row.median);
      entry["us_min"] = orNull(row.least);
      entry["us_max"] = orNull(row.greatest);
      entry["tflops"] = orNull(row.tflops());
      entry["baseline_us"] = orNull(row.baseline);
      entry["ratio"] = orNull(row.ratio());
      entry["of_ceiling"] = orNull(row.ofCeiling());
      entry["drop"] = row.drop;
    }
    object["rows"].push_back(entry);
  }
  return object.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

static std::string quote(const std::string &text) {
  if (text.find_first_of(",\"\n") == std::string::npos)
    return text;
  std::string quoted = "\"";
  for (char c : text)
    quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string makeCsv(const Table &table) {
  std::string text = "m,n,k,kind,asked,schedule,status,";
  text += table.emulated ? "emulation_s\n"
                         : "us,us_min,us_max,tflops,baseline_us,ratio,"
                           "of_ceiling,drop\n";
  auto number = [](double value) {
    return value > 0 ? format("%.6g", value) : std::string();
  };
  for (const Row &row : table.rows) {
    text += std::to_string(row.problem.m) + "," +
            std::to_string(row.problem.n) + "," +
            std::to_string(row.problem.k) + "," + quote(row.problem.kind()) +
            "," + quote(row.asked) + "," + quote(row.schedule) + "," +
            row.status + ",";
    if (table.emulated)
      text += number(row.emulatedSeconds);
    else
      text += number(row.median) + "," + number(row.least) + "," +
              number(row.greatest) + "," + number(row.tflops()) + "," +
              number(row.baseline) + "," + number(row.ratio()) + "," +
              number(row.ofCeiling()) + "," + (row.drop ? "1" : "0");
    text += "\n";
  }
  return text;
}

} // namespace bwgemm::bench
