//===- MemoryTest.cpp - Loads, stores, atomics, traps -----------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxFixture.h"

using namespace bwgemm::emulator;

class MemoryTest : public PtxFixture {
protected:
  static bool contains(const std::string &text, const std::string &part) {
    return text.find(part) != std::string::npos;
  }
};

TEST_F(MemoryTest, WidthsAndExtension) {
  auto out = words(R"(
    .shared .align 16 .b8 s[64];
    st.shared.u32 [s], 0x8180FF7F;
    ld.shared.s8 %r1, [s+1];
    ld.shared.u8 %r2, [s+1];
    ld.shared.s16 %r3, [s+2];
    ld.shared.u16 %h1, [s+2];
    cvt.u32.u16 %r4, %h1;
    ld.shared.s32 %w1, [s];
    mov.b64 {%r5, %r6}, %w1;
    and.b32 %r0, %r1, %r3;
    add.u32 %r0, %r0, %r2;
    add.u32 %r0, %r0, %r4;
    add.u32 %r0, %r0, %r6;
  )");
  EXPECT_EQ(out[0], (0xFFFFFFFFu & 0xFFFF8180u) + 0xFF + 0x8180 + 0xFFFFFFFFu);
  EXPECT_EQ(
      words("st.global.u8 [%out], 0x1FF; ld.global.u8 %r0, [%out];", 1)[0],
      0xFFu);
}

TEST_F(MemoryTest, Vectors) {
  std::vector<uint32_t> data(64);
  for (unsigned i = 0; i < 64; ++i)
    data[i] = 1000 + i;
  uint64_t in = upload(data);
  uint64_t out = memory.allocate(256);
  std::memset(reinterpret_cast<void *>(out), 0, 256);
  std::string text = head() + R"(
    .visible .entry k(.param .u64 in, .param .u64 out) {
      .reg .b64 %w<8>; .reg .b32 %r<20>; .reg .b16 %h<8>;
      ld.param.u64 %w0, [in];
      ld.param.u64 %w1, [out];
      ld.global.v8.b32 {%r0, _, %r2, %r3, %r4, %r5, %r6, %r7}, [%w0];
      st.global.v8.b32 [%w1], {%r7, %r0, %r2, _, %r4, %r5, %r6, %r3};
      ld.global.nc.L1::no_allocate.L2::128B.v4.u32 {%r0, %r1, %r2, %r3}, [%w0+32];
      st.global.L1::no_allocate.v2.u32 [%w1+32], {%r3, %r0};
      ld.global.v4.u16 {%h0, %h1, %h2, %h3}, [%w0+16];
      st.global.v2.b16 [%w1+40], {%h2, %h0};
      ld.global.v2.u64 {%w2, %w3}, [%w0+48];
      st.global.v4.b64 [%w1+64], {%w3, %w2, 7, %w3};
      ret;
    })";
  LaunchReport report = run(text, {}, {}, {in, out});
  ASSERT_FALSE(report.fault) << report.fault->render();
  auto got = download<uint32_t>(out, 24);
  std::vector<uint32_t> want = {1007,
                                1000,
                                1002,
                                0,
                                1004,
                                1005,
                                1006,
                                1003,
                                1011,
                                1008,
                                1005u | 1004u << 16,
                                0,
                                0,
                                0,
                                0,
                                0,
                                1014,
                                1015,
                                1012,
                                1013,
                                7,
                                0,
                                1014,
                                1015};
  EXPECT_EQ(got, want);
  EXPECT_EQ(report.counters["global_loads"], 4u);
  EXPECT_EQ(report.counters["global_bytes_stored"], 32u + 8 + 4 + 32);
}

