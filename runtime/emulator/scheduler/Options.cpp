//===- Options.cpp - BWGEMM_EMULATOR options and fault texts ----*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator.h"
#include "profile/Trace.h"

#include <cinttypes>
#include <cstdio>

namespace bwgemm::emulator {

static bool parseNumber(std::string_view text, uint64_t limit,
                        uint64_t &value) {
  if (text.empty())
    return false;
  value = 0;
  for (char c : text) {
    if (c < '0' || c > '9')
      return false;
    uint64_t digit = static_cast<uint64_t>(c - '0');
    if (value > (limit - digit) / 10)
      return false;
    value = value * 10 + digit;
  }
  return true;
}

bool parseTraceWarp(std::string_view text, Dim3 &cta, unsigned &warp) {
  size_t colon = text.find(':');
  if (colon == std::string_view::npos)
    return false;
  uint64_t number;
  if (!parseNumber(text.substr(colon + 1), 1023, number))
    return false;
  warp = static_cast<unsigned>(number);
  cta = {0, 0, 0};
  std::string_view rest = text.substr(0, colon);
  for (uint32_t *axis : {&cta.x, &cta.y, &cta.z}) {
    size_t cross = rest.find('x');
    if (!parseNumber(rest.substr(0, cross), UINT32_MAX, number))
      return false;
    *axis = static_cast<uint32_t>(number);
    if (cross == std::string_view::npos)
      return true;
    rest.remove_prefix(cross + 1);
  }
  return false;
}

bool Options::parse(std::string_view text, std::string &error) {
  auto trim = [](std::string_view piece) {
    while (!piece.empty() && piece.front() == ' ')
      piece.remove_prefix(1);
    while (!piece.empty() && piece.back() == ' ')
      piece.remove_suffix(1);
    return piece;
  };
  while (!text.empty()) {
    size_t comma = text.find(',');
    std::string_view item = trim(text.substr(0, comma));
    text = comma == std::string_view::npos ? std::string_view()
                                           : text.substr(comma + 1);
    if (item.empty())
      continue;
    size_t equals = item.find('=');
    std::string_view key = trim(item.substr(0, equals));
    std::string_view value = equals == std::string_view::npos
                                 ? std::string_view()
                                 : trim(item.substr(equals + 1));
    auto refuse = [&](const std::string &accepted) {
      error = "emulator option '" + std::string(key) + "': expected " +
              accepted + ", got '" + std::string(value) + "'";
      return false;
    };
    uint64_t number;
    if (key == "hazards") {
      if (value != "on" && value != "off")
        return refuse("'on' or 'off'");
      hazards = value == "on";
    } else if (key == "numerics") {
      if (value != "exact" && value != "fast")
        return refuse("'exact' or 'fast'");
      numerics = value == "exact" ? Numerics::Exact : Numerics::Fast;
    } else if (key == "schedule") {
      if (value != "fair" && value != "random")
        return refuse("'fair' or 'random'");
      schedule = value == "random" ? WarpOrder::Random : WarpOrder::Fair;
    } else if (key == "seed") {
      if (!parseNumber(value, UINT64_MAX, number))
        return refuse("a number");
      seed = number;
    } else if (key == "threads") {
      if (!parseNumber(value, 1024, number))
        return refuse("a number from 0 to 1024");
      threads = static_cast<unsigned>(number);
    } else if (key == "budget") {
      if (!parseNumber(value, UINT64_MAX, number))
        return refuse("a number of instructions");
      budget = number;
    } else if (key == "arch") {
      if (value.substr(0, 3) != "sm_" || value.size() < 5)
        return refuse("an architecture such as sm_100a");
      arch = value;
    } else if (key == "trace") {
      if (value.empty())
        return refuse("a file name");
      trace = value;
    } else if (key == "trace-warp") {
      Dim3 cta;
      unsigned warp;
      if (!parseTraceWarp(value, cta, warp))
        return refuse("CTA:WARP with the CTA as X, XxY or XxYxZ, such as "
                      "3x0x0:1");
      traceWarp = value;
    } else if (key == "stats" || key == "profile") {
      if (value.empty())
        return refuse("a file name, or - for standard output");
      (key == "stats" ? stats : profile) = value;
    } else {
      error = "emulator option '" + std::string(key) +
              "' is unknown: expected hazards, numerics, schedule, seed, "
              "threads, budget, arch, trace, trace-warp, stats or profile";
      return false;
    }
  }
  return true;
}

std::string Fault::render() const {
  const char *head = kind == FaultKind::Trap     ? "trap: "
                     : kind == FaultKind::Hang   ? "hang: "
                     : kind == FaultKind::Hazard ? "hazard: "
                                                 : "unsupported: ";
  std::string text = head + message;
  char line_[96];
  if (!kernel.empty())
    text += "\n  kernel " + kernel;
  if (line) {
    std::snprintf(line_, sizeof(line_), "\n  PTX line %u", line);
    text += line_;
  }
  if (!instruction.empty())
    text += "\n  instruction " + instruction;
  if (warp >= 0) {
    std::snprintf(line_, sizeof(line_), "\n  cta (%u,%u,%u)", cta.x, cta.y,
                  cta.z);
    text += line_;
    std::snprintf(line_, sizeof(line_), "\n  warp %d", warp);
    text += line_;
  }
  if (lane >= 0) {
    std::snprintf(line_, sizeof(line_), "\n  lane %d", lane);
    text += line_;
  }
  if (address) {
    std::snprintf(line_, sizeof(line_), "\n  address 0x%" PRIx64, *address);
    text += line_;
  }
  return text;
}

} // namespace bwgemm::emulator
