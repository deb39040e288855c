"""Programs that the hardware stops, or whose launch it refuses."""

from .base import HEADER, Form

ILLEGAL_ADDRESS = 700
ILLEGAL_INSTRUCTION = 715
MISALIGNED_ADDRESS = 716
LAUNCH_FAILED = 719


def trap(name, outcome, lines, declare="", cluster=1, maps=(), parameters="",
         block=32, grid=None):
    ptx = HEADER.format(version="8.6", target="sm_90a") + declare + f"""\
.visible .entry k(.param .u64 in, .param .u64 out{parameters})
{{
    .reg .b32 %r<8>;
    .reg .b64 %rd<8>;
    .reg .f32 %f<4>;
    .reg .pred %p, %first;
    ld.param.u64 %rd0, [in];
    ld.param.u64 %rd1, [out];
    mov.u32 %r0, %tid.x;
    setp.ne.u32 %first, %r0, 0;
    @%first bra END;
    """ + "\n    ".join(lines) + """
END:
    ret;
}
"""

    def make():
        import numpy as np

        return np.zeros(65536, dtype=np.uint8)

    return Form(f"trap.{name}", ptx, 1, 256, make, block=block, grid=grid or cluster,
                cluster=cluster, outcome=outcome, maps=maps)


BARRIER = ".shared .align 16 .b8 bar[32];\n"
INIT = ["mov.u32 %r1, bar;", "mbarrier.init.shared.b64 [%r1], {count};"]


def barrier(name, outcome, count, lines):
    init = [line.replace("{count}", str(count)) for line in INIT]
    # The answer of a wait keeps the thread until the barrier has taken part.
    answer = ["mbarrier.test_wait.parity.shared.b64 %p, [%r1], 0;",
              "selp.u32 %r3, 1, 2, %p;", "st.global.u32 [%rd1], %r3;"]
    return trap(f"mbarrier.{name}", outcome, init + lines + answer, BARRIER)


def barriers():
    arrive = "mbarrier.arrive.shared.b64 %rd2, [%r1];"
    yield barrier("arrive-more", LAUNCH_FAILED, 1,
                  ["mbarrier.arrive.shared.b64 %rd2, [%r1], 2;"])
    yield barrier("init-2^20", LAUNCH_FAILED, 1 << 20, [arrive])
    yield barrier("arrive-while-bytes-pend", LAUNCH_FAILED, 1,
                  ["mbarrier.arrive.expect_tx.shared.b64 %rd2, [%r1], 16;", arrive])
    yield barrier("drop-more", LAUNCH_FAILED, 1,
                  ["mbarrier.arrive_drop.shared.b64 %rd2, [%r1], 2;"])
    yield barrier("expect-2^20", LAUNCH_FAILED, 1,
                  ["mbarrier.expect_tx.relaxed.cta.shared.b64 [%r1], 1048576;"])
    yield barrier("expect-too-much", LAUNCH_FAILED, 1,
                  ["mbarrier.expect_tx.relaxed.cta.shared.b64 [%r1], 1048575;",
                   "mbarrier.expect_tx.relaxed.cta.shared.b64 [%r1], 2;"])
    yield barrier("expect-2^20-in-two", LAUNCH_FAILED, 1,
                  ["mbarrier.expect_tx.relaxed.cta.shared.b64 [%r1], 1048575;",
                   "mbarrier.expect_tx.relaxed.cta.shared.b64 [%r1], 1;"])
    yield barrier("expect-2^20-by-arrive", LAUNCH_FAILED, 2,
                  ["mbarrier.expect_tx.relaxed.cta.shared.b64 [%r1], 1048575;",
                   "mbarrier.arrive.expect_tx.shared.b64 %rd2, [%r1], 1;"])
    yield barrier("expect-2^20-in-halves", LAUNCH_FAILED, 1,
                  ["mbarrier.expect_tx.relaxed.cta.shared.b64 [%r1], 524288;",
                   "mbarrier.expect_tx.relaxed.cta.shared.b64 [%r1], 524288;"])
    yield barrier("expect-2^20-less-1", 0, 1,
                  ["mbarrier.expect_tx.relaxed.cta.shared.b64 [%r1], 524288;",
                   "mbarrier.expect_tx.relaxed.cta.shared.b64 [%r1], 524287;"])
    yield barrier("complete-2^20", LAUNCH_FAILED, 1,
                  ["mbarrier.complete_tx.relaxed.cta.shared.b64 [%r1], 1048575;",
                   "mbarrier.complete_tx.relaxed.cta.shared.b64 [%r1], 1;"])
    yield barrier("misaligned", MISALIGNED_ADDRESS, 1,
                  ["mbarrier.init.shared.b64 [%r1+4], 1;"])
    yield barrier("init-twice", 0, 1, ["mbarrier.init.shared.b64 [%r1], 2;", arrive])


