"""What the lanes of a warp do together, up to mma.sync."""

from .base import lane_form

SETS = 1024


def warp_form(name, text, ins, outs, **more):
    return lane_form(name, text, ins, outs, sets=SETS, per_set=32, **more)


def exchange():
    for mode in ["up", "down", "bfly", "idx"]:
        for c in [0x1F, 0x0, 0x181F, 0x1C03, 0x101F]:
            yield warp_form(
                f"shfl.sync.{mode}.b32.{c:04x}",
                f"shfl.sync.{mode}.b32 {{d}}|{{e}}, {{a}}, {{b}}, {c}, -1;",
                ["b32", "lane"], ["b32", "pred"])
    for mode, result in [("all", "pred"), ("any", "pred"), ("uni", "pred"),
                         ("ballot", "b32")]:
        type_ = "b32" if mode == "ballot" else "pred"
        yield warp_form(f"vote.sync.{mode}",
                        f"vote.sync.{mode}.{type_} {{d}}, {{a}}, -1;", ["pred"],
                        [result])
    # Few distinct values, so that lanes match.
    for t in ["b32", "b64"]:
        yield warp_form(f"match.any.sync.{t}",
                        f"and.{t} {{a}}, {{a}}, 3;\nmatch.any.sync.{t} {{d}}, {{a}}, -1;",
                        [t], ["b32"])
        yield warp_form(f"match.all.sync.{t}",
                        f"and.{t} {{a}}, {{a}}, 1;\n"
                        f"match.all.sync.{t} {{d}}|{{e}}, {{a}}, -1;",
                        [t], ["b32", "pred"])
    for t in ["s32", "u32"]:
        for op in ["add", "min", "max"]:
            yield warp_form(f"redux.sync.{op}.{t}",
                            f"redux.sync.{op}.{t} {{d}}, {{a}}, -1;", ["b32"], ["b32"])
    for op in ["and", "or", "xor"]:
        yield warp_form(f"redux.sync.{op}.b32",
                        f"redux.sync.{op}.b32 {{d}}, {{a}}, -1;", ["b32"], ["b32"])
    # Half of the warp at a time.
    half = """mov.u32 %r0, %laneid;
        and.b32 %r0, %r0, 1;
        setp.ne.u32 %odd, %r0, 0;
        @%odd bra ODD;
        {even}
        bra DONE;
        ODD:
        {odd}
        DONE:"""
    registers = ".reg .pred %low, %odd;\n.reg .b32 %r0;\n"
    for name, text in [("redux.sync.add.s32", "redux.sync.add.s32 {{d}}, {{a}}, {m};"),
                       ("vote.sync.ballot", "setp.lt.s32 %low, {{a}}, 0;\n"
                        "vote.sync.ballot.b32 {{d}}, %low, {m};"),
                       ("shfl.sync.bfly", "shfl.sync.bfly.b32 {{d}}, {{a}}, 2, 31, {m};"),
                       ("elect.sync", "elect.sync {{d}}|%low, {m};")]:
        body = half.replace("{even}", text.replace("{m}", "0x55555555")) \
                   .replace("{odd}", text.replace("{m}", "0xAAAAAAAA")) \
                   .replace("{{", "{").replace("}}", "}")
        yield warp_form(f"{name}.divergent", registers + body, ["b32"], ["b32"])
    yield warp_form("activemask", "activemask.b32 {d};", ["b32"], ["b32"])
    for op in ["popc.u32"]:
        yield warp_form(f"barrier.red.{op}",
                        f"barrier.sync.aligned 0;\nbarrier.red.{op} {{d}}, 0, {{a}};",
                        ["pred"], ["b32"])
    for op in ["and", "or"]:
        yield warp_form(f"barrier.red.{op}.pred",
                        f"barrier.red.{op}.pred {{d}}, 0, {{a}};", ["pred"], ["pred"])


STAGE = """.reg .b32 %base, %row, %lane;
    mov.u32 %base, stage;
    mov.u32 %row, %tid.x;
    shl.b32 %lane, %row, 4;
    add.u32 %base, %base, %lane;
    """


