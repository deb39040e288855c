//===- Schedule.cpp - The SPEC of --schedule= ===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm/IR/Schedule.h"
#include "bwgemm/IR/TargetInfo.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::bwgemm;

static constexpr llvm::StringLiteral kFields =
    "tile=MxNxK, stages=S, swizzle=none|32B|64B|128B, "
    "tmem_load=32x32b|16x256b, raster=R, "
    "order=straight|serpentine|hilbert, store=direct|tma, staging=S, "
    "swap_ab=on|off, pingpong=on|off, l2_keep=none|a|b, "
    "cta_group=1|2, "
    "cluster=MxN, scheduler=static|clc|stream_k, split_k=S, "
    "warps=MxN, precision=full|tf32, accumulator=f32|f16, promote=K, "
    "compensated=on|off, pdl=on|off";

StringRef bwgemm::getScheduleFields() { return kFields; }

std::string bwgemm::getPresetNames() {
  std::string names;
  for (uint32_t i = 0; i <= getMaxEnumValForPreset(); ++i)
    names += (i ? ", " : "") + stringifyPreset(*symbolizePreset(i)).str();
  return names;
}

/// A decimal number from 1 to kMaxTileExtent.
static bool parseExtent(StringRef text, int64_t &value) {
  return !text.empty() && llvm::all_of(text, llvm::isDigit) &&
         !text.getAsInteger(10, value) && value > 0 && value <= kMaxTileExtent;
}

/// As many numbers as `extents` has, with an x between each two.
template <size_t count>
static bool parseExtents(StringRef text, std::array<int64_t, count> &extents) {
  SmallVector<StringRef> parts;
  text.split(parts, 'x');
  if (parts.size() != count)
    return false;
  for (auto [part, extent] : llvm::zip_equal(parts, extents))
    if (!parseExtent(part, extent))
      return false;
  return true;
}

static bool parseSpan(StringRef text, unsigned &span) {
  if (text == "none") {
    span = 0;
    return true;
  }
  return text.consume_back("B") && !text.getAsInteger(10, span) &&
         (span == 32 || span == 64 || span == 128);
}