TEST_F(MemoryTest, ModuleVariablesAndInitialisers) {
  std::string text = head() + R"(
    .global .align 4 .u32 table[4] = {1, 0x10, -1, 7};
    .const .align 8 .f64 pi = 0d400921FB54442D18;
    .global .align 8 .u64 pointer = generic(table)+8;
    .global .f32 half[2] = {0f3F000000, 2.5};
    .global .align 1 .b8 bytes[] = {72, 105, 0};
    .visible .entry k(.param .u64 out) {
      .reg .b64 %w<9>; .reg .b32 %r<9>;
      ld.param.u64 %w0, [out];
      ld.global.u64 %w1, [pointer];
      ld.u32 %r1, [%w1+4];
      st.global.u32 [%w0], %r1;
      ld.global.u32 %r1, [table+4];
      st.global.u32 [%w0+4], %r1;
      ld.const.u64 %w2, [pi];
      st.global.u64 [%w0+8], %w2;
      mov.u64 %w3, half;
      ld.global.b32 %r2, [%w3+4];
      st.global.b32 [%w0+16], %r2;
      mov.u64 %w4, bytes;
      cvta.global.u64 %w5, %w4;
      ld.u8 %r3, [%w5+1];
      st.global.b32 [%w0+20], %r3;
      ret;
    })";
  uint64_t out = memory.allocate(24);
  LaunchReport report = run(text, {}, {}, {out});
  ASSERT_FALSE(report.fault) << report.fault->render();
  auto got = download<uint32_t>(out, 6);
  EXPECT_EQ(got, (std::vector<uint32_t>{7, 16, 0x54442D18, 0x400921FB,
                                        0x40200000, 105}));
}

TEST_F(MemoryTest, LocalMemoryIsOfEachThread) {
  auto out = words(R"(
    .local .align 8 .b8 depot[16];
    mov.u64 %w1, depot;
    cvta.local.u64 %w2, %w1;
    st.local.u32 [depot+4], %t;
    bar.sync 0;
    ld.u32 %r0, [%w2+4];
  )",
                   64);
  for (unsigned t = 0; t < 64; ++t)
    EXPECT_EQ(out[t], t);
}

TEST_F(MemoryTest, ParametersOfEveryKind) {
  std::string text = head() + R"(
    .visible .entry k(.param .u8 a, .param .u16 b, .param .u32 c,
                      .param .align 64 .b8 s[128], .param .u64 out) {
      .reg .b64 %w<9>; .reg .b32 %r<9>; .reg .b16 %h<9>;
      ld.param.u64 %w0, [out];
      ld.param.u8 %h0, [a];
      cvt.u32.u16 %r0, %h0;
      ld.param.u16 %r1, [b];
      ld.param.u32 %r2, [c];
      ld.param.v2.u32 {%r3, %r4}, [s+8];
      mov.b64 %w1, s;
      cvta.param.u64 %w2, %w1;
      ld.u32 %r5, [%w2+124];
      st.global.v4.u32 [%w0], {%r0, %r1, %r2, %r4};
      st.global.u32 [%w0+16], %r5;
      ret;
    })";
  std::string error;
  auto module = Module::load(text, "test.ptx", memory, error);
  ASSERT_TRUE(module) << error;
  const KernelInfo *info = module->findKernel("k");
  ASSERT_TRUE(info);
  ASSERT_EQ(info->params.size(), 5u);
  EXPECT_EQ(info->params[1].offset, 2u);
  EXPECT_EQ(info->params[2].offset, 4u);
  EXPECT_EQ(info->params[3].offset, 64u);
  EXPECT_EQ(info->params[4].offset, 192u);
  EXPECT_EQ(info->paramBytes, 200u);
  LaunchConfig config;
  config.params.resize(200);
  auto put = [&](size_t at, auto value) {
    std::memcpy(&config.params[at], &value, sizeof(value));
  };
  uint64_t out = memory.allocate(20);
  put(0, uint8_t(200));
  put(2, uint16_t(60000));
  put(4, uint32_t(0xDEADBEEF));
  put(64 + 12, uint32_t(12));
  put(64 + 124, uint32_t(124));
  put(192, out);
  LaunchReport report = launch(*module, *info, config, memory, options);
  ASSERT_FALSE(report.fault) << report.fault->render();
  EXPECT_EQ(download<uint32_t>(out, 5),
            (std::vector<uint32_t>{200, 60000, 0xDEADBEEF, 12, 124}));
}

