//===- IntegerTest.cpp - Integer, logic and shift instructions --*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxFixture.h"

#include <climits>

using namespace bwgemm::emulator;

class IntegerTest : public ScalarFixture {};

static constexpr uint64_t m1 = ~uint64_t(0);

TEST_F(IntegerTest, AddSubWrapAndSaturate) {
  EXPECT_EQ(r("add.s32 %rd, %ra, %rb;", 0x7FFFFFFF, 1), 0x80000000u);
  EXPECT_EQ(r("add.sat.s32 %rd, %ra, %rb;", 0x7FFFFFFF, 1), 0x7FFFFFFFu);
  EXPECT_EQ(r("sub.sat.s32 %rd, %ra, %rb;", 0x80000000, 1), 0x80000000u);
  EXPECT_EQ(h("add.u16 %hd, %ha, %hb;", 0xFFFF, 2), 1u);
  EXPECT_EQ(w("sub.u64 %wd, %wa, %wb;", 0, 1), m1);
  EXPECT_EQ(r("add.u16x2 %rd, %ra, %rb;", 0x0001FFFF, 0x00010001), 0x00020000u);
  EXPECT_EQ(r("add.s32 %rd, %ra, -5;", 3), 0xFFFFFFFEu);
}

TEST_F(IntegerTest, Multiply) {
  EXPECT_EQ(r("mul.lo.u32 %rd, %ra, %rb;", 0xFFFFFFFF, 0xFFFFFFFF), 1u);
  EXPECT_EQ(r("mul.hi.u32 %rd, %ra, %rb;", 0xFFFFFFFF, 0xFFFFFFFF),
            0xFFFFFFFEu);
  EXPECT_EQ(r("mul.hi.s32 %rd, %ra, %rb;", 0x80000000, 0x80000000),
            0x40000000u);
  EXPECT_EQ(r("mul.hi.s32 %rd, %ra, %rb;", 0xFFFFFFFF, 5), 0xFFFFFFFFu);
  EXPECT_EQ(w("mul.wide.s32 %wd, %ra, %rb;", 0xFFFFFFFF, 7), uint64_t(-7));
  EXPECT_EQ(w("mul.wide.u32 %wd, %ra, %rb;", 0xFFFFFFFF, 7), 0x6FFFFFFF9u);
  EXPECT_EQ(r("mul.wide.u16 %rd, %ha, %hb;", 0xFFFF, 0xFFFF), 0xFFFE0001u);
  EXPECT_EQ(r("mul.wide.s16 %rd, %ha, %hb;", 0xFFFF, 2), 0xFFFFFFFEu);
  EXPECT_EQ(h("mul.lo.u16 %hd, %ha, %hb;", 0xFFFF, 0xFFFF), 1u);
  EXPECT_EQ(w("mul.hi.u64 %wd, %wa, %wb;", m1, m1), m1 - 1);
  EXPECT_EQ(w("mul.hi.s64 %wd, %wa, %wb;", m1, 3), m1);
  EXPECT_EQ(r("mad.lo.s32 %rd, %ra, %rb, %rc;", 5, uint64_t(-3), 1),
            0xFFFFFFF2u);
  EXPECT_EQ(r("mad.hi.u32 %rd, %ra, %rb, %rc;", 0x80000000, 4, 9), 11u);
  EXPECT_EQ(w("mad.wide.u32 %wd, %ra, %rb, %wc;", 0xFFFFFFFF, 2, 3),
            0x200000001u);
  EXPECT_EQ(w("mad.wide.s32 %wd, %ra, %rb, %wc;", 0xFFFFFFFF, 2, 3), 1u);
  EXPECT_EQ(r("mul24.lo.s32 %rd, %ra, %rb;", 0xFFFFFF, 2), 0xFFFFFFFEu);
  EXPECT_EQ(r("sad.u32 %rd, %ra, %rb, %rc;", 3, 10, 5), 12u);
}

