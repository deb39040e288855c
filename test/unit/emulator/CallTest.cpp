//===- CallTest.cpp - Functions, the stack, printf --------------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxFixture.h"

#include <cstdio>

using namespace bwgemm::emulator;

namespace {

class CallTest : public PtxFixture {
protected:
  /// kernel(body) with `functions` in front of it.
  static std::string with(const std::string &functions,
                          const std::string &body) {
    std::string text = kernel(body);
    return text.insert(head().size(), functions);
  }
  std::vector<uint32_t> callWords(const std::string &functions,
                                  const std::string &body,
                                  unsigned threads = 32, unsigned ctas = 1) {
    uint64_t out = memory.allocate(4 * threads * ctas);
    LaunchReport report =
        run(with(functions, body), {ctas, 1, 1}, {threads, 1, 1}, {out});
    EXPECT_FALSE(report.fault) << report.fault->render();
    return download<uint32_t>(out, threads * ctas);
  }
  Fault callFault(const std::string &functions, const std::string &body) {
    uint64_t out = memory.allocate(128);
    LaunchReport report =
        run(with(functions, body), {1, 1, 1}, {32, 1, 1}, {out});
    EXPECT_TRUE(report.fault);
    return report.fault.value_or(Fault());
  }
};

// fib(n), by two recursive calls.
const char fib[] = R"(
.func (.param .b32 res) fib(.param .b32 n)
{
  .reg .b32 %r<10>;
  .reg .pred %p;
  ld.param.b32 %r1, [n];
  setp.lt.s32 %p, %r1, 2;
  @%p st.param.b32 [res], %r1;
  @%p ret;
  add.s32 %r2, %r1, -1;
  { .param .b32 a; .param .b32 r;
    st.param.b32 [a], %r2;
    call.uni (r), fib, (a);
    ld.param.b32 %r3, [r]; }
  add.s32 %r4, %r1, -2;
  { .param .b32 a; .param .b32 r;
    st.param.b32 [a], %r4;
    call.uni (r), fib, (a);
    ld.param.b32 %r5, [r]; }
  add.s32 %r6, %r3, %r5;
  st.param.b32 [res], %r6;
  ret;
}
)";

// A recursion that never ends.
const char endless[] = R"(
.func down(.param .b32 n)
{
  .reg .b32 %r<3>;
  .local .align 8 .b8 room[48];
  ld.param.b32 %r1, [n];
  add.s32 %r2, %r1, 1;
  st.local.b32 [room+8], %r2;
  { .param .b32 a;
    st.param.b32 [a], %r2;
    call.uni down, (a); }
  ret;
}
)";

} // namespace

TEST_F(CallTest, RecursionInEveryLane) {
  auto out = callWords(fib, R"(
    rem.u32 %r1, %t, 12;
    { .param .b32 a; .param .b32 r;
      st.param.b32 [a], %r1;
      call.uni (r), fib, (a);
      ld.param.b32 %r0, [r]; }
    activemask.b32 %r2;
    setp.ne.u32 %p1, %r2, 0xFFFFFFFF;
    @%p1 mov.u32 %r0, 0xBAD;
  )");
  const uint32_t numbers[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
  for (unsigned t = 0; t < 32; ++t)
    EXPECT_EQ(out[t], numbers[t % 12]) << t;
}

TEST_F(CallTest, RecursionUnderEverySchedule) {
  options.schedule = WarpOrder::Random;
  for (uint64_t seed = 0; seed < 4; ++seed) {
    options.seed = seed;
    auto out = callWords(fib, R"(
      and.b32 %r1, %t, 7;
      mov.u32 %r0, 0;
      setp.lt.u32 %p1, %t, 50;
      @!%p1 bra JOIN;
      { .param .b32 a; .param .b32 r;
        st.param.b32 [a], %r1;
        call (r), fib, (a);
        ld.param.b32 %r0, [r]; }
    JOIN:
      bar.sync 0;
    )",
                         96);
    const uint32_t numbers[] = {0, 1, 1, 2, 3, 5, 8, 13};
    for (unsigned t = 0; t < 96; ++t)
      EXPECT_EQ(out[t], t < 50 ? numbers[t % 8] : 0u) << t;
  }
}

