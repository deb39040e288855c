//===- ScheduleAttr.cpp - #bwgemm.schedule ----------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SwizzleSyntax.h"
#include "bwgemm/IR/Bwgemm.h"
#include "bwgemm/IR/Schedule.h"
#include "bwgemm/IR/TargetInfo.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::bwgemm;

namespace {

/// The fields that have a default, in the order in which they are printed, as
/// text; `all` for those too that have it.
void printOpenFields(
    const ScheduleFields &fields, bool all,
    llvm::function_ref<void(StringRef name, const Twine &value)> print) {
  ScheduleFields defaults;
  bool mmaSync = usesMmaSync(fields.preset);
  auto given = [&](auto value, auto otherwise) {
    return (all && !mmaSync) || value != otherwise;
  };
  if (all || given(fields.raster, defaults.raster))
    print("raster", Twine(fields.raster));
  // What is not named is straight.
  if (fields.order != defaults.order)
    print("order", stringifyTileOrder(fields.order));
  if (given(fields.store, defaults.store))
    print("store", stringifyStoreKind(fields.store));
  if (fields.staging != defaults.staging)
    print("staging", Twine(fields.staging));
  if (fields.swapAB != defaults.swapAB)
    print("swap_ab", fields.swapAB ? "on" : "off");
  if (fields.pingpong != defaults.pingpong)
    print("pingpong", fields.pingpong ? "on" : "off");
  if (fields.l2Keep != defaults.l2Keep)
    print("l2_keep", stringifyL2Keep(fields.l2Keep));
  if (given(fields.ctaGroup, defaults.ctaGroup))
    print("cta_group", Twine(fields.ctaGroup));
  if (given(fields.cluster, defaults.cluster))
    print("cluster", Twine(fields.cluster[0]) + "x" + Twine(fields.cluster[1]));
  if (given(fields.scheduler, defaults.scheduler))
    print("scheduler", stringifyTileScheduler(fields.scheduler));
  if (given(fields.splitK, defaults.splitK))
    print("split_k", Twine(fields.splitK));
  if (mmaSync || fields.warps != defaults.warps)
    print("warps", Twine(fields.warps[0]) + "x" + Twine(fields.warps[1]));
  // Of most operands there is one way to multiply them.
  if (fields.precision != defaults.precision)
    print("precision", stringifyPrecision(fields.precision));
  // What is not named is f32, or i32 for integers.
  if (fields.accumulator != defaults.accumulator)
    print("accumulator", stringifyAccumulator(fields.accumulator));
  // What is not named is the accumulator of the tensor cores alone.
  if (fields.promote != defaults.promote)
    print("promote", Twine(fields.promote));
  if (fields.compensated != defaults.compensated)
    print("compensated", fields.compensated ? "on" : "off");
  if (given(fields.pdl, defaults.pdl))
    print("pdl", fields.pdl ? "on" : "off");
}

} // namespace

