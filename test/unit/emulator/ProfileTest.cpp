//===- ProfileTest.cpp - Statistics, profile, trace, conflicts --*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxFixture.h"
#include "profile/BankConflicts.h"

#include <cstdio>

using namespace bwgemm::emulator;

//===----------------------------------------------------------------------===//
// The bank model
//===----------------------------------------------------------------------===//

/// Lane l at (l >> shift) * stride.
static Wavefronts at(uint32_t bytes, uint32_t stride, unsigned shift = 0) {
  uint32_t address[warpSize];
  for (unsigned lane = 0; lane < warpSize; ++lane)
    address[lane] = (lane >> shift) * stride;
  return wavefrontsOf(address, allLanes, bytes, lanesPerPass(bytes));
}

TEST(BankConflicts, CyclesOfAnH200) {
  // Cycles per warp instruction, from loops of 8192 loads in 8 warps.
  struct Case {
    uint32_t bytes, stride, shift, cycles;
  };
  const Case measured[] = {
      {4, 0, 0, 1},    {4, 4, 0, 1},     {4, 8, 0, 2},    {4, 16, 0, 4},
      {4, 32, 0, 8},   {4, 64, 0, 16},   {4, 128, 0, 32}, {4, 20, 0, 1},
      {4, 36, 0, 1},   {4, 68, 0, 1},    {4, 132, 0, 1},  {8, 0, 0, 1},
      {8, 8, 0, 2},    {8, 16, 0, 4},    {8, 32, 0, 8},   {8, 64, 0, 16},
      {8, 128, 0, 32}, {16, 0, 0, 2},    {16, 16, 0, 4},  {16, 32, 0, 8},
      {16, 64, 0, 16}, {16, 128, 0, 32}, {4, 8, 1, 1},    {4, 16, 1, 2},
      {4, 32, 1, 4},   {4, 128, 1, 16},  {8, 8, 1, 1},    {8, 16, 1, 2},
      {8, 32, 1, 4},   {8, 128, 1, 16},  {16, 16, 1, 2},  {16, 32, 1, 4},
      {16, 128, 1, 16}};
  for (const Case &c : measured)
    EXPECT_EQ(at(c.bytes, c.stride, c.shift).needed, c.cycles)
        << c.bytes << " bytes, stride " << c.stride << ", shift " << c.shift;
}

TEST(BankConflicts, Ideal) {
  // 32 words of one bank fit one line; 128 words of the warp take four.
  EXPECT_EQ(at(4, 128).ideal, 1u);
  EXPECT_EQ(at(8, 128).ideal, 2u);
  EXPECT_EQ(at(16, 16).ideal, 4u);
  EXPECT_EQ(at(16, 128).ideal, 4u);
}

TEST(BankConflicts, MatricesOfLdmatrix) {
  // Rows of 16 bytes: 64 columns of bf16 apart they lie in the same banks;
  // padded by 16 bytes they do not.
  for (uint32_t pitch : {128u, 144u}) {
    uint32_t address[warpSize];
    for (unsigned lane = 0; lane < warpSize; ++lane)
      address[lane] = lane * pitch;
    Wavefronts x4 = wavefrontsOf(address, allLanes, 16, 8);
    EXPECT_EQ(x4.needed, pitch == 128 ? 32u : 4u);
    EXPECT_EQ(x4.ideal, 4u);
  }
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

namespace {
class Profile : public PtxFixture {
protected:
  std::string path = testing::TempDir() + "bwgemm-profile-test.txt";

  void SetUp() override { std::remove(path.c_str()); }
  void TearDown() override { std::remove(path.c_str()); }

  std::string written() {
    std::string text;
    std::FILE *file = std::fopen(path.c_str(), "r");
    EXPECT_TRUE(file);
    if (!file)
      return text;
    char buffer[512];
    while (size_t n = std::fread(buffer, 1, sizeof(buffer), file))
      text.append(buffer, n);
    std::fclose(file);
    return text;
  }
  void expectLine(const std::string &text, const std::string &line) {
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
  }

  /// Three stores of 4 bytes a lane, 4, 8 and 128 bytes apart, ten times, and
  /// a load of four words.
  static std::string conflicts() {
    return R"(
.shared .align 16 .b8 s[4096];
.reg .b32 %s, %a, %b, %c, %i;
.reg .pred %more;
mov.u32 %s, s;
shl.b32 %a, %t, 2; add.u32 %a, %a, %s;
shl.b32 %b, %t, 3; add.u32 %b, %b, %s;
shl.b32 %c, %t, 7; add.u32 %c, %c, %s;
mov.u32 %i, 0;
LOOP:
st.shared.b32 [%a], %t;
st.shared.b32 [%b], %t;
st.shared.b32 [%c], %t;
add.u32 %i, %i, 1;
setp.lt.u32 %more, %i, 10;
@%more bra LOOP;
ld.shared.v4.b32 {%r0, %r1, %r2, %r3}, [%c];
)";
  }
};
} // namespace