TEST_F(CallTest, PredicatesAnd128BitRegistersSurviveARecursion) {
  // Each level keeps a predicate and a 128-bit register over the call below.
  auto out = callWords(R"(
.func (.param .b32 res) sum(.param .b32 n)
{
  .reg .b32 %r<10>;
  .reg .b64 %d<4>;
  .reg .b128 %q;
  .reg .pred %p, %z;
  ld.param.b32 %r1, [n];
  and.b32 %r2, %r1, 1;
  setp.ne.b32 %p, %r2, 0;
  cvt.u64.u32 %d0, %r1;
  mov.b64 %d1, 1000;
  mov.b128 %q, {%d0, %d1};
  mov.b32 %r3, 0;
  setp.eq.b32 %z, %r1, 0;
  @%z bra OUT;
  add.s32 %r4, %r1, -1;
  { .param .b32 a; .param .b32 r;
    st.param.b32 [a], %r4;
    call.uni (r), sum, (a);
    ld.param.b32 %r3, [r]; }
OUT:
  mov.b128 {%d2, %d3}, %q;
  cvt.u32.u64 %r5, %d2;
  cvt.u32.u64 %r6, %d3;
  add.s32 %r3, %r3, %r5;
  @%p add.s32 %r3, %r3, %r6;
  st.param.b32 [res], %r3;
  ret;
}
)",
                       R"(
    { .param .b32 a; .param .b32 r;
      st.param.b32 [a], %t;
      call.uni (r), sum, (a);
      ld.param.b32 %r0, [r]; }
  )");
  for (unsigned t = 0; t < 32; ++t)
    EXPECT_EQ(out[t], t * (t + 1) / 2 + 1000 * ((t + 1) / 2)) << t;
}

TEST_F(CallTest, LanesMeetInsideAndBehindDivergentCalls) {
  // Two callers of one function; inside it, only the lanes that called
  // together are together, and behind the join all of them.
  auto out = callWords(R"(
.func (.reg .b32 r) lanes(.reg .b32 x)
{
  .reg .b32 %m;
  .reg .pred %p;
  and.b32 %m, x, 1;
  setp.eq.b32 %p, %m, 0;
  @%p bra EVEN;
  add.s32 x, x, 0;
EVEN:
  activemask.b32 r;
}
)",
                       R"(
    setp.lt.u32 %p1, %t, 10;
    @%p1 bra LOW;
    call (%r0), lanes, (%t);
    bra JOIN;
  LOW:
    call (%r0), lanes, (%t);
  JOIN:
    activemask.b32 %r2;
    setp.ne.u32 %p1, %r2, 0xFFFFFFFF;
    @%p1 mov.u32 %r0, 0xBAD;
  )");
  for (unsigned t = 0; t < 32; ++t)
    EXPECT_EQ(out[t], t < 10 ? 0x3FFu : 0xFFFFFC00u) << t;
}

TEST_F(CallTest, GuardedCallsLeaveTheOtherLanes) {
  auto out = callWords(R"(
.func (.reg .b32 r) twice(.reg .b32 x) { add.u32 r, x, x; ret.uni; }
)",
                       R"(
    mov.u32 %r0, 7;
    setp.lt.u32 %p1, %t, 10;
    @%p1 call (%r0), twice, (%t);
    @!%p1 call (%r0), twice, (50);
  )");
  for (unsigned t = 0; t < 32; ++t)
    EXPECT_EQ(out[t], t < 10 ? 2 * t : 100) << t;
}

TEST_F(CallTest, IndirectCallsThroughATable) {
  auto out = callWords(R"(
.func (.param .b32 r) inc(.param .b32 x)
{ .reg .b32 %a; ld.param.b32 %a, [x]; add.u32 %a, %a, 1; st.param.b32 [r], %a; ret; }
.func (.param .b32 r) dbl(.param .b32 x)
{ .reg .b32 %a; ld.param.b32 %a, [x]; add.u32 %a, %a, %a; st.param.b32 [r], %a; ret; }
.global .align 8 .u64 table[3] = {inc, dbl, generic(inc)};
)",
                       R"(
    rem.u32 %r1, %t, 3;
    mov.u64 %w1, table;
    mad.wide.u32 %w1, %r1, 8, %w1;
    ld.global.u64 %w2, [%w1];
    { .param .b32 a; .param .b32 r;
      st.param.b32 [a], %t;
    shape: .callprototype (.param .b32 _) _ (.param .b32 _);
      call (r), %w2, (a), shape;
      ld.param.b32 %r0, [r]; }
    activemask.b32 %r2;
    setp.ne.u32 %p1, %r2, 0xFFFFFFFF;
    @%p1 mov.u32 %r0, 0xBAD;
  )");
  for (unsigned t = 0; t < 32; ++t)
    EXPECT_EQ(out[t], t % 3 == 1 ? 2 * t : t + 1) << t;
}

