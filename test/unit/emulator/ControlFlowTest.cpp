//===- ControlFlowTest.cpp - Divergence, barriers, warp level ---*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxFixture.h"

#include <atomic>
#include <set>

using namespace bwgemm::emulator;

class ControlFlowTest : public PtxFixture {
protected:
  /// Both orders, some seeds.
  template <class Body> void everySchedule(Body &&body) {
    options.schedule = WarpOrder::Fair;
    body();
    options.schedule = WarpOrder::Random;
    for (uint64_t seed = 0; seed < 6; ++seed) {
      options.seed = seed;
      body();
    }
    options.schedule = WarpOrder::Fair;
  }
};

TEST_F(ControlFlowTest, NestedIfMeetsAgain) {
  // activemask after each join shows that all lanes came together.
  auto out = words(R"(
    mov.u32 %r0, 0;
    setp.lt.u32 %p1, %t, 16;
    @%p1 bra LOW;
    add.u32 %r0, %r0, 100;
    bra.uni JOIN;
  LOW:
    setp.lt.u32 %p2, %t, 8;
    @!%p2 bra MID;
    add.u32 %r0, %r0, 1;
    bra INNER;
  MID:
    add.u32 %r0, %r0, 10;
  INNER:
    activemask.b32 %r1;
    setp.ne.u32 %p3, %r1, 0xFFFF;
    @%p3 add.u32 %r0, %r0, 1000;
  JOIN:
    activemask.b32 %r1;
    setp.ne.u32 %p3, %r1, 0xFFFFFFFF;
    @%p3 add.u32 %r0, %r0, 5000;
  )");
  for (unsigned t = 0; t < 32; ++t)
    EXPECT_EQ(out[t], t < 8 ? 1u : t < 16 ? 10u : 100u) << t;
}

TEST_F(ControlFlowTest, LoopsWithDifferentTripCounts) {
  auto out = words(R"(
    mov.u32 %r0, 0;
    mov.u32 %r1, 0;
  LOOP:
    setp.ge.u32 %p1, %r1, %t;
    @%p1 bra DONE;
    add.u32 %r1, %r1, 1;
    mad.lo.u32 %r0, %r1, %r1, %r0;
    bra LOOP;
  DONE:
    activemask.b32 %r2;
    setp.ne.u32 %p2, %r2, 0xFFFFFFFF;
    @%p2 mov.u32 %r0, 0xBAD;
  )");
  for (unsigned t = 0; t < 32; ++t)
    EXPECT_EQ(out[t], t * (t + 1) * (2 * t + 1) / 6);
}

TEST_F(ControlFlowTest, BlocksOutOfOrderMeetToo) {
  // The join stands before the branches in the text.
  auto out = words(R"(
    bra START;
  JOIN:
    activemask.b32 %r1;
    setp.ne.u32 %p3, %r1, 0xFFFFFFFF;
    @%p3 mov.u32 %r0, 0xBAD;
    bra STORE;
  ODD:
    mov.u32 %r0, 1;
    bra JOIN;
  START:
    and.b32 %r2, %t, 1;
    setp.eq.u32 %p1, %r2, 1;
    @%p1 bra ODD;
    mov.u32 %r0, 2;
    bra JOIN;
  )");
  for (unsigned t = 0; t < 32; ++t)
    EXPECT_EQ(out[t], t % 2 ? 1u : 2u);
}

TEST_F(ControlFlowTest, BranchTable) {
  std::string body = R"(
    and.b32 %r1, %t, 3;
    table: .branchtargets A, B, C, A;
    brx.idx %r1, table;
  A:
    mov.u32 %r0, 10; bra STORE;
  B:
    mov.u32 %r0, 20; bra STORE;
  C:
    mov.u32 %r0, 30; bra STORE;
  )";
  auto out = words(body);
  const unsigned want[] = {10, 20, 30, 10};
  for (unsigned t = 0; t < 32; ++t)
    EXPECT_EQ(out[t], want[t % 4]);
  size_t at = body.find("3;");
  body.replace(at, 2, "7;");
  EXPECT_NE(fault(body).message.find("outside the list of 4"),
            std::string::npos);
}

