//===- Report.cpp - What launches did, as JSON ------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "State.h"

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <set>

namespace bwgemm::emulator::driver {

namespace {

struct Record {
  std::mutex mutex;
  uint64_t launches = 0;
  double totalSeconds = 0;
  uint64_t hazardCount = 0;
  std::vector<Fault> hazards; ///< The first maxHazards.
  std::set<std::string> printed;
  std::string kernel, target;
  Counters counters; ///< Of all launches.
  LaunchReport last;
};

} // namespace

static constexpr size_t maxHazards = 100;
/// So many hazards are written to standard error; the report has the rest.
static constexpr size_t maxPrinted = 10;

static Record &record() {
  static Record *instance = new Record;
  return *instance;
}

void recordLaunch(const std::string &kernel, const std::string &target,
                  const LaunchReport &report) {
  Record &all = record();
  std::lock_guard<std::mutex> lock(all.mutex);
  ++all.launches;
  all.totalSeconds += report.seconds;
  all.kernel = kernel;
  all.target = target;
  addCounters(all.counters, report.counters);
  all.last = report;
  all.last.hazards.clear();
  for (const Fault &hazard : report.hazards) {
    ++all.hazardCount;
    if (all.hazards.size() < maxHazards)
      all.hazards.push_back(hazard);
    if (all.printed.size() > maxPrinted)
      continue;
    std::string text = hazard.render();
    if (!all.printed.insert(text).second)
      continue;
    if (all.printed.size() > maxPrinted)
      text = "further hazards are in the report only";
    std::fprintf(stderr, "bwgemm emulator: %s\n", text.c_str());
  }
  if (report.fault)
    std::fprintf(stderr, "bwgemm emulator: %s\n",
                 report.fault->render().c_str());
  std::fflush(stderr);
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static void appendString(std::string &out, const std::string &text) {
  out += '"';
  for (char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char buffer[8];
      std::snprintf(buffer, sizeof(buffer), "\\u%04x", unsigned(c));
      out += buffer;
    } else {
      out += c;
    }
  }
  out += '"';
}

static void appendNumber(std::string &out, double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof(buffer), "%.9g", value);
  out += buffer;
}

static const char *nameOf(FaultKind kind) {
  switch (kind) {
  case FaultKind::Trap:
    return "trap";
  case FaultKind::Hang:
    return "hang";
  case FaultKind::Hazard:
    return "hazard";
  case FaultKind::Unsupported:
    return "unsupported";
  }
  return "trap";
}

static void appendFault(std::string &out, const Fault &fault) {
  out += "{\"kind\": \"";
  out += nameOf(fault.kind);
  out += "\", \"message\": ";
  appendString(out, fault.message);
  out += ", \"kernel\": ";
  appendString(out, fault.kernel);
  out += ", \"line\": " + std::to_string(fault.line) + ", \"instruction\": ";
  appendString(out, fault.instruction);
  out += ", \"cta\": [" + std::to_string(fault.cta.x) + ", " +
         std::to_string(fault.cta.y) + ", " + std::to_string(fault.cta.z) +
         "], \"warp\": " + std::to_string(fault.warp) +
         ", \"lane\": " + std::to_string(fault.lane) + ", \"address\": ";
  out += fault.address ? std::to_string(*fault.address) : "null";
  out += ", \"text\": ";
  appendString(out, fault.render());
  out += "}";
}

static std::string render(const Record &all) {
  std::string out = "{\"launches\": " + std::to_string(all.launches) +
                    ", \"total_seconds\": ";
  appendNumber(out, all.totalSeconds);
  out += ", \"hazard_count\": " + std::to_string(all.hazardCount) +
         ", \"hazards\": [";
  for (size_t i = 0; i < all.hazards.size(); ++i) {
    if (i)
      out += ", ";
    appendFault(out, all.hazards[i]);
  }
  out += "]";
  if (all.launches) {
    out += ", \"kernel\": ";
    appendString(out, all.kernel);
    out += ", \"target\": ";
    appendString(out, all.target);
    out += ", \"seconds\": ";
    appendNumber(out, all.last.seconds);
    out += ", \"counters\": {";
    bool first = true;
    for (const auto &[name, value] : all.counters) {
      out += first ? "" : ", ";
      first = false;
      appendString(out, name);
      out += ": " + std::to_string(value);
    }
    out += "}, \"fault\": ";
    if (all.last.fault)
      appendFault(out, *all.last.fault);
    else
      out += "null";
  }
  return out + "}";
}

} // namespace bwgemm::emulator::driver

using namespace bwgemm::emulator::driver;

extern "C" __attribute__((visibility("default"))) const char *
bwgemmEmulatorReport() {
  finishKernels();
  thread_local std::string text;
  std::lock_guard<std::mutex> lock(record().mutex);
  text = render(record());
  return text.c_str();
}

extern "C" __attribute__((visibility("default"))) void
bwgemmEmulatorResetReport() {
  finishKernels();
  Record &all = record();
  std::lock_guard<std::mutex> lock(all.mutex);
  all.launches = 0;
  all.totalSeconds = 0;
  all.hazardCount = 0;
  all.hazards.clear();
  all.printed.clear();
  all.counters.clear();
  all.last = {};
}

extern "C" __attribute__((visibility("default"))) unsigned long long
bwgemmEmulatorHazardCount() {
  finishKernels();
  std::lock_guard<std::mutex> lock(record().mutex);
  return record().hazardCount;
}