def accesses():
    yield trap("load-null", ILLEGAL_ADDRESS, ["mov.u64 %rd2, 0;",
                                              "ld.global.u32 %r1, [%rd2];",
                                              "st.global.u32 [%rd1], %r1;"])
    yield trap("store-misaligned", MISALIGNED_ADDRESS,
               ["st.global.u32 [%rd1+2], %r0;"])
    yield trap("load-misaligned-v4", MISALIGNED_ADDRESS,
               ["ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%rd0+8];",
                "st.global.v4.f32 [%rd1], {%f0, %f1, %f2, %f3};"])
    yield trap("load-shared-misaligned", MISALIGNED_ADDRESS,
               ["mov.u32 %r1, bar;", "add.u32 %r1, %r1, %r0;",
                "ld.shared.u32 %r2, [%r1+2];", "st.global.u32 [%rd1], %r2;"], BARRIER)
    yield trap("load-shared-outside", ILLEGAL_ADDRESS,
               ["mov.u32 %r1, 0x3c000;", "add.u32 %r1, %r1, %r0;",
                "ld.shared.u32 %r2, [%r1];", "st.global.u32 [%rd1], %r2;"], BARRIER)
    yield trap("atom-misaligned", MISALIGNED_ADDRESS,
               ["atom.global.add.u32 %r1, [%rd1+2], 1;"])
    yield trap("trap", LAUNCH_FAILED, ["trap;"])
    yield trap("generic-null-store", ILLEGAL_ADDRESS,
               ["mov.u64 %rd2, 16;", "st.u32 [%rd2], %r0;"])


TILE = (".shared .align 1024 .b8 tile[16384];\n.shared .align 8 .b64 full;\n")
OPEN = ["mov.u32 %r1, tile;", "mov.u32 %r2, full;",
        "mbarrier.init.shared.b64 [%r2], 1;",
        "fence.mbarrier_init.release.cluster;", "fence.proxy.async.shared::cta;",
        "mov.b64 %rd3, map;", "cvta.param.u64 %rd3, %rd3;"]
MAP = ", .param .align 64 .b8 map[128]"
WAIT = ["WAIT:", "mbarrier.try_wait.parity.shared.b64 %p, [%r2], 0;", "@!%p bra WAIT;"]


def tensor_map(at, swizzle=0):
    return dict(type=2, rank=2, at=at, dims=[16, 16], strides=[64], box=[8, 8],
                element_strides=[1, 1], swizzle=swizzle, promotion=0, fill=0)


def tma(name, outcome, place, x, y, wait=True, swizzle=0):
    return trap(f"tma.{name}", outcome, OPEN + [
        f"add.u32 %r1, %r1, {place};", f"mov.u32 %r3, {x};", f"mov.u32 %r4, {y};",
        "mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 256;",
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
        " [%r1], [%rd3, {%r3, %r4}], [%r2];"] + (WAIT if wait else []),
        TILE, maps=[tensor_map("in", swizzle)], parameters=MAP)


def stores(name, outcome, x, y):
    return trap(f"tma.store.{name}", outcome, OPEN + [
        f"mov.u32 %r3, {x};", f"mov.u32 %r4, {y};",
        *[f"st.shared.v4.b32 [%r1+{16 * n}], {{{n}, 1, 2, 3}};" for n in range(16)],
        "fence.proxy.async.shared::cta;",
        "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group"
        " [%rd3, {%r3, %r4}], [%r1];", "cp.async.bulk.commit_group;",
        "cp.async.bulk.wait_group 0;"], TILE, maps=[tensor_map("out")],
        parameters=MAP)


def bulk(name, outcome, to, source, size):
    return trap(f"bulk.{name}", outcome, OPEN[:5] + [
        f"add.u32 %r1, %r1, {to};", f"add.u64 %rd0, %rd0, {source};",
        f"mbarrier.arrive.expect_tx.shared.b64 _, [%r2], {size};",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
        f" [%r1], [%rd0], {size}, [%r2];"] + WAIT, TILE)


def copies():
    yield tma("fine", 0, 0, 0, 0)
    yield tma("outside", 0, 0, 1024, -1024)
    for place in [8, 16, 32, 64]:
        yield tma(f"destination-{place}", MISALIGNED_ADDRESS, place, 0, 0)
    yield tma("destination-128", 0, 128, 0, 0)
    yield tma("destination-128-swizzled", 0, 128, 0, 0, swizzle=1)
    yield tma("coordinate-1", ILLEGAL_INSTRUCTION, 0, 1, 0)
    yield tma("coordinate-2-outside", ILLEGAL_INSTRUCTION, 0, 1026, 0)
    yield stores("fine", 0, 8, 8)
    yield stores("outside", 0, 64, 64)
    yield stores("negative-row", ILLEGAL_INSTRUCTION, 0, -1)
    yield stores("negative-column", ILLEGAL_INSTRUCTION, -4, 0)
    yield stores("coordinate-1", ILLEGAL_INSTRUCTION, 1, 0)
    yield bulk("fine", 0, 0, 0, 256)
    yield bulk("size-0", 0, 0, 0, 0)
    yield bulk("destination-8", MISALIGNED_ADDRESS, 8, 0, 256)
    yield bulk("source-8", MISALIGNED_ADDRESS, 0, 8, 256)


def clusters():
    yield trap("peer-load-as-own", ILLEGAL_INSTRUCTION,
               ["mov.u32 %r1, bar;", "mov.u32 %r2, %cluster_ctarank;",
                "xor.b32 %r2, %r2, 1;", "mapa.shared::cluster.u32 %r3, %r1, %r2;",
                "ld.shared::cta.u32 %r4, [%r3];", "st.global.u32 [%rd1], %r4;"],
               BARRIER, cluster=2)


def forms():
    yield from barriers()
    yield from accesses()
    yield from copies()
    yield from clusters()