TEST_F(ControlFlowTest, EarlyExitAndPartialWarps) {
  auto out = words(R"(
    mov.u32 %r0, %t;
    setp.gt.u32 %p1, %t, 36;
    @%p1 exit;
    bar.sync 0;
  )",
                   40);
  for (unsigned t = 0; t < 40; ++t)
    EXPECT_EQ(out[t], t > 36 ? 0xEEEEEEEEu : t);
}

TEST_F(ControlFlowTest, ScopedNamesInNestedBlocks) {
  auto out = words(R"(
    mov.u32 %r1, 5;
    {
      .reg .b32 %r1;
      .reg .pred p;
      mov.u32 %r1, 7;
      setp.eq.u32 p, %t, 0;
      @p bra SKIP;
      add.u32 %r1, %r1, 1;
    SKIP:
      mov.u32 %r0, %r1;
    }
    {
      .reg .pred p;
      setp.eq.u32 p, %t, 1;
      @p bra SKIP;
      add.u32 %r0, %r0, 100;
    SKIP:
    }
    add.u32 %r0, %r0, %r1;
  )");
  EXPECT_EQ(out[0], 112u);
  EXPECT_EQ(out[1], 13u);
  EXPECT_EQ(out[2], 113u);
}

TEST_F(ControlFlowTest, LanesOfOneWarpWaitForEachOther) {
  // Lane 0 spins on a flag that lane 1 sets after the branch: without
  // independent progress this never ends.
  everySchedule([&] {
    auto out = words(R"(
      .shared .align 4 .b32 flag;
      mov.u32 %r1, 0;
      st.shared.u32 [flag], %r1;
      bar.warp.sync 0xFFFFFFFF;
      setp.ne.u32 %p1, %t, 0;
      @%p1 bra OTHERS;
    SPIN:
      ld.volatile.shared.u32 %r2, [flag];
      setp.eq.u32 %p2, %r2, 0;
      @%p2 bra SPIN;
      bra JOIN;
    OTHERS:
      setp.ne.u32 %p3, %t, 1;
      @%p3 bra JOIN;
      st.volatile.shared.u32 [flag], 42;
    JOIN:
      ld.shared.u32 %r0, [flag];
    )");
    EXPECT_EQ(out[0], 42u);
  });
}

TEST_F(ControlFlowTest, SpinWithoutVolatileEndsToo) {
  auto out = words(R"(
    .shared .align 4 .b32 flag;
    st.shared.u32 [flag], 0;
    setp.ne.u32 %p1, %t, 0;
    @%p1 bra OTHERS;
  SPIN:
    ld.shared.u32 %r2, [flag];
    setp.eq.u32 %p2, %r2, 0;
    @%p2 bra SPIN;
  OTHERS:
    st.shared.u32 [flag], 1;
    ld.shared.u32 %r0, [flag];
  )");
  EXPECT_EQ(out[0], 1u);
}

TEST_F(ControlFlowTest, SpinLockInDivergentCode) {
  // Every lane takes the lock once.
  everySchedule([&] {
    auto out = words(R"(
      .shared .align 8 .b32 lock;
      .shared .align 8 .b32 count;
      setp.ne.u32 %p1, %t, 0;
      @%p1 bra INITIALIZED;
      st.shared.u32 [lock], 0;
      st.shared.u32 [count], 0;
    INITIALIZED:
      bar.sync 0;
    TRY:
      atom.shared.cas.b32 %r1, [lock], 0, 1;
      setp.ne.u32 %p2, %r1, 0;
      @%p2 bra TRY;
      ld.shared.u32 %r2, [count];
      add.u32 %r2, %r2, 1;
      st.shared.u32 [count], %r2;
      atom.shared.exch.b32 %r3, [lock], 0;
      bar.sync 0;
      ld.shared.u32 %r0, [count];
    )",
                     64);
    EXPECT_EQ(out[0], 64u);
    EXPECT_EQ(out[63], 64u);
  });
}