TEST_F(MemoryTest, Atomics) {
  uint64_t cell = upload(std::vector<uint32_t>{5});
  std::string set = "mov.u64 %w5, " + std::to_string(cell) + "; ";
  auto value = [&] { return download<uint32_t>(cell, 1)[0]; };
  auto put = [&](uint32_t v) {
    std::memcpy(reinterpret_cast<void *>(cell), &v, 4);
  };
  // Each lane sees a different old value.
  auto out = words(set + "atom.global.add.u32 %r0, [%w5], 2;");
  for (unsigned t = 0; t < 32; ++t)
    EXPECT_EQ(out[t], 5 + 2 * t);
  EXPECT_EQ(value(), 69u);
  put(3);
  words(set + "red.relaxed.gpu.global.inc.u32 [%w5], 4; mov.u32 %r0, 0;", 3);
  EXPECT_EQ(value(), 1u); // 3 -> 4 -> 0 -> 1
  put(1);
  words(set + "red.global.dec.u32 [%w5], 4; mov.u32 %r0, 0;", 3);
  EXPECT_EQ(value(), 3u); // 1 -> 0 -> 4 -> 3
  put(uint32_t(-5));
  words(set + "red.global.max.s32 [%w5], 2; mov.u32 %r0, 0;", 1);
  EXPECT_EQ(value(), 2u);
  out = words(set + "atom.global.cas.b32 %r0, [%w5], 2, 9;", 1);
  EXPECT_EQ(out[0], 2u);
  EXPECT_EQ(value(), 9u);
  out = words(set + "atom.global.exch.b32 %r0, [%w5], 1;", 1);
  EXPECT_EQ(out[0], 9u);
  put(0x3F800000);
  words(set + "red.global.add.f32 [%w5], 0f40000000; mov.u32 %r0, 0;", 4);
  EXPECT_EQ(value(), 0x41100000u); // 9.0
  put(0x3C003C00);
  words(set + "mov.b32 %r1, 0x40003C00;"
              "red.global.add.noftz.f16x2 [%w5], %r1; mov.u32 %r0, 0;",
        1);
  EXPECT_EQ(value(), 0x42004000u);
  put(0);
  words(set + "red.global.or.b32 [%w5], %t; mov.u32 %r0, 0;", 32, 4);
  EXPECT_EQ(value(), 31u);
  EXPECT_EQ(words(".shared .b32 c; st.shared.u32 [c], 0; bar.sync 0;"
                  "atom.shared.add.u32 %r1, [c], 1; bar.sync 0;"
                  "ld.shared.u32 %r0, [c];",
                  96)[95],
            96u);
}

TEST_F(MemoryTest, AtomicsOfManyHostThreads) {
  options.threads = 4;
  uint64_t cell = upload(std::vector<uint32_t>{0});
  words("mov.u64 %w5, " + std::to_string(cell) +
            "; red.global.add.u32 [%w5], 1; mov.u32 %r0, 0;",
        256, 200);
  EXPECT_EQ(download<uint32_t>(cell, 1)[0], 256u * 200);
}

//===----------------------------------------------------------------------===//
// Traps
//===----------------------------------------------------------------------===//

TEST_F(MemoryTest, TrapsShowTheScene) {
  Fault f = fault("setp.ne.u32 %p1, %t, 37;\n@%p1 bra STORE;\n"
                  "mov.u64 %w1, 16;\nst.global.u32 [%w1+4], %t;\n",
                  64);
  EXPECT_EQ(f.kind, FaultKind::Trap);
  EXPECT_TRUE(contains(f.message, "null pointer")) << f.message;
  EXPECT_EQ(f.kernel, "k");
  EXPECT_EQ(f.warp, 1);
  EXPECT_EQ(f.lane, 5);
  EXPECT_EQ(f.address, 20u);
  EXPECT_EQ(f.instruction, "st.global.u32 [%w1+4], %t");
  EXPECT_EQ(f.line, 18u);
  EXPECT_EQ(f.render(), "trap: " + f.message +
                            "\n  kernel k\n  PTX line 18\n  instruction "
                            "st.global.u32 [%w1+4], %t\n  cta (0,0,0)\n"
                            "  warp 1\n  lane 5\n  address 0x14");
}

TEST_F(MemoryTest, Misaligned) {
  for (const char *body :
       {"st.global.u32 [%out+2], %t;",
        "ld.global.v4.u32 {%r1,%r2,%r3,%r4}, "
        "[%out+8];",
        "ld.global.u64 %w1, [%out+4];",
        ".shared .align 16 .b8 s[64]; ld.shared.u16 %h1, [s+1];",
        "atom.global.add.u32 %r1, [%out+2], 1;"}) {
    Fault f = fault(body);
    EXPECT_TRUE(contains(f.message, "misaligned address")) << f.message;
  }
}