TEST_F(IntegerTest, DivideAndRemainder) {
  EXPECT_EQ(r("div.s32 %rd, %ra, %rb;", uint64_t(-7), 2), uint32_t(-3));
  EXPECT_EQ(r("rem.s32 %rd, %ra, %rb;", uint64_t(-7), 2), uint32_t(-1));
  EXPECT_EQ(r("div.s32 %rd, %ra, %rb;", 0x80000000, m1), 0x80000000u);
  EXPECT_EQ(r("rem.s32 %rd, %ra, %rb;", 0x80000000, m1), 0u);
  EXPECT_EQ(r("div.u32 %rd, %ra, %rb;", 7, 0), 0xFFFFFFFFu);
  EXPECT_EQ(w("div.u64 %wd, %wa, %wb;", m1, 10), m1 / 10);
  EXPECT_EQ(h("rem.u16 %hd, %ha, %hb;", 65535, 1000), 535u);
  // Only the lanes that execute divide; the others hold zeros.
  EXPECT_EQ(w("div.s64 %wd, %wa, %wb;", uint64_t(1) << 63, m1), uint64_t(1)
                                                                    << 63);
}

TEST_F(IntegerTest, MinMaxAbsNeg) {
  EXPECT_EQ(r("min.s32 %rd, %ra, %rb;", m1, 1), 0xFFFFFFFFu);
  EXPECT_EQ(r("min.u32 %rd, %ra, %rb;", m1, 1), 1u);
  EXPECT_EQ(w("max.s64 %wd, %wa, %wb;", m1, 1), 1u);
  EXPECT_EQ(h("max.u16 %hd, %ha, %hb;", m1, 1), 0xFFFFu);
  EXPECT_EQ(r("max.relu.s32 %rd, %ra, %rb;", uint64_t(-5), uint64_t(-9)), 0u);
  EXPECT_EQ(r("min.s16x2 %rd, %ra, %rb;", 0x0001FFFF, 0xFFFE0003), 0xFFFEFFFFu);
  EXPECT_EQ(r("abs.s32 %rd, %ra;", 0x80000000), 0x80000000u);
  EXPECT_EQ(r("abs.s32 %rd, %ra;", uint64_t(-5)), 5u);
  EXPECT_EQ(h("neg.s16 %hd, %ha;", 1), 0xFFFFu);
}

TEST_F(IntegerTest, Carry) {
  // 128-bit sums and products from 32-bit pieces.
  std::string add = "mov.b64 {%x0, %x1}, %wa; mov.b64 {%x2, %x3}, %wb;"
                    "add.cc.u32 %x0, %x0, %x2; addc.cc.u32 %x1, %x1, %x3;"
                    "addc.u32 %rd, 0, 0; mov.b64 %wd, {%x0, %x1};";
  Result sum = one(add, 0xFFFFFFFFFFFFFFFF, 1);
  EXPECT_EQ(sum.w, 0u);
  EXPECT_EQ(sum.r, 1u);
  sum = one(add, 0x00000000FFFFFFFF, 1);
  EXPECT_EQ(sum.w, 0x100000000u);
  EXPECT_EQ(sum.r, 0u);
  std::string sub = "mov.b64 {%x0, %x1}, %wa; mov.b64 {%x2, %x3}, %wb;"
                    "sub.cc.u32 %x0, %x0, %x2; subc.u32 %x1, %x1, %x3;"
                    "mov.b64 %wd, {%x0, %x1};";
  EXPECT_EQ(w(sub, 0x100000000, 1), 0xFFFFFFFFu);
  EXPECT_EQ(w(sub, 5, 7), uint64_t(-2));
  std::string mad = "mad.lo.cc.u32 %x0, %ra, %rb, %rc;"
                    "madc.hi.u32 %x1, %ra, %rb, 0;"
                    "mov.b64 %wd, {%x0, %x1};";
  EXPECT_EQ(w(mad, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF), 0xFFFFFFFF00000000u);
  std::string wide = "add.cc.u64 %wd, %wa, %wb; addc.u64 %wd, 0, 0;";
  EXPECT_EQ(w(wide, m1, m1), 1u);
}