TEST_F(ControlFlowTest, WarpsWaitThroughSharedMemory) {
  everySchedule([&] {
    auto out = words(R"(
      .shared .align 4 .b32 flag;
      setp.ne.u32 %p1, %t, 0;
      @!%p1 st.shared.u32 [flag], 0;
      bar.sync 0;
      setp.lt.u32 %p2, %t, 32;
      @%p2 bra WAIT;
      setp.ne.u32 %p3, %t, 63;
      @%p3 bra DONE;
      st.release.cta.shared.u32 [flag], 9;
      bra DONE;
    WAIT:
      nanosleep.u32 20;
      ld.acquire.cta.shared.u32 %r2, [flag];
      setp.eq.u32 %p4, %r2, 0;
      @%p4 bra WAIT;
    DONE:
      ld.shared.u32 %r0, [flag];
    )",
                     64);
    EXPECT_EQ(out[0], 9u);
  });
}

TEST_F(ControlFlowTest, CtasWaitForEachOther) {
  // A grid-wide barrier on a counter in global memory, on one thread and two.
  uint64_t counter = memory.allocate(4);
  for (unsigned threads : {1u, 2u}) {
    options.threads = threads;
    std::memset(reinterpret_cast<void *>(counter), 0, 4);
    uint64_t out = memory.allocate(16 * 4);
    std::string text = head() + R"(
      .visible .entry k(.param .u64 counter, .param .u64 out) {
        .reg .b64 %w<4>; .reg .b32 %r<6>; .reg .pred %p;
        ld.param.u64 %w0, [counter];
        ld.param.u64 %w1, [out];
        atom.global.add.u32 %r0, [%w0], 1;
      WAIT:
        ld.acquire.gpu.global.u32 %r1, [%w0];
        setp.lt.u32 %p, %r1, 16;
        @%p bra WAIT;
        mov.u32 %r2, %ctaid.x;
        mad.wide.u32 %w2, %r2, 4, %w1;
        st.global.u32 [%w2], %r1;
        ret;
      })";
    LaunchReport report = run(text, {16, 1, 1}, {1, 1, 1}, {counter, out});
    ASSERT_FALSE(report.fault) << report.fault->render();
    EXPECT_EQ(download<uint32_t>(out, 16), std::vector<uint32_t>(16, 16));
  }
}

TEST_F(ControlFlowTest, EverySpellingOfTheBarrier) {
  for (const char *spelling :
       {"bar.sync 1;", "bar.sync 1, 64;", "bar.cta.sync 1;", "barrier.sync 1;",
        "barrier.sync.aligned 1;", "barrier.sync 1, 64;", "barrier.cta.sync 1;",
        "barrier.cta.sync.aligned 1, 64;", "mov.u32 %r5, 1; bar.sync %r5;",
        "bar.red.popc.u32 %r6, 1, 64, %p1;"})
    everySchedule([&] {
      auto out = words(std::string(R"(
        .shared .align 4 .b8 data[256];
        mov.u32 %r1, data;
        shl.b32 %r2, %t, 2;
        add.u32 %r3, %r1, %r2;
        st.shared.u32 [%r3], %t;
        setp.eq.u32 %p1, %t, %t;
        )") + spelling + R"(
        xor.b32 %r2, %r2, 252;
        add.u32 %r3, %r1, %r2;
        ld.shared.u32 %r0, [%r3];
      )",
                       64);
      for (unsigned t = 0; t < 64; ++t)
        EXPECT_EQ(out[t], 63 - t) << spelling;
    });
}

