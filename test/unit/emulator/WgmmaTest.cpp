//===- WgmmaTest.cpp - What wgmma asks of a program -------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Waits, fences, registers in flight, warps that do not come, and what the
// decoder refuses. The kernels multiply ones: with shared memory full of 1.0 in
// f16, every element of D grows by K = 16. What wgmma computes is checked
// against an H200 in test/Kernels.
//
//===----------------------------------------------------------------------===//

#include "PtxFixture.h"

using namespace bwgemm::emulator;

namespace {

class Wgmma : public PtxFixture {
protected:
  static std::string mma(const std::string &d = "{%f0, %f1, %f2, %f3}",
                         const std::string &scale = "1") {
    return "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 " + d +
           ", %da, %db, " + scale + ", 1, 1, 0, 0;\n";
  }
  const std::string fence = "wgmma.fence.sync.aligned;\n";
  const std::string commit = "wgmma.commit_group.sync.aligned;\n";
  static std::string wait(int groups = 0) {
    return "wgmma.wait_group.sync.aligned " + std::to_string(groups) + ";\n";
  }

  /// Fills 4 KB of shared memory with 1.0 in f16, zeroes %f0 to %f7, and runs
  /// the body; what it leaves in %f8 goes to out[thread].
  static std::string
  text(const std::string &body, const std::string &directives = "",
       const std::string &store = "fence.proxy.async.shared::cta;\n") {
    return ".version 8.6\n.target sm_90a\n.address_size 64\n"
           ".visible .entry k(.param .u64 out)\n" +
           directives +
           "{\n.reg .b32 %r<40>;\n.reg .f32 %f<40>;\n.reg .b64 %da, %db, %o, "
           "%w<8>;\n.reg .pred %p<8>;\n.reg .b32 %t, %warp;\n"
           ".shared .align 1024 .b8 m[4096];\n"
           "mov.u32 %t, %tid.x;\nshr.u32 %warp, %t, 5;\n"
           "and.b32 %r1, %t, 127;\nmov.u32 %r0, m;\n"
           "mad.lo.u32 %r0, %r1, 16, %r0;\n"
           "mov.u32 %r1, 0x3c003c00;\n"
           "st.shared.v4.b32 [%r0], {%r1, %r1, %r1, %r1};\n"
           "st.shared.v4.b32 [%r0+2048], {%r1, %r1, %r1, %r1};\n" +
           store +
           "bar.sync 0;\n"
           // Start 0x400, LBO 1024, SBO 128: rows of 16 bytes.
           "mov.b64 %da, 0x0000000800400040;\nmov.b64 %db, %da;\n"
           "mov.f32 %f0, 0f00000000;\nmov.f32 %f1, 0f00000000;\n"
           "mov.f32 %f2, 0f00000000;\nmov.f32 %f3, 0f00000000;\n"
           "mov.f32 %f4, 0f00000000;\nmov.f32 %f5, 0f00000000;\n"
           "mov.f32 %f6, 0f00000000;\nmov.f32 %f7, 0f00000000;\n"
           "mov.f32 %f8, 0f00000000;\n" +
           body +
           "ld.param.u64 %o, [out];\nmad.wide.u32 %o, %t, 4, %o;\n"
           "st.global.f32 [%o], %f8;\nret;\n}\n";
  }

  /// Runs text(body); `result` is what the first thread stored.
  LaunchReport go(const std::string &kernel, unsigned threads = 128) {
    uint64_t out = memory.allocate(4 * threads);
    std::memset(reinterpret_cast<void *>(out), 0xEE, 4 * threads);
    LaunchReport report = run(kernel, {1, 1, 1}, {threads, 1, 1}, {out});
    all = download<float>(out, threads);
    result = all[0];
    return report;
  }
  /// The value that the body leaves, without a fault.
  float value(const std::string &body) {
    LaunchReport report = go(text(body));
    EXPECT_FALSE(report.fault) << report.fault->render();
    return result;
  }
  std::string faultOf(const std::string &kernel, unsigned threads = 128) {
    LaunchReport report = go(kernel, threads);
    EXPECT_TRUE(report.fault);
    return report.fault ? report.fault->message : "";
  }
  /// The messages of the hazards, one a line.
  std::string hazards(const std::string &kernel) {
    options.hazards = true;
    LaunchReport report = go(kernel);
    EXPECT_FALSE(report.fault) << report.fault->render();
    std::string text;
    for (const Fault &hazard : report.hazards)
      text += hazard.message + "\n";
    return text;
  }
  static uint32_t bits(float value) {
    uint32_t raw;
    std::memcpy(&raw, &value, 4);
    return raw;
  }