std::string ScheduleAttr::getSpec() const {
  const ScheduleFields &fields = getFields();
  std::string spec;
  llvm::raw_string_ostream out(spec);
  out << stringifyPreset(fields.preset) << ",tile=" << fields.tile[0] << "x"
      << fields.tile[1] << "x" << fields.tile[2] << ",stages=" << fields.stages;
  if (fields.preset == Preset::Naive)
    return spec;
  out << ",swizzle=" << getSwizzle().getName();
  if (!usesMmaSync(fields.preset))
    out << ",tmem_load=" << stringifyTmemShape(fields.tmemLoad);
  // From these presets on what is not named is open.
  printOpenFields(fields,
                  /*all=*/fields.preset >= Preset::TmaStore ||
                      fields.preset == Preset::Multistage,
                  [&](StringRef name, const Twine &value) {
                    out << "," << name << "=" << value;
                  });
  return spec;
}

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   ScheduleFields fields) {
  auto [tileM, tileN, tileK] = fields.tile;
  // schedule_c1
  for (int64_t extent : fields.tile)
    if (extent < 1 || extent > kMaxTileExtent)
      return emitError() << "expects tile extents of 1 to " << kMaxTileExtent
                         << ", but got " << tileM << "x" << tileN << "x"
                         << tileK;
  // schedule_c2
  if (fields.stages < 1 || fields.stages > kMaxTileExtent)
    return emitError() << "expects 1 to " << kMaxTileExtent
                       << " stages, but got " << fields.stages;
  // schedule_c4
  if (fields.raster < 1 || fields.raster > kMaxTileExtent)
    return emitError() << "expects a raster of 1 to " << kMaxTileExtent
                       << " rows of tiles, but got " << fields.raster;
  // schedule_c13
  if (fields.order == TileOrder::Hilbert && !isHilbertRaster(fields.raster))
    return emitError() << "expects a raster that is a power of two, 2 at "
                          "least, for order = hilbert, but got "
                       << fields.raster;
  // schedule_c5
  if (fields.store == StoreKind::Tma && fields.preset < Preset::TmaStore)
    return emitError() << "expects store = tma from preset tma_store on, but "
                          "got preset "
                       << stringifyPreset(fields.preset);
  // schedule_c15: while TMA reads one slice, the next one is written.
  if (fields.staging < 2 || fields.staging > kMaxTileExtent)
    return emitError() << "expects a staging of 2 to " << kMaxTileExtent
                       << " slices, but got " << fields.staging;
  if (fields.staging != ScheduleFields().staging &&
      fields.store != StoreKind::Tma)
    return emitError() << "expects staging with store = tma only, but got "
                          "store = "
                       << stringifyStoreKind(fields.store);
  // schedule_c6
  if (fields.ctaGroup != 1 && fields.ctaGroup != 2)
    return emitError() << "expects a cta_group of 1 or 2, but got "
                       << fields.ctaGroup;
  // schedule_c7
  auto [clusterM, clusterN] = fields.cluster;
  if (clusterM < 1 || clusterN < 1 || clusterM > kMaxClusterSize ||
      clusterN > kMaxClusterSize || clusterM * clusterN > kMaxClusterSize)
    return emitError() << "expects a cluster of 1 to " << kMaxClusterSize
                       << " CTAs, but got " << clusterM << "x" << clusterN;
  // schedule_c8
  if (fields.ctaGroup == 2 && clusterM % 2 != 0)
    return emitError() << "expects a cluster with an even number of CTAs along "
                          "M for cta_group = 2, but got "
                       << clusterM << "x" << clusterN;
  // schedule_c11
  if (fields.ctaGroup == 2 && fields.preset < Preset::TwoCta)
    return emitError() << "expects cta_group = 2 from preset two_cta on, but "
                          "got preset "
                       << stringifyPreset(fields.preset);
  // schedule_c12
  if (clusterM * clusterN != 1 && fields.preset < Preset::Pipelined)
    return emitError() << "expects a cluster from preset pipelined on, but got "
                          "preset "
                       << stringifyPreset(fields.preset);
  // schedule_c9
  if (fields.scheduler != TileScheduler::Static &&
      fields.preset < Preset::Persistent)
    return emitError() << "expects scheduler = "
                       << stringifyTileScheduler(fields.scheduler)
                       << " with preset persistent, but got preset "
                       << stringifyPreset(fields.preset);
  // schedule_c10
  if (fields.splitK < 1 || fields.splitK > kMaxTileExtent)
    return emitError() << "expects a split_k of 1 to " << kMaxTileExtent
                       << ", but got " << fields.splitK;
  // schedule_c14: a CTA has at most 1024 threads.
  auto [warpsM, warpsN] = fields.warps;
  if (warpsM < 1 || warpsN < 1 || warpsM > 32 || warpsN > 32 ||
      warpsM * warpsN > 32)
    return emitError() << "expects 1 to 32 warps, but got " << warpsM << "x"
                       << warpsN;
  // schedule_c16
  if (fields.promote < 0 || fields.promote > kMaxTileExtent ||
      fields.promote % tileK != 0)
    return emitError() << "expects a promote of a multiple of the tile's K, "
                       << tileK << ", up to " << kMaxTileExtent << ", but got "
                       << fields.promote;
  // schedule_c17
  if (fields.compensated && fields.promote == 0)
    return emitError() << "expects a promote with compensated = on, but got "
                          "none";
  // schedule_c18
  bool isHalf = fields.accumulator == Accumulator::F16;
  if (isHalf && !usesMmaSync(fields.preset))
    return emitError() << "expects accumulator = f16 with preset microkernel, "
                          "tiled, double_buffered or multistage, but got "
                          "preset "
                       << stringifyPreset(fields.preset);
  // schedule_c19
  if (isHalf && fields.compensated)
    return emitError() << "expects compensated = off with accumulator = f16, "
                          "which cannot hold the error of a sum of f32, but "
                          "got on";
  // schedule_c21: the hint is one of TMA.
  if (fields.l2Keep != L2Keep::None &&
      (fields.preset < Preset::Tma || usesMmaSync(fields.preset)))
    return emitError() << "expects l2_keep = none but from preset tma on, but "
                          "got preset "
                       << stringifyPreset(fields.preset);
  // schedule_c20
  if (fields.pingpong && fields.preset != Preset::Persistent)
    return emitError() << "expects pingpong = on with preset persistent, but "
                          "got preset "
                       << stringifyPreset(fields.preset);
  return success();
}