TEST_F(CallTest, CallTargetsAndAliases) {
  const std::string functions = R"(
.func (.reg .b32 r) one(.reg .b32 x) { add.u32 r, x, 1; ret; }
.func (.reg .b32 r) two(.reg .b32 x) { add.u32 r, x, 2; ret; }
.func (.reg .b32 r) three(.reg .b32 x) { add.u32 r, x, 3; ret; }
.alias uno, one;
)";
  auto out = callWords(functions, R"(
    mov.u64 %w1, two;
  list: .calltargets one, two;
    call (%r1), %w1, (%t), list;
    call (%r0), uno, (%r1);
  )");
  for (unsigned t = 0; t < 32; ++t)
    EXPECT_EQ(out[t], t + 3);
  Fault other = callFault(functions, R"(
    mov.u64 %w1, three;
  list: .calltargets one, two;
    call (%r0), %w1, (%t), list;
  )");
  EXPECT_NE(other.message.find("indirect call of 'three', which "
                               "'.calltargets' does not list"),
            std::string::npos)
      << other.message;
}

TEST_F(CallTest, StructuresAreCopied) {
  // The callee changes its own copy, and returns another structure.
  auto out = callWords(R"(
.func (.param .align 8 .b8 res[16]) change(.param .align 8 .b8 s[16])
{
  .reg .b64 %d<4>;
  ld.param.b64 %d0, [s];
  ld.param.b64 %d1, [s+8];
  mov.b64 %d2, s;
  st.local.b64 [%d2], %d1;
  ld.param.b64 %d3, [s];
  st.param.b64 [res], %d3;
  st.param.v2.b32 [res+8], {1, 2};
  ret;
}
)",
                       R"(
    .param .align 8 .b8 a[16];
    .param .align 8 .b8 r[16];
    cvt.u64.u32 %w1, %t;
    add.u64 %w2, %w1, 100;
    st.param.b64 [a], %w1;
    st.param.b64 [a+8], %w2;
    call.uni (r), change, (a);
    ld.param.b32 %r1, [a];
    ld.param.b32 %r2, [r];
    ld.param.b32 %r3, [r+12];
    mad.lo.u32 %r0, %r3, 10000, %r2;
    mad.lo.u32 %r0, %r1, 100000, %r0;
  )");
  for (unsigned t = 0; t < 32; ++t)
    EXPECT_EQ(out[t], t * 100000 + 20000 + t + 100) << t;
}

TEST_F(CallTest, LocalMemoryOfEachCallIsItsOwn) {
  auto out = callWords(R"(
.func (.param .b32 res) deep(.param .b32 n)
{
  .reg .b32 %r<10>;
  .reg .b64 %d<3>;
  .reg .pred %p;
  .local .align 4 .b8 mine[8];
  ld.param.b32 %r1, [n];
  mov.b64 %d1, mine;
  cvta.local.u64 %d2, %d1;
  st.b32 [%d2+4], %r1;
  mov.b32 %r3, 0;
  setp.eq.b32 %p, %r1, 0;
  @%p bra OUT;
  add.s32 %r4, %r1, -1;
  { .param .b32 a; .param .b32 r;
    st.param.b32 [a], %r4;
    call.uni (r), deep, (a);
    ld.param.b32 %r3, [r]; }
OUT:
  ld.local.b32 %r5, [mine+4];
  mad.lo.u32 %r3, %r3, 3, %r5;
  st.param.b32 [res], %r3;
  ret;
}
)",
                       R"(
    and.b32 %r1, %t, 7;
    { .param .b32 a; .param .b32 r;
      st.param.b32 [a], %r1;
      call.uni (r), deep, (a);
      ld.param.b32 %r0, [r]; }
  )");
  for (unsigned t = 0; t < 32; ++t) {
    uint32_t expected = 0;
    for (unsigned n = 0; n <= (t & 7); ++n)
      expected = expected * 3 + n;
    EXPECT_EQ(out[t], expected) << t;
  }
}