  float result = 0;
  std::vector<float> all;
};

} // namespace

#define EXPECT_CONTAINS(Text, Part)                                            \
  EXPECT_NE((Text).find(Part), std::string::npos) << (Text)

TEST_F(Wgmma, AccumulatesOverGroups) {
  EXPECT_EQ(value(fence + mma() + commit + wait() + "mov.f32 %f8, %f0;\n"),
            16.0f);
  EXPECT_EQ(value(fence + mma() + mma() + mma() + commit + mma() + mma() +
                  commit + wait() + "add.f32 %f8, %f0, %f3;\n"),
            160.0f);
  // Scale-d of zero does not read D.
  EXPECT_EQ(value("mov.f32 %f0, 0f7fc00000;\n" + fence +
                  mma("{%f0, %f1, %f2, %f3}", "0") + mma() + commit + wait() +
                  "mov.f32 %f8, %f0;\n"),
            32.0f);
  // Registers that are written between two waits are read anew.
  EXPECT_EQ(value(fence + mma() + commit + wait() + "mul.f32 %f0, %f0, %f0;\n" +
                  fence + mma() + commit + wait() + "mov.f32 %f8, %f0;\n"),
            272.0f);
}

TEST_F(Wgmma, EverySchedule) {
  std::string kernel =
      text(fence + mma() + mma("{%f4, %f5, %f6, %f7}") + mma() + commit +
           mma("{%f4, %f5, %f6, %f7}") + commit + wait() +
           "sub.f32 %f8, %f0, %f7;\n" + "add.f32 %f8, %f8, %f4;\n");
  for (WarpOrder order : {WarpOrder::Fair, WarpOrder::Random})
    for (Numerics numerics : {Numerics::Fast, Numerics::Exact})
      for (uint64_t seed = 0; seed < 8; ++seed) {
        options.schedule = order;
        options.numerics = numerics;
        options.seed = seed;
        LaunchReport report = go(kernel, 256);
        ASSERT_FALSE(report.fault) << report.fault->render();
        for (float each : all)
          EXPECT_EQ(each, 32.0f);
      }
}

TEST_F(Wgmma, MissingWaitIsSeen) {
  // A NaN in place of the result, before and after it has landed.
  EXPECT_EQ(bits(value(fence + mma() + commit +
                       "add.f32 %f8, %f0, 0f00000000;\n" + wait())),
            0x7fffffffu);
  std::string store = "ld.param.u64 %o, [out];\nmad.wide.u32 %o, %t, 4, %o;\n"
                      "st.global.f32 [%o], %f0;\nexit;\n";
  EXPECT_EQ(bits(value(fence + mma() + commit + store)), 0x7fff7fffu);
  // Without commit_group nothing is waited for.
  EXPECT_EQ(bits(value(fence + mma() + wait() + store)), 0x7fff7fffu);
  // The older of two groups only.
  std::string two =
      fence + mma() + commit + mma("{%f4, %f5, %f6, %f7}") + commit + wait(1);
  EXPECT_EQ(value(two + store), 16.0f);
  EXPECT_EQ(bits(value(two + "mov.f32 %f8, %f0;\n")), bits(16.0f));
  EXPECT_EQ(bits(value(two + "min.NaN.f32 %f8, %f4, %f4;\n" + wait())),
            0x7fffffffu);
}

TEST_F(Wgmma, CopiesOfCompilersWait) {
  EXPECT_EQ(value(fence + mma() + commit + "mov.f32 %f8, %f0;\n" + wait()),
            16.0f);
  // An accumulator that moves to other registers between two wgmmas.
  EXPECT_EQ(value(fence + mma() +
                  "mov.f32 %f4, %f0;\nmov.f32 %f5, %f1;\n"
                  "mov.f32 %f6, %f2;\nmov.f32 %f7, %f3;\n" +
                  mma("{%f4, %f5, %f6, %f7}") + commit + wait() +
                  "mov.f32 %f8, %f7;\n"),
            32.0f);
}