TEST_F(ControlFlowTest, BarrierReductionsAndArrive) {
  auto out = words(R"(
    setp.lt.u32 %p1, %t, 40;
    bar.red.popc.u32 %r0, 0, %p1;
    setp.ne.u32 %p2, %t, 7;
    bar.red.and.pred %p3, 0, %p2;
    @%p3 add.u32 %r0, %r0, 1000;
    bar.red.or.pred %p3, 0, !%p2;
    @%p3 add.u32 %r0, %r0, 100;
  )",
                   64);
  EXPECT_EQ(out[0], 140u);
  EXPECT_EQ(out[63], 140u);
  // Producer arrives, consumer waits.
  everySchedule([&] {
    auto got = words(R"(
      .shared .align 4 .b32 value;
      mov.u32 %r0, 0;
      setp.ge.u32 %p1, %t, 32;
      @%p1 bra CONSUMER;
      st.shared.u32 [value], 77;
      bar.arrive 2, 64;
      bra STORE;
    CONSUMER:
      bar.sync 2, 64;
      ld.shared.u32 %r0, [value];
    )",
                     64);
    EXPECT_EQ(got[0], 0u);
    EXPECT_EQ(got[32], 77u);
  });
}

TEST_F(ControlFlowTest, DivergentLanesCountAtTheBarrierOnce) {
  // barrier.sync without .aligned, lanes of a warp at two places.
  everySchedule([&] {
    auto out = words(R"(
      .shared .align 4 .b32 value;
      and.b32 %r1, %t, 1;
      setp.eq.u32 %p1, %r1, 0;
      @%p1 bra EVEN;
      st.shared.u32 [value], 5;
      barrier.sync 3;
      bra JOIN;
    EVEN:
      barrier.sync 3;
    JOIN:
      ld.shared.u32 %r0, [value];
    )",
                     64);
    EXPECT_EQ(out[0], 5u);
  });
}

TEST_F(ControlFlowTest, Shuffles) {
  auto out = words("shfl.sync.bfly.b32 %r0, %t, 5, 31, 0xFFFFFFFF;");
  for (unsigned t = 0; t < 32; ++t)
    EXPECT_EQ(out[t], t ^ 5);
  out = words("shfl.sync.up.b32 %r0|%p1, %t, 3, 0, 0xFFFFFFFF;"
              "@!%p1 add.u32 %r0, %r0, 100;");
  for (unsigned t = 0; t < 32; ++t)
    EXPECT_EQ(out[t], t < 3 ? t + 100 : t - 3);
  out = words("shfl.sync.down.b32 %r0|%p1, %t, 2, 31, 0xFFFFFFFF;"
              "@!%p1 add.u32 %r0, %r0, 100;");
  for (unsigned t = 0; t < 32; ++t)
    EXPECT_EQ(out[t], t > 29 ? t + 100 : t + 2);
  // Segments of 8: lane 9 of idx 1 with mask 0x181F.
  out = words("shfl.sync.idx.b32 %r0, %t, 1, 0x181F, 0xFFFFFFFF;");
  for (unsigned t = 0; t < 32; ++t)
    EXPECT_EQ(out[t], (t & 24) + 1);
  // In place, and with a mask for each half of the warp.
  out = words("mov.u32 %r0, %t; shr.u32 %r1, %t, 4;"
              "setp.eq.u32 %p1, %r1, 0; selp.b32 %r2, 0xFFFF, 0xFFFF0000, %p1;"
              "shfl.sync.bfly.b32 %r0, %r0, 1, 31, %r2;");
  for (unsigned t = 0; t < 32; ++t)
    EXPECT_EQ(out[t], t ^ 1);
}

TEST_F(ControlFlowTest, SyncInstructionsWaitForLanesThatDiverged) {
  // The even lanes come late to the shuffle.
  auto out = words(R"(
    mov.u32 %r1, %t;
    and.b32 %r2, %t, 1;
    setp.ne.u32 %p1, %r2, 0;
    @%p1 bra MEET;
    add.u32 %r1, %r1, 100;
  MEET:
    shfl.sync.bfly.b32 %r0, %r1, 1, 31, 0xFFFFFFFF;
  )");
  for (unsigned t = 0; t < 32; ++t)
    EXPECT_EQ(out[t], t % 2 ? t - 1 + 100 : t + 1);
}