TEST_F(CallTest, ExitAndBarriersInFunctions) {
  auto out = callWords(R"(
.func leave(.reg .b32 x)
{
  .reg .pred %p;
  bar.sync 0;
  setp.lt.u32 %p, x, 40;
  @!%p exit;
}
)",
                       R"(
    mov.u32 %r0, 5;
    mad.wide.u32 %w1, %t, 4, %out;
    st.global.u32 [%w1], %r0;
    call leave, (%t);
    mov.u32 %r0, 6;
  )",
                       64);
  for (unsigned t = 0; t < 64; ++t)
    EXPECT_EQ(out[t], t < 40 ? 6u : 5u) << t;
}

TEST_F(CallTest, AllocaTakesAndGivesBack) {
  auto out = callWords("", R"(
    stacksave.u64 %w1;
    add.u32 %r1, %t, 16;
    cvt.u64.u32 %w2, %r1;
    alloca.u64 %w3, %w2, 16;
    st.local.b32 [%w3+12], %t;
    alloca.u64 %w4, 64;
    st.local.b32 [%w4], 77;
    ld.local.b32 %r0, [%w3+12];
    stackrestore.u64 %w1;
    alloca.u64 %w5, %w2, 16;
    setp.ne.u64 %p1, %w3, %w5;
    @%p1 mov.u32 %r0, 0xBAD;
    and.b64 %w3, %w3, 15;
    setp.ne.u64 %p1, %w3, 0;
    @%p1 mov.u32 %r0, 0xBAD;
  )");
  for (unsigned t = 0; t < 32; ++t)
    EXPECT_EQ(out[t], t);
}

TEST_F(CallTest, StackOverflowHasTheScene) {
  Fault fault = callFault(endless, "call down, (%t);");
  EXPECT_EQ(fault.kind, FaultKind::Trap);
  EXPECT_NE(fault.message.find("stack overflow: the call of 'down' at depth"),
            std::string::npos)
      << fault.message;
  EXPECT_NE(fault.message.find("\n  in 'down', called in line 14"),
            std::string::npos)
      << fault.message;
  EXPECT_EQ(fault.line, 14u);
  EXPECT_EQ(fault.lane, 0);
  Fault alloca = callFault("", "alloca.u64 %w1, 0x7FFFFFFFFFFFFFFF;");
  EXPECT_NE(alloca.message.find("stack overflow: alloca of"),
            std::string::npos);
  Fault restore = callFault("", "stackrestore.u64 0;");
  EXPECT_NE(restore.message.find("stackrestore of a value"), std::string::npos);
}

TEST_F(CallTest, WrongIndirectCallsTrap) {
  const char *shape = "shape: .callprototype _ (.param .b32 _);\n";
  const char *function = ".func f(.param .b64 x) { ret; }\n";
  auto message = [&](const std::string &setup) {
    return callFault(function, setup + shape + "call %w1, (%t), shape;")
        .message;
  };
  EXPECT_EQ(message("mov.u64 %w1, 0;\n"),
            "indirect call through a null pointer");
  EXPECT_EQ(message("mov.u64 %w1, 64;\n"),
            "indirect call of an address that is no function");
  EXPECT_EQ(message("mov.u64 %w1, f;\n"),
            "indirect call of 'f', whose parameters differ from those of the "
            "call");
}

TEST_F(CallTest, FunctionsThatMustNotReturn) {
  Fault fault = callFault(".func f() .noreturn { ret; }\n", "call f;");
  EXPECT_NE(fault.message.find("'f' is declared .noreturn and returns"),
            std::string::npos);
}

TEST_F(CallTest, WhatCannotBeCalledIsRefused) {
  auto refusal = [&](const std::string &functions, const std::string &body) {
    return loadError(with(functions, body));
  };
  EXPECT_EQ(refusal(".extern .func cudaLaunchDevice(.param .b64 x);\n",
                    "call cudaLaunchDevice, (%out);"),
            "test.ptx:4:15: error: function 'cudaLaunchDevice' has no body in "
            "the module; the emulator loads one module at a time and provides "
            "only vprintf, __assertfail, malloc and free");
  EXPECT_NE(
      refusal(".extern .func vprintf(.param .b32 x);\n", "call vprintf, (%t);")
          .find("expected 'vprintf' with the parameters that CUDA"),
      std::string::npos);
  EXPECT_NE(refusal(".func f(.param .b32 x) { ret; }\n", "call f;")
                .find("expected 1 arguments of the call, got 0"),
            std::string::npos);
  EXPECT_NE(refusal(".func f(.param .b32 x) { ret; }\n", "call f, (%out);")
                .find("expected an argument of 4 bytes, got a register of type "
                      "b64"),
            std::string::npos);
  EXPECT_NE(refusal("", "call k, (%out);").find("got the kernel 'k'"),
            std::string::npos);
  EXPECT_NE(refusal("", "call %w1, (%t);")
                .find("expected the label of a '.callprototype'"),
            std::string::npos);
  EXPECT_NE(refusal("", "call nothing;").find("which is not declared"),
            std::string::npos);
  // What no kernel calls may be missing.
  std::string error;
  EXPECT_TRUE(Module::load(with(".extern .func other(.param .b64 x);\n", ""),
                           "test.ptx", memory, error))
      << error;
}