TEST_F(IntegerTest, Logic) {
  EXPECT_EQ(r("and.b32 %rd, %ra, %rb;", 0xF0F0, 0xFF00), 0xF000u);
  EXPECT_EQ(w("or.b64 %wd, %wa, %wb;", 1, 2), 3u);
  EXPECT_EQ(h("xor.b16 %hd, %ha, %hb;", 0xFFFF, 0x0F0F), 0xF0F0u);
  EXPECT_EQ(h("not.b16 %hd, %ha;", 0x00FF), 0xFF00u);
  EXPECT_EQ(r("cnot.b32 %rd, %ra;", 0), 1u);
  EXPECT_EQ(r("cnot.b32 %rd, %ra;", 7), 0u);
  EXPECT_TRUE(p("and.pred %pd, %pa, !%pb;", 1, 0));
  EXPECT_FALSE(p("xor.pred %pd, %pa, %pb;", 1, 1));
  EXPECT_TRUE(p("not.pred %pd, %pa;", 0));
  // The tables of the ISA's examples: a & b & c, a | b | c, (a & b) ^ c.
  EXPECT_EQ(r("lop3.b32 %rd, %ra, %rb, %rc, 0x80;", 12, 10, 8), 8u);
  EXPECT_EQ(r("lop3.b32 %rd, %ra, %rb, %rc, 0xFE;", 12, 10, 1), 15u);
  EXPECT_EQ(r("lop3.b32 %rd, %ra, %rb, %rc, 0x6A;", 12, 10, 1), 9u);
  Result lop = one("lop3.or.b32 %rd|%pd, %ra, %rb, %rc, 0x80, %pb;", 4, 2, 1);
  EXPECT_EQ(lop.r, 0u);
  EXPECT_TRUE(lop.p);
}

TEST_F(IntegerTest, ShiftsClampTheirCount) {
  EXPECT_EQ(r("shl.b32 %rd, %ra, %rb;", 1, 31), 0x80000000u);
  EXPECT_EQ(r("shl.b32 %rd, %ra, %rb;", 1, 32), 0u);
  EXPECT_EQ(r("shl.b32 %rd, %ra, %rb;", 1, 0xFFFFFFFF), 0u);
  EXPECT_EQ(r("shr.s32 %rd, %ra, %rb;", 0x80000000, 40), 0xFFFFFFFFu);
  EXPECT_EQ(r("shr.u32 %rd, %ra, %rb;", 0x80000000, 32), 0u);
  EXPECT_EQ(h("shr.s16 %hd, %ha, %rb;", 0x8000, 3), 0xF000u);
  EXPECT_EQ(w("shr.s64 %wd, %wa, %rb;", uint64_t(1) << 63, 63), m1);
  EXPECT_EQ(w("shl.b64 %wd, %wa, %rb;", 1, 64), 0u);
  EXPECT_EQ(r("shf.l.wrap.b32 %rd, %ra, %rb, %rc;", 0x80000001, 2, 33), 5u);
  EXPECT_EQ(r("shf.l.clamp.b32 %rd, %ra, %rb, %rc;", 0x80000001, 2, 33),
            0x80000001u);
  EXPECT_EQ(r("shf.r.wrap.b32 %rd, %ra, %rb, %rc;", 0x10, 1, 4), 0x10000001u);
  EXPECT_EQ(r("shf.r.clamp.b32 %rd, %ra, %rb, %rc;", 0x10, 7, 99), 7u);
}