std::optional<ScheduleSpec> ScheduleSpec::parse(StringRef text,
                                                std::string &error) {
  ScheduleSpec spec;
  SmallVector<StringRef> items;
  text.split(items, ',');
  auto fail = [&](const Twine &message) {
    error = ("schedule '" + text + "': " + message).str();
    return std::nullopt;
  };
  for (auto [index, raw] : llvm::enumerate(items)) {
    StringRef item = raw.trim();
    if (!item.contains('=')) {
      // The preset may only stand first, so that a misspelt field is not
      // taken for one.
      std::optional<Preset> preset = symbolizePreset(item);
      if (index != 0)
        return fail("expected field=value, got '" + item + "'; fields are " +
                    kFields);
      if (!preset)
        return fail("unknown preset '" + item + "'; presets are " +
                    getPresetNames());
      spec.preset = *preset;
      continue;
    }
    auto [key, value] = item.split('=');
    key = key.trim();
    value = value.trim();
    auto badValue = [&](StringRef expected) {
      return fail("expected " + key + "=" + expected + ", got '" + value + "'");
    };
    if (key == "tile") {
      std::array<int64_t, 3> tile;
      if (!parseExtents(value, tile))
        return badValue("MxNxK with extents of 1 to 65536");
      spec.tile = tile;
    } else if (key == "stages") {
      int64_t stages;
      if (!parseExtent(value, stages))
        return badValue("a number of 1 to 65536");
      spec.stages = stages;
    } else if (key == "swizzle") {
      unsigned span;
      if (!parseSpan(value, span))
        return badValue("none|32B|64B|128B");
      spec.swizzleSpan = span;
    } else if (key == "tmem_load") {
      std::optional<TmemShape> shape = symbolizeTmemShape(value);
      if (!shape)
        return badValue("32x32b|16x256b");
      spec.tmemLoad = shape;
    } else if (key == "raster") {
      int64_t raster;
      if (!parseExtent(value, raster))
        return badValue("a number of 1 to 65536");
      spec.raster = raster;
    } else if (key == "order") {
      std::optional<TileOrder> order = symbolizeTileOrder(value);
      if (!order)
        return badValue("straight|serpentine|hilbert");
      spec.order = order;
    } else if (key == "store") {
      std::optional<StoreKind> store = symbolizeStoreKind(value);
      if (!store)
        return badValue("direct|tma");
      spec.store = store;
    } else if (key == "staging") {
      int64_t staging;
      if (!parseExtent(value, staging))
        return badValue("a number of 2 to 65536");
      spec.staging = staging;
    } else if (key == "swap_ab") {
      if (value != "on" && value != "off")
        return badValue("on|off");
      spec.swapAB = value == "on";
    } else if (key == "pingpong") {
      if (value != "on" && value != "off")
        return badValue("on|off");
      spec.pingpong = value == "on";
    } else if (key == "l2_keep") {
      std::optional<L2Keep> keep = symbolizeL2Keep(value);
      if (!keep)
        return badValue("none|a|b");
      spec.l2Keep = keep;
    } else if (key == "cta_group") {
      if (value != "1" && value != "2")
        return badValue("1|2");
      spec.ctaGroup = value == "2" ? 2 : 1;
    } else if (key == "cluster") {
      std::array<int64_t, 2> cluster;
      if (!parseExtents(value, cluster))
        return badValue("MxN with extents of 1 to 65536");
      spec.cluster = cluster;
    } else if (key == "warps") {
      std::array<int64_t, 2> warps;
      if (!parseExtents(value, warps))
        return badValue("MxN with extents of 1 to 65536");
      spec.warps = warps;
    } else if (key == "scheduler") {
      std::optional<TileScheduler> scheduler = symbolizeTileScheduler(value);
      if (!scheduler)
        return badValue("static|clc|stream_k");
      spec.scheduler = scheduler;
    } else if (key == "split_k") {
      int64_t splitK;
      if (!parseExtent(value, splitK))
        return badValue("a number of 1 to 65536");
      spec.splitK = splitK;
    } else if (key == "precision") {
      std::optional<Precision> precision = symbolizePrecision(value);
      if (!precision)
        return badValue("full|tf32");
      spec.precision = precision;
    } else if (key == "accumulator") {
      std::optional<Accumulator> accumulator = symbolizeAccumulator(value);
      if (!accumulator)
        return badValue("f32|f16");
      spec.accumulator = accumulator;
    } else if (key == "promote") {
      int64_t promote;
      if (!parseExtent(value, promote))
        return badValue("a number of 1 to 65536");
      spec.promote = promote;
    } else if (key == "pdl" || key == "compensated") {
      if (value != "on" && value != "off")
        return badValue("on|off");
      (key == "pdl" ? spec.pdl : spec.compensated) = value == "on";
    } else {
      return fail("unknown field '" + key + "'; fields are " + kFields);
    }
  }
  return spec;
}

ScheduleSpec ScheduleSpec::getFrom(const ScheduleFields &fields) {
  ScheduleSpec spec;
  spec.preset = fields.preset;
  if (spec.preset == Preset::Naive)
    return spec;
  spec.tile = fields.tile;
  spec.stages = fields.stages;
  spec.swizzleSpan = fields.swizzleSpan;
  spec.precision = fields.precision;
  spec.accumulator = fields.accumulator;
  if (fields.promote) {
    spec.promote = fields.promote;
    spec.compensated = fields.compensated;
  }
  if (usesMmaSync(fields.preset)) {
    // Those fields that it has.
    spec.raster = fields.raster;
    spec.order = fields.order;
    spec.splitK = fields.splitK;
    spec.pdl = fields.pdl;
    spec.warps = fields.warps;
    return spec;
  }
  spec.tmemLoad = fields.tmemLoad;
  spec.raster = fields.raster;
  spec.order = fields.order;
  spec.store = fields.store;
  spec.staging = fields.staging;
  spec.swapAB = fields.swapAB;
  spec.pingpong = fields.pingpong;
  spec.l2Keep = fields.l2Keep;
  spec.ctaGroup = fields.ctaGroup;
  spec.cluster = fields.cluster;
  spec.scheduler = fields.scheduler;
  spec.splitK = fields.splitK;
  spec.pdl = fields.pdl;
  return spec;
}

bool ScheduleSpec::namesFields() const {
  return tile || stages.value_or(1) != 1 || swizzleSpan || tmemLoad || raster ||
         order || store || staging || swapAB || pingpong || l2Keep ||
         ctaGroup || cluster || scheduler || splitK || pdl || warps ||
         promote || compensated ||
         precision.value_or(Precision::Full) != Precision::Full ||
         accumulator.value_or(Accumulator::F32) != Accumulator::F32;
}