TEST_F(Wgmma, SharedMemoryIsReadWhenItLands) {
  // Twos instead of ones, written too late to be allowed and early enough to
  // count.
  EXPECT_EQ(value(fence + mma() +
                  "mov.u32 %r1, 0x40004000;\n"
                  "st.shared.v4.b32 [%r0], {%r1, %r1, %r1, %r1};\n" +
                  commit + wait() + "mov.f32 %f8, %f0;\n"),
            64.0f);
}

TEST_F(Wgmma, OverlappingAccumulators) {
  // %f2 and %f3 are of both.
  EXPECT_EQ(value(fence + mma() + commit + wait() + fence +
                  mma("{%f2, %f3, %f4, %f5}") + commit + wait() +
                  "add.f32 %f8, %f0, %f3;\nadd.f32 %f8, %f8, %f5;\n"),
            64.0f);
}

TEST_F(Wgmma, AccumulatorOfHalvesAsFragmentsOfA) {
  // 64 x 16 elements of 16.0 in f16 are a whole A: 16 * 16 * 1.
  EXPECT_EQ(
      value("mov.b32 %r4, 0;\nmov.b32 %r5, 0;\nmov.b32 %r6, 0;\n"
            "mov.b32 %r7, 0;\n" +
            fence +
            "wgmma.mma_async.sync.aligned.m64n16k16.f16.f16.f16 "
            "{%r4, %r5, %r6, %r7}, %da, %db, 1, 1, 1, 0, 0;\n" +
            commit + wait() + fence +
            "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
            "{%f0, %f1, %f2, %f3}, {%r4, %r5, %r6, %r7}, %db, 1, 1, 1, 0;\n" +
            commit + wait() + "mov.f32 %f8, %f0;\n"),
      256.0f);
}

TEST_F(Wgmma, FragmentsOfAAreRead) {
  // Register 0 holds row lane / 4 and columns 2 * (lane % 4): lane 5 is row 1,
  // columns 2 and 3. Everything else is zero; D[1][0] = 3 + 5.
  std::string body =
      "mov.b32 %r4, 0;\nmov.b32 %r5, 0;\nsetp.eq.u32 %p1, %t, 5;\n"
      "@%p1 mov.b32 %r4, 0x45004200;\n" +
      fence +
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
      "{%f0, %f1, %f2, %f3}, {%r4, %r5, %r5, %r5}, %db, 1, 1, -1, 0;\n" +
      commit + wait() + "mov.f32 %f8, %f0;\n";
  LaunchReport report = go(text(body));
  ASSERT_FALSE(report.fault) << report.fault->render();
  for (unsigned thread = 0; thread < 128; ++thread)
    EXPECT_EQ(all[thread], thread / 4 == 1 ? -8.0f : 0.0f) << thread;
}

//===----------------------------------------------------------------------===//
// Hazards
//===----------------------------------------------------------------------===//

TEST_F(Wgmma, NoHazard) {
  EXPECT_EQ(
      hazards(text(fence + mma() + mma() + commit + wait() +
                   "add.f32 %f8, %f0, %f1;\nmov.f32 %f0, 0f00000000;\n" +
                   fence + mma() + commit + wait() + "mov.f32 %f8, %f0;\n")),
      "");
}