TEST_F(Profile, ConflictsOfEachAccess) {
  options.stats = path;
  uint64_t out = memory.allocate(4 * 64);
  LaunchReport report = run(kernel(conflicts()), {2, 1, 1}, {32, 1, 1}, {out});
  ASSERT_FALSE(report.fault) << report.fault->render();
  std::string text = written();
  // Two warps. Line, accesses, wavefronts, conflicts.
  expectLine(text, "          20           20            0  st.shared.b32 "
                   "[%a], %t");
  expectLine(text, "          20           40           20  st.shared.b32 "
                   "[%b], %t");
  expectLine(text, "          20          640          620  st.shared.b32 "
                   "[%c], %t");
  // 16 bytes a lane, 128 apart: all in four banks.
  expectLine(text, "           2           64           56  ld.shared.v4.b32 "
                   "{%r0, %r1, %r2, %r3}, [%c]");
  EXPECT_EQ(report.counters["shared_wavefronts"], 20u + 40 + 640 + 64);
  EXPECT_EQ(report.counters["shared_bank_conflicts"], 20u + 620 + 56);
  expectLine(text, "            60  32.00  st.shared.b32");
  expectLine(text, "tensor-core operations: none");
}

TEST_F(Profile, HowOftenEachLineRan) {
  options.profile = path;
  uint64_t out = memory.allocate(4 * 32);
  LaunchReport report = run(kernel(R"(
setp.lt.u32 %p0, %t, 8;
mov.u32 %r0, 0;
@%p0 add.u32 %r0, %r0, 1;
setp.gt.u32 %p1, %t, 31;
@%p1 add.u32 %r0, %r0, 2;)"),
                            {1, 1, 1}, {32, 1, 1}, {out});
  ASSERT_FALSE(report.fault) << report.fault->render();
  std::string text = written();
  expectLine(text, "           1     8.00            0            0  @%p0 "
                   "add.u32 %r0, %r0, 1");
  // No lane at all.
  expectLine(text, "           0     0.00            1            0  @%p1 "
                   "add.u32 %r0, %r0, 2");
  EXPECT_EQ(report.counters.count("shared_wavefronts"), 1u);
}

TEST_F(Profile, WaitsOfEachBarrier) {
  options.stats = path;
  options.threads = 1;
  uint64_t out = memory.allocate(4 * 128);
  LaunchReport report = run(kernel("bar.sync 0;\nmov.u32 %r0, 0;"), {1, 1, 1},
                            {128, 1, 1}, {out});
  ASSERT_FALSE(report.fault) << report.fault->render();
  // Four warps pass; three of them found the others missing.
  expectLine(written(), "           4            3  bar.sync 0");
}

TEST_F(Profile, TraceOfOneWarp) {
  options.trace = path;
  options.traceWarp = "1x0x0:1";
  uint64_t out = memory.allocate(4 * 128);
  LaunchReport report = run(kernel(R"(
shl.b32 %r0, %t, 3;
setp.lt.u32 %p0, %t, 34;
@%p0 mov.u32 %r1, 0x1234;)"),
                            {2, 1, 1}, {64, 1, 1}, {out});
  ASSERT_FALSE(report.fault) << report.fault->render();
  std::string text = written();
  expectLine(text, "cta (1,0,0) warp 1 mask 0xffffffff line 16: shl.b32 %r0, "
                   "%t, 3;  // %r0 = 0x100, 0x108 .. 0x1f8\n");
  expectLine(text, "setp.lt.u32 %p0, %t, 34;  // %p0 = 0x00000003\n");
  expectLine(text, "mask 0x00000003 line 18: @%p0 mov.u32 %r1, 0x1234;  // "
                   "%r1 = 0x1234\n");
  EXPECT_EQ(text.find("cta (0,0,0)"), std::string::npos);
  EXPECT_EQ(text.find("warp 0"), std::string::npos);
}

TEST_F(Profile, OptionsThatMakeNoSense) {
  std::string error;
  Options wrong;
  EXPECT_FALSE(wrong.parse("trace-warp=1x0x0", error));
  EXPECT_EQ(error, "emulator option 'trace-warp': expected CTA:WARP with the "
                   "CTA as X, XxY or XxYxZ, such as 3x0x0:1, got '1x0x0'");
  EXPECT_FALSE(wrong.parse("stats=", error));
  EXPECT_TRUE(wrong.parse("trace-warp=3:2,stats=-,profile=p.txt", error));
  options.stats = testing::TempDir() + "no-such-folder/stats.txt";
  uint64_t out = memory.allocate(4 * 32);
  LaunchReport report =
      run(kernel("mov.u32 %r0, 0;"), {1, 1, 1}, {32, 1, 1}, {out});
  ASSERT_TRUE(report.fault);
  EXPECT_NE(report.fault->message.find("cannot open the stats file"),
            std::string::npos);
}