//===----------------------------------------------------------------------===//
// printf, assert, malloc
//===----------------------------------------------------------------------===//

namespace {

/// A .global string, with its terminator.
std::string stringVariable(const std::string &name, const std::string &text) {
  std::string bytes;
  for (char c : text)
    bytes += std::to_string(int(static_cast<unsigned char>(c))) + ", ";
  return ".global .align 1 .b8 " + name + "[" +
         std::to_string(text.size() + 1) + "] = {" + bytes + "0};\n";
}

const char externs[] = R"(
.extern .func (.param .b32 res) vprintf(.param .b64 f, .param .b64 a);
.extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l,
                           .param .b64 u, .param .b64 s);
.extern .func (.param .b64 res) malloc(.param .b64 n);
.extern .func free(.param .b64 p);
)";

const char callPrintf[] = R"(
    mov.u64 %w1, format;
    cvta.global.u64 %w1, %w1;
    mov.u64 %w2, values;
    cvta.local.u64 %w2, %w2;
    { .param .b64 f; .param .b64 a; .param .b32 r;
      st.param.b64 [f], %w1;
      st.param.b64 [a], %w2;
      call.uni (r), vprintf, (f, a);
      ld.param.b32 %r0, [r]; }
)";

} // namespace

class PrintfTest : public CallTest {
protected:
  /// What one thread prints with `format` and the values that `fill` stores in
  /// the local array `values`.
  std::string printed(const std::string &format, const std::string &fill,
                      unsigned count) {
    testing::internal::CaptureStdout();
    auto out =
        callWords(externs + stringVariable("format", format) +
                      stringVariable("word", "text"),
                  ".local .align 16 .b8 values[64];\n" + fill + callPrintf, 1);
    std::fflush(stdout);
    std::string text = testing::internal::GetCapturedStdout();
    EXPECT_EQ(out[0], count) << format;
    return text;
  }
};

TEST_F(PrintfTest, EveryConversion) {
  EXPECT_EQ(printed("plain %% text\n", "", 0), "plain % text\n");
  EXPECT_EQ(printed("%d|%i|%u|%x|%X|%o",
                    "st.local.v4.b32 [values], {-5, 7, -1, 255};\n"
                    "st.local.v2.b32 [values+16], {171, 8};\n",
                    6),
            "-5|7|4294967295|ff|AB|10");
  EXPECT_EQ(printed("%lld %llu %lx",
                    "st.local.b64 [values], -5000000000;\n"
                    "st.local.b64 [values+8], -1;\n"
                    "st.local.b64 [values+16], 0x123456789ABC;\n",
                    3),
            "-5000000000 18446744073709551615 123456789abc");
  // An int, then a double at the next multiple of 8.
  EXPECT_EQ(printed("%d %f %8.3f|%-10.2e|%g %G %a",
                    "st.local.b32 [values], 3;\n"
                    "st.local.f64 [values+8], 0d3FF8000000000000;\n"
                    "st.local.f64 [values+16], 0d400921FB54442D18;\n"
                    "st.local.f64 [values+24], 0d40C81C8000000000;\n"
                    "st.local.f64 [values+32], 0d3FB999999999999A;\n"
                    "st.local.f64 [values+40], 0d0000000000000000;\n"
                    "st.local.f64 [values+48], 0d3FF0000000000000;\n",
                    7),
            "3 1.500000    3.142|1.23e+04  |0.1 0 0x1p+0");
  EXPECT_EQ(printed("%c%c|%5c|%s|%10s|%-6s|%.2s|",
                    "st.local.v4.b32 [values], {72, 105, 33, 0};\n"
                    "mov.u64 %w1, word;\ncvta.global.u64 %w1, %w1;\n"
                    "st.local.b64 [values+16], %w1;\n"
                    "st.local.b64 [values+24], %w1;\n"
                    "st.local.b64 [values+32], %w1;\n"
                    "st.local.b64 [values+40], %w1;\n",
                    7),
            "Hi|    !|text|      text|text  |te|");
  EXPECT_EQ(printed("%p %p",
                    "st.local.b64 [values], 0x7f00;\n"
                    "st.local.b64 [values+8], 0xabc;\n",
                    2),
            "0x7f00 0xabc");
  EXPECT_EQ(printed("%05d|%+d|% d|%#x|%-5d|%.3d|%hd|%hhu",
                    "st.local.v4.b32 [values], {42, 42, 42, 42};\n"
                    "st.local.v4.b32 [values+16], {42, 42, 65535, 511};\n",
                    8),
            "00042|+42| 42|0x2a|42   |042|-1|255");
  EXPECT_EQ(printed("%*d|%.*f",
                    "st.local.v4.b32 [values], {6, 42, 1, 0};\n"
                    "st.local.f64 [values+16], 0d3FF4000000000000;\n",
                    4),
            "    42|1.2");
  EXPECT_EQ(printed("%y %", "", 0), "%y %");
}