TEST_F(Wgmma, HazardsOfRegisters) {
  EXPECT_EQ(hazards(text(mma() + commit + wait())),
            "no wgmma.fence before the first wgmma of the warp\n");
  EXPECT_EQ(hazards(text(fence + mma() + commit + wait() +
                         "mul.f32 %f0, %f0, %f0;\n" + mma() + commit + wait())),
            "registers of the accumulator were accessed since the last "
            "wgmma.fence: one must stand between them and the wgmma\n");
  std::string early = hazards(
      text(fence + mma() + commit + "add.f32 %f8, %f0, %f1;\n" + wait()));
  EXPECT_CONTAINS(early, "accesses a register of the accumulator of the wgmma "
                         "of line ");
  EXPECT_CONTAINS(early, "wgmma.commit_group and wgmma.wait_group must come "
                         "first");
  std::string fromRegisters =
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
      "{%f0, %f1, %f2, %f3}, {%r4, %r5, %r6, %r7}, %db, 1, 1, 1, 0;\n";
  std::string setA = "mov.b32 %r4, 0;\nmov.b32 %r5, 0;\nmov.b32 %r6, 0;\n"
                     "mov.b32 %r7, 0;\n";
  EXPECT_EQ(hazards(text(setA + fence + fromRegisters + commit + wait() +
                         "add.u32 %r4, %r4, 1;\n")),
            "");
  EXPECT_CONTAINS(hazards(text(setA + fence + fromRegisters + commit +
                               "add.u32 %r4, %t, 1;\n" + wait())),
                  "writes a register with a fragment of A of the wgmma");
  EXPECT_CONTAINS(
      hazards(text(setA + fence + fromRegisters + commit + wait() +
                   "add.u32 %r5, %t, 1;\n" + fromRegisters + commit + wait())),
      "registers of A were accessed since the last wgmma.fence");
}

TEST_F(Wgmma, HazardsOfSharedMemory) {
  std::string good = fence + mma() + commit + wait();
  EXPECT_CONTAINS(hazards(text(good, "", "")),
                  "the wgmma reads shared memory at 0x400, which warp 0, lane "
                  "0 wrote in line ");
  // Behind the 4 KB that are written.
  std::string elsewhere = "mov.b64 %db, 0x0000000800400140;\n" + good;
  std::string kernel = text(elsewhere);
  kernel.replace(kernel.find("m[4096]"), 7, "m[8192]");
  EXPECT_CONTAINS(hazards(kernel), "which nobody has written");
  // A bulk copy over operands that have not been waited for.
  std::string refill =
      "setp.ne.u32 %p1, %t, 0;\n@%p1 bra SKIP;\nmov.u32 %r3, m;\n"
      "ld.param.u64 %w0, [out];\n"
      "mbarrier.init.shared::cta.b64 [%r3+4096], 1;\n"
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3+4096], 16;\n"
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%r3], [%w0], 16, [%r3+4096];\nSKIP:\n";
  auto withRoom = [&](const std::string &body) {
    std::string made = text(body);
    made.replace(made.find("m[4096]"), 7, "m[4112]");
    return made;
  };
  EXPECT_CONTAINS(hazards(withRoom(fence + mma() + commit + refill + wait())),
                  "the bulk copy writes shared memory that the mma of line ");
  EXPECT_EQ(hazards(withRoom(fence + mma() + commit + wait() + "bar.sync 0;\n" +
                             refill)),
            "");
}

//===----------------------------------------------------------------------===//
// Warps
//===----------------------------------------------------------------------===//

TEST_F(Wgmma, AWarpThatDoesNotCome) {
  std::string skip = "setp.eq.u32 %p1, %warp, 2;\n@%p1 bra END;\n";
  std::string message =
      faultOf(text(skip + fence + mma() + commit + wait() + "END:\n"));
  EXPECT_CONTAINS(message, "no warp can go on and nothing is in flight");
  EXPECT_CONTAINS(message, "to which warps 2 of its warpgroup have not come");
  EXPECT_CONTAINS(faultOf(text(skip + fence + mma() + commit + "END:\n")),
                  "the warpgroup never executed this wgmma together: warps 2 "
                  "exited without it");
}