def matrices():
    # Each lane stores 16 bytes; each warp then reads its own 512 bytes.
    declare = ".shared .align 128 .b8 stage[2048];\n"
    write = STAGE + "st.shared.v4.b32 [%base], {{{i0}, {i1}, {i2}, {i3}}};\nbar.warp.sync -1;\n"
    for count in [1, 2, 4]:
        for trans in ["", ".trans"]:
            registers = ", ".join(f"{{o{n}}}" for n in range(count))
            yield warp_form(
                f"ldmatrix.x{count}{trans}",
                write + f"ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 "
                f"{{{{{registers}}}}}, [%base];",
                ["b32"] * 4, ["b32"] * count, declare=declare)
            sources = ", ".join(f"{{i{n}}}" for n in range(count))
            yield warp_form(
                f"stmatrix.x{count}{trans}",
                STAGE + "st.shared.v4.b32 [%base], {{0, 0, 0, 0}};\nbar.warp.sync -1;\n"
                f"stmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 [%base], "
                f"{{{{{sources}}}}};\nbar.warp.sync -1;\n"
                "ld.shared.v4.b32 {{{o0}, {o1}, {o2}, {o3}}}, [%base];",
                ["b32"] * 4, ["b32"] * 4, declare=declare)
    yield warp_form("movmatrix", "movmatrix.sync.aligned.m8n8.trans.b16 {d}, {a};",
                    ["b32"], ["b32"])
    for bytes_, vector in [(4, "b32"), (8, "v2"), (16, "v4")]:
        for cache in ["ca", "cg"] if bytes_ == 16 else ["ca"]:
            for size in [bytes_, bytes_ // 2, 0]:
                yield warp_form(
                    f"cp.async.{cache}.{bytes_}.{size}",
                    STAGE + "st.shared.v4.b32 [%base], {{-1, -1, -1, -1}};\n"
                    f"cp.async.{cache}.shared.global [%base], [%in], {bytes_}, {size};\n"
                    "cp.async.commit_group;\ncp.async.wait_group 0;\n"
                    "ld.shared.v4.b32 {{{o0}, {o1}, {o2}, {o3}}}, [%base];",
                    ["b64", "b64"], ["b32"] * 4, declare=declare)


def vector(prefix, count):
    return "{{" + ", ".join(f"{{{prefix}{n}}}" for n in range(count)) + "}}"


def mma(shape, layout, d, a, b, c, counts, kinds, suffix="", name_suffix="",
        **more):
    """counts: registers of A, B, C, D; kinds: what A, B and C hold."""
    na, nb, nc, nd = counts

    def names(prefix, first, count):
        return "{{" + ", ".join(f"{{{prefix}{first + n}}}" for n in range(count)) + "}}"

    text = (f"mma.sync.aligned.{shape}.{layout}{suffix}.{d}.{a}.{b}.{c} "
            f"{names('o', 0, nd)}, {names('i', 0, na)}, {names('i', na, nb)}, "
            f"{names('i', na + nb, nc)};")
    ins = [kinds[0]] * na + [kinds[1]] * nb + [kinds[2]] * nc
    outs = [{"f32": "f32", "f64": "f64"}.get(d, "b32")] * nd
    return warp_form(f"mma.{shape}{suffix}.{d}.{a}.{b}.{c}{name_suffix}", text, ins,
                     outs, **more)


def products():
    for d in ["f32", "f16"]:
        c = "f32" if d == "f32" else "f16x2"
        n = 4 if d == "f32" else 2
        for stream in range(2):
            tag = f".{stream}" if stream else ""
            yield mma("m16n8k16", "row.col", d, "f16", "f16", d, (4, 2, n, n),
                      ("f16x2", "f16x2", c), name_suffix=tag)
            yield mma("m16n8k8", "row.col", d, "f16", "f16", d, (2, 1, n, n),
                      ("f16x2", "f16x2", c), name_suffix=tag)
    for stream in range(2):
        tag = f".{stream}" if stream else ""
        yield mma("m16n8k16", "row.col", "f32", "bf16", "bf16", "f32", (4, 2, 4, 4),
                  ("bf16x2", "bf16x2", "f32"), name_suffix=tag)
        yield mma("m16n8k8", "row.col", "f32", "bf16", "bf16", "f32", (2, 1, 4, 4),
                  ("bf16x2", "bf16x2", "f32"), name_suffix=tag)
        yield mma("m16n8k4", "row.col", "f32", "tf32", "tf32", "f32", (2, 1, 4, 4),
                  ("b32f32", "b32f32", "f32"), name_suffix=tag)
        yield mma("m16n8k8", "row.col", "f32", "tf32", "tf32", "f32", (4, 2, 4, 4),
                  ("b32f32", "b32f32", "f32"), name_suffix=tag)
    for a in ["e4m3", "e5m2"]:
        for b in ["e4m3", "e5m2"]:
            for d in ["f32", "f16"]:
                c = "f32" if d == "f32" else "f16x2"
                n = 4 if d == "f32" else 2
                for shape, counts in [("m16n8k32", (4, 2)), ("m16n8k16", (2, 1))]:
                    version = "8.7"
                    yield mma(shape, "row.col", d, a, b, d, counts + (n, n),
                              (a + "x4", b + "x4", c), version=version)
    for a in ["s8", "u8"]:
        for b in ["s8", "u8"]:
            for sat in ["", ".satfinite"]:
                for shape, counts in [("m16n8k32", (4, 2, 4, 4)),
                                      ("m16n8k16", (2, 1, 4, 4)),
                                      ("m8n8k16", (1, 1, 2, 2))]:
                    yield mma(shape, "row.col", "s32", a, b, "s32", counts,
                              ("b8x4", "b8x4", "b32"), suffix=sat)
    for shape, counts in [("m8n8k4", (1, 1, 2, 2)), ("m16n8k4", (2, 1, 4, 4)),
                          ("m16n8k8", (4, 2, 4, 4)), ("m16n8k16", (8, 4, 4, 4))]:
        yield mma(shape, "row.col", "f64", "f64", "f64", "f64", counts,
                  ("f64", "f64", "f64"))
    for op in ["xor.popc", "and.popc"]:
        na, nb, nc, nd = 4, 2, 4, 4
        ins = ["b32"] * 10
        yield warp_form(
            f"mma.m16n8k256.b1.{op}",
            f"mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.{op} "
            "{{{o0}, {o1}, {o2}, {o3}}}, {{{i0}, {i1}, {i2}, {i3}}}, "
            "{{{i4}, {i5}}}, {{{i6}, {i7}, {i8}, {i9}}};", ins, ["b32"] * 4)
    for selector in [0, 1]:
        for d in ["f32", "f16"]:
            n = 4 if d == "f32" else 2
            kinds = ["f16x2"] * 8 + (["f32"] * 4 if d == "f32" else ["f16x2"] * 2)
            c = ", ".join(f"{{i{8 + i}}}" for i in range(n))
            o = ", ".join(f"{{o{i}}}" for i in range(n))
            # Metadata: two places of every four in rising order, others in each lane.
            yield warp_form(
                f"mma.sp.m16n8k32.{d}.f16.{selector}",
                ".reg .b32 %meta, %turn;\nmov.u32 %turn, %laneid;\n"
                "shl.b32 %turn, %turn, 2;\nmov.u32 %meta, 0x4E8D9C4E;\n"
                "shf.l.wrap.b32 %meta, %meta, %meta, %turn;\n"
                f"mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.{d}.f16.f16.{d} "
                f"{{{{{o}}}}}, {{{{{{i0}}, {{i1}}, {{i2}}, {{i3}}}}}}, "
                f"{{{{{{i4}}, {{i5}}, {{i6}}, {{i7}}}}}}, {{{{{c}}}}}, %meta, {selector};",
                kinds, ["f32" if d == "f32" else "b32"] * n, version="8.5")


def forms():
    yield from exchange()
    yield from matrices()
    yield from products()