TEST_F(PrintfTest, ClustersPrintInOrderWhateverTheThreads) {
  options.threads = 4;
  testing::internal::CaptureStdout();
  callWords(externs + stringVariable("format", "%u\n"),
            ".local .align 16 .b8 values[64];\n"
            "mov.u32 %r1, %ctaid.x;\nmad.lo.u32 %r1, %r1, 2, %t;\n"
            "st.local.u32 [values], %r1;\n" +
                std::string(callPrintf),
            2, 200);
  std::string expected;
  for (unsigned n = 0; n < 400; ++n)
    expected += std::to_string(n) + "\n";
  EXPECT_EQ(testing::internal::GetCapturedStdout(), expected);
}

TEST_F(PrintfTest, AStringOutsideMemoryTraps) {
  Fault fault = callFault(externs + stringVariable("format", "%s"),
                          ".local .align 16 .b8 values[64];\n"
                          "st.local.b64 [values], 8;\n" +
                              std::string(callPrintf));
  EXPECT_NE(fault.message.find("read of 1 bytes through a null pointer"),
            std::string::npos)
      << fault.message;
}

TEST_F(PrintfTest, AssertionsSayWhatFailed) {
  Fault fault = callFault(externs + stringVariable("m", "x < 3") +
                              stringVariable("f", "file.cu") +
                              stringVariable("u", "void k()"),
                          R"(
    .param .b64 p0; .param .b64 p1; .param .b32 p2; .param .b64 p3;
    .param .b64 p4;
    mov.u64 %w1, m;
    st.param.b64 [p0], %w1;
    mov.u64 %w1, f;
    st.param.b64 [p1], %w1;
    st.param.b32 [p2], 12;
    mov.u64 %w1, u;
    st.param.b64 [p3], %w1;
    st.param.b64 [p4], 1;
    setp.eq.u32 %p1, %t, 3;
    @%p1 call.uni __assertfail, (p0, p1, p2, p3, p4);
  )");
  EXPECT_EQ(fault.message, "assertion failed: file.cu:12: void k(): assertion "
                           "'x < 3' failed");
  EXPECT_EQ(fault.lane, 3);
}

TEST_F(PrintfTest, MallocAndFree) {
  const std::string take = R"(
    .param .b64 n; .param .b64 p;
    cvt.u64.u32 %w1, %t;
    mad.lo.u64 %w1, %w1, 4, 8;
    st.param.b64 [n], %w1;
    call.uni (p), malloc, (n);
    ld.param.b64 %w2, [p];
    st.b32 [%w2+4], %t;
    ld.b32 %r0, [%w2+4];
    call.uni free, (p);
  )";
  auto out = callWords(externs, take);
  for (unsigned t = 0; t < 32; ++t)
    EXPECT_EQ(out[t], t);
  Fault twice = callFault(externs, take + "call.uni free, (p);");
  EXPECT_NE(twice.message.find("free of an address that malloc did not"),
            std::string::npos);
  // More than the heap has: null, as on the device.
  auto null = callWords(externs, R"(
    .param .b64 n; .param .b64 p;
    st.param.b64 [n], 0x100000000;
    call.uni (p), malloc, (n);
    ld.param.b64 %w2, [p];
    cvt.u32.u64 %r0, %w2;
  )");
  EXPECT_EQ(null[0], 0u);
}