TEST_F(Wgmma, WarpsMustAgree) {
  EXPECT_CONTAINS(faultOf(text("setp.eq.u32 %p1, %warp, 2;\n@%p1 bra OTHER;\n" +
                               fence + mma() + "bra END;\nOTHER:\n" + fence +
                               mma() + "END:\n" + commit + wait())),
                  "the warps of a warpgroup must execute the same wgmma");
  EXPECT_CONTAINS(faultOf(text("cvt.u64.u32 %w0, %warp;\n"
                               "add.u64 %db, %db, %w0;\n" +
                               fence + mma() + commit + wait())),
                  "must be the same in all warps of the warpgroup");
  EXPECT_CONTAINS(
      faultOf(text("cvt.u64.u32 %w0, %t;\nadd.u64 %db, %db, %w0;\n" + fence +
                   mma() + commit + wait())),
      "the descriptor of B differs between the threads");
  EXPECT_CONTAINS(
      faultOf(text("setp.eq.u32 %p1, %t, 9;\n" + fence +
                   mma("{%f0, %f1, %f2, %f3}", "%p1") + commit + wait())),
      "scale-d differs between the threads of the warp");
  EXPECT_CONTAINS(faultOf(text("setp.eq.u32 %p1, %t, 9;\n" + fence + "@%p1 " +
                               mma() + commit + wait())),
                  "must be executed by all 32 threads of the warp");
  EXPECT_CONTAINS(faultOf(text(fence + mma() + commit + wait()), 96),
                  " belongs to a last one of 3, as the CTA has 3 warps");
}

TEST_F(Wgmma, OperandsOutsideOfSharedMemory) {
  EXPECT_CONTAINS(faultOf(text("mov.b64 %db, 0x0000000800400000;\n" + fence +
                               mma() + commit + wait())),
                  "operand B: the matrix at shared address 0");
  EXPECT_CONTAINS(faultOf(text("mov.b64 %da, 0x0000080000400040;\n" + fence +
                               mma() + commit + wait())),
                  "operand A: the matrix at shared address 1024 (LBO 1024, SBO "
                  "32768) ends at ");
}

//===----------------------------------------------------------------------===//
// What the decoder refuses
//===----------------------------------------------------------------------===//

TEST_F(Wgmma, RefusedForms) {
  auto refusal = [&](const std::string &body) {
    return loadError(text(body + ";\n"));
  };
  const std::string head = "wgmma.mma_async.sync.aligned.";
  const std::string four = " {%f0, %f1, %f2, %f3}, ";
  const std::string tail = "%da, %db, 1, 1, 1, 0, 0";
  EXPECT_CONTAINS(refusal(head + "m64n8k16.f32.f16.bf16" + four + tail),
                  "types .f32.f16.bf16: expected");
  EXPECT_CONTAINS(refusal(head + "m64n8k16.f16.bf16.bf16 {%r0, %r1}, " + tail),
                  "types .f16.bf16.bf16: expected");
  EXPECT_CONTAINS(refusal(head + "m64n8k8.f32.f16.f16" + four + tail),
                  "shape .m64n8k8: expected .m64nNk16 for types .f32.f16.f16");
  EXPECT_CONTAINS(refusal(head + "m64n12k16.f32.f16.f16" + four + tail),
                  "N = 12: expected a multiple of 8 up to 256");
  EXPECT_CONTAINS(refusal(head + "m64n264k16.f32.f16.f16" + four + tail),
                  "N = 264: expected a multiple of 8 up to 256");
  EXPECT_CONTAINS(refusal(head + "m64n40k32.s32.s8.s8" + four + "%da, %db, 1"),
                  "N = 40: expected 8, 16, 24, or a multiple of 16 up to 256");
  EXPECT_CONTAINS(
      refusal(head + "m64n8k16.f32.f16.f16" + four + "%da, %db, 1, 2, 1, 0, 0"),
      "expected imm-scale-a of 1 or -1, got 2");
  EXPECT_CONTAINS(
      refusal(head + "m64n8k16.f32.f16.f16" + four + "%da, %db, 1, 1, 1, 0, 2"),
      "expected imm-trans-b of 0 or 1, got 2");
  EXPECT_CONTAINS(refusal(head + "m64n8k16.f32.f16.f16 {%f0, %f1}, " + tail),
                  "4");
  EXPECT_NE(refusal(head + "m64n8k8.f32.tf32.tf32" + four + tail), "");
  EXPECT_CONTAINS(refusal(head + "m64n8k32.f32.e4m3.e4m3.satfinite" + four +
                          "%da, %db, 1, 1, 1"),
                  ".satfinite exists for .s8 and .u8 alone");
  EXPECT_CONTAINS(
      refusal(head + "m64n8k256.s32.b1.b1.xor.popc" + four + "%da, %db, 1"),
      "expected .and.popc");
  const std::string sparse = "wgmma.mma_async.sp.sync.aligned.";
  EXPECT_CONTAINS(refusal(sparse + "m64n8k16.f32.f16.f16" + four +
                          "%da, %db, %r0, 0, 1, 1, 1, 0, 0"),
                  "shape .m64n8k16: expected .m64nNk32 for types .f32.f16.f16 "
                  "of a sparse A");
  EXPECT_CONTAINS(refusal(sparse + "m64n8k32.f32.f16.f16" + four +
                          "%da, %db, %r0, 2, 1, 1, 1, 0, 0"),
                  "expected a sparsity selector of 0 or 1, got 2");
  EXPECT_CONTAINS(
      refusal(sparse + "m64n8k64.s32.s8.s8" + four + "%da, %db, %r0, 1, 1"),
      "expected a sparsity selector of 0, got 1");
  EXPECT_CONTAINS(refusal("wgmma.wait_group.sync.aligned -1"),
                  "expected a number of groups of at least 0, got -1");
  EXPECT_CONTAINS(refusal("wgmma.fence.aligned"), "expected .sync.aligned");
  std::string other = text(fence);
  other.replace(other.find("sm_90a"), 6, "sm_100a");
  EXPECT_CONTAINS(loadError(other), "wgmma exists on sm_90a alone, the "
                                    "module's target is sm_100a");
}