TEST_F(MemoryTest, OutOfBounds) {
  // out has 128 bytes; one element behind is in no allocation of its own.
  Fault f = fault("mad.wide.u32 %w1, %t, 4, %out; st.global.u32 [%w1+64], %t;");
  EXPECT_TRUE(contains(f.message, "out of bounds")) << f.message;
  EXPECT_EQ(f.lane, 16);
  f = fault("ld.global.u64 %w1, [%out+120]; ld.global.v2.u64 {%w1,%w2}, "
            "[%out+128];");
  EXPECT_TRUE(contains(f.message, "read of 16 bytes")) << f.message;
  f = fault("mov.u64 %w1, 0xFFFFFFFFFFFFFFF8; ld.global.u64 %w2, [%w1];");
  EXPECT_TRUE(contains(f.message, "out of bounds")) << f.message;
  f = fault("mov.u64 %w1, 0x7fffffffffff0000; ld.u64 %w2, [%w1];");
  EXPECT_TRUE(contains(f.message, "out of bounds")) << f.message;
  f = fault(".shared .b8 s[64]; ld.shared.u32 %r1, [s+64];");
  EXPECT_TRUE(contains(f.message, "shared memory [0x400, 0x440)")) << f.message;
  f = fault("mov.u32 %r1, 0; ld.shared.u32 %r2, [%r1];");
  EXPECT_TRUE(contains(f.message, "shared memory")) << f.message;
  f = fault("mov.u32 %r1, 0x2000400; ld.shared::cluster.u32 %r2, [%r1];");
  EXPECT_TRUE(contains(f.message, "out of bounds")) << f.message;
  f = fault(".local .align 4 .b8 l[16]; mov.u64 %w1, l; add.u64 %w1, %w1, 16;"
            "st.local.u32 [%w1], 1;");
  EXPECT_TRUE(contains(f.message, "16 bytes of local memory")) << f.message;
  f = fault("ld.param.u64 %w1, [out+8];");
  EXPECT_TRUE(contains(f.message, "out of bounds")) << f.message;
}

TEST_F(MemoryTest, PeerSharedMemoryNeedsTheClusterWindow) {
  uint64_t out = memory.allocate(256);
  LaunchReport report =
      run(kernel(".shared .b32 v; mov.u32 %r1, v; xor.b32 %r1, %r1, 0x1000000;"
                 "ld.shared.u32 %r0, [%r1];"),
          {2, 1, 1}, {32, 1, 1}, {out}, {2, 1, 1});
  ASSERT_TRUE(report.fault);
  EXPECT_TRUE(contains(report.fault->message, "illegal instruction"))
      << report.fault->message;
}

TEST_F(MemoryTest, TrapInstruction) {
  EXPECT_TRUE(contains(fault("trap;").message, "'trap'"));
}

TEST_F(MemoryTest, FreedMemoryIsGone) {
  uint64_t gone = memory.allocate(64);
  EXPECT_TRUE(memory.release(gone));
  EXPECT_FALSE(memory.release(gone));
  EXPECT_FALSE(memory.find(gone));
  Fault f = fault("mov.u64 %w1, " + std::to_string(gone + (uint64_t(1) << 40)) +
                  "; ld.global.u32 %r1, [%w1];");
  EXPECT_TRUE(contains(f.message, "out of bounds")) << f.message;
}

TEST_F(MemoryTest, DeviceMemoryBookkeeping) {
  uint64_t before = memory.allocatedBytes();
  EXPECT_EQ(memory.allocate(0), 0u);
  EXPECT_EQ(memory.allocate(~uint64_t(0)), 0u);
  uint64_t a = memory.allocate(100);
  EXPECT_EQ(a % 256, 0u);
  EXPECT_EQ(memory.allocatedBytes(), before + 100);
  EXPECT_TRUE(memory.find(a + 99));
  EXPECT_EQ(memory.find(a + 99)->base, a);
  EXPECT_FALSE(memory.find(a + 100));
  EXPECT_TRUE(memory.release(a));
  std::vector<uint32_t> host(16);
  EXPECT_TRUE(memory.registerHost(host.data(), 64));
  EXPECT_FALSE(memory.registerHost(host.data() + 4, 4));
  EXPECT_TRUE(memory.release(reinterpret_cast<uint64_t>(host.data())));
}

