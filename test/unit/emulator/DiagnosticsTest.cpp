//===- DiagnosticsTest.cpp - What messages say ------------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxFixture.h"

using namespace bwgemm::emulator;

namespace {

class DiagnosticsTest : public PtxFixture {
protected:
  void expectContains(const std::string &text, const std::string &part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
  /// kernel(body) for another target.
  static std::string forTarget(const std::string &target,
                               const std::string &body) {
    std::string text = kernel(body);
    return text.replace(text.find("sm_100a"), 7, target);
  }
};

class UnwrittenTest : public DiagnosticsTest {
protected:
  UnwrittenTest() {
    options.hazards = true;
    memory.setPoisoned(true);
  }
  /// The messages of the hazards of kernel(body).
  std::vector<std::string> hazards(const std::string &body) {
    uint64_t out = memory.allocate(128);
    LaunchReport report = run(kernel(body), {1, 1, 1}, {32, 1, 1}, {out});
    EXPECT_FALSE(report.fault) << report.fault->render();
    std::vector<std::string> messages;
    for (const Fault &hazard : report.hazards)
      messages.push_back(hazard.message);
    return messages;
  }
};

} // namespace

TEST_F(DiagnosticsTest, UnknownInstructionsNameTheNearest) {
  expectContains(loadError(kernel("mvo.b32 %r1, %r2;")),
                 "test.ptx:15:1: error: unknown or unsupported instruction "
                 "'mvo.b32'; supported are 'mov'");
  expectContains(loadError(kernel("shfl.up.b32 %r1, %r2, 1, 0;")),
                 "unknown or unsupported instruction 'shfl.up.b32'; supported "
                 "are 'shfl.sync'");
  expectContains(loadError(kernel("mbarrier.arive.b64 %w1, [%w2];")),
                 "'mbarrier.arrive'");
  expectContains(loadError(kernel("tex.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, "
                                  "[%w1, {%r1, %r2}];")),
                 "textures are not modelled");
  expectContains(loadError(kernel("vadd4.u32.u32.u32 %r1, %r2, %r3, %r4;")),
                 "video instructions are not modelled");
  expectContains(loadError(kernel("suq.width.b32 %r1, [%w1];")),
                 "surfaces are not modelled");
}

TEST_F(DiagnosticsTest, UnknownModifiersNameWhatIsAccepted) {
  std::string error = loadError(kernel("add.saturate.s32 %r1, %r2, %r3;"));
  expectContains(error, "test.ptx:15:1: error: unknown or unsupported modifier "
                        "'.saturate' of 'add.saturate.s32'; others that it "
                        "takes are ");
  expectContains(error, "'.sat'");
  expectContains(loadError(kernel("bra.div STORE;")), "'.uni'");
}

TEST_F(DiagnosticsTest, TheTargetMustHaveTheInstruction) {
  auto refused = [&](const char *target, const char *body, const char *part) {
    expectContains(loadError(forTarget(target, body)), part);
  };
  refused("sm_90a", "tcgen05.fence::before_thread_sync;", "got sm_90a");
  refused("sm_100", "tcgen05.fence::before_thread_sync;", "got sm_100");
  refused("sm_100a", "wgmma.fence.sync.aligned;", "sm_90a alone");
  refused("sm_90", "wgmma.fence.sync.aligned;", "sm_90a alone");
  refused("sm_90a", "redux.sync.max.f32 %f1, %f2, 0xFFFFFFFF;",
          "'redux' with '.f32' needs sm_100a, or a later target with an 'a' or "
          "'f' behind its number, and '.target' is sm_90a");
  refused("sm_80", "barrier.cluster.arrive.aligned;",
          "'barrier.cluster' needs sm_90 or later, and '.target' is sm_80");
  refused("sm_90a", "add.f32x2 %w1, %w2, %w3;",
          "'add' with '.f32x2' needs sm_100 or later");
  refused("sm_75", "cp.async.commit_group;", "needs .target sm_80");
  std::string error;
  for (const char *target : {"sm_100a", "sm_100f", "sm_103a"})
    EXPECT_TRUE(
        Module::load(forTarget(target, "tcgen05.fence::before_thread_sync;"),
                     "t", memory, error))
        << error;
  EXPECT_TRUE(Module::load(forTarget("sm_90a", "wgmma.fence.sync.aligned;"),
                           "t", memory, error))
      << error;
}

TEST_F(DiagnosticsTest, WrongAddressesNameTheNearestAllocation) {
  uint64_t block = memory.allocate(256);
  auto at = [&](uint64_t address) {
    return fault("mov.u64 %w1, " + std::to_string(address) +
                 ";\nld.global.u32 %r0, [%w1];");
  };
  Fault over = at(block + 254 / 4 * 4 + 4);
  expectContains(over.message, "out of bounds: read of 4 bytes in no "
                               "allocation: 0 bytes after the end of the "
                               "nearest one, of 256 bytes");
  EXPECT_EQ(over.line, 16u);
  EXPECT_EQ(over.warp, 0);
  EXPECT_EQ(over.lane, 0);
  EXPECT_EQ(over.address, block + 256);
  uint64_t gone = memory.allocate(1 << 20), other = memory.allocate(1 << 20);
  ASSERT_TRUE(memory.release(gone));
  std::string message = memory.describe(gone + 4096, 4);
  EXPECT_EQ(message, "in an allocation of 1048576 bytes that has been freed "
                     "(by the last free), 4096 bytes into it");
  memory.release(other);
  expectContains(memory.describe(gone, 4), "(1 frees ago), 0 bytes into it");
}

TEST_F(DiagnosticsTest, ABudgetEndsALoop) {
  options.budget = 10000;
  Fault loop = fault("L: add.u32 %r1, %r1, 1;\nbra L;");
  EXPECT_EQ(loop.kind, FaultKind::Hang);
  expectContains(loop.message, "more than 10000 instructions");
}

TEST_F(DiagnosticsTest, MemoryHasACapacity) {
  memory.setCapacity(memory.allocatedBytes() + 1000);
  EXPECT_EQ(memory.allocate(2000), 0u);
  uint64_t block = memory.allocate(1000);
  EXPECT_NE(block, 0u);
  EXPECT_EQ(memory.allocate(1), 0u);
  memory.release(block);
  EXPECT_NE(memory.allocate(1), 0u);
  expectContains(loadError(head() + ".global .b8 big[3000000000];"),
                 "expected a variable of at most 2147483648 bytes");
}

TEST_F(UnwrittenTest, GlobalMemory) {
  auto found = hazards("ld.global.u32 %r0, [%out+64];");
  ASSERT_EQ(found.size(), 1u);
  expectContains(found[0], "reads global memory at 0x");
  expectContains(found[0], "which nobody has written");
  EXPECT_TRUE(hazards("mad.wide.u32 %w1, %t, 4, %out;\n"
                      "st.global.u32 [%w1], %t;\nld.global.u32 %r0, [%w1];")
                  .empty());
  // An atomic reads too; a written byte of a word is enough.
  EXPECT_EQ(hazards("atom.global.add.u32 %r0, [%out], 1;").size(), 1u);
  // Where the byte is the one that unwritten memory had there, which depends on
  // the address, nobody can tell; so one of several is.
  bool isSilent = false;
  for (const char *byte : {"1", "2", "3", "4", "5", "6"})
    isSilent |= hazards(std::string("st.global.u8 [%out+4], ") + byte +
                        ";\nbar.sync 0;\nld.global.u8 %r0, [%out+4];")
                    .empty();
  EXPECT_TRUE(isSilent);
}

TEST_F(UnwrittenTest, SharedMemory) {
  const std::string declare = ".shared .align 16 .b8 s[256];\nmov.u32 %r1, s;\n"
                              "mad.lo.u32 %r2, %t, 4, %r1;\n";
  auto found = hazards(declare + "ld.shared.u32 %r0, [%r2];");
  ASSERT_EQ(found.size(), 1u);
  expectContains(found[0],
                 "reads shared memory at 0x400, which nobody has written");
  EXPECT_TRUE(hazards(declare + "st.shared.u32 [%r2], %t;\nbar.sync 0;\n"
                                "ld.shared.u32 %r0, [%r2];")
                  .empty());
  EXPECT_TRUE(hazards(declare + "setp.eq.u32 %p1, %t, 0;\n"
                                "@%p1 st.bulk.weak.shared::cta [%r1], 256, 0;\n"
                                "bar.sync 0;\nld.shared.u32 %r0, [%r2+128];")
                  .empty());
}

//===----------------------------------------------------------------------===//
// Instructions that stand alone
//===----------------------------------------------------------------------===//

class HintsTest : public ScalarFixture {};

TEST_F(HintsTest, Fns) {
  auto fns = [&](uint32_t mask, uint32_t base, int32_t n) {
    return r("fns.b32 %rd, %ra, %rb, %rc;", mask, base, uint32_t(n));
  };
  EXPECT_EQ(fns(0xAAAAAAAA, 3, 0), 3u);
  EXPECT_EQ(fns(0xAAAAAAAA, 2, 0), 0xFFFFFFFFu);
  EXPECT_EQ(fns(0xAAAAAAAA, 2, 1), 3u);
  EXPECT_EQ(fns(0xAAAAAAAA, 3, 1), 3u);
  EXPECT_EQ(fns(0xAAAAAAAA, 3, 2), 5u);
  EXPECT_EQ(fns(0xAAAAAAAA, 3, -2), 1u);
  EXPECT_EQ(fns(0xAAAAAAAA, 3, -3), 0xFFFFFFFFu);
  EXPECT_EQ(fns(0x80000000, 0, 1), 31u);
  EXPECT_EQ(fns(0xFFFFFFFF, 32, 1), 0xFFFFFFFFu);
}

TEST_F(HintsTest, PoliciesAreAccepted) {
  uint64_t policy = w("createpolicy.fractional.L2::evict_last.b64 %wd;");
  EXPECT_NE(policy, w("createpolicy.fractional.L2::evict_first.b64 %wd, 1.0;"));
  one("createpolicy.range.global.L2::evict_last.L2::evict_unchanged.b64 %wd, "
      "[%i], 0x100000, 0x200000;\n"
      "createpolicy.cvt.L2.b64 %wd, %wa;\npmevent 7;\npmevent.mask 3;");
}

TEST_F(HintsTest, Atomics128) {
  // exch gives the old value; cas compares all 128 bits.
  auto out = one(R"(
    .shared .align 16 .b8 s[16];
    .reg .b128 %q<5>;
    mov.u32 %x0, s;
    mov.b128 %q0, {%wa, %wb};
    st.shared.b128 [%x0], %q0;
    mov.b128 %q1, {%wc, %wb};
    atom.shared.cas.b128 %q2, [%x0], %q1, %q1;
    mov.b128 {%z0, %z1}, %q2;
    atom.shared.cas.b128 %q3, [%x0], %q0, %q1;
    atom.shared.exch.b128 %q4, [%x0], %q0;
    mov.b128 {%z2, %z3}, %q4;
    xor.b64 %wd, %z0, %z1;
    xor.b64 %wd, %wd, %z2;
    xor.b64 %wd, %wd, %z3;)",
                 5, 1000, 77);
  // After the failed cas {5, 1000} is still there; after the second {77, 1000}.
  EXPECT_EQ(out.w, (5ull ^ 1000ull) ^ (77ull ^ 1000ull));
}

TEST_F(HintsTest, IsspacepParam) {
  EXPECT_TRUE(p("mov.b64 %wa, in;\ncvta.param.u64 %wa, %wa;\n"
                "isspacep.param %pd, %wa;"));
  EXPECT_FALSE(p("isspacep.param %pd, %o;"));
}
