//===- ScheduleTest.cpp - The SPEC of --schedule= -------------------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm/IR/Schedule.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::bwgemm;

namespace {

ScheduleSpec parseGood(llvm::StringRef text) {
  std::string error;
  std::optional<ScheduleSpec> spec = ScheduleSpec::parse(text, error);
  EXPECT_TRUE(spec) << error;
  EXPECT_EQ(error, "");
  return spec.value_or(ScheduleSpec());
}

std::string parseBad(llvm::StringRef text) {
  std::string error;
  EXPECT_FALSE(ScheduleSpec::parse(text, error)) << text.str();
  return error;
}

constexpr char kFields[] = "fields are tile=MxNxK, stages=S, "
                           "swizzle=none|32B|64B|128B, "
                           "tmem_load=32x32b|16x256b, raster=R, "
                           "order=straight|serpentine|hilbert, "
                           "store=direct|tma, staging=S, swap_ab=on|off, "
                           "pingpong=on|off, l2_keep=none|a|b, "
                           "cta_group=1|2, cluster=MxN, "
                           "scheduler=static|clc|stream_k, split_k=S, "
                           "warps=MxN, precision=full|tf32, "
                           "accumulator=f32|f16, promote=K, "
                           "compensated=on|off, pdl=on|off";

TEST(ScheduleTest, PresetAlone) {
  EXPECT_EQ(parseGood("auto").preset, Preset::Auto);
  EXPECT_EQ(parseGood("naive").preset, Preset::Naive);
  EXPECT_EQ(parseGood("tma").preset, Preset::Tma);
  ScheduleSpec spec = parseGood("swizzle");
  EXPECT_EQ(spec.preset, Preset::Swizzle);
  EXPECT_FALSE(spec.tile);
  EXPECT_FALSE(spec.stages);
  EXPECT_FALSE(spec.swizzleSpan);
  EXPECT_FALSE(spec.tmemLoad);
}

TEST(ScheduleTest, AllFields) {
  ScheduleSpec spec = parseGood(
      "swizzle,tile=128x64x32,stages=2,swizzle=64B,tmem_load=16x256b");
  EXPECT_EQ(spec.preset, Preset::Swizzle);
  EXPECT_EQ(*spec.tile, (std::array<int64_t, 3>{128, 64, 32}));
  EXPECT_EQ(*spec.stages, 2);
  EXPECT_EQ(*spec.swizzleSpan, 64u);
  EXPECT_EQ(*spec.tmemLoad, TmemShape::Shape16x256b);
}

TEST(ScheduleTest, Promote) {
  ScheduleSpec spec = parseGood("multistage,promote=512,compensated=on");
  EXPECT_EQ(*spec.promote, 512);
  EXPECT_TRUE(*spec.compensated);
  EXPECT_TRUE(spec.namesFields());
  EXPECT_EQ(parseBad("tiled,promote=0"),
            "schedule 'tiled,promote=0': expected promote=a number of 1 to "
            "65536, got '0'");
  EXPECT_EQ(parseBad("tiled,compensated=yes"),
            "schedule 'tiled,compensated=yes': expected compensated=on|off, "
            "got 'yes'");
}

TEST(ScheduleTest, AccumulatorOfHalf) {
  ScheduleSpec spec = parseGood("multistage,accumulator=f16");
  EXPECT_EQ(*spec.accumulator, Accumulator::F16);
  EXPECT_TRUE(spec.namesFields());
  EXPECT_FALSE(parseGood("naive,accumulator=f32").namesFields());
  EXPECT_EQ(parseBad("tiled,accumulator=bf16"),
            "schedule 'tiled,accumulator=bf16': expected accumulator=f32|f16, "
            "got 'bf16'");
  ScheduleFields fields;
  fields.preset = Preset::Tiled;
  fields.accumulator = Accumulator::F16;
  EXPECT_EQ(ScheduleSpec::getFrom(fields).accumulator, Accumulator::F16);
}

TEST(ScheduleTest, EverySwizzle) {
  EXPECT_EQ(*parseGood("swizzle,swizzle=none").swizzleSpan, 0u);
  EXPECT_EQ(*parseGood("swizzle,swizzle=32B").swizzleSpan, 32u);
  EXPECT_EQ(*parseGood("swizzle,swizzle=64B").swizzleSpan, 64u);
  EXPECT_EQ(*parseGood("swizzle,swizzle=128B").swizzleSpan, 128u);
}

TEST(ScheduleTest, FieldsWithoutPresetLeaveTheChoice) {
  ScheduleSpec spec = parseGood("tile=64x64x64");
  EXPECT_EQ(spec.preset, Preset::Auto);
  EXPECT_EQ(*spec.tile, (std::array<int64_t, 3>{64, 64, 64}));
}

TEST(ScheduleTest, SpacesAroundItems) {
  ScheduleSpec spec = parseGood(" tma , tile = 64x64x64 ");
  EXPECT_EQ(spec.preset, Preset::Tma);
  EXPECT_EQ(*spec.tile, (std::array<int64_t, 3>{64, 64, 64}));
}

TEST(ScheduleTest, UnknownPreset) {
  EXPECT_EQ(parseBad("fast"),
            "schedule 'fast': unknown preset 'fast'; presets "
            "are auto, naive, microkernel, tiled, double_buffered, "
            "multistage, tma, swizzle, tma_store, pipelined, "
            "warp_specialized, two_cta, persistent");
  EXPECT_EQ(parseBad(""), "schedule '': unknown preset ''; presets are auto, "
                          "naive, microkernel, tiled, double_buffered, "
                          "multistage, tma, swizzle, tma_store, pipelined, "
                          "warp_specialized, two_cta, persistent");
}

TEST(ScheduleTest, PresetStandsFirst) {
  EXPECT_EQ(parseBad("tile=64x64x64,tma"),
            std::string("schedule 'tile=64x64x64,tma': expected field=value, "
                        "got 'tma'; ") +
                kFields);
  EXPECT_EQ(parseBad("tma,"), std::string("schedule 'tma,': expected "
                                          "field=value, got ''; ") +
                                  kFields);
}

TEST(ScheduleTest, UnknownField) {
  EXPECT_EQ(parseBad("tma,depth=3"),
            std::string("schedule 'tma,depth=3': unknown field 'depth'; ") +
                kFields);
}

TEST(ScheduleTest, BadTiles) {
  for (const char *value :
       {"", "64x64", "64x64x64x64", "64x64x0", "64x-64x64", "64x64xa",
        "65537x64x64", "64x64x99999999999999999999", "64 x64x64"}) {
    std::string text = std::string("tma,tile=") + value;
    EXPECT_EQ(parseBad(text), "schedule '" + text +
                                  "': expected tile=MxNxK with extents of 1 to "
                                  "65536, got '" +
                                  value + "'");
  }
  // A comma ends the field.
  EXPECT_EQ(parseBad("tma,tile=64,64"),
            "schedule 'tma,tile=64,64': expected tile=MxNxK with extents of 1 "
            "to 65536, got '64'");
}

TEST(ScheduleTest, BadStages) {
  for (const char *value : {"", "0", "-1", "two", "1.5", "65537"}) {
    std::string text = std::string("tma,stages=") + value;
    EXPECT_EQ(parseBad(text), "schedule '" + text +
                                  "': expected stages=a number of 1 to 65536, "
                                  "got '" +
                                  value + "'");
  }
}

TEST(ScheduleTest, Orders) {
  EXPECT_FALSE(parseGood("swizzle").order);
  EXPECT_EQ(*parseGood("swizzle,order=straight").order, TileOrder::Straight);
  EXPECT_EQ(*parseGood("swizzle,order=serpentine").order,
            TileOrder::Serpentine);
  EXPECT_EQ(*parseGood("swizzle,order=hilbert").order, TileOrder::Hilbert);
  for (const char *value : {"", "Straight", "1", "morton"}) {
    std::string text = std::string("swizzle,order=") + value;
    EXPECT_EQ(parseBad(text), "schedule '" + text +
                                  "': expected order=straight|serpentine|"
                                  "hilbert, got '" +
                                  value + "'");
  }
}

TEST(ScheduleTest, BadSwizzles) {
  for (const char *value : {"", "128", "16B", "128b", "-32B", "NONE", "32BB"}) {
    std::string text = std::string("tma,swizzle=") + value;
    EXPECT_EQ(parseBad(text),
              "schedule '" + text +
                  "': expected swizzle=none|32B|64B|128B, got '" + value + "'");
  }
}

TEST(ScheduleTest, BadTmemLoads) {
  for (const char *value : {"", "32x32", "16x64b"}) {
    std::string text = std::string("tma,tmem_load=") + value;
    EXPECT_EQ(parseBad(text),
              "schedule '" + text +
                  "': expected tmem_load=32x32b|16x256b, got '" + value + "'");
  }
}

TEST(ScheduleTest, BadStores) {
  for (const char *value : {"", "both", "TMA"}) {
    std::string text = std::string("tma_store,store=") + value;
    EXPECT_EQ(parseBad(text), "schedule '" + text +
                                  "': expected store=direct|tma, got '" +
                                  value + "'");
  }
}

TEST(ScheduleTest, BadLaunchFields) {
  struct Case {
    const char *key, *value, *expected;
  };
  for (Case bad :
       {Case{"cta_group", "3", "1|2"}, Case{"cta_group", "", "1|2"},
        Case{"cluster", "2", "MxN with extents of 1 to 65536"},
        Case{"cluster", "2x0", "MxN with extents of 1 to 65536"},
        Case{"cluster", "1x1x1", "MxN with extents of 1 to 65536"},
        Case{"scheduler", "dynamic", "static|clc|stream_k"},
        Case{"split_k", "0", "a number of 1 to 65536"},
        Case{"staging", "0", "a number of 2 to 65536"},
        Case{"swap_ab", "1", "on|off"}, Case{"pingpong", "2", "on|off"},
        Case{"l2_keep", "c", "none|a|b"}, Case{"pdl", "yes", "on|off"}}) {
    std::string text = std::string("persistent,") + bad.key + "=" + bad.value;
    EXPECT_EQ(parseBad(text), "schedule '" + text + "': expected " + bad.key +
                                  "=" + bad.expected + ", got '" + bad.value +
                                  "'");
  }
}

// What an attribute says of itself is a SPEC that means the same.
TEST(ScheduleTest, AttributeSpecParses) {
  MLIRContext context;
  context.loadDialect<BwgemmDialect>();
  ScheduleFields fields;
  fields.preset = Preset::Swizzle;
  fields.tile = {128, 64, 32};
  fields.stages = 3;
  fields.swizzleSpan = 64;
  fields.tmemLoad = TmemShape::Shape16x256b;
  auto attr = ScheduleAttr::get(&context, fields);
  EXPECT_EQ(attr.getSpec(),
            "swizzle,tile=128x64x32,stages=3,swizzle=64B,tmem_load=16x256b");
  ScheduleSpec spec = parseGood(attr.getSpec());
  EXPECT_EQ(spec.preset, Preset::Swizzle);
  EXPECT_EQ(*spec.tile, (std::array<int64_t, 3>{128, 64, 32}));
  EXPECT_EQ(*spec.stages, 3);
  EXPECT_EQ(*spec.swizzleSpan, 64u);
  EXPECT_EQ(*spec.tmemLoad, TmemShape::Shape16x256b);

  // From tma_store on it names every field, since the preset leaves them open.
  fields.preset = Preset::TmaStore;
  for (StoreKind store : {StoreKind::Direct, StoreKind::Tma}) {
    fields.store = store;
    auto staged = ScheduleAttr::get(&context, fields);
    EXPECT_EQ(staged.getSpec(),
              std::string("tma_store,tile=128x64x32,stages=3,swizzle=64B,"
                          "tmem_load=16x256b,raster=1,store=") +
                  (store == StoreKind::Tma ? "tma" : "direct") +
                  ",cta_group=1,cluster=1x1,scheduler=static,split_k=1,"
                  "pdl=off");
    EXPECT_EQ(*parseGood(staged.getSpec()).store, store);
  }
  fields.preset = Preset::Persistent;
  fields.raster = 4;
  fields.order = TileOrder::Serpentine;
  fields.ctaGroup = 2;
  fields.cluster = {4, 2};
  fields.scheduler = TileScheduler::Clc;
  fields.splitK = 7;
  fields.pdl = true;
  auto full = ScheduleAttr::get(&context, fields);
  spec = parseGood(full.getSpec());
  EXPECT_EQ(*spec.raster, 4);
  EXPECT_EQ(*spec.order, TileOrder::Serpentine);
  EXPECT_EQ(*spec.ctaGroup, 2);
  EXPECT_EQ(*spec.cluster, (std::array<int64_t, 2>{4, 2}));
  EXPECT_EQ(*spec.scheduler, TileScheduler::Clc);
  EXPECT_EQ(*spec.splitK, 7);
  EXPECT_TRUE(*spec.pdl);
  ScheduleSpec same = ScheduleSpec::getFrom(fields);
  EXPECT_EQ(same.tile, spec.tile);
  EXPECT_EQ(same.cluster, spec.cluster);
  EXPECT_EQ(same.pdl, spec.pdl);
  EXPECT_FALSE(parseGood("tma_store").store);

  // The naive preset uses neither shared memory nor tensor memory.
  auto naive = ScheduleAttr::get(&context, ScheduleFields());
  EXPECT_EQ(naive.getSpec(), "naive,tile=16x16x1,stages=1");
  EXPECT_EQ(parseGood(naive.getSpec()).preset, Preset::Naive);
}

} // namespace
