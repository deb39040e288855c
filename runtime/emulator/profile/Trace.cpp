//===- Trace.cpp - One line per executed instruction ------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/Trace.h"

#include "machine/Cta.h"
#include "profile/PtxText.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>

namespace bwgemm::emulator {

OutputFile::OutputFile(const std::string &name)
    : stream(name == "-" ? stdout : std::fopen(name.c_str(), "a")) {}

OutputFile::~OutputFile() {
  if (stream == stdout)
    std::fflush(stdout);
  else if (stream)
    std::fclose(stream);
}

Trace::Trace(const Options &options, const Kernel &kernel)
    : file(options.trace), code(kernel.code),
      registerBytes(kernel.registerBytes) {
  Dim3 cta;
  if (!options.traceWarp.empty() &&
      parseTraceWarp(options.traceWarp, cta, onlyWarp))
    onlyCta = cta;
  for (const auto &[slot, name] : kernel.registerNames)
    places.push_back({slot, name});
  std::sort(places.begin(), places.end(),
            [](const Place &a, const Place &b) { return a.slot < b.slot; });
}

bool Trace::wants(const Warp &warp) const {
  if (!onlyCta)
    return true;
  Dim3 at = warp.cta().index();
  return warp.id() == onlyWarp && at.x == onlyCta->x && at.y == onlyCta->y &&
         at.z == onlyCta->z;
}

static std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof(text), value < 10 ? "%" PRIu64 : "0x%" PRIx64,
                value);
  return text;
}

/// The values of some lanes, as short as they can be.
static std::string listed(const std::vector<uint64_t> &values) {
  uint64_t step = values.size() > 1 ? values[1] - values[0] : 0;
  bool even = true;
  for (size_t i = 1; i < values.size(); ++i)
    even &= values[i] - values[i - 1] == step;
  if (even && step == 0)
    return hex(values[0]);
  if (even && values.size() > 3)
    return hex(values[0]) + ", " + hex(values[1]) + " .. " + hex(values.back());
  std::string text;
  for (uint64_t value : values)
    text += (text.empty() ? "" : ", ") + hex(value);
  return text;
}

std::string Trace::changes(const Warp &warp, const std::byte *before,
                           const std::byte *after, LaneMask mask) const {
  std::string text;
  auto add = [&](std::string_view name, const std::string &value) {
    text += text.empty() ? "  // " : "; ";
    text += name;
    text += " = " + value;
  };
  for (const Place &place : places) {
    unsigned bits = place.name.width;
    size_t bytes = bits == 1 ? 4 : warpSize * (bits <= 32 ? 4 : bits / 8);
    const std::byte *old = before + place.slot, *now = after + place.slot;
    if (std::memcmp(old, now, bytes) == 0)
      continue;
    if (bits == 1) {
      LaneMask value;
      std::memcpy(&value, now, 4);
      char lanes[16];
      std::snprintf(lanes, sizeof(lanes), "0x%08" PRIx32,
                    value & warp.launched());
      add(place.name.name, lanes);
      continue;
    }
    // Of a 128-bit register the low plane comes first, then the high one.
    size_t laneBytes = bits <= 32 ? 4 : 8;
    for (unsigned plane = 0; plane < (bits == 128 ? 2u : 1u); ++plane) {
      std::vector<uint64_t> values;
      for (LaneMask rest = mask; rest; rest &= rest - 1) {
        unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
        uint64_t value = 0;
        std::memcpy(&value, now + (plane * warpSize + lane) * laneBytes,
                    laneBytes);
        values.push_back(value);
      }
      std::string name(place.name.name);
      if (bits == 128)
        name += plane ? ".hi" : ".lo";
      add(name, listed(values));
    }
  }
  return text;
}

Step Trace::execute(Warp &warp, const Instruction &instruction, LaneMask mask) {
  bool waited = warp.fragment().wait.active();
  std::vector<std::byte> before(warp.file(), warp.file() + registerBytes);
  Step step = instruction.handler(warp, instruction, mask);
  // A wait is shown when it begins and when it is over.
  if (step == Step::Block && waited)
    return step;
  // The machine prepares some instructions with one that has the same text,
  // and keeps the result where no name leads.
  if (isPreparation(code, static_cast<size_t>(&instruction - code.data())))
    return step;
  Dim3 at = warp.cta().index();
  char head[96];
  std::snprintf(head, sizeof(head),
                "cta (%u,%u,%u) warp %u mask 0x%08" PRIx32 " line %u: ", at.x,
                at.y, at.z, warp.id(), mask, instruction.line);
  std::string line = head + oneLine(instruction.text) + ";";
  line += step == Step::Block   ? "  // waits"
          : step == Step::Fault ? "  // fault"
                                : changes(warp, before.data(), warp.file(),
                                          mask ? mask : warp.launched());
  line += '\n';
  std::lock_guard lock(mutex);
  std::fwrite(line.data(), 1, line.size(), file.stream);
  return step;
}

} // namespace bwgemm::emulator