TEST_F(ControlFlowTest, VotesMatchReduxElect) {
  EXPECT_EQ(words("setp.lt.u32 %p1, %t, 5;"
                  "vote.sync.ballot.b32 %r0, %p1, 0xFFFFFFFF;")[9],
            31u);
  EXPECT_EQ(
      words("setp.lt.u32 %p1, %t, 5; mov.u32 %r0, 0;"
            "vote.sync.any.pred %p2, %p1, -1; @%p2 add.u32 %r0, %r0, 1;"
            "vote.sync.all.pred %p2, %p1, -1; @%p2 add.u32 %r0, %r0, 2;"
            "vote.sync.uni.pred %p2, !%p1, -1; @%p2 add.u32 %r0, %r0, 4;")[0],
      1u);
  auto out = words("and.b32 %r1, %t, 3; match.any.sync.b32 %r0, %r1, -1;");
  for (unsigned t = 0; t < 32; ++t)
    EXPECT_EQ(out[t], 0x11111111u << (t & 3));
  EXPECT_EQ(words("mov.u32 %r1, 4;"
                  "match.all.sync.b32 %r0|%p1, %r1, -1;")[0],
            0xFFFFFFFFu);
  EXPECT_EQ(words("redux.sync.add.u32 %r0, %t, -1;")[3], 496u);
  EXPECT_EQ(words("sub.s32 %r1, 3, %t; redux.sync.min.s32 %r0, %r1, -1;")[3],
            uint32_t(-28));
  EXPECT_EQ(words("redux.sync.xor.b32 %r0, %t, -1;")[3], 0u);
  EXPECT_EQ(words("cvt.rn.f32.u32 %f1, %t; redux.sync.max.f32 %f2, %f1, -1;"
                  "cvt.rzi.u32.f32 %r0, %f2;")[3],
            31u);
  out = words("mov.u32 %r0, 0; elect.sync %r1|%p1, 0xFFFFFFFF;"
              "@%p1 add.u32 %r0, %r1, 50;");
  EXPECT_EQ(out[0], 50u);
  EXPECT_EQ(out[1], 0u);
  out = words("mov.u32 %r0, 9; setp.lt.u32 %p2, %t, 4; @%p2 bra STORE;"
              "elect.sync _|%p1, 0xFFFFFFF0; selp.b32 %r0, 1, 0, %p1;");
  EXPECT_EQ(out[3], 9u);
  EXPECT_EQ(out[4], 1u);
  EXPECT_EQ(out[5], 0u);
}

TEST_F(ControlFlowTest, SpecialRegisters) {
  auto out = words("mov.u32 %r1, %laneid; mov.u32 %r2, %warpid;"
                   "mad.lo.u32 %r0, %r2, 32, %r1;",
                   64, 2);
  for (unsigned t = 0; t < 128; ++t)
    EXPECT_EQ(out[t], t % 64);
  EXPECT_EQ(words("mov.u32 %r0, %lanemask_lt;")[5], 31u);
  EXPECT_EQ(words("mov.u32 %r0, %lanemask_ge;")[31], 0x80000000u);
  // As a source of any instruction.
  EXPECT_EQ(words("add.u32 %r0, %tid.x, %ntid.x;")[5], 37u);
  EXPECT_EQ(words("mov.u32 %r0, %dynamic_smem_size;", 32, 1, {}, 512)[0], 512u);
  EXPECT_EQ(words("mov.u32 %r0, %nctaid.x;", 32, 3)[0], 3u);
  EXPECT_EQ(words("mov.u64 %w1, %clock64; mov.u64 %w2, %clock64;"
                  "setp.ge.u64 %p1, %w2, %w1; selp.b32 %r0, 1, 0, %p1;")[0],
            1u);
}

