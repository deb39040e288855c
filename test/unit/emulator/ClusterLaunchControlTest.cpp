//===- ClusterLaunchControlTest.cpp - Who runs which cluster ----*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clusters of two CTAs steal clusters with multicast requests, two in flight
// at a time. Each CTA adds one to the element of every index that it runs, so
// that a lost or doubled index shows.
//
//===----------------------------------------------------------------------===//

#include "PtxFixture.h"

using namespace bwgemm::emulator;

namespace {

class ClusterLaunchControl : public PtxFixture {
protected:
  /// Requests of CTA 0 write responses in both CTAs. A CTA tells CTA 0 through
  /// `empty` that it has read one.
  static std::string stealing() {
    return head() + R"(
.visible .entry k(.param .u64 out)
{
.reg .pred %p<8>; .reg .b32 %r<30>; .reg .b64 %w<8>; .reg .b128 %q;
.shared .align 16 .b8 response[32];
.shared .align 8 .b8 full[16];
.shared .align 8 .b8 empty[16];
ld.param.u64 %w0, [out];
mov.u32 %r1, response; mov.u32 %r2, full; mov.u32 %r3, empty;
mov.u32 %r4, %cluster_ctarank;
mbarrier.init.shared::cta.b64 [%r2], 1;
mbarrier.init.shared::cta.b64 [%r2+8], 1;
mbarrier.init.shared::cta.b64 [%r3], 2;
mbarrier.init.shared::cta.b64 [%r3+8], 2;
fence.mbarrier_init.release.cluster;
barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
mov.u32 %r5, %ctaid.x; mov.u32 %r6, %ctaid.y;
mov.u32 %r10, 0;      // requests made
mov.u32 %r11, 0;      // responses read
mapa.shared::cluster.u32 %r12, %r3, 0;
setp.ne.u32 %p0, %r4, 0;
LOOP:
// Index (x, y) of a grid with 6 columns.
mad.lo.u32 %r7, %r6, 6, %r5;
mad.wide.u32 %w1, %r7, 4, %w0;
red.global.add.u32 [%w1], 1;
REQUEST:
// CTA 0 keeps two requests in flight; every CTA expects 16 bytes for each.
sub.u32 %r8, %r10, %r11;
setp.ge.u32 %p1, %r8, 2;
@%p1 bra READ;
and.b32 %r13, %r10, 1;
shl.b32 %r14, %r13, 3; shl.b32 %r15, %r13, 4;
add.u32 %r16, %r2, %r14; add.u32 %r17, %r1, %r15; add.u32 %r18, %r3, %r14;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r16], 16;
shr.u32 %r19, %r10, 1;
add.u32 %r10, %r10, 1;
@%p0 bra REQUEST;
xor.b32 %r19, %r19, 1; and.b32 %r19, %r19, 1;
FREE:
mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [%r18], %r19;
@!%p2 bra FREE;
clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [%r17], [%r16];
bra REQUEST;
READ:
and.b32 %r13, %r11, 1;
shl.b32 %r14, %r13, 3; shl.b32 %r15, %r13, 4;
add.u32 %r16, %r2, %r14; add.u32 %r17, %r1, %r15;
shr.u32 %r19, %r11, 1; and.b32 %r19, %r19, 1;
FULL:
mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r16], %r19;
@!%p3 bra FULL;
ld.shared.b128 %q, [%r17];
clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p4, %q;
add.u32 %r11, %r11, 1;
@!%p4 bra LAST;
clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r5, %r6, _, _}, %q;
add.u32 %r5, %r5, %r4;
fence.proxy.async.shared::cta;
add.u32 %r20, %r12, %r14;
mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r20];
bra LOOP;
LAST:
// The other request must land, and it may have got a cluster.
sub.u32 %r8, %r10, %r11;
setp.eq.u32 %p1, %r8, 0;
@%p1 bra DONE;
and.b32 %r13, %r11, 1;
shl.b32 %r14, %r13, 3; shl.b32 %r15, %r13, 4;
add.u32 %r16, %r2, %r14; add.u32 %r17, %r1, %r15;
shr.u32 %r19, %r11, 1; and.b32 %r19, %r19, 1;
DRAIN:
mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r16], %r19;
@!%p3 bra DRAIN;
ld.shared.b128 %q, [%r17];
clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p4, %q;
add.u32 %r11, %r11, 1;
@!%p4 bra LAST;
clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r5, %q;
clusterlaunchcontrol.query_cancel.get_first_ctaid::y.b32.b128 %r6, %q;
add.u32 %r5, %r5, %r4;
mad.lo.u32 %r7, %r6, 6, %r5;
mad.wide.u32 %w1, %r7, 4, %w0;
red.global.add.u32 [%w1], 1;
bra LAST;
DONE:
barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
ret;
}
)";
  }

  /// Runs 6 x 7 CTAs and expects every index once. Returns the counters.
  Counters once() {
    uint64_t out = upload(std::vector<uint32_t>(42, 0));
    LaunchReport report =
        run(stealing(), {6, 7, 1}, {1, 1, 1}, {out}, {2, 1, 1});
    EXPECT_FALSE(report.fault) << report.fault->render();
    for (const Fault &hazard : report.hazards)
      ADD_FAILURE() << hazard.render();
    EXPECT_EQ(download<uint32_t>(out, 42), std::vector<uint32_t>(42, 1));
    memory.release(out);
    return report.counters;
  }
};

} // namespace