/// Parses the value of `field`, one of those that have a default.
static ParseResult parseOpenField(AsmParser &parser, StringRef field, SMLoc loc,
                                  ScheduleFields &fields) {
  auto keyword = [&](auto symbolize, auto &into,
                     const char *expected) -> ParseResult {
    StringRef text;
    SMLoc valueLoc = parser.getCurrentLocation();
    if (parser.parseKeyword(&text))
      return failure();
    auto value = symbolize(text);
    if (!value)
      return parser.emitError(valueLoc, "expects ")
             << (field == "order" || field == "accumulator" ||
                         field == "l2_keep"
                     ? "an "
                     : "a ")
             << field << " of " << expected << ", but got " << text;
    into = *value;
    return success();
  };
  if (field == "raster")
    return parser.parseInteger(fields.raster);
  if (field == "order")
    return keyword([](StringRef text) { return symbolizeTileOrder(text); },
                   fields.order, "straight, serpentine or hilbert");
  if (field == "store")
    return keyword([](StringRef text) { return symbolizeStoreKind(text); },
                   fields.store, "direct or tma");
  if (field == "staging")
    return parser.parseInteger(fields.staging);
  if (field == "cta_group")
    return parser.parseInteger(fields.ctaGroup);
  auto two = [&](std::array<int64_t, 2> &into) -> ParseResult {
    SmallVector<int64_t> extents;
    SMLoc valueLoc = parser.getCurrentLocation();
    if (parser.parseDimensionList(extents, /*allowDynamic=*/false,
                                  /*withTrailingX=*/false))
      return failure();
    if (extents.size() != 2)
      return parser.emitError(valueLoc, "expects a ")
             << field << " of two extents (M x N), but got " << extents.size();
    into = {extents[0], extents[1]};
    return success();
  };
  if (field == "cluster")
    return two(fields.cluster);
  if (field == "warps")
    return two(fields.warps);
  if (field == "scheduler")
    return keyword([](StringRef text) { return symbolizeTileScheduler(text); },
                   fields.scheduler, "static, clc or stream_k");
  if (field == "split_k")
    return parser.parseInteger(fields.splitK);
  if (field == "promote")
    return parser.parseInteger(fields.promote);
  auto onOff = [](StringRef text) -> std::optional<bool> {
    if (text == "on" || text == "off")
      return text == "on";
    return std::nullopt;
  };
  if (field == "precision")
    return keyword([](StringRef text) { return symbolizePrecision(text); },
                   fields.precision, "full or tf32");
  if (field == "accumulator")
    return keyword([](StringRef text) { return symbolizeAccumulator(text); },
                   fields.accumulator, "f32 or f16");
  if (field == "pdl")
    return keyword(onOff, fields.pdl, "on or off");
  if (field == "swap_ab")
    return keyword(onOff, fields.swapAB, "on or off");
  if (field == "pingpong")
    return keyword(onOff, fields.pingpong, "on or off");
  if (field == "l2_keep")
    return keyword([](StringRef text) { return symbolizeL2Keep(text); },
                   fields.l2Keep, "none, a or b");
  if (field == "compensated")
    return keyword(onOff, fields.compensated, "on or off");
  return parser.emitError(
             loc, "expects raster, order, store, staging, swap_ab, pingpong, "
                  "l2_keep, cta_group, cluster, scheduler, split_k, warps, "
                  "precision, "
                  "accumulator, promote, compensated or pdl, but got ")
         << field;
}

