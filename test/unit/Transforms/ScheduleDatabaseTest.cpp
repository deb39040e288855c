//===- ScheduleDatabaseTest.cpp - What measured entries are for -*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bwgemm/Transforms/ScheduleDatabase.h"

#include "gtest/gtest.h"
#include <cmath>

using namespace mlir::bwgemm;

namespace {

DatabaseEntry makeEntry(int64_t m, int64_t n, int64_t k) {
  DatabaseEntry entry;
  entry.m = m;
  entry.n = n;
  entry.k = k;
  return entry;
}

TEST(ScheduleDatabase, DistanceIsOfLogarithms) {
  DatabaseEntry entry = makeEntry(4096, 512, 64);
  EXPECT_EQ(getDistance(entry, 4096, 512, 64), 0);
  EXPECT_DOUBLE_EQ(getDistance(entry, 8192, 512, 64), 1);
  EXPECT_DOUBLE_EQ(getDistance(entry, 2048, 512, 64), 1);
  EXPECT_DOUBLE_EQ(getDistance(entry, 2048, 1024, 64), std::sqrt(2));
  EXPECT_DOUBLE_EQ(getDistance(entry, 8192, 1024, 32), std::sqrt(3));
  // 19 % of one extent is about what counts as near.
  EXPECT_LT(getDistance(entry, 4096 * 118 / 100, 512, 64), kNearDistance);
  EXPECT_GT(getDistance(entry, 4096 * 120 / 100, 512, 64), kNearDistance);
}

bool asks(const char *text) {
  std::string error;
  return asksDatabase(*ScheduleSpec::parse(text, error));
}

TEST(ScheduleDatabase, PlainAutoAsks) {
  EXPECT_TRUE(asks("auto"));
  EXPECT_TRUE(asks("auto,pdl=on"));
  for (const char *bound :
       {"auto,stages=1", "auto,stages=4", "auto,split_k=1", "auto,raster=8",
        "auto,tile=128x128x64", "auto,pdl=on,store=tma", "auto,accumulator=f16",
        "persistent", "naive"})
    EXPECT_FALSE(asks(bound)) << bound;
}

const char *const kEntry =
    R"({"target": "sm_90a", "device": "a GPU", "operands": "bf16",
        "result": "f32", "transposes": "nt", "epilogue": "none", "m": 64,
        "n": 32, "k": 16, "schedule": "persistent,tile=64x32x16", "us": 2.5,
        "unknown": [1]})";

std::string parse(const std::string &entries,
                  std::optional<ScheduleDatabase> *database = nullptr) {
  std::string error;
  auto parsed = ScheduleDatabase::parse(
      R"({"format": "bwgemm schedules", "version": 1, "entries": )" + entries +
          "}",
      "db.json", error);
  if (database)
    *database = parsed;
  EXPECT_EQ(parsed.has_value(), error.empty());
  return error;
}

/// The entry with another value.
std::string with(const std::string &from, const std::string &to) {
  std::string text = kEntry;
  text.replace(text.find(from), from.size(), to);
  return parse("[" + std::string(kEntry) + "," + text + "]");
}

TEST(ScheduleDatabase, Entries) {
  std::optional<ScheduleDatabase> database;
  ASSERT_EQ(parse("[" + std::string(kEntry) + "]", &database), "");
  ASSERT_EQ(database->getEntries().size(), 1u);
  const DatabaseEntry &entry = database->getEntries()[0];
  EXPECT_EQ(entry.number, 1u);
  EXPECT_EQ(entry.getProblemText(), "64x32x16 bf16-f32 nt");
  EXPECT_EQ(entry.spec.preset, Preset::Persistent);
  EXPECT_EQ(entry.microseconds, 2.5);
  EXPECT_EQ(parse("[]"), "");
}

TEST(ScheduleDatabase, Errors) {
  EXPECT_EQ(parse("3"), "db.json: expected \"entries\" to be an array, got 3");
  EXPECT_EQ(parse("[7]"), "db.json: entry 1: expected an object, got 7");
  EXPECT_EQ(with("\"m\": 64", "\"m\": 0"),
            "db.json: entry 2: expected \"m\" to be a number of 1 to "
            "2147483648, got 0");
  EXPECT_EQ(with("\"nt\"", "\"nx\""),
            "db.json: entry 2 (sm_90a 64x32x16 bf16-f32 nx): expected "
            "\"transposes\" to be nn, nt, tn or tt, got \"nx\"");
  EXPECT_EQ(with("\"us\": 2.5,", ""),
            "db.json: entry 2 (sm_90a 64x32x16 bf16-f32 nt): expected \"us\" "
            "to be a number of microseconds above 0, got nothing");
  EXPECT_EQ(with("persistent,tile", "auto,tile"),
            "db.json: entry 2 (sm_90a 64x32x16 bf16-f32 nt): expected "
            "\"schedule\" to be a preset other than auto with its fields, got "
            "\"auto,tile=64x32x16\"");
  EXPECT_EQ(with("persistent,tile", "tiled,accumulator=f16,tile"),
            "db.json: entry 2 (sm_90a 64x32x16 bf16-f32 nt): expected "
            "\"schedule\" to be one without accumulator=f16, which is only "
            "taken where it is asked for, got "
            "\"tiled,accumulator=f16,tile=64x32x16\"");
  std::string error = with("tile=64x32x16", "tile=64x32");
  EXPECT_EQ(error.find("db.json: entry 2 (sm_90a 64x32x16 bf16-f32 nt): "
                       "schedule 'persistent,tile=64x32': expected tile="),
            0u)
      << error;
}

TEST(ScheduleDatabase, FilesOfOtherKinds) {
  std::string error;
  auto parseAll = [&](const std::string &text) {
    EXPECT_FALSE(ScheduleDatabase::parse(text, "db.json", error).has_value());
    return error;
  };
  EXPECT_EQ(parseAll("{}"), "db.json: expected \"format\" to be \"bwgemm "
                            "schedules\", got nothing");
  EXPECT_EQ(parseAll(R"({"format": "bwgemm schedules", "version": 2})"),
            "db.json: expected \"version\" to be 1, which this compiler reads, "
            "got 2");
  EXPECT_EQ(parseAll("{\n\"format\": ?").find("db.json: expected JSON: [2:11"),
            0u)
      << error;
  EXPECT_EQ(parseAll(std::string(1000000, '[')),
            "db.json: expected a database of schedules, got more than 16 "
            "levels of brackets");
  EXPECT_NE(parseAll(""), "");
}

TEST(ScheduleDatabase, ShippedSchedulesCanBeRead) {
  std::string error;
  unsetenv("BWGEMM_DATABASE");
  EXPECT_TRUE(ScheduleDatabase::open("", error).has_value()) << error;
  EXPECT_TRUE(ScheduleDatabase::open("none", error)->getEntries().empty());
  EXPECT_FALSE(ScheduleDatabase::open("/nowhere/db.json", error).has_value());
  EXPECT_EQ(error, "/nowhere/db.json: cannot be read as a database of "
                   "schedules: No such file or directory");
}

} // namespace
