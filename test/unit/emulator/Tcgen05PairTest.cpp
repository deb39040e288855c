//===- Tcgen05PairTest.cpp - A GEMM of CTA pairs in PTX ---------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs test/Emulator/tcgen05-pair-gemm.ptx, whole and with pieces changed, and
// compares with a plain loop.
//
//===----------------------------------------------------------------------===//

#include "Emulator.h"
#include "GemmFixture.h"

#include <gtest/gtest.h>
#include <string>

using namespace bwgemm::emulator;

namespace {

class Tcgen05Pair : public testing::Test {
protected:
  std::string text;
  GemmFixture gemm{512, 256, 192};
  Options options;

  void SetUp() override {
    ASSERT_TRUE(readFile(BWGEMM_EMULATOR_TESTS "/tcgen05-pair-gemm.ptx", text));
  }
  void edit(const std::string &from, const std::string &to) {
    size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    for (; at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  }
  LaunchReport run() {
    std::string error;
    auto module = Module::load(text, "pair.ptx", gemm.memory, error);
    EXPECT_TRUE(module) << error;
    return module ? gemm.launchPairs(*module, options) : LaunchReport();
  }
  void expectRight(const LaunchReport &report) {
    ASSERT_FALSE(report.fault) << report.fault->render();
    for (const Fault &hazard : report.hazards)
      ADD_FAILURE() << hazard.render();
    size_t row, column;
    EXPECT_TRUE(gemm.compare(row, column)) << row << ", " << column;
  }
  void expectHazard(const LaunchReport &report, const char *part) {
    for (const Fault &hazard : report.hazards)
      if (hazard.message.find(part) != std::string::npos)
        return;
    ADD_FAILURE() << "no hazard says '" << part << "'";
    for (const Fault &hazard : report.hazards)
      ADD_FAILURE() << hazard.render();
  }
  void expectFault(const LaunchReport &report, const char *part) {
    ASSERT_TRUE(report.fault);
    EXPECT_NE(report.fault->render().find(part), std::string::npos)
        << report.fault->render();
  }
};

} // namespace

TEST_F(Tcgen05Pair, Gemm) {
  LaunchReport report = run();
  expectRight(report);
  // 2 x 2 tiles, 3 K tiles of 4 mmas, which count as one for both CTAs.
  EXPECT_EQ(report.counters["mma_issued"], 4u * 12);
  EXPECT_EQ(report.counters["mma_flops"], 2u * 512 * 256 * 192);
  EXPECT_EQ(report.counters["tma_loads"], 4u * 3 * 4);
}

TEST_F(Tcgen05Pair, InRandomOrderExactlyAndWatched) {
  options.schedule = WarpOrder::Random;
  options.hazards = true;
  for (options.seed = 1; options.seed <= 6; ++options.seed) {
    options.numerics = options.seed % 2 ? Numerics::Exact : Numerics::Fast;
    expectRight(run());
  }
}

/// Each CTA multicasts to itself alone: the mask says where the data go, the
/// mbarrier operand whose mbarrier is signalled.
TEST_F(Tcgen05Pair, MulticastSignalsByParity) {
  edit("mov.u16 %rs0, 3;", "mov.u16 %rs0, 3;\nmov.u32 %r54, 1;\n"
                           "shl.b32 %r54, %r54, %r50;\n"
                           "cvt.u16.u32 %rs1, %r54;");
  edit("complete_tx::bytes.cta_group::2",
       "complete_tx::bytes.multicast::cluster.cta_group::2");
  edit("[%r53];", "[%r53], %rs1;");
  expectRight(run());
}

TEST_F(Tcgen05Pair, EitherCtaMayIssue) {
  // The odd CTA multiplies: loads signal its mbarrier.
  edit("and.b32 %r53, %r2, 0xfeffffff;", "or.b32 %r53, %r2, 0x1000000;");
  edit("setp.ne.u32 %p6, %r50, 0;", "setp.eq.u32 %p6, %r50, 0;");
  expectRight(run());
}

TEST_F(Tcgen05Pair, OwnMBarrierLacksThePeersBytes) {
  // Without the mask each CTA's copies signal its own mbarrier.
  edit("and.b32 %r53, %r2, 0xfeffffff;", "mov.u32 %r53, %r2;");
  expectFault(run(), "24576 bytes outstanding: the bytes expected never "
                     "landed");
}

TEST_F(Tcgen05Pair, CommitToOneCtaAloneHangsTheOther) {
  edit("mov.u16 %rs0, 3;", "mov.u16 %rs0, 1;");
  expectFault(run(), "hang");
}

TEST_F(Tcgen05Pair, MissingLoadWaitIsAHazardInBothCtas) {
  edit("@!%p2 bra WAIT_LOADED;", "");
  edit("mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], %r12;", "");
  options.hazards = true;
  LaunchReport report = run();
  expectHazard(report, "the mma reads shared memory that the bulk copy");
}

TEST_F(Tcgen05Pair, PeersOperandsAreWatched) {
  // The odd CTA loads A to the wrong place: nobody wrote what the mma reads.
  edit("mov.u32 %r4, a_tile;", "mov.u32 %r4, a_tile;\nmov.u32 %r55, %r4;");
  edit("bfe.u32 %r13, %r4, 4, 14;",
       "bfe.u32 %r13, %r4, 4, 14;\n@%p6 mov.u32 %r55, b_tile;\n");
  edit("cta_group::2 [%r4]", "cta_group::2 [%r55]");
  edit(".shared .align 1024 .b8 b_tile[8192];",
       ".shared .align 1024 .b8 b_tile[24576];");
  options.hazards = true;
  expectHazard(run(), "the mma reads the peer CTA's shared memory at");
}

TEST_F(Tcgen05Pair, FreedInFlight) {
  // No wait for the last mma, and a dealloc at once.
  edit("@!%p2 bra WAIT_MULTIPLIED;", "");
  edit("mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3], %r12;", "");
  edit("tcgen05.ld.sync.aligned.32x32b.x8.b32 {%f0, %f1, %f2, %f3, %f4, %f5, "
       "%f6, %f7}, [%r20];",
       "");
  options.hazards = true;
  LaunchReport report = run();
  EXPECT_TRUE(report.fault || !report.hazards.empty());
}

TEST_F(Tcgen05Pair, MixedGroupsAreRefused) {
  edit("tcgen05.mma.cta_group::2", "tcgen05.mma.cta_group::1");
  std::string error;
  EXPECT_FALSE(Module::load(text, "pair.ptx", gemm.memory, error));
  EXPECT_NE(error.find(".cta_group::1 in a kernel with tcgen05 instructions of "
                       ".cta_group::2: expected the same in all of them"),
            std::string::npos)
      << error;
}
