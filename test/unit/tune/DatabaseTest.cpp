//===- DatabaseTest.cpp - The schedules that were found ---------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Database.h"

#include "Files.h"

#include "gtest/gtest.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

using namespace bwgemm::tune;
using namespace bwgemm;

namespace {

Problem makeProblem(const char *text) {
  Problem problem;
  std::string error;
  EXPECT_TRUE(tools::parseProblem(text, problem, error)) << error;
  return problem;
}

Finding makeFinding(double median) {
  Finding finding;
  finding.schedule = "persistent,tile=128x256x64";
  finding.timing.median = median;
  finding.timing.least = median - 0.25;
  finding.timing.greatest = median + 0.5;
  finding.timing.samples = 15;
  finding.candidates = 31;
  finding.model = "persistent,tile=64x64x64";
  finding.modelMedian = median + 1;
  return finding;
}

std::string read(const std::string &path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class DatabaseTest : public testing::Test {
protected:
  // Tests run in several processes.
  DatabaseTest()
      : path(testing::TempDir() + "bwgemm-database-" +
             std::to_string(getpid()) + ".json") {
    std::remove(path.c_str());
  }
  ~DatabaseTest() override { std::remove(path.c_str()); }
  std::string path;
};

const char *const oneEntry = R"({
"format": "bwgemm schedules",
"version": 1,
"entries": [
{"target":"sm_90a","device":"a GPU","operands":"bf16","result":"f32","transposes":"nt","epilogue":"accumulate","m":64,"n":32,"k":16,"schedule":"persistent,tile=128x256x64","us":2.123,"us_min":1.873,"us_max":2.623,"samples":15,"candidates":31,"model":"persistent,tile=64x64x64","model_us":3.123}
]
}
)";

TEST_F(DatabaseTest, WritesAnEntryALine) {
  Database database("sm_90a", "a GPU");
  database.set(makeProblem("64x32x16 bf16-f32 nt accumulate"),
               makeFinding(2.12345));
  EXPECT_EQ(database.text(), oneEntry);
  ASSERT_EQ(database.save(path), "");
  EXPECT_EQ(read(path), oneEntry);
  Database again("sm_90a", "a GPU");
  ASSERT_EQ(again.load(path), "");
  EXPECT_EQ(again.text(), oneEntry);
}

TEST_F(DatabaseTest, OneEntryForAProblemOnADevice) {
  Database database("sm_90a", "a GPU");
  database.set(makeProblem("1x2x3 f16-f16 nn"), makeFinding(2));
  database.set(makeProblem("1x2x4 f16-f16 nn"), makeFinding(3));
  database.set(makeProblem("1x2x3 f16-f16 nn"), makeFinding(4));
  EXPECT_EQ(database.size(), 2u);
  EXPECT_NE(database.text().find("\"k\":3,\"schedule\":\"persistent,tile="
                                 "128x256x64\",\"us\":4.0,"),
            std::string::npos)
      << database.text();
  EXPECT_TRUE(database.has(makeProblem("1x2x3 f16-f16 nn")));
  for (const char *other :
       {"1x2x5 f16-f16 nn", "1x2x3 f16-f32 nn", "1x2x3 f16-f16 nt",
        "1x2x3 f16-f16 nn accumulate", "1x2x3 f16-f16 nn bias_gelu"})
    EXPECT_FALSE(database.has(makeProblem(other))) << other;
  // Nor do epilogues count as one another.
  database.set(makeProblem("1x2x3 f16-f16 nn bias_gelu_approx"),
               makeFinding(6));
  EXPECT_NE(database.text().find("\"epilogue\":\"bias_gelu_approx\",\"m\":1,"),
            std::string::npos)
      << database.text();
  EXPECT_FALSE(database.has(makeProblem("1x2x3 f16-f16 nn bias_gelu")));
  ASSERT_EQ(database.save(path), "");
  // What other devices and targets have stays.
  Database other("sm_90a", "another GPU");
  ASSERT_EQ(other.load(path), "");
  EXPECT_FALSE(other.has(makeProblem("1x2x3 f16-f16 nn")));
  other.set(makeProblem("1x2x3 f16-f16 nn"), makeFinding(5));
  EXPECT_EQ(other.size(), 4u);
}

TEST_F(DatabaseTest, Failures) {
  Database database("sm_90a", "a GPU");
  Problem problem = makeProblem("1x2x3 f16-f16 nn");
  database.setFailed(problem, "naive", "trap \xff");
  database.setFailed(problem, "naive", "trap again");
  EXPECT_TRUE(database.hasFailed(problem, "naive"));
  EXPECT_FALSE(database.hasFailed(problem, "persistent"));
  ASSERT_EQ(database.save(path), "");
  Database again("sm_90a", "a GPU");
  ASSERT_EQ(again.load(path), "");
  EXPECT_TRUE(again.hasFailed(problem, "naive"));
  EXPECT_FALSE(again.has(problem));
}

TEST_F(DatabaseTest, FilesThatAreNone) {
  auto load = [&](const std::string &text) {
    EXPECT_EQ(tools::writeFile(path, text), "");
    Database database("sm_90a", "a GPU");
    std::string error = database.load(path);
    return error.substr(0, path.size() + 2) == path + ": "
               ? error.substr(path.size() + 2)
               : error;
  };
  EXPECT_EQ(load("{}"),
            "expected \"format\" to be \"bwgemm schedules\", got null");
  EXPECT_EQ(load("[]"),
            "expected \"format\" to be \"bwgemm schedules\", got null");
  EXPECT_EQ(load(R"({"format": "bwgemm schedules", "version": 2})"),
            "expected \"version\" to be 1, got 2");
  EXPECT_EQ(load(R"({"format": "bwgemm schedules", "version": 1})"),
            "expected \"entries\" to be an array, got null");
  EXPECT_EQ(
      load(R"({"format": "bwgemm schedules", "version": 1, "entries": [3]})"),
      "expected \"entries\" to be an array of objects, got [3]");
  EXPECT_NE(load("{\n\"format\": ").find("line 2"), std::string::npos);
  // A file that is cut short anywhere.
  std::string whole = oneEntry;
  for (size_t size = 0; size + 2 < whole.size(); size += 7)
    EXPECT_NE(load(whole.substr(0, size)), "") << size;
  Database absent("sm_90a", "a GPU");
  std::remove(path.c_str());
  EXPECT_EQ(absent.load(path), "");
  EXPECT_NE(absent.save("/nowhere/db.json"), "");
}

} // namespace