TEST_F(ClusterLaunchControl, EveryIndexOnceInFairOrder) {
  options.threads = 1;
  Counters counters = once();
  // One cluster runs and cancels the other twenty; the request behind the
  // last and the one in flight with it fail.
  EXPECT_EQ(counters["ctas"], 2u);
  EXPECT_EQ(counters["clusters_cancelled"], 20u);
  EXPECT_EQ(counters["launch_control_requests"], 22u);
}

TEST_F(ClusterLaunchControl, EveryIndexOnceInAnyOrderOnAnyThreads) {
  options.hazards = true;
  options.schedule = WarpOrder::Random;
  bool someLaunched = false;
  for (unsigned threads : {1u, 2u, 5u})
    for (uint64_t seed = 1; seed <= 12; ++seed) {
      options.threads = threads;
      options.seed = seed;
      Counters counters = once();
      // Launched and cancelled clusters together are the grid.
      EXPECT_EQ(counters["ctas"] / 2 + counters["clusters_cancelled"], 21u);
      someLaunched |= counters["ctas"] > 2;
    }
  EXPECT_TRUE(someLaunched);
}

TEST_F(ClusterLaunchControl, MisalignedResponseTraps) {
  Fault found = fault(R"(
.shared .align 16 .b8 response[32];
.shared .align 8 .b64 full;
mbarrier.init.shared::cta.b64 [full], 1;
clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [response+8], [full];
mov.u32 %r0, 0;)",
                      1);
  EXPECT_EQ(found.kind, FaultKind::Trap);
  EXPECT_NE(found.message.find("misaligned address"), std::string::npos)
      << found.message;
}

TEST_F(ClusterLaunchControl, RefusedByName) {
  auto refused = [&](const char *line, const char *expected) {
    std::string error = loadError(
        kernel(std::string(".reg .b128 %q;\n.shared .align 16 .b8 s[32];\n") +
               line + "\nmov.u32 %r0, 0;"));
    EXPECT_NE(error.find(expected), std::string::npos) << error;
  };
  refused("clusterlaunchcontrol.try_cancel.shared::cta.mbarrier::complete_tx::"
          "bytes.b128 [s], [s+16];",
          "expected 'clusterlaunchcontrol.try_cancel.async{.shared::cta}");
  refused("clusterlaunchcontrol.try_cancel.async.shared::cluster.mbarrier::"
          "complete_tx::bytes.b128 [s], [s+16];",
          "expected 'clusterlaunchcontrol.try_cancel.async{.shared::cta}");
  refused("clusterlaunchcontrol.query_cancel.get_first_ctaid::w.b32.b128 %r1, "
          "%q;",
          "expected '.is_canceled.pred.b128'");
  refused("clusterlaunchcontrol.query_cancel.get_first_ctaid.v2.b32.b128 "
          "{%r1, %r2}, %q;",
          "expected '.is_canceled.pred.b128'");
  refused("clusterlaunchcontrol.query_cancel.is_canceled.pred.b64 %p1, %w1;",
          "expected '.is_canceled.pred.b128'");
}