Attribute ScheduleAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef presetName;
  SmallVector<int64_t> tile;
  std::string shapeName;
  ScheduleFields fields;
  if (parser.parseLess() || parser.parseKeyword(&presetName) ||
      parser.parseComma() || parser.parseKeyword("tile") ||
      parser.parseEqual() ||
      parser.parseDimensionList(tile, /*allowDynamic=*/false,
                                /*withTrailingX=*/false) ||
      parser.parseComma() || parser.parseKeyword("stages") ||
      parser.parseEqual() || parser.parseInteger(fields.stages) ||
      parser.parseComma() || parser.parseKeyword("swizzle") ||
      parser.parseEqual())
    return {};
  FailureOr<SwizzleAttr> swizzle = parseSwizzleName(parser);
  if (failed(swizzle))
    return {};
  std::optional<Preset> preset = symbolizePreset(presetName);
  if (!preset) {
    parser.emitError(loc, "expects a schedule preset (")
        << getPresetNames() << "), but got " << presetName;
    return {};
  }
  bool mmaSync = usesMmaSync(*preset);
  if (!mmaSync && (parser.parseComma() || parser.parseKeyword("tmem_load") ||
                   parser.parseEqual() || parser.parseString(&shapeName)))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    StringRef field;
    SMLoc fieldLoc = parser.getCurrentLocation();
    if (parser.parseKeyword(&field) || parser.parseEqual() ||
        parseOpenField(parser, field, fieldLoc, fields))
      return {};
  }
  if (parser.parseGreater())
    return {};
  if (tile.size() != 3) {
    parser.emitError(loc, "expects a tile of three extents (M x N x K), but "
                          "got ")
        << tile.size();
    return {};
  }
  // schedule_c3
  if (!swizzle->isHardwareMode()) {
    parser.emitError(loc, "expects a swizzle that TMA knows (none, 32B, 64B or "
                          "128B), but got ")
        << swizzle->getName();
    return {};
  }
  std::optional<TmemShape> shape =
      mmaSync ? fields.tmemLoad : symbolizeTmemShape(shapeName);
  if (!shape) {
    parser.emitError(loc, "expects a tensor-memory load shape of \"32x32b\" or "
                          "\"16x256b\", but got \"")
        << shapeName << "\"";
    return {};
  }
  fields.preset = *preset;
  fields.tile = {tile[0], tile[1], tile[2]};
  fields.swizzleSpan = swizzle->isNone() ? 0 : swizzle->getRowBytes();
  fields.tmemLoad = *shape;
  return ScheduleAttr::getChecked([&] { return parser.emitError(loc); },
                                  parser.getContext(), fields);
}

void ScheduleAttr::print(AsmPrinter &printer) const {
  const ScheduleFields &fields = getFields();
  printer << "<" << stringifyPreset(fields.preset)
          << ", tile = " << fields.tile[0] << "x" << fields.tile[1] << "x"
          << fields.tile[2] << ", stages = " << fields.stages
          << ", swizzle = " << getSwizzle().getName();
  if (!usesMmaSync(fields.preset))
    printer << ", tmem_load = \"" << stringifyTmemShape(fields.tmemLoad)
            << "\"";
  printOpenFields(fields, /*all=*/false,
                  [&](StringRef name, const Twine &value) {
                    printer << ", " << name << " = " << value.str();
                  });
  printer << ">";
}
