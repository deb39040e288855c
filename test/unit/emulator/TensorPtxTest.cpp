//===- TensorPtxTest.cpp - A whole GEMM kernel in PTX -----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs test/Emulator/tcgen05-gemm-64x64x64.ptx, whole and with pieces taken
// out, and compares with a plain loop.
//
//===----------------------------------------------------------------------===//

#include "Emulator.h"
#include "GemmFixture.h"

#include <gtest/gtest.h>
#include <string>

using namespace bwgemm::emulator;

static std::string kernelText() {
  std::string text;
  EXPECT_TRUE(
      readFile(BWGEMM_EMULATOR_TESTS "/tcgen05-gemm-64x64x64.ptx", text));
  return text;
}

/// Replaces the first `from` behind the first `after`.
static std::string edited(std::string text, const std::string &after,
                          const std::string &from, const std::string &to) {
  size_t at = text.find(from, text.find(after));
  EXPECT_NE(at, std::string::npos) << from;
  if (at != std::string::npos)
    text.replace(at, from.size(), to);
  return text;
}

static LaunchReport run(GemmFixture &gemm, const std::string &text,
                        const Options &options = {}) {
  std::string error;
  auto module = Module::load(text, "gemm.ptx", gemm.memory, error);
  EXPECT_TRUE(module) << error;
  if (!module)
    return {};
  return gemm.launch(*module, options);
}

static void expectRight(GemmFixture &gemm, const LaunchReport &report) {
  ASSERT_FALSE(report.fault) << report.fault->render();
  for (const Fault &hazard : report.hazards)
    ADD_FAILURE() << hazard.render();
  size_t row, column;
  EXPECT_TRUE(gemm.compare(row, column)) << row << ", " << column;
}

TEST(TensorPtx, Gemm) {
  GemmFixture gemm(192, 128, 256);
  LaunchReport report = run(gemm, kernelText());
  expectRight(gemm, report);
  // 3 x 2 CTAs, 4 K tiles of 2 copies of 8192 bytes and 4 mmas.
  EXPECT_EQ(report.counters["mma_issued"], 6u * 16);
  EXPECT_EQ(report.counters["tma_loads"], 6u * 8);
  EXPECT_EQ(report.counters["tma_bytes_loaded"], 6u * 8 * 8192);
}

TEST(TensorPtx, GemmWithPartialTiles) {
  // The rows and columns beyond the matrices are zero filled; D is padded.
  GemmFixture gemm(100, 72, 88);
  expectRight(gemm, run(gemm, kernelText()));
}

TEST(TensorPtx, GemmInRandomOrderExactlyAndWatched) {
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    GemmFixture gemm(64, 128, 192);
    Options options;
    options.schedule = WarpOrder::Random;
    options.seed = seed;
    options.numerics = seed % 2 ? Numerics::Exact : Numerics::Fast;
    options.hazards = true;
    expectRight(gemm, run(gemm, kernelText(), options));
  }
}

TEST(TensorPtx, MissingCommitWaitIsSeen) {
  // Without the wait for the mmas the epilogue reads what was there before.
  std::string text = edited(
      kernelText(), "WAIT_MULTIPLIED:", "@!%p2 bra WAIT_MULTIPLIED;", "");
  text =
      edited(text, "WAIT_MULTIPLIED:",
             "mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3], %r12;", "");
  GemmFixture gemm(64, 64, 64);
  LaunchReport report = run(gemm, text);
  size_t row, column;
  EXPECT_TRUE(report.fault || !gemm.compare(row, column));

  Options options;
  options.hazards = true;
  report = run(gemm, text, options);
  ASSERT_FALSE(report.hazards.empty());
  EXPECT_NE(report.hazards[0].message.find("tcgen05.ld reads an accumulator"),
            std::string::npos)
      << report.hazards[0].message;
}

TEST(TensorPtx, MissingLoadWaitIsAHazard) {
  std::string text =
      edited(kernelText(), "WAIT_LOADED:", "@!%p2 bra WAIT_LOADED;", "");
  text =
      edited(text, "WAIT_LOADED:",
             "mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], %r12;", "");
  GemmFixture gemm(64, 64, 64);
  Options options;
  options.hazards = true;
  LaunchReport report = run(gemm, text, options);
  ASSERT_FALSE(report.hazards.empty());
  EXPECT_NE(report.hazards[0].message.find("is still writing"),
            std::string::npos)
      << report.hazards[0].message;
}

TEST(TensorPtx, OrdinaryStoreBeforeAnMmaNeedsAProxyFence) {
  // Thread 0 writes a zero over the tile of A and reads it back as operand.
  std::string store = "st.shared.b32 [%r4], %r11;\n";
  std::string mma = "tcgen05.mma.cta_group::1.kind::f16 [%r7], %rd2";
  Options options;
  options.hazards = true;
  for (bool fenced : {false, true}) {
    std::string text = edited(
        kernelText(), "WAIT_LOADED:", mma,
        store + (fenced ? "fence.proxy.async.shared::cta;\n" : "") + mma);
    GemmFixture gemm(64, 64, 64);
    LaunchReport report = run(gemm, text, options);
    EXPECT_FALSE(report.fault);
    ASSERT_EQ(report.hazards.empty(), fenced);
    if (!fenced) {
      EXPECT_NE(report.hazards[0].message.find(
                    "the mma reads shared memory at 0x400, which warp 0, lane "
                    "0 wrote"),
                std::string::npos)
          << report.hazards[0].message;
    }
  }
}

