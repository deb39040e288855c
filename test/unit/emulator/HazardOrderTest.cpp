//===- HazardOrderTest.cpp - Accesses that nothing orders -------*- C++ -*-===//
//
// Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pairs of kernels: a right one, on which hazards=on says nothing, and one in
// which what orders two accesses is taken away or weakened, of which it names
// both lines. The rules are those of the PTX ISA (memory consistency model,
// proxies, mbarrier, tcgen05 memory consistency).
//
//===----------------------------------------------------------------------===//

#include "PtxFixture.h"

#include <algorithm>

namespace bwgemm::emulator {

namespace {
/// In `body` one line is marked "// first", another "// second".
struct Rule {
  const char *name;
  unsigned threads, ctas;
  std::string body;
  /// What makes it wrong: `from` becomes `to`.
  std::string from, to;
  /// What some hazard must say, beside both lines.
  const char *says;
};

void PrintTo(const Rule &rule, std::ostream *stream) { *stream << rule.name; }

class HazardOrder : public PtxFixture,
                    public testing::WithParamInterface<Rule> {
protected:
  /// 512 words in, and the words that the kernel stores.
  LaunchReport runBody(const std::string &body, unsigned threads,
                       unsigned ctas) {
    options.hazards = true;
    uint64_t out = upload(std::vector<uint32_t>(512, 7));
    LaunchReport report = run(textOf(body), {ctas, 1, 1}, {threads, 1, 1},
                              {out}, ctas > 1 ? Dim3{ctas, 1, 1} : Dim3{});
    memory.release(out);
    return report;
  }
  static std::string textOf(const std::string &body) {
    std::string text = kernel(body), other = "sm_100a";
    if (body.find("wgmma") != std::string::npos)
      text.replace(text.find(other), other.size(), "sm_90a");
    return text;
  }
  static unsigned lineOf(const std::string &body, const char *marker) {
    std::string text = textOf(body);
    size_t at = text.find(marker);
    EXPECT_NE(at, std::string::npos) << marker;
    return 1 + unsigned(std::count(text.begin(), text.begin() + ptrdiff_t(at),
                                   '\n'));
  }
  static std::string render(const LaunchReport &report) {
    std::string text;
    for (const Fault &hazard : report.hazards)
      text += hazard.render() + "\n";
    return text;
  }
};

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

// %r1 = s; %r2 = the thread's own word; %p1: thread 0; %p2: warp 0; %p3:
// thread 32.
const std::string start =
    ".shared .align 1024 .b8 s[1024];\n.shared .align 8 .b64 bar;\n"
    "mov.u32 %r0, 0;\nmov.u32 %r1, s;\nshl.b32 %r2, %t, 2;\n"
    "add.u32 %r2, %r2, %r1;\nsetp.eq.u32 %p1, %t, 0;\n"
    "setp.lt.u32 %p2, %t, 32;\nsetp.eq.u32 %p3, %t, 32;\n"
    "and.b32 %r3, %t, 31;\nshl.b32 %r3, %r3, 2;\nadd.u32 %r3, %r3, %r1;\n";
const std::string init = "@%p1 mbarrier.init.shared::cta.b64 [bar], 1;\n"
                         "fence.mbarrier_init.release.cluster;\nbar.sync 0;\n";
std::string wait(const std::string &name, const std::string &modifiers = "",
                 const char *parity = "0") {
  return name + ":\nmbarrier.try_wait.parity" + modifiers +
         ".shared::cta.b64 %p4, [bar], " + parity + ";\n@!%p4 bra " + name +
         ";\n";
}
/// Threads of warp 0 lose some time.
const std::string delay =
    "@!%p2 bra LATER;\nmov.u32 %r20, 0;\nDELAY:\nadd.u32 %r20, %r20, 1;\n"
    "setp.lt.u32 %p6, %r20, 20000;\n@%p6 bra DELAY;\nLATER:\n";
/// Completes a phase of `bar`.
const std::string arrive = "@%p1 mbarrier.arrive.shared::cta.b64 _, [bar];\n";
/// Waits for phase 0: of what could be missed, both lines.
const std::string pass =
    "W:\nmbarrier.try_wait.parity.shared::cta.b64 %p4, [bar], 0; "
    "// first second\n@!%p4 bra W;\n";
/// What a copy of 128 bytes into s by the thread of `predicate` needs, and the
/// copy.
std::string fillBy(const std::string &predicate) {
  return predicate +
         "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 128;\n" +
         predicate +
         "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
         "[%r1], [%out], 128, [bar];";
}
const std::string fill = fillBy("@%p3 ");

// Two warps; warp 1 allocates. %r7 is the address of 32 columns, %w10 the
// descriptor of s, which is written and fenced.
const std::string tensor =
    start +
    ".shared .align 4 .b32 base;\n"
    "st.shared.b32 [%r2], %t;\nst.shared.b32 [%r2+256], %t;\n"
    "fence.proxy.async.shared::cta;\n" +
    "@%p1 mbarrier.init.shared::cta.b64 [bar], 1;\n"
    "@%p2 bra ALLOCATED;\n"
    "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [base], 32;\n"
    "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n"
    "ALLOCATED:\ntcgen05.fence::before_thread_sync;\nbar.sync 0;\n"
    "tcgen05.fence::after_thread_sync;\nld.shared.b32 %r7, [base];\n"
    "shr.u32 %r10, %r1, 4;\ncvt.u64.u32 %w10, %r10;\n"
    "or.b64 %w10, %w10, 0x0000400800000000;\n";
const std::string copyToTensor =
    "@%p1 tcgen05.cp.cta_group::1.32x128b.warpx4 [%r7], %w10;";
const std::string commit = "@%p1 tcgen05.commit.cta_group::1.mbarrier::arrive"
                           "::one.shared::cluster.b64 [bar];\n";
const std::string tensorLoad =
    "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r0}, [%r8];";
/// %r8: the warp's quarter.
const std::string quarter = "shr.u32 %r8, %t, 5;\nshl.b32 %r8, %r8, 21;\n"
                            "add.u32 %r8, %r8, %r7;\n";
const std::string free =
    "@%p2 bra STORE;\n"
    "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r7, 32;";
const std::string leave =
    "tcgen05.fence::before_thread_sync;\nbar.sync 2;\n" + free + "\n";

const std::string clusterSync = "barrier.cluster.arrive.release.aligned;\n"
                                "barrier.cluster.wait.acquire.aligned;\n";
/// %p5: the CTA of rank 0; %r5 and %r6: s and bar of the other CTA.
const std::string ranks =
    "mov.u32 %r9, %cluster_ctarank;\nsetp.eq.u32 %p5, %r9, 0;\n"
    "xor.b32 %r9, %r9, 1;\nmapa.shared::cluster.u32 %r5, %r1, %r9;\n"
    "mov.u32 %r6, bar;\nmapa.shared::cluster.u32 %r6, %r6, %r9;\n";

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

const Rule rules[] = {
    {"ReadBehindWrite", 64, 1,
     start + "st.shared.u32 [%r2], %t; // first\nbar.sync 0;\n"
             "@!%p2 ld.shared.u32 %r0, [%r2+-128]; // second\n",
     "bar.sync 0;", "", "there is no barrier between them"},
    {"WriteBehindWrite", 64, 1,
     start + "@%p2 st.shared.u32 [%r3], %t; // first\nbar.sync 0;\n"
             "@!%p2 st.shared.u32 [%r3], %t; // second\n",
     "bar.sync 0;", "", "writes in line"},
    {"WriteBehindRead", 64, 1,
     start + "st.shared.u32 [%r2], %t;\nbar.sync 0;\n"
             "@!%p2 ld.shared.u32 %r0, [%r3]; // first\nbar.sync 1;\n"
             "@%p2 st.shared.u32 [%r3], 99; // second\n",
     "bar.sync 1;", "", "reads in line"},
    {"ReleasingArrival", 64, 1,
     start + init +
         "@%p1 st.shared.u32 [%r1], 5; // first\n"
         "@%p1 mbarrier.arrive.release.cta.shared::cta.b64 _, [bar];\n" +
         wait("W") + "@!%p2 ld.shared.u32 %r0, [%r1]; // second\n",
     ".release.cta", ".relaxed.cta", "there is no barrier between them"},
    {"AcquiringWait", 64, 1,
     start + init +
         "@%p1 st.shared.u32 [%r1], 5; // first\n"
         "@%p1 mbarrier.arrive.shared::cta.b64 _, [bar];\n" +
         wait("W", ".acquire.cta") +
         "@!%p2 ld.shared.u32 %r0, [%r1]; // second\n",
     ".acquire.cta", ".relaxed.cta", "there is no barrier between them"},
    {"FenceBeforeRelaxedArrival", 64, 1,
     start + init +
         "@%p1 st.shared.u32 [%r1], 5; // first\nfence.acq_rel.cta;\n"
         "@%p1 mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [bar];\n" +
         wait("W") + "@!%p2 ld.shared.u32 %r0, [%r1]; // second\n",
     "fence.acq_rel.cta;", "", "there is no barrier between them"},
    {"ReleaseAndAcquireOfAFlag", 64, 1,
     start + "@%p1 st.shared.u32 [%r1+512], 0;\nbar.sync 0;\n"
             "@%p1 st.shared.u32 [%r1], 5; // first\n"
             "@%p1 st.release.cta.shared.u32 [%r1+512], 1;\n"
             "@%p2 bra STORE;\nPOLL:\n"
             "ld.acquire.cta.shared.u32 %r4, [%r1+512];\n"
             "setp.ne.u32 %p4, %r4, 1;\n@%p4 bra POLL;\n"
             "ld.shared.u32 %r0, [%r1]; // second\n",
     "st.release.cta", "st.relaxed.cta", "there is no barrier between them"},
    {"BarrierBehindProxyFence", 64, 1,
     start + "@%p2 st.shared.u32 [%r2], %t; // first\n"
             "fence.proxy.async.shared::cta;\nbar.sync 0;\n"
             "@%p3 cp.async.bulk.global.shared::cta.bulk_group [%out], [%r1], "
             "128; // second\n@%p3 cp.async.bulk.commit_group;\n"
             "@%p3 cp.async.bulk.wait_group 0;\n",
     "bar.sync 0;", "", "there is no barrier between them"},
    {"ProxyFence", 64, 1,
     start + "@%p2 st.shared.u32 [%r2], %t; // first\n"
             "fence.proxy.async.shared::cta;\nbar.sync 0;\n"
             "@%p3 cp.async.bulk.global.shared::cta.bulk_group [%out], [%r1], "
             "128; // second\n@%p3 cp.async.bulk.commit_group;\n"
             "@%p3 cp.async.bulk.wait_group 0;\n",
     "fence.proxy.async.shared::cta;", "", "fence.proxy.async"},
    {"RefillBehindRead", 64, 1,
     start + init +
         "@!%p2 st.shared.u32 [%r3], %t;\n"
         "@!%p2 ld.shared.u32 %r0, [%r3]; // first\nbar.sync 1;\n" +
         fillBy("@%p1 ") + " // second\n" + wait("W"),
     "bar.sync 1;", "", "the bulk copy writes shared memory at 0x400"},
    {"ReadOfACopyNotWaitedFor", 64, 1,
     start + init + fill + " // first\n@%p2 bra STORE;\n" + wait("W") +
         "ld.shared.u32 %r0, [%r3]; // second\n",
     wait("W"), "", "wait on its mbarrier first"},
    {"ReadOfACopyThatAnotherWarpWaitedFor", 64, 1,
     start + init + fill + " // first\n@%p2 bra READ;\n" + wait("W") +
         "READ:\nbar.sync 1;\n@%p2 ld.shared.u32 %r0, [%r3]; // second\n",
     "bar.sync 1;",
     "bar.arrive 1, 64;\nmov.u32 %r20, 0;\nDELAY:\n"
     "add.u32 %r20, %r20, 1;\nsetp.lt.u32 %p6, %r20, 20000;\n"
     "@%p6 bra DELAY;",
     "this warp has not waited on its mbarrier"},
    {"RefillBehindAsynchronousRead", 64, 1,
     tensor + copyToTensor + " // first\n" + commit + wait("W") +
         "tcgen05.fence::after_thread_sync;\n"
         "@%p2 st.shared.b32 [%r3], 0; // second\n" +
         leave,
     wait("W"), "", "may still read: wait for its tcgen05.commit"},
    {"SourceOfABulkStore", 64, 1,
     start + "@%p2 st.shared.u32 [%r2], %t;\n"
             "fence.proxy.async.shared::cta;\nbar.sync 0;\n"
             "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%out], [%r1], "
             "128; // first\n@%p1 cp.async.bulk.commit_group;\n"
             "@%p1 cp.async.bulk.wait_group.read 0;\nbar.sync 1;\n"
             "@!%p2 st.shared.u32 [%r3], %t; // second\n",
     "wait_group.read 0", "wait_group.read 1", "has yet to read"},
    {"BarrierBehindTheWaitForABulkStore", 64, 1,
     start + "@%p2 st.shared.u32 [%r2], %t;\n"
             "fence.proxy.async.shared::cta;\nbar.sync 0;\n"
             "@%p3 cp.async.bulk.global.shared::cta.bulk_group [%out], [%r1], "
             "128; // first\n@%p3 cp.async.bulk.commit_group;\n"
             "@%p3 cp.async.bulk.wait_group.read 0;\nbar.sync 1;\n"
             "@%p2 st.shared.u32 [%r3], 99; // second\n",
     "bar.sync 1;", "", "has yet to read"},
    {"BarrierBehindThreadCopies", 64, 1,
     start + "@%p2 cp.async.ca.shared.global [%r3], [%out], 4; // first\n"
             "cp.async.commit_group;\ncp.async.wait_group 0;\nbar.sync 0;\n"
             "@!%p2 ld.shared.u32 %r0, [%r3]; // second\n",
     "bar.sync 0;", "", "cp.async.wait_group"},
    {"UseOfAnMBarrier", 64, 1,
     start + "@%p1 mbarrier.init.shared::cta.b64 [bar], 1; // first\n"
             "bar.sync 0;\n"
             "@%p3 mbarrier.arrive.shared::cta.b64 _, [bar]; // second\n",
     "bar.sync 0;", "", "uses the mbarrier at"},
    {"InvalidationOfAnMBarrier", 64, 1,
     start + init +
         "@%p3 mbarrier.arrive.shared::cta.b64 _, [bar]; // first\n"
         "bar.sync 1;\n"
         "@%p1 mbarrier.inval.shared::cta.b64 [bar]; // second\n",
     "bar.sync 1;", "", "mbarrier.inval of the mbarrier at"},
    {"UseBehindInvalidation", 64, 1,
     start + init +
         "@%p1 mbarrier.inval.shared::cta.b64 [bar]; // first\nbar.sync 1;\n"
         "@%p1 mbarrier.init.shared::cta.b64 [bar], 1; // needed\n"
         "bar.sync 2;\n"
         "@%p3 mbarrier.arrive.shared::cta.b64 _, [bar]; // second\n",
     "@%p1 mbarrier.init.shared::cta.b64 [bar], 1; // needed", "",
     "invalidates in line"},
    {"ArrivalWithoutInit", 64, 1,
     start + "@%p1 mbarrier.init.shared::cta.b64 [bar], 1; // needed\n"
             "bar.sync 1;\n"
             "@%p3 mbarrier.arrive.shared::cta.b64 _, [bar]; // first second\n",
     "@%p1 mbarrier.init.shared::cta.b64 [bar], 1; // needed", "",
     "which nobody has initialised: mbarrier.init must come first"},
    {"WaitWithoutInit", 64, 1,
     start + "@%p1 mbarrier.init.shared::cta.b64 [bar], 1; // needed\n"
             "bar.sync 1;\n"
             "mbarrier.test_wait.parity.shared::cta.b64 %p4, [bar], 1; "
             "// first second\n",
     "@%p1 mbarrier.init.shared::cta.b64 [bar], 1; // needed", "",
     "which nobody has initialised: mbarrier.init must come first"},
    // A wait tells phases by parity: it must come before the end of the next.
    {"PhaseThatAWaitMisses", 64, 1,
     start + init + arrive + pass + delay + "bar.sync 1;\n" + arrive +
         "bar.sync 2;\n",
     "bar.sync 1;", "", "that it could miss"},
    {"PhaseThatAWaitMissesByOneArrival", 64, 1,
     start +
         "@%p1 mbarrier.init.shared::cta.b64 [bar], 2;\nbar.sync 0;\n"
         "and.b32 %r21, %t, 31;\nsetp.eq.u32 %p1, %r21, 0;\n" +
         arrive + pass + delay + arrive + "bar.sync 1;\n",
     delay + arrive, delay + arrive + arrive, "that it could miss"},
    {"PhaseOfCopiesThatAWaitMisses", 64, 1,
     start + init + fillBy("@%p1 ") + "\n" + pass + delay + "bar.sync 1;\n" +
         fillBy("@%p1 ") + "\nbar.sync 2;\n",
     "bar.sync 1;", "", "that it could miss"},
    // Warps of a warpgroup multiply together.
    {"PhaseThatAWaitMissesBehindWgmma", 128, 1,
     start + "st.shared.b32 [%r2], 0;\nfence.proxy.async.shared::cta;\n" +
         init + arrive + pass + delay +
         "shr.u32 %r10, %r1, 4;\ncvt.u64.u32 %w20, %r10;\n"
         "wgmma.fence.sync.aligned;\n"
         "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
         "{%f0, %f1, %f2, %f3}, %w20, %w20, 0, 1, 1, 0, 0;\n"
         "wgmma.commit_group.sync.aligned;\n"
         "wgmma.wait_group.sync.aligned 0; // needed\n" +
         arrive + "bar.sync 1;\n",
     "wgmma.wait_group.sync.aligned 0; // needed", "", "that it could miss"},
    {"StartOfAPeer", 32, 2,
     start + ranks + clusterSync +
         "@%p1 st.shared::cluster.u32 [%r5], 1; // first second\n" +
         clusterSync,
     "barrier.cluster.wait.acquire.aligned;\n@", "@",
     "which need not have started"},
    {"EndOfAPeer", 32, 2,
     start + ranks + "st.shared.u32 [%r2], %t;\n" + clusterSync +
         "@!%p5 bra DONE;\nmov.u32 %r20, 0;\nDELAY:\n"
         "add.u32 %r20, %r20, 1;\nsetp.lt.u32 %p6, %r20, 20000;\n"
         "@%p6 bra DELAY;\n"
         "ld.shared::cluster.u32 %r0, [%r5]; // first second\nDONE:\n"
         "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n",
     "DONE:\nbarrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;",
     "DONE:", "all threads of which have exited"},
    {"ScopeOfARemoteArrival", 32, 2,
     start + ranks + "@%p1 mbarrier.init.shared::cta.b64 [bar], 1;\n" +
         clusterSync +
         "@!%p5 bra WAITS;\n"
         "@%p1 st.shared::cluster.u32 [%r5], 5; // first\n"
         "@%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r6];\n"
         "bra DONE;\nWAITS:\n" +
         wait("W", ".acquire.cluster") +
         "ld.shared.u32 %r0, [%r1]; // second\nDONE:\n" + clusterSync,
     ".release.cluster.shared", ".shared", "needs .release.cluster"},
    {"InitOfARemoteMBarrier", 32, 2,
     start + ranks +
         "@%p1 mbarrier.init.shared::cta.b64 [bar], 1; // first\n"
         "fence.mbarrier_init.release.cluster;\n"
         "barrier.cluster.arrive.relaxed.aligned;\n"
         "barrier.cluster.wait.acquire.aligned;\n"
         "@%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r6]; "
         "// second\n" +
         clusterSync,
     "fence.mbarrier_init.release.cluster;", "", "uses the mbarrier at"},
    {"AsynchronousStore", 32, 2,
     start + ranks + "@%p1 mbarrier.init.shared::cta.b64 [bar], 1;\n" +
         clusterSync +
         "@%p5 bra WAITS;\n"
         "@%p1 st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 "
         "[%r5], 5, [%r6]; // first\nbra DONE;\nWAITS:\n"
         "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 4;\n" +
         wait("W") + "ld.shared.u32 %r0, [%r1]; // second\nDONE:\n" +
         clusterSync,
     wait("W"), "", "this warp has not waited on its mbarrier"},
    {"CommitToAnMBarrier", 64, 1,
     tensor +
         ".shared .align 8 .b64 other;\n"
         "@%p3 mbarrier.init.shared::cta.b64 [other], 1; // first\n"
         "bar.sync 1;\n"
         "@%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared"
         "::cluster.b64 [other]; // second\n" +
         leave,
     "bar.sync 1;", "", "uses the mbarrier at"},
    {"RelaxedClusterBarrier", 32, 2,
     start + ranks + clusterSync +
         "@%p5 st.shared::cluster.u32 [%r5], 5; // first\n"
         "barrier.cluster.arrive.release.aligned;\n"
         "barrier.cluster.wait.acquire.aligned;\n"
         "@!%p5 ld.shared.u32 %r0, [%r1]; // second\n" +
         clusterSync,
     "barrier.cluster.arrive.release.aligned;\n"
     "barrier.cluster.wait.acquire.aligned;\n@",
     "barrier.cluster.arrive.relaxed.aligned;\n"
     "barrier.cluster.wait.acquire.aligned;\n@",
     "barrier.cluster.arrive and .wait"},
    {"AddressOfTensorMemory", 64, 1,
     start + ".shared .align 4 .b32 base;\n"
             "@!%p2 bra ALLOCATED;\n"
             "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [base], "
             "32; // first\nALLOCATED:\nbar.sync 0;\n"
             "ld.shared.b32 %r7, [base]; // second\n"
             "@!%p2 bra STORE;\n"
             "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r7, 32;\n",
     "bar.sync 0;", "", "there is no barrier between them"},
    {"TensorLoadBehindCopy", 64, 1,
     tensor + quarter + copyToTensor + " // first\n" + commit + wait("W") +
         "tcgen05.fence::after_thread_sync; // needed\n" + tensorLoad +
         " // second\ntcgen05.wait::ld.sync.aligned;\n" + leave,
     "tcgen05.fence::after_thread_sync; // needed", "",
     "no tcgen05.fence::after_thread_sync"},
    {"TensorLoadWithoutWait", 64, 1,
     tensor + quarter + copyToTensor + " // first\n" + commit + wait("W") +
         "tcgen05.fence::after_thread_sync;\n" + tensorLoad +
         " // second\ntcgen05.wait::ld.sync.aligned;\n" + leave,
     wait("W"), "", "wait for its tcgen05.commit first"},
    {"CopyBehindTensorLoad", 64, 1,
     tensor + quarter + copyToTensor + "\n" + commit + wait("W") +
         "tcgen05.fence::after_thread_sync;\n" + tensorLoad +
         " // first\ntcgen05.wait::ld.sync.aligned;\n"
         "tcgen05.fence::before_thread_sync; // needed\nbar.sync 1;\n"
         "tcgen05.fence::after_thread_sync;\n" +
         copyToTensor + " // second\n" + commit + wait("V", "", "1") + leave,
     "tcgen05.fence::before_thread_sync; // needed", "",
     "no tcgen05.fence::before_thread_sync"},
    {"CopyBehindTensorLoadWithoutWait", 64, 1,
     tensor + quarter + copyToTensor + "\n" + commit + wait("W") +
         "tcgen05.fence::after_thread_sync;\n" + tensorLoad +
         " // first\ntcgen05.wait::ld.sync.aligned; // needed\n"
         "tcgen05.fence::before_thread_sync;\nbar.sync 1;\n"
         "tcgen05.fence::after_thread_sync;\n" +
         copyToTensor + " // second\n" + commit + wait("V", "", "1") +
         "tcgen05.wait::ld.sync.aligned;\n" + leave,
     "tcgen05.wait::ld.sync.aligned; // needed", "",
     "tcgen05.wait::ld must come first"},
    {"FreeBehindTensorLoad", 64, 1,
     tensor + quarter + copyToTensor + "\n" + commit + wait("W") +
         "tcgen05.fence::after_thread_sync;\n" + tensorLoad +
         " // first\ntcgen05.wait::ld.sync.aligned;\nbar.sync 1;\n" + free +
         " // second\n",
     "bar.sync 1;", "", "tcgen05.dealloc frees column"},
    // The barriers give the commit time to land before the other CTA ends.
    {"CommitToACtaThatEnds", 32, 2,
     start + ranks +
         "@%p1 mbarrier.init.shared::cta.b64 [bar], 1;\n"
         "fence.mbarrier_init.release.cluster;\n" +
         clusterSync +
         "mov.b16 %h1, 2;\nand.pred %p6, %p1, %p5;\n"
         "@%p6 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared"
         "::cluster.multicast::cluster.b64 [bar], %h1; // first second\n"
         "@%p5 bra END;\n" +
         wait("W") + "END:\n" + clusterSync + clusterSync + clusterSync +
         clusterSync + clusterSync + clusterSync,
     wait("W"), "", "must wait for it first"},
    {"PairAllocates", 32, 2,
     start + ".shared .align 4 .b32 base;\n" + clusterSync +
         "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [base], "
         "32; // first second\n" +
         clusterSync +
         "ld.shared.b32 %r7, [base];\n"
         "tcgen05.dealloc.cta_group::2.sync.aligned.b32 %r7, 32;\n",
     clusterSync + "tcgen05.alloc", "tcgen05.alloc",
     "which need not have started"},
    {"PairFrees", 32, 2,
     start + ".shared .align 4 .b32 base;\n" + clusterSync +
         "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [base], "
         "32; // first\n" +
         clusterSync +
         "ld.shared.b32 %r7, [base];\n"
         "tcgen05.dealloc.cta_group::2.sync.aligned.b32 %r7, 32; // second\n",
     clusterSync + "ld.shared.b32 %r7", "ld.shared.b32 %r7",
     "frees tensor memory of a pair"},
};
} // namespace

TEST_P(HazardOrder, RightAndWrong) {
  const Rule &rule = GetParam();
  for (uint64_t seed = 0; seed < 4; ++seed) {
    options.schedule = seed ? WarpOrder::Random : WarpOrder::Fair;
    options.seed = seed;
    LaunchReport right = runBody(rule.body, rule.threads, rule.ctas);
    EXPECT_FALSE(right.fault) << right.fault->render();
    EXPECT_EQ(render(right), "");
  }
  options.schedule = WarpOrder::Fair;

  std::string wrong = rule.body;
  size_t at = wrong.rfind(rule.from);
  ASSERT_NE(at, std::string::npos);
  wrong.replace(at, rule.from.size(), rule.to);
  LaunchReport report = runBody(wrong, rule.threads, rule.ctas);
  uint32_t second = lineOf(wrong, "second");
  std::string first = "line " + std::to_string(lineOf(wrong, "// first"));
  bool isPair = wrong.find("// first second") == std::string::npos;
  for (const Fault &hazard : report.hazards)
    if (hazard.line == second &&
        hazard.message.find(rule.says) != std::string::npos &&
        (!isPair || hazard.message.find(first) != std::string::npos))
      return;
  ADD_FAILURE() << "no hazard of line " << second << " says '" << rule.says
                << "' and '" << first << "':\n"
                << render(report)
                << (report.fault ? report.fault->render() : "");
}

INSTANTIATE_TEST_SUITE_P(Rules, HazardOrder, testing::ValuesIn(rules),
                         [](const auto &info) { return info.param.name; });

//===----------------------------------------------------------------------===//
// What must stay silent
//===----------------------------------------------------------------------===//

namespace {
class HazardSilence : public HazardOrder {};
} // namespace

/// Bytes of one word that different warps write, and words of one granule.
TEST_F(HazardSilence, BytesApart) {
  LaunchReport report =
      runBody(start + "shr.u32 %r4, %t, 5;\nadd.u32 %r4, %r4, %r1;\n"
                      "cvt.u16.u32 %h1, %t;\nst.shared.u8 [%r4], %h1;\n"
                      "bar.sync 0;\nld.shared.u8 %h2, [%r4];\n",
              128, 1);
  EXPECT_EQ(render(report), "");
}

/// A producer that arrives and consumers that wait, over several rounds of two
/// named barriers.
TEST_F(HazardSilence, NamedBarriers) {
  LaunchReport report = runBody(
      start + "mov.u32 %r20, 0;\n@%p2 bra PRODUCE;\nCONSUME:\n"
              "bar.sync 1, 64;\nld.shared.u32 %r0, [%r3];\nbar.arrive 2, 64;\n"
              "add.u32 %r20, %r20, 1;\nsetp.lt.u32 %p6, %r20, 5;\n"
              "@%p6 bra CONSUME;\nbra STORE;\nPRODUCE:\n"
              "st.shared.u32 [%r3], %t;\nbar.arrive 1, 64;\nbar.sync 2, 64;\n"
              "add.u32 %r20, %r20, 1;\nsetp.lt.u32 %p6, %r20, 5;\n"
              "@%p6 bra PRODUCE;\n",
      64, 1);
  EXPECT_FALSE(report.fault);
  EXPECT_EQ(render(report), "");
}

/// One lane waits, and bar.warp.sync tells the others.
TEST_F(HazardSilence, OneLaneWaits) {
  LaunchReport report =
      runBody(start + init + fill + "\n@!%p3 bra SYNC;\n" + wait("W") +
                  "SYNC:\nbar.warp.sync 0xffffffff;\n@%p2 bra STORE;\n"
                  "ld.shared.u32 %r0, [%r3];\n",
              64, 1);
  EXPECT_FALSE(report.fault);
  EXPECT_EQ(render(report), "");
}

/// Atomics do not race with each other.
TEST_F(HazardSilence, Atomics) {
  LaunchReport report =
      runBody(start + "@%p1 st.shared.u32 [%r1], 0;\nbar.sync 0;\n"
                      "red.shared.add.u32 [%r1], 1;\nbar.sync 0;\n"
                      "ld.shared.u32 %r0, [%r1];\n",
              128, 1);
  EXPECT_EQ(render(report), "");
}

/// A pipeline of two stages that bulk copies fill and threads read.
TEST_F(HazardSilence, Pipeline) {
  for (uint64_t seed = 0; seed < 4; ++seed) {
    options.schedule = seed ? WarpOrder::Random : WarpOrder::Fair;
    options.seed = seed;
    LaunchReport report = runBody(
        ".shared .align 128 .b8 s[256];\n.shared .align 8 .b64 full[2];\n"
        ".shared .align 8 .b64 empty[2];\nmov.u32 %r1, s;\n"
        "mov.u32 %r2, full;\nmov.u32 %r3, empty;\n"
        "setp.eq.u32 %p1, %t, 0;\n@!%p1 bra READY;\n"
        "mbarrier.init.shared::cta.b64 [%r2], 1;\n"
        "mbarrier.init.shared::cta.b64 [%r2+8], 1;\n"
        "mbarrier.init.shared::cta.b64 [%r3], 64;\n"
        "mbarrier.init.shared::cta.b64 [%r3+8], 64;\n"
        "fence.mbarrier_init.release.cluster;\nREADY:\nbar.sync 0;\n"
        "mov.u32 %r4, 0;\nmov.u32 %r0, 0;\nsetp.ge.u32 %p2, %t, 32;\n"
        "LOOP:\nand.b32 %r5, %r4, 1;\nshl.b32 %r6, %r5, 3;\n"
        "add.u32 %r7, %r2, %r6;\nadd.u32 %r8, %r3, %r6;\n"
        "shl.b32 %r9, %r5, 7;\nadd.u32 %r9, %r9, %r1;\n"
        "shr.u32 %r10, %r4, 1;\nand.b32 %r10, %r10, 1;\n"
        "xor.b32 %r11, %r10, 1;\n@%p2 bra CONSUME;\n@!%p1 bra NEXT;\n"
        "W1:\nmbarrier.try_wait.parity.shared::cta.b64 %p4, [%r8], %r11;\n"
        "@!%p4 bra W1;\n"
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r7], 128;\n"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
        "[%r9], [%out], 128, [%r7];\nbra NEXT;\nCONSUME:\n"
        "W2:\nmbarrier.try_wait.parity.shared::cta.b64 %p4, [%r7], %r10;\n"
        "@!%p4 bra W2;\n"
        "and.b32 %r12, %t, 31;\nshl.b32 %r12, %r12, 2;\n"
        "add.u32 %r12, %r12, %r9;\nld.shared.u32 %r13, [%r12];\n"
        "add.u32 %r0, %r0, %r13;\n"
        "mbarrier.arrive.shared::cta.b64 _, [%r8];\nNEXT:\n"
        "add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p5, %r4, 7;\n@%p5 bra LOOP;\n",
        96, 1);
    EXPECT_FALSE(report.fault) << report.fault->render();
    EXPECT_EQ(render(report), "");
  }
}

} // namespace bwgemm::emulator