TEST_F(IntegerTest, BitFields) {
  EXPECT_EQ(r("bfe.u32 %rd, %ra, %rb, %rc;", 0xABCD1234, 8, 8), 0x12u);
  EXPECT_EQ(r("bfe.s32 %rd, %ra, %rb, %rc;", 0x00008000, 8, 8), 0xFFFFFF80u);
  EXPECT_EQ(r("bfe.s32 %rd, %ra, %rb, %rc;", 0x80000000, 24, 16), 0xFFFFFF80u);
  EXPECT_EQ(r("bfe.u32 %rd, %ra, %rb, %rc;", 0x80000000, 24, 16), 0x80u);
  EXPECT_EQ(r("bfe.s32 %rd, %ra, %rb, %rc;", m1, 0, 0), 0u);
  EXPECT_EQ(r("bfe.s32 %rd, %ra, %rb, %rc;", 0x80000000, 40, 4), 0xFFFFFFFFu);
  EXPECT_EQ(r("bfi.b32 %rd, %ra, %rb, 8, 4;", 0xF5, 0xAAAAAAAA), 0xAAAAA5AAu);
  EXPECT_EQ(r("bfi.b32 %rd, %ra, %rb, 32, 4;", 0xF5, 7), 7u);
  EXPECT_EQ(w("bfi.b64 %wd, %wa, %wb, 60, 8;", 0xFF, 1), 0xF000000000000001u);
  EXPECT_EQ(r("bfind.u32 %rd, %ra;", 0x00010000), 16u);
  EXPECT_EQ(r("bfind.shiftamt.u32 %rd, %ra;", 0x00010000), 15u);
  EXPECT_EQ(r("bfind.s32 %rd, %ra;", 0xFFFFFFFE), 0u);
  EXPECT_EQ(r("bfind.s32 %rd, %ra;", 0xFFFFFFFF), 0xFFFFFFFFu);
  EXPECT_EQ(r("bfind.u64 %rd, %wa;", uint64_t(1) << 40), 40u);
  EXPECT_EQ(r("clz.b32 %rd, %ra;", 0), 32u);
  EXPECT_EQ(r("clz.b64 %rd, %wa;", 1), 63u);
  EXPECT_EQ(r("popc.b64 %rd, %wa;", m1), 64u);
  EXPECT_EQ(r("brev.b32 %rd, %ra;", 1), 0x80000000u);
  EXPECT_EQ(w("brev.b64 %wd, %wa;", 2), uint64_t(1) << 62);
  EXPECT_EQ(r("szext.clamp.s32 %rd, %ra, 4;", 0x18), 0xFFFFFFF8u);
  EXPECT_EQ(r("szext.clamp.u32 %rd, %ra, 4;", 0x18), 8u);
  EXPECT_EQ(r("bmsk.clamp.b32 %rd, %ra, %rb;", 4, 8), 0xFF0u);
  EXPECT_EQ(r("bmsk.wrap.b32 %rd, %ra, %rb;", 36, 40), 0xFF0u);
}

TEST_F(IntegerTest, Permute) {
  EXPECT_EQ(r("prmt.b32 %rd, %ra, %rb, 0x7531;", 0x33221100, 0x77665544),
            0x77553311u);
  // The top bit of a selector replicates the byte's sign.
  EXPECT_EQ(r("prmt.b32 %rd, %ra, %rb, 0x98C0;", 0x00008000, 0x00000080),
            0xFF00FF00u);
  EXPECT_EQ(r("prmt.b32.f4e %rd, %ra, %rb, 1;", 0x33221100, 0x77665544),
            0x44332211u);
  EXPECT_EQ(r("prmt.b32.rc16 %rd, %ra, %rb, 1;", 0x33221100, 0), 0x33223322u);
}

TEST_F(IntegerTest, DotProducts) {
  EXPECT_EQ(r("dp4a.s32.s32 %rd, %ra, %rb, %rc;", 0xFF010203, 0x02040608, 100),
            uint32_t(100 - 2 + 4 + 12 + 24));
  EXPECT_EQ(r("dp4a.u32.u32 %rd, %ra, %rb, %rc;", 0xFF000000, 0x02000000, 0),
            510u);
  EXPECT_EQ(r("dp2a.lo.s32.s32 %rd, %ra, %rb, %rc;", 0x0003FFFF, 0x09080504, 1),
            uint32_t(1 - 4 + 15));
}

TEST_F(IntegerTest, Compare) {
  EXPECT_TRUE(p("setp.lt.s32 %pd, %ra, %rb;", m1, 0));
  EXPECT_FALSE(p("setp.lo.u32 %pd, %ra, %rb;", m1, 0));
  EXPECT_TRUE(p("setp.hi.u32 %pd, %ra, %rb;", m1, 0));
  EXPECT_TRUE(p("setp.ge.u64 %pd, %wa, %wb;", 5, 5));
  EXPECT_TRUE(p("setp.eq.b16 %pd, %ha, %hb;", 0x10005, 5));
  Result both = one("setp.lt.and.s32 %pd|%qd, %ra, %rb, %pc;", 1, 2, 1);
  EXPECT_TRUE(both.p);
  EXPECT_FALSE(both.q);
  both = one("setp.lt.and.s32 %pd|%qd, %ra, %rb, %pc;", 1, 2, 0);
  EXPECT_FALSE(both.p || both.q);
  both = one("setp.lt.xor.s32 %pd|%qd, %ra, %rb, !%pc;", 2, 1, 0);
  EXPECT_TRUE(both.p);
  EXPECT_FALSE(both.q);
  EXPECT_EQ(r("set.gt.u32.s32 %rd, %ra, %rb;", 2, 1), 0xFFFFFFFFu);
  EXPECT_EQ(r("set.gt.f32.s32 %rd, %ra, %rb;", 2, 1), 0x3F800000u);
  EXPECT_EQ(r("selp.b32 %rd, %ra, %rb, %pc;", 2, 1, 0), 1u);
  EXPECT_EQ(r("slct.u32.s32 %rd, %ra, %rb, %rc;", 2, 1, 0), 2u);
  EXPECT_EQ(r("slct.u32.s32 %rd, %ra, %rb, %rc;", 2, 1, m1), 1u);
}