//===----------------------------------------------------------------------===//
// Launches that cannot be
//===----------------------------------------------------------------------===//

TEST_F(MemoryTest, InvalidLaunches) {
  auto message = [&](const std::string &text, Dim3 grid, Dim3 block,
                     size_t params, Dim3 cluster = {}, uint32_t shared = 0) {
    LaunchReport report =
        run(text, grid, block, std::vector<uint64_t>(params), cluster, shared);
    EXPECT_TRUE(report.fault);
    return report.fault ? report.fault->message : "";
  };
  std::string plain = head() + ".entry k(.param .u64 p) { ret; }";
  EXPECT_TRUE(contains(message(plain, {1, 1, 1}, {1025, 1, 1}, 1), "1024"));
  EXPECT_TRUE(contains(message(plain, {0, 1, 1}, {1, 1, 1}, 1), "at least 1"));
  EXPECT_TRUE(contains(message(plain, {5, 1, 1}, {1, 1, 1}, 1, {2, 1, 1}),
                       "multiple of the cluster"));
  EXPECT_TRUE(contains(message(plain, {1, 1, 1}, {1, 1, 1}, 2),
                       "expected 8 bytes of parameters, got 16"));
  EXPECT_TRUE(
      contains(message(plain, {1, 1, 1}, {1, 1, 1}, 1, {}, 300000), "232448"));
  std::string strict = head() + ".entry k() .reqntid 64, 1, 1 { ret; }";
  EXPECT_TRUE(contains(message(strict, {1, 1, 1}, {32, 1, 1}, 0), ".reqntid"));
  std::string cluster =
      head() +
      ".entry k() .explicitcluster .reqnctapercluster 2, 1, 1 { ret; }";
  EXPECT_TRUE(contains(message(cluster, {2, 1, 1}, {32, 1, 1}, 0),
                       ".reqnctapercluster"));
}

//===----------------------------------------------------------------------===//
// Hangs
//===----------------------------------------------------------------------===//

TEST_F(MemoryTest, HangNamesTheBarrier) {
  Fault f = fault("setp.lt.u32 %p1, %t, 32;\n@%p1 bra STORE;\n"
                  "bar.sync 3, 96;\n",
                  96);
  EXPECT_EQ(f.kind, FaultKind::Hang);
  EXPECT_TRUE(contains(f.message, "barrier 3: 64 of 96 threads arrived"))
      << f.message;
  EXPECT_TRUE(contains(f.message, "warp 0: all threads have exited"));
  EXPECT_TRUE(contains(f.message, "line 17"));
  EXPECT_EQ(f.line, 17u);
}

TEST_F(MemoryTest, HangOfLanesThatNeverMeet) {
  Fault f = fault("setp.eq.u32 %p1, %t, 0; @%p1 bra ALONE;\n"
                  "bar.warp.sync 0xFFFFFFFF; bra STORE;\n"
                  "ALONE: bar.sync 1, 64;\n");
  EXPECT_EQ(f.kind, FaultKind::Hang);
  EXPECT_TRUE(contains(f.message, "have not come")) << f.message;
}

TEST_F(MemoryTest, HangOfAPollingLoop) {
  Fault f = fault(".shared .b32 flag; st.shared.u32 [flag], 0;\n"
                  "SPIN: ld.volatile.shared.u32 %r1, [flag];\n"
                  "setp.eq.u32 %p1, %r1, 0; @%p1 bra SPIN;\n");
  EXPECT_EQ(f.kind, FaultKind::Hang);
  EXPECT_TRUE(contains(f.message, "polls")) << f.message;
}

TEST_F(MemoryTest, BarrierMisuseTraps) {
  EXPECT_TRUE(contains(fault("bar.sync 16;").message, "from 0 to 15"));
  EXPECT_TRUE(contains(fault("bar.sync 1, 33;").message, "multiple of 32"));
  EXPECT_TRUE(
      contains(fault("shfl.sync.idx.b32 %r0, %t, 0, 31, 0xFFFFFFFE;").message,
               "not in the member mask"));
}
