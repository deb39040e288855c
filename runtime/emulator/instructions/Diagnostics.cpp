//===- Diagnostics.cpp - What is wrong with an instruction ------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "instructions/Diagnostics.h"

#include "instructions/Registry.h"

#include <algorithm>

namespace bwgemm::emulator {

static std::string join(const std::vector<std::string_view> &parts) {
  std::string text;
  for (std::string_view part : parts)
    text += (text.empty() ? "" : ".") + std::string(part);
  return text;
}

//===----------------------------------------------------------------------===//
// Unknown mnemonics and modifiers
//===----------------------------------------------------------------------===//

namespace {
struct LeftOut {
  std::string_view first; ///< Mnemonic up to the first dot.
  const char *reason;
};
} // namespace

/// Instructions of the ISA that the emulator does not have on purpose.
static const char *leftOut(std::string_view first) {
  static const LeftOut list[] = {
      {"tex", "textures are not modelled; use ld.global"},
      {"tld4", "textures are not modelled; use ld.global"},
      {"txq", "textures are not modelled"},
      {"istypep", "textures are not modelled"},
      {"suld", "surfaces are not modelled; use ld.global"},
      {"sust", "surfaces are not modelled; use st.global"},
      {"sured", "surfaces are not modelled; use red.global"},
      {"suq", "surfaces are not modelled"},
      {"multimem", "multicast memory objects need several devices"},
  };
  for (const LeftOut &entry : list)
    if (entry.first == first)
      return entry.reason;
  static const std::string_view video[] = {"vadd", "vsub",  "vabsdiff", "vmin",
                                           "vmax", "vshl",  "vshr",     "vmad",
                                           "vset", "vavrg", "vabsdiff"};
  for (std::string_view name : video)
    if (first.substr(0, name.size()) == name)
      return "video instructions are not modelled; use the scalar ones";
  return nullptr;
}

/// How many letters have to be inserted, dropped, changed or exchanged with
/// their neighbour.
static size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> rows(3, std::vector<size_t>(b.size() + 1));
  for (size_t j = 0; j <= b.size(); ++j)
    rows[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    std::vector<size_t> &row = rows[i % 3], &above = rows[(i + 2) % 3];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1,
                         above[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], rows[(i + 1) % 3][j - 2] + 1);
    }
  }
  return rows[a.size() % 3][b.size()];
}

/// At most `most` of the words, those nearest to `word` first, quoted.
static std::string nearest(std::string_view word,
                           std::vector<std::string> words, size_t most,
                           size_t limit, const char *prefix) {
  std::stable_sort(words.begin(), words.end(),
                   [&](const std::string &a, const std::string &b) {
                     return editDistance(word, a) < editDistance(word, b);
                   });
  std::string text;
  for (const std::string &candidate : words) {
    if (most == 0 || editDistance(word, candidate) > limit)
      break;
    text += (text.empty() ? "'" : ", '") + (prefix + candidate) + "'";
    --most;
  }
  return text;
}

std::string describeUnknown(const std::vector<std::string_view> &parts) {
  std::string opcode = join(parts).substr(0, 100);
  std::string text = "unknown or unsupported instruction '" + opcode + "'";
  std::string first(parts[0].substr(0, 40));
  if (const char *reason = leftOut(first))
    return text + ": " + reason;
  std::vector<std::string> names = Registry::instance().mnemonics();
  // `tcgen05.foo`: what else begins so.
  std::vector<std::string> family;
  for (const std::string &name : names)
    if (name.compare(0, first.size() + 1, first + ".") == 0)
      family.push_back(name);
  std::string near;
  if (!family.empty())
    near = nearest(opcode, family, 8, 100, "");
  else
    near = nearest(first, names, 3, std::max<size_t>(1, first.size() / 3), "");
  if (!near.empty())
    text += "; supported are " + near;
  return text;
}

std::string describeModifier(std::string_view modifier,
                             const std::string &mnemonic,
                             std::vector<std::string_view> tried) {
  std::string text = "unknown or unsupported modifier '." +
                     std::string(modifier) + "' of '" + mnemonic + "'";
  std::sort(tried.begin(), tried.end());
  tried.erase(std::unique(tried.begin(), tried.end()), tried.end());
  std::string near =
      nearest(modifier, {tried.begin(), tried.end()}, 12, 100, ".");
  if (near.empty())
    return text + "; it takes none more";
  return text + "; others that it takes are " + near;
}

//===----------------------------------------------------------------------===//
// Targets
//===----------------------------------------------------------------------===//

namespace {

/// Which targets have an instruction. `Base`: `least` and later. `Specific`:
/// only architecture- or family-specific ones (sm_100a, sm_100f) from `least`
/// on.
enum class Needs : uint8_t { Base, Specific };

struct Rule {
  std::string_view mnemonic; ///< Leading parts.
  std::string_view modifier; ///< Another part; empty for any.
  Needs needs;
  unsigned least;
};

} // namespace