//===----------------------------------------------------------------------===//
// setmaxnreg
//===----------------------------------------------------------------------===//

namespace {
class MaxRegisters : public Wgmma {
protected:
  /// Warpgroup 0 and the others execute different ones. 384 threads have 168
  /// registers each.
  std::string split(const std::string &first, const std::string &others) {
    return text("setp.ge.u32 %p1, %t, 128;\n@%p1 bra OTHERS;\n" + first +
                    "bra END;\nOTHERS:\n" + others + "END:\n",
                ".maxntid 384, 1, 1\n.minnctapersm 1\n");
  }
  static std::string set(const char *action, int count) {
    return std::string("setmaxnreg.") + action + ".sync.aligned.u32 " +
           std::to_string(count) + ";\n";
  }
};
} // namespace

TEST_F(MaxRegisters, TakesWhatOthersGive) {
  // 168 * 3 = 40 + 2 * 232; whoever asks first waits for the other.
  LaunchReport report = go(split(set("dec", 40), set("inc", 232)), 384);
  EXPECT_FALSE(report.fault) << report.fault->render();
  report = go(split(set("inc", 216), set("dec", 144)), 384);
  EXPECT_FALSE(report.fault) << report.fault->render();
}

TEST_F(MaxRegisters, PoolTooSmall) {
  std::string message = faultOf(split(set("dec", 40), set("inc", 240)), 384);
  // Seven warps get 72 * 32 of the 128 * 32 * 4 registers.
  EXPECT_CONTAINS(message, "no warp can go on");
  EXPECT_CONTAINS(message, "waits for 2304 more registers for its warp: the "
                           "CTA's pool has 256 until other warps execute "
                           "setmaxnreg.dec");
}

TEST_F(MaxRegisters, WrongDirection) {
  EXPECT_CONTAINS(
      faultOf(split(set("dec", 40) + set("inc", 32), set("inc", 232)), 384),
      "setmaxnreg.inc to 32 registers, but the warp has 40");
  EXPECT_CONTAINS(faultOf(split(set("dec", 200), ""), 384),
                  "setmaxnreg.dec to 200 registers, but the warp has 168");
}

TEST_F(MaxRegisters, WarpsMustAgree) {
  EXPECT_CONTAINS(
      faultOf(split("setp.eq.u32 %p2, %warp, 1;\n@%p2 bra ONE;\n" +
                        set("dec", 40) + "bra END;\nONE:\n" + set("dec", 48),
                    ""),
              384),
      "the warps of a warpgroup must execute the same setmaxnreg");
}

TEST_F(MaxRegisters, DroppedWherePtxasCannotTell) {
  LaunchReport report = go(text(set("inc", 240) + set("dec", 24)), 1024);
  EXPECT_FALSE(report.fault) << report.fault->render();
  EXPECT_CONTAINS(loadError(text(set("dec", 20))),
                  "expected a register count from 24 to 256 that is a multiple "
                  "of 8, got 20");
}
