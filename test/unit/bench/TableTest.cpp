//===- TableTest.cpp - What was measured ---------------------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Table.h"
#include "Files.h"

#include "gtest/gtest.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <fstream>
#include <sstream>

using namespace bwgemm::bench;
using namespace bwgemm::tools;

namespace {

/// As of a GPU, with times that are easy to follow.
Table makeTable(std::vector<std::pair<int64_t, double>> kAndTflops) {
  Table table;
  table.device = "GPU 0, \"a & b\"";
  table.target = "sm_90a";
  table.baseline = "cuBLASLt 1.2.3";
  table.ceilings.bytesPerSecond = 4e12;
  table.ceilings.flopsPerSecond = 9e14;
  table.ceilings.instruction = "wgmma";
  for (auto [k, tflops] : kAndTflops) {
    Row row;
    row.problem.m = row.problem.n = 1000;
    row.problem.k = k;
    row.asked = "auto";
    row.schedule = "persistent,tile=128x256x64";
    row.status = "right";
    row.timed = true;
    row.median = row.problem.flops() / tflops * 1e-6;
    row.least = 0.9 * row.median;
    row.greatest = 1.1 * row.median;
    row.baseline = row.median / 2;
    row.floor = row.median / 4;
    table.rows.push_back(row);
  }
  return table;
}

size_t count(const std::string &text, const std::string &part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + 1))
    ++found;
  return found;
}

TEST(Table, DropsAreBelowWhatIsInFront) {
  Table table = makeTable({{64, 100},
                           {128, 200},
                           {192, 300},
                           {256, 200},
                           {320, 310},
                           {384, 300},
                           {448, 290},
                           {512, 250}});
  markDrops(table.rows);
  std::vector<bool> drops;
  for (const Row &row : table.rows)
    drops.push_back(row.drop);
  // Not the climb at the beginning.
  EXPECT_EQ(drops, (std::vector<bool>{false, false, false, true, false, false,
                                      false, true}));
}

TEST(Table, Text) {
  Table table = makeTable({{1000, 500}, {2000, 600}});
  Row failed = table.rows[0];
  failed.timed = false;
  failed.median = failed.least = failed.greatest = failed.baseline = 0;
  failed.status = "error";
  failed.message = "it is too large";
  table.rows.push_back(failed);
  std::string text = makeText(table);
  EXPECT_NE(text.find("ceilings  memory 4.00 TB/s; wgmma 900.0 TFLOPS\n"),
            std::string::npos)
      << text;
  // 2e9 operations at 500 TFLOPS are 4 us.
  EXPECT_NE(text.find("1000x1000x1000 bf16-bf16 nn  auto       right  4.00  "
                      "3.60  4.40   500.0    1000.0  0.500        25 %\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("auto: it is too large\n"), std::string::npos) << text;
  EXPECT_NE(text.find("geometric mean of the ratios: 0.500 (2)\n"),
            std::string::npos)
      << text;
}

TEST(Table, JsonAndCsv) {
  Table table = makeTable({{1000, 500}});
  nlohmann::json object = nlohmann::json::parse(makeJson(table));
  EXPECT_EQ(object["device"], table.device);
  EXPECT_DOUBLE_EQ(object["rows"][0]["tflops"], 500);
  EXPECT_DOUBLE_EQ(object["rows"][0]["ratio"], 0.5);
  EXPECT_EQ(makeCsv(table),
            "m,n,k,kind,asked,schedule,status,us,us_min,us_max,tflops,"
            "baseline_us,ratio,of_ceiling,drop\n"
            "1000,1000,1000,bf16-bf16 nn,auto,\"persistent,tile=128x256x64\","
            "right,4,3.6,4.4,500,2,0.5,0.25,0\n");
  table.emulated = true;
  table.rows[0].emulatedSeconds = 2.5;
  EXPECT_EQ(count(makeCsv(table), "tflops"), 0u);
  EXPECT_EQ(count(makeJson(table), "tflops"), 0u);
  EXPECT_EQ(count(makeText(table), "TFLOPS"), 0u);
  EXPECT_EQ(count(makeSvg(table), "TFLOPS"), 0u);
}

TEST(Table, Bars) {
  Table table = makeTable({{1000, 500}, {2000, 600}});
  table.rows.push_back(table.rows.back());
  table.rows.back().asked = "naive <&>";
  std::string svg = makeSvg(table);
  EXPECT_EQ(count(svg, "<title>"), 3u);
  EXPECT_EQ(count(svg, "naive &lt;&amp;&gt;"), 2u); // Key and bar.
  EXPECT_EQ(count(svg, "a & b"), 0u);
  EXPECT_EQ(count(svg, "<svg"), 1u);
  EXPECT_EQ(count(svg, "</svg>"), 1u);
}

TEST(Table, Curves) {
  Table table = makeTable({{64, 300}, {128, 200}, {192, 300}});
  std::string error;
  ASSERT_TRUE(parseSweep("K=64:192:64", table.sweep, error));
  markDrops(table.rows);
  std::string svg = makeSvg(table);
  EXPECT_EQ(count(svg, "<path"), 3u); // Ceiling, baseline and ours.
  EXPECT_EQ(count(svg, "<circle"), 1u);
  EXPECT_EQ(count(svg, "drop: 1000x1000x128"), 1u);
}

TEST(Table, EmptyTables) {
  Table table;
  for (char axis : {'\0', 'K'}) {
    table.sweep.axis = axis;
    table.sweep.first = table.sweep.last = 8;
    EXPECT_EQ(count(makeSvg(table), "</svg>"), 1u);
    EXPECT_FALSE(makeText(table).empty());
  }
}

TEST(Table, FilesAreWrittenWholeOrNotAtAll) {
  std::string path = testing::TempDir() + "bwgemm-table.txt";
  ASSERT_EQ(writeFile(path, "old"), "");
  ASSERT_EQ(writeFile(path, "new"), "");
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), "new");
  std::remove(path.c_str());
  EXPECT_EQ(writeFile("/nowhere/table.txt", "x"),
            "/nowhere/table.txt: cannot be written: No such file or directory");
}

} // namespace
