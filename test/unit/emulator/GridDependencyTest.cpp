//===- GridDependencyTest.cpp - Grids that overlap ------------------------===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxFixture.h"

using namespace bwgemm::emulator;

namespace {

/// A chain of two kernels. The first lets the second begin and then writes
/// data[cta] = 1 in each CTA; the second notes what it finds there, ahead of
/// its wait and behind it.
class GridDependencyTest : public PtxFixture {
protected:
  static constexpr unsigned ctas = 9;

  /// With `signal` and `wait` as the instructions.
  void runChain(const std::string &signal, const std::string &wait) {
    std::string error;
    std::string text =
        head() +
        ".visible .entry first(.param .u64 data)\n{\n"
        ".reg .b64 %d;\n.reg .b32 %c;\n"
        "ld.param.u64 %d, [data];\nmov.u32 %c, %ctaid.x;\n"
        "mad.wide.u32 %d, %c, 4, %d;\n" +
        signal +
        "st.global.b32 [%d], 1;\nret;\n}\n"
        ".visible .entry second(.param .u64 data, .param .u64 out)\n{\n"
        ".reg .b64 %d, %o;\n.reg .b32 %c, %v, %n;\n"
        "ld.param.u64 %d, [data];\nld.param.u64 %o, [out];\n"
        "mov.u32 %c, %ctaid.x;\nmov.u32 %n, %nctaid.x;\n"
        "mad.wide.u32 %o, %c, 8, %o;\n"
        "sub.u32 %c, %n, %c;\nsub.u32 %c, %c, 1;\n"
        "mad.wide.u32 %d, %c, 4, %d;\n"
        "ld.volatile.global.b32 %v, [%d];\nst.global.b32 [%o], %v;\n" +
        wait +
        "ld.volatile.global.b32 %v, [%d];\nst.global.b32 [%o+4], %v;\n"
        "ret;\n}\n";
    module = Module::load(text, "test.ptx", memory, error);
    ASSERT_TRUE(module) << error;
    uint64_t data = upload(std::vector<uint32_t>(ctas, 0));
    uint64_t out = upload(std::vector<uint32_t>(2 * ctas, 7));
    LaunchConfig first, second;
    first.grid = second.grid = {ctas, 1, 1};
    auto set = [](LaunchConfig &config, std::vector<uint64_t> words) {
      config.params.resize(8 * words.size());
      std::memcpy(config.params.data(), words.data(), 8 * words.size());
    };
    set(first, {data});
    set(second, {data, out});
    reports = launchChain({{*module, *module->findKernel("first"), first},
                           {*module, *module->findKernel("second"), second}},
                          memory, options);
    before = behind = 0;
    std::vector<uint32_t> seen = download<uint32_t>(out, 2 * ctas);
    for (unsigned i = 0; i < ctas; ++i) {
      before += seen[2 * i];
      behind += seen[2 * i + 1];
    }
  }

  std::unique_ptr<Module> module;
  std::vector<LaunchReport> reports;
  /// How many CTAs of the second kernel saw what the first one wrote.
  unsigned before = 0, behind = 0;
};

constexpr char launchDependents[] = "griddepcontrol.launch_dependents;\n";
constexpr char waitForGrid[] = "griddepcontrol.wait;\n";

TEST_F(GridDependencyTest, TheSecondKernelBeginsBeforeTheFirstHasEnded) {
  for (unsigned threads : {1u, 3u}) {
    options.threads = threads;
    runChain(launchDependents, waitForGrid);
    ASSERT_EQ(reports.size(), 2u);
    EXPECT_FALSE(reports[0].fault || reports[1].fault);
    if (threads == 1) {
      EXPECT_EQ(before, 0u);
    }
    EXPECT_EQ(behind, ctas);
    EXPECT_EQ(reports[0].counters["ctas"], ctas);
    EXPECT_EQ(reports[1].counters["ctas"], ctas);
    EXPECT_EQ(reports[0].counters["global_stores"], ctas);
    EXPECT_EQ(reports[1].counters["global_stores"], 2 * ctas);
  }
}

TEST_F(GridDependencyTest, AMissingWaitIsSeen) {
  options.threads = 1;
  runChain(launchDependents, "");
  EXPECT_EQ(behind, 0u);
}

TEST_F(GridDependencyTest, WithoutTheSignalTheSecondComesAfterTheFirst) {
  options.threads = 1;
  runChain("", waitForGrid);
  EXPECT_EQ(before, ctas);
  EXPECT_EQ(behind, ctas);
}

TEST_F(GridDependencyTest, RandomOrders) {
  options.schedule = WarpOrder::Random;
  bool someEarly = false, someLate = false;
  for (options.seed = 0; options.seed < 20; ++options.seed) {
    runChain(launchDependents, waitForGrid);
    EXPECT_EQ(behind, ctas);
    someEarly |= before < ctas;
    someLate |= before > 0;
  }
  EXPECT_TRUE(someEarly && someLate);
}

TEST_F(GridDependencyTest, OneSignalOfAnyThreadCountsForItsCta) {
  // Only CTAs with an odd number execute it; the others end.
  options.threads = 1;
  runChain(".reg .pred %p;\n.reg .b32 %m;\nand.b32 %m, %c, 1;\n"
           "setp.ne.u32 %p, %m, 0;\n@%p griddepcontrol.launch_dependents;\n"
           "@%p griddepcontrol.launch_dependents;\n",
           waitForGrid);
  EXPECT_EQ(before, (ctas + 1) / 2);
  EXPECT_EQ(behind, ctas);
}

TEST_F(GridDependencyTest, AFaultStopsBoth) {
  runChain(std::string(launchDependents) + "trap;\n", waitForGrid);
  ASSERT_EQ(reports.size(), 2u);
  ASSERT_TRUE(reports[0].fault);
  EXPECT_EQ(reports[0].fault->kernel, "first");
  EXPECT_FALSE(reports[1].fault);

  runChain(launchDependents, "trap;\n");
  ASSERT_TRUE(reports[1].fault);
  EXPECT_EQ(reports[1].fault->kernel, "second");
}

TEST_F(GridDependencyTest, AHangOfTheFirstIsItsOwn) {
  options.threads = 1;
  runChain(std::string(launchDependents) +
               ".shared .align 8 .b64 bar;\n.reg .pred %q;\n"
               "mbarrier.init.shared.b64 [bar], 1;\nAGAIN:\n"
               "mbarrier.try_wait.parity.shared.b64 %q, [bar], 0;\n"
               "@!%q bra AGAIN;\n",
           waitForGrid);
  ASSERT_EQ(reports.size(), 2u);
  ASSERT_TRUE(reports[0].fault);
  EXPECT_EQ(reports[0].fault->kind, FaultKind::Hang);
  EXPECT_FALSE(reports[1].fault);
}

TEST_F(GridDependencyTest, ProfiledKernelsRunOneAfterTheOther) {
  options.stats = "/dev/null";
  runChain(launchDependents, waitForGrid);
  EXPECT_EQ(reports.size(), 2u);
  EXPECT_EQ(before, ctas);
}

} // namespace
