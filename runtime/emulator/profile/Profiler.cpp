//===- Profiler.cpp - Counts what each instruction does ---------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/Profiler.h"

#include "machine/Cta.h"
#include "profile/BankConflicts.h"
#include "profile/PtxText.h"

#include <algorithm>

namespace bwgemm::emulator {

bool Profiler::wanted(const Options &options) {
  return !options.trace.empty() || !options.stats.empty() ||
         !options.profile.empty();
}

Profiler::Profiler(const Options &options, const Kernel &kernel,
                   const LaunchConfig &config)
    : options(options), kernel(kernel), config(config),
      lines(kernel.code.size()) {
  if (!options.trace.empty())
    trace = std::make_unique<Trace>(options, kernel);
  if (!options.stats.empty())
    stats = std::make_unique<OutputFile>(options.stats);
  if (!options.profile.empty())
    profile = std::make_unique<OutputFile>(options.profile);
  counting = stats || profile;
  if (!counting)
    return;
  for (size_t i = 0; i < lines.size(); ++i)
    lines[i].access = classify(kernel.code[i]);
}

std::string Profiler::problem() const {
  auto cannot = [](const char *what, const std::string &name) {
    return std::string("cannot open the ") + what + " file '" + name + "'";
  };
  if (trace && !trace->valid())
    return cannot("trace", options.trace);
  if (stats && !stats->stream)
    return cannot("stats", options.stats);
  if (profile && !profile->stream)
    return cannot("profile", options.profile);
  return "";
}

//===----------------------------------------------------------------------===//
// Counting
//===----------------------------------------------------------------------===//

Profiler::Access Profiler::classify(const Instruction &instruction) {
  Access access;
  auto parts = partsOf(mnemonicOf(instruction.text));
  auto has = [&](std::string_view part) {
    return std::find(parts.begin(), parts.end(), part) != parts.end();
  };
  if (parts[0] == "cp" && has("async") && has("global") && !has("bulk")) {
    // What it copies arrives like a store, 4, 8 or 16 bytes for each lane.
    access.kind = Access::Kind::Lanes;
    access.bytes = static_cast<uint8_t>(instruction.extra);
    return access;
  }
  bool isMatrix = parts[0] == "ldmatrix" || parts[0] == "stmatrix";
  bool isLoadOrStore = parts[0] == "ld" || parts[0] == "st";
  if ((!isMatrix && !isLoadOrStore) || has("async") || has("bulk"))
    return access;
  bool isShared = has("shared") || has("shared::cta");
  bool otherSpace = has("global") || has("local") || has("param") ||
                    has("const") || has("shared::cluster") ||
                    has("param::entry") || has("param::func");
  if (otherSpace || (isLoadOrStore && (has("nc") || has("unified"))))
    return access;
  access.generic = !isShared;
  for (unsigned i = 0; i < instruction.operandCount; ++i)
    if (instruction.operands[i].kind == Operand::Kind::Address)
      access.addressAt = static_cast<uint8_t>(i);
  if (isMatrix) {
    access.kind = Access::Kind::Matrix;
    access.bytes = 16;
    access.rows = has("x4") ? 32 : has("x2") ? 16 : 8;
    // m16n16 .b8 has sixteen rows of 16 bytes in each matrix.
    if (has("m16n16"))
      access.rows = has("x2") ? 32 : 16;
    return access;
  }
  std::optional<Type> type;
  for (std::string_view part : parts)
    if (auto found = parseType(part))
      type = found;
  if (!type)
    return access;
  unsigned count = has("v2") ? 2 : has("v4") ? 4 : has("v8") ? 8 : 1;
  access.kind = Access::Kind::Lanes;
  access.bytes = static_cast<uint8_t>(bitWidth(*type) / 8 * count);
  return access;
}

void Profiler::countBanks(Warp &warp, const Instruction &instruction,
                          LaneMask mask, Line &line) {
  const Access &access = line.access;
  const Operand &operand = instruction.operands[access.addressAt];
  uint32_t address[warpSize] = {};
  LaneMask shared = 0;
  if (access.kind == Access::Kind::Matrix && access.rows < warpSize)
    mask &= (1u << access.rows) - 1;
  for (LaneMask rest = mask; rest; rest &= rest - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
    uint64_t at = warp.address(operand, lane);
    if (access.generic) {
      GenericAddress split = splitGeneric(at);
      if (split.space != Space::SharedCluster && split.space != Space::Shared)
        continue;
      at = split.offset;
    }
    address[lane] = static_cast<uint32_t>(at);
    shared |= 1u << lane;
  }
  if (!shared)
    return;
  // The rows of one matrix, eight of them, are a pass.
  uint32_t lanes =
      access.kind == Access::Kind::Matrix ? 8 : lanesPerPass(access.bytes);
  Wavefronts wavefronts = wavefrontsOf(address, shared, access.bytes, lanes);
  line.wavefronts.fetch_add(wavefronts.needed, std::memory_order_relaxed);
  line.ideal.fetch_add(wavefronts.ideal, std::memory_order_relaxed);
}

Step Profiler::execute(Warp &warp, const Instruction &instruction,
                       LaneMask mask) {
  if (!counting)
    return trace->wants(warp) ? trace->execute(warp, instruction, mask)
                              : instruction.handler(warp, instruction, mask);
  Line &line = lines[static_cast<size_t>(&instruction - kernel.code.data())];
  bool waited = warp.fragment().wait.active();
  // Before the handler, which may overwrite the addresses.
  if (line.access.kind != Access::Kind::None && !waited)
    countBanks(warp, instruction, mask, line);
  Step step = trace && trace->wants(warp)
                  ? trace->execute(warp, instruction, mask)
                  : instruction.handler(warp, instruction, mask);
  if (step == Step::Block) {
    if (!waited)
      line.waits.fetch_add(1, std::memory_order_relaxed);
    return step;
  }
  line.executed.fetch_add(1, std::memory_order_relaxed);
  line.lanes.fetch_add(static_cast<uint64_t>(__builtin_popcount(mask)),
                       std::memory_order_relaxed);
  return step;
}

void Profiler::skipped(Warp &, const Instruction &instruction) {
  if (counting)
    lines[static_cast<size_t>(&instruction - kernel.code.data())]
        .skipped.fetch_add(1, std::memory_order_relaxed);
}

void Profiler::mma(const Instruction &instruction, uint32_t m, uint32_t n,
                   uint32_t k) {
  if (!counting)
    return;
  std::string name(mnemonicOf(instruction.text));
  name += " m" + std::to_string(m) + "n" + std::to_string(n) + "k" +
          std::to_string(k);
  std::lock_guard lock(mutex);
  ++mmas[name];
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

static unsigned long long number(uint64_t value) { return value; }

std::string Profiler::title() const {
  auto text = [](Dim3 d) {
    return std::to_string(d.x) + "x" + std::to_string(d.y) + "x" +
           std::to_string(d.z);
  };
  return "kernel " + kernel.info.name + ", grid " + text(config.grid) +
         ", block " + text(config.block) + ", cluster " + text(config.cluster);
}

void Profiler::finish(Counters &counters) {
  if (!counting)
    return;
  uint64_t wavefronts = 0, ideal = 0;
  for (const Line &line : lines) {
    wavefronts += line.wavefronts;
    ideal += line.ideal;
  }
  counters["shared_wavefronts"] = wavefronts;
  counters["shared_bank_conflicts"] = wavefronts - ideal;
  // mma.sync and wgmma say their shape in the mnemonic.
  for (size_t i = 0; i < lines.size(); ++i) {
    std::string_view mnemonic = mnemonicOf(kernel.code[i].text);
    auto parts = partsOf(mnemonic);
    bool isMma =
        parts[0] == "mma" ||
        (parts[0] == "wgmma" && parts.size() > 1 && parts[1] == "mma_async");
    if (isMma && lines[i].executed)
      mmas[std::string(mnemonic)] += lines[i].executed;
  }
  if (stats)
    writeStats(counters);
  if (profile)
    writeProfile();
}

void Profiler::writeStats(const Counters &counters) {
  std::FILE *out = stats->stream;
  auto counter = [&](const char *name) {
    auto found = counters.find(name);
    return number(found == counters.end() ? 0 : found->second);
  };
  std::fprintf(out, "%s\n", title().c_str());

  struct Sum {
    uint64_t executed = 0, lanes = 0;
  };
  std::map<std::string_view, Sum> byMnemonic;
  uint64_t total = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].executed || isPreparation(kernel.code, i))
      continue;
    Sum &sum = byMnemonic[mnemonicOf(kernel.code[i].text)];
    sum.executed += lines[i].executed;
    sum.lanes += lines[i].lanes;
    total += lines[i].executed;
  }
  std::vector<std::pair<std::string_view, Sum>> sorted(byMnemonic.begin(),
                                                       byMnemonic.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto &a, const auto &b) {
                     return a.second.executed > b.second.executed;
                   });
  std::fprintf(out, "\nwarp instructions by opcode: %llu\n%14s %6s  opcode\n",
               number(total), "count", "lanes");
  for (const auto &[mnemonic, sum] : sorted)
    std::fprintf(out, "%14llu %6.2f  %.*s\n", number(sum.executed),
                 double(sum.lanes) / double(sum.executed), int(mnemonic.size()),
                 mnemonic.data());

  std::fprintf(out, "\ntensor-core operations: %s\n",
               mmas.empty() ? "none" : "");
  for (const auto &[name, count] : mmas)
    std::fprintf(out, "%14llu  %s\n", number(count), name.c_str());

  std::fprintf(out,
               "\nbulk copies\n"
               "%14llu  loads, as received: a multicast counts once for each "
               "CTA\n"
               "%14llu  bytes read from global or shared memory\n"
               "%14llu  bytes received in shared memory\n"
               "%14llu  stores and reductions\n"
               "%14llu  bytes stored\n",
               counter("tma_loads"), counter("tma_bytes_read"),
               counter("tma_bytes_loaded"), counter("tma_stores"),
               counter("tma_bytes_stored"));

  std::fprintf(out,
               "\nshared memory: %llu wavefronts, %llu of them bank "
               "conflicts\n",
               counter("shared_wavefronts"), counter("shared_bank_conflicts"));
  std::fprintf(out, "%8s %12s %12s %12s  instruction\n", "line", "accesses",
               "wavefronts", "conflicts");
  for (size_t i = 0; i < lines.size(); ++i)
    if (lines[i].wavefronts)
      std::fprintf(out, "%8u %12llu %12llu %12llu  %s\n", kernel.code[i].line,
                   number(lines[i].executed), number(lines[i].wavefronts),
                   number(lines[i].wavefronts - lines[i].ideal),
                   oneLine(kernel.code[i].text).c_str());

  std::fprintf(out, "\nwaits\n%8s %12s %12s  instruction\n", "line", "executed",
               "waited");
  for (size_t i = 0; i < lines.size(); ++i)
    if (lines[i].waits)
      std::fprintf(out, "%8u %12llu %12llu  %s\n", kernel.code[i].line,
                   number(lines[i].executed), number(lines[i].waits),
                   oneLine(kernel.code[i].text).c_str());

  std::fprintf(out,
               "\ntensor memory: at most %llu of 512 columns of a CTA "
               "allocated\n\n",
               counter("tmem_columns_high_water"));
  std::fflush(out);
}

void Profiler::writeProfile() {
  std::FILE *out = profile->stream;
  std::fprintf(out, "%s\n%8s %12s %8s %12s %12s  instruction\n",
               title().c_str(), "line", "executed", "lanes", "skipped",
               "waited");
  for (size_t i = 0; i < lines.size(); ++i) {
    const Line &line = lines[i];
    if (isPreparation(kernel.code, i))
      continue;
    double lanes =
        line.executed ? double(line.lanes) / double(line.executed) : 0;
    std::fprintf(out, "%8u %12llu %8.2f %12llu %12llu  %s\n",
                 kernel.code[i].line, number(line.executed), lanes,
                 number(line.skipped), number(line.waits),
                 oneLine(kernel.code[i].text).c_str());
  }
  std::fputc('\n', out);
  std::fflush(out);
}

} // namespace bwgemm::emulator