TEST_F(IntegerTest, MoveAndPack) {
  EXPECT_EQ(w("mov.b64 %wd, {%ra, %rb};", 1, 2), 0x200000001u);
  EXPECT_EQ(r("mov.b64 {%x0, %rd}, %wa;", 0x1234567890ABCDEF), 0x12345678u);
  EXPECT_EQ(r("mov.b64 {_, %rd}, %wa;", 0x1234567890ABCDEF), 0x12345678u);
  EXPECT_EQ(w("mov.b64 %wd, {%ha, %hb, %hc, %ha};", 1, 2, 3),
            0x0001000300020001u);
  EXPECT_EQ(h("mov.b64 {%y0, %y1, %hd, %y2}, %wa;", 0x0004000300020001), 3u);
  EXPECT_EQ(r("mov.b32 %rd, {%ha, %hb};", 0x1FFFF, 2), 0x2FFFFu);
  // A source may be among the destinations.
  EXPECT_EQ(w("mov.b64 {%x0, %x1}, %wa; mov.b64 %wd, {%x1, %x0};",
              0x0000000100000002),
            0x0000000200000001u);
  EXPECT_EQ(w("mov.u64 %wd, 0xFFFFFFFFFFFFFFFF;"), m1);
  EXPECT_EQ(r("mov.b32 %rd, 0f3F800000;"), 0x3F800000u);
  EXPECT_EQ(r("mov.u32 %rd, 0b101;"), 5u);
  EXPECT_EQ(r("mov.u32 %rd, 017;"), 15u);
  EXPECT_EQ(r("mov.u32 %rd, (3 + 4) * 2 << 1;"), 28u);
  EXPECT_EQ(r("mov.s32 %rd, -2147483648;"), 0x80000000u);
  EXPECT_EQ(r("mov.u32 %rd, WARP_SZ;"), 32u);
}

TEST_F(IntegerTest, ConvertIntegers) {
  EXPECT_EQ(w("cvt.s64.s32 %wd, %ra;", 0x80000000), 0xFFFFFFFF80000000u);
  EXPECT_EQ(w("cvt.u64.u32 %wd, %ra;", 0x80000000), 0x80000000u);
  EXPECT_EQ(r("cvt.s32.s16 %rd, %ha;", 0x8000), 0xFFFF8000u);
  EXPECT_EQ(r("cvt.u32.u16 %rd, %ha;", 0x8000), 0x8000u);
  EXPECT_EQ(r("cvt.s32.s8 %rd, %ra;", 0x1F0), 0xFFFFFFF0u);
  EXPECT_EQ(r("cvt.u32.u8 %rd, %ra;", 0x1F0), 0xF0u);
  EXPECT_EQ(r("cvt.sat.s8.s32 %rd, %ra;", 300), 127u);
  EXPECT_EQ(r("cvt.sat.u8.s32 %rd, %ra;", m1), 0u);
  EXPECT_EQ(h("cvt.u16.u32 %hd, %ra;", 0x12345), 0x2345u);
  EXPECT_EQ(r("cvt.sat.s32.u32 %rd, %ra;", 0xFFFFFFFF), 0x7FFFFFFFu);
  EXPECT_EQ(r("cvt.sat.u32.s64 %rd, %wa;", m1), 0u);
  EXPECT_EQ(r("cvt.pack.sat.s16.s32 %rd, %ra, %rb;", 100000, uint64_t(-100000)),
            0x7FFF8000u);
  EXPECT_EQ(r("cvt.pack.sat.u8.s32.b32 %rd, %ra, %rb, %rc;", 300, 5, 0xABCD),
            0xABCDFF05u);
}