TEST(TensorPtx, WrongExpectTxHangs) {
  std::string text =
      edited(kernelText(), "LOOP:", "_, [%r2], 16384", "_, [%r2], 16400");
  GemmFixture gemm(64, 64, 64);
  LaunchReport report = run(gemm, text);
  ASSERT_TRUE(report.fault);
  EXPECT_EQ(report.fault->kind, FaultKind::Hang);
  EXPECT_NE(report.fault->message.find(
                "0 of 1 arrivals pending, 16 bytes outstanding: the bytes "
                "expected never landed"),
            std::string::npos)
      << report.fault->message;
}

TEST(TensorPtx, TooSmallExpectTxIsAHazard) {
  // The phase completes when the first of two copies has landed.
  std::string text =
      edited(kernelText(), "LOOP:", "_, [%r2], 16384", "_, [%r2], 8192");
  GemmFixture gemm(64, 64, 64);
  Options options;
  options.hazards = true;
  LaunchReport report = run(gemm, text, options);
  ASSERT_FALSE(report.hazards.empty());
  EXPECT_NE(report.hazards[0].message.find("is still writing"),
            std::string::npos)
      << report.hazards[0].message;
}

TEST(TensorPtx, ForgottenDeallocTraps) {
  std::string text =
      edited(kernelText(), "FREED",
             "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r7, 64;", "");
  GemmFixture gemm(64, 64, 64);
  LaunchReport report = run(gemm, text);
  ASSERT_TRUE(report.fault);
  EXPECT_EQ(report.fault->kind, FaultKind::Trap);
  EXPECT_NE(report.fault->message.find("64 columns of tensor memory are still "
                                       "allocated"),
            std::string::npos)
      << report.fault->message;
}

TEST(TensorPtx, WrongDescriptorTraps) {
  // A descriptor for sm_90: no version, layout in bits 62 and 63.
  std::string text = edited(kernelText(), "Descriptors", "0x4000404000000000",
                            "0x4000004000000000");
  GemmFixture gemm(64, 64, 64);
  LaunchReport report = run(gemm, text);
  ASSERT_TRUE(report.fault);
  EXPECT_NE(report.fault->message.find("bits 46..48 are 0, expected the "
                                       "constant 1 of sm_100"),
            std::string::npos)
      << report.fault->message;
  EXPECT_NE(report.fault->instruction.find("tcgen05.mma"), std::string::npos);
}

TEST(TensorPtx, AccumulatingFirstMmaReadsUninitialisedMemory) {
  std::string text =
      edited(kernelText(), "WAIT_LOADED", "setp.ne.u32 %p3, %r11, 0;",
             "setp.eq.u32 %p3, %r11, %r11;");
  GemmFixture gemm(64, 64, 64);
  LaunchReport report = run(gemm, text);
  ASSERT_TRUE(report.fault);
  EXPECT_EQ(report.fault->kind, FaultKind::Hazard);
  EXPECT_NE(report.fault->message.find("uninitialised tensor memory"),
            std::string::npos)
      << report.fault->message;
}

TEST(TensorPtx, RefusedByName) {
  DeviceMemory memory;
  auto refusal = [&](const std::string &from, const std::string &to) {
    std::string error;
    std::string text = edited(kernelText(), "LOOP:", from, to);
    EXPECT_FALSE(Module::load(text, "gemm.ptx", memory, error)) << to;
    return error;
  };
  EXPECT_NE(refusal("tcgen05.mma.cta_group::1", "tcgen05.mma.cta_group::2")
                .find(".cta_group::2 in a kernel with tcgen05 instructions of "
                      ".cta_group::1"),
            std::string::npos);
  EXPECT_NE(refusal("tcgen05.mma.cta_group::1.kind::f16",
                    "tcgen05.mma.ws.cta_group::1.kind::f16.ashift")
                .find("tcgen05.mma.ws has no .ashift"),
            std::string::npos);
  EXPECT_NE(refusal("kind::f16 ", "kind::f16.ashift ")
                .find(".ashift needs an A in tensor memory"),
            std::string::npos);
  EXPECT_NE(
      refusal("16x256b.x8", "16x256b.x64").find("expected a power of two"),
      std::string::npos);
  EXPECT_NE(refusal("tensor.2d", "tensor.3d").find("expected 3 coordinates"),
            std::string::npos);
  EXPECT_NE(refusal("global.tile.", "global.im2col.").find("not modelled"),
            std::string::npos);
}