TEST_F(ControlFlowTest, Clusters) {
  // Grid 4, clusters of 2 (trial: 4 CTAs, 2 clusters).
  auto out = words(R"(
    mov.u32 %r1, %cluster_ctarank;
    mov.u32 %r2, %clusterid.x;
    mov.u32 %r3, %nclusterid.x;
    mov.u32 %r4, %cluster_nctarank;
    mad.lo.u32 %r0, %r2, 10, %r1;
    mad.lo.u32 %r0, %r3, 100, %r0;
    mad.lo.u32 %r0, %r4, 1000, %r0;
  )",
                   32, 4, {2, 1, 1});
  EXPECT_EQ(out[0], 2200u);
  EXPECT_EQ(out[32], 2201u);
  EXPECT_EQ(out[64], 2210u);
  EXPECT_EQ(out[96], 2211u);
}

TEST_F(ControlFlowTest, ClusterSharedMemoryAndBarrier) {
  everySchedule([&] {
    auto out = words(R"(
      .shared .align 4 .b32 mine;
      mov.u32 %r1, %cluster_ctarank;
      add.u32 %r2, %r1, 500;
      st.shared.u32 [mine], %r2;
      barrier.cluster.arrive.aligned;
      barrier.cluster.wait.aligned;
      xor.b32 %r3, %r1, 1;
      mov.u32 %r4, mine;
      mapa.shared::cluster.u32 %r5, %r4, %r3;
      ld.shared::cluster.u32 %r0, [%r5];
      barrier.cluster.arrive.release;
      barrier.cluster.wait.acquire;
    )",
                     64, 2, {2, 1, 1});
    EXPECT_EQ(out[0], 501u);
    EXPECT_EQ(out[64], 500u);
  });
}

TEST_F(ControlFlowTest, SharedAddresses) {
  // First variable at 0x400; rank in bit 24; dynamic memory behind, aligned.
  EXPECT_EQ(words(".shared .b32 v; mov.u32 %r0, v;")[0], 0x400u);
  auto out = words(".shared .b32 v; mov.u32 %r0, v;", 32, 2, {2, 1, 1});
  EXPECT_EQ(out[0], 0x400u);
  EXPECT_EQ(out[32], 0x1000400u);
  EXPECT_EQ(words(".shared .b32 v; .extern .shared .align 1024 .b8 dyn[];"
                  "st.shared.u32 [v], 0; mov.u32 %r0, dyn;",
                  32, 1, {}, 64)[0],
            0x800u);
  out = words(".shared .b32 v; mov.u32 %r1, v; cvt.u64.u32 %w1, %r1;"
              "cvta.shared.u64 %w2, %w1; isspacep.shared %p1, %w2;"
              "isspacep.global %p2, %w2; isspacep.local %p3, %w2;"
              "st.u32 [%w2], 11; ld.shared.u32 %r0, [v];"
              "@!%p1 add.u32 %r0, %r0, 100; @%p2 add.u32 %r0, %r0, 200;"
              "@%p3 add.u32 %r0, %r0, 400; cvta.to.shared.u64 %w3, %w2;"
              "setp.ne.u64 %p4, %w3, %w1; @%p4 add.u32 %r0, %r0, 800;",
              32, 2, {2, 1, 1});
  EXPECT_EQ(out[0], 11u);
  EXPECT_EQ(out[32], 11u);
}

TEST_F(ControlFlowTest, EveryCtaRunsOnceOnAnyNumberOfThreads) {
  for (unsigned threads : {1u, 2u, 5u}) {
    options.threads = threads;
    auto out = words("mov.u32 %r0, %ctaid.x;", 32, 100);
    for (unsigned i = 0; i < out.size(); ++i)
      ASSERT_EQ(out[i], i / 32);
  }
}