/// The first rule that fits counts. PTX ISA, target notes of each instruction;
/// tcgen05, wgmma and cp.async check for themselves.
static const Rule rules[] = {
    {"setmaxnreg", "", Needs::Specific, 90},
    {"clusterlaunchcontrol", "multicast::cluster::all", Needs::Specific, 100},
    {"clusterlaunchcontrol", "", Needs::Base, 100},
    {"barrier.cluster", "", Needs::Base, 90},
    {"mapa", "", Needs::Base, 90},
    {"getctarank", "", Needs::Base, 90},
    {"cp.async.bulk", "cta_group::1", Needs::Specific, 100},
    {"cp.async.bulk", "cta_group::2", Needs::Specific, 100},
    {"cp.async.bulk", "", Needs::Base, 90},
    {"cp.reduce.async.bulk", "", Needs::Base, 90},
    {"cp.async", "", Needs::Base, 80},
    {"tensormap", "", Needs::Specific, 90},
    {"elect", "", Needs::Base, 90},
    {"griddepcontrol", "", Needs::Base, 90},
    {"fence.mbarrier_init", "", Needs::Base, 90},
    {"fence.proxy.async", "", Needs::Base, 90},
    {"fence.proxy.tensormap::generic", "", Needs::Base, 90},
    {"mbarrier.try_wait", "", Needs::Base, 90},
    {"mbarrier.expect_tx", "", Needs::Base, 90},
    {"mbarrier.complete_tx", "", Needs::Base, 90},
    {"mbarrier.arrive", "expect_tx", Needs::Base, 90},
    {"mbarrier", "shared::cluster", Needs::Base, 90},
    {"mbarrier", "", Needs::Base, 80},
    {"st.async", "", Needs::Base, 90},
    {"red.async", "", Needs::Base, 90},
    {"stmatrix", "m16n8", Needs::Specific, 100},
    {"stmatrix", "", Needs::Base, 90},
    {"ldmatrix", "m16n16", Needs::Specific, 100},
    {"ldmatrix", "m8n16", Needs::Specific, 100},
    {"ldmatrix", "", Needs::Base, 75},
    {"movmatrix", "", Needs::Base, 75},
    {"redux", "f32", Needs::Specific, 100},
    {"redux", "", Needs::Base, 80},
    {"createpolicy", "", Needs::Base, 80},
    {"discard", "", Needs::Base, 80},
    {"applypriority", "", Needs::Base, 80},
    {"add", "f32x2", Needs::Base, 100},
    {"sub", "f32x2", Needs::Base, 100},
    {"mul", "f32x2", Needs::Base, 100},
    {"fma", "f32x2", Needs::Base, 100},
    {"cvt", "rs", Needs::Specific, 100},
    {"cvt", "e2m1x2", Needs::Specific, 100},
    {"cvt", "e2m3x2", Needs::Specific, 100},
    {"cvt", "e3m2x2", Needs::Specific, 100},
    {"cvt", "ue8m0x2", Needs::Specific, 100},
    {"cvt", "s2f6x2", Needs::Specific, 100},
    {"cvt", "e4m3x2", Needs::Base, 89},
    {"cvt", "e5m2x2", Needs::Base, 89},
    {"ld", "v8", Needs::Base, 100},
    {"st", "v8", Needs::Base, 100},
    {"mma", "block_scale", Needs::Specific, 120},
    {"mma", "bf16", Needs::Base, 80},
    {"mma", "tf32", Needs::Base, 80},
    {"mma", "e4m3", Needs::Base, 89},
    {"mma", "e5m2", Needs::Base, 89},
};

static bool fits(const Rule &rule, const std::vector<std::string_view> &parts) {
  size_t at = 0;
  for (std::string_view part : parts) {
    size_t dot = std::min(rule.mnemonic.find('.', at), rule.mnemonic.size());
    if (rule.mnemonic.substr(at, dot - at) != part)
      return false;
    at = dot + 1;
    if (at > rule.mnemonic.size())
      break;
  }
  if (at <= rule.mnemonic.size())
    return false;
  return rule.modifier.empty() ||
         std::find(parts.begin(), parts.end(), rule.modifier) != parts.end();
}

std::string describeTarget(const std::vector<std::string_view> &parts,
                           std::string_view target) {
  if (target.substr(0, 3) != "sm_")
    return "";
  unsigned number = 0;
  size_t at = 3;
  for (; at < target.size() && target[at] >= '0' && target[at] <= '9'; ++at)
    number = std::min(number * 10 + unsigned(target[at] - '0'), 100000u);
  bool specific = at < target.size();
  for (const Rule &rule : rules) {
    if (!fits(rule, parts))
      continue;
    bool good = number >= rule.least && (rule.needs == Needs::Base || specific);
    if (good)
      return "";
    std::string least = "sm_" + std::to_string(rule.least);
    std::string what(rule.mnemonic);
    if (!rule.modifier.empty())
      what += "' with '." + std::string(rule.modifier);
    return "'" + what + "' needs " +
           (rule.needs == Needs::Base
                ? least + " or later"
                : least + "a, or a later target with an 'a' or 'f' behind its "
                          "number") +
           ", and '.target' is " + std::string(target);
  }
  return "";
}

} // namespace bwgemm::emulator
