"""TMA and bulk copies."""

import inputs

from .base import HEADER, Form, stream_of

# cuTensorMapEncodeTiled's element types.
TYPES = {"u8": (0, 1, "b8"), "u16": (1, 2, "b16"), "u32": (2, 4, "b32"),
         "s32": (3, 4, "b32"), "u64": (4, 8, "b64"), "s64": (5, 8, "b64"),
         "f16": (6, 2, "f16"), "f32": (7, 4, "f32"), "f64": (8, 8, "f64"),
         "bf16": (9, 2, "bf16"), "f32_ftz": (10, 4, "f32"), "tf32": (11, 4, "f32"),
         "tf32_ftz": (12, 4, "f32")}
SWIZZLES = {"none": 0, "32B": 1, "64B": 2, "128B": 3}
SETS = 1024


def shared_bytes(box, size, swizzle):
    inner = box[0] * size
    if swizzle != "none":
        inner = {"32B": 32, "64B": 64, "128B": 128}[swizzle]
    rows = 1
    for extent in box[1:]:
        rows *= extent
    return -(-inner * rows // 128) * 128


def coordinates(rank, size, negative):
    """PTX that leaves coordinates in %c0, … from the number of the set."""
    lines = [f".reg .b32 %c<{rank}>;", ".reg .b32 %h;",
             "mul.lo.u32 %h, %set, 0x9E3779B1;", "shr.u32 %h, %h, 3;"]
    for i in range(rank):
        span, back = (24, 6) if negative else (16, 0)
        lines += [f"rem.u32 %c{i}, %h, {span};", f"sub.s32 %c{i}, %c{i}, {back};",
                  f"div.u32 %h, %h, {span};"]
        if i == 0:
            # Bytes of the innermost coordinate are a multiple of 16.
            lines.append(f"mul.lo.s32 %c0, %c0, {max(16 // size, 1)};")
            if rank == 1:
                continue
    return lines


def load_form(name, type_, dims, box, swizzle="none", fill=0, element_strides=None,
              promotion=0):
    code, size, kind = TYPES[type_]
    rank = len(dims)
    pitch = -(-dims[0] * size // 16) * 16
    strides = []
    step = pitch
    for extent in dims[1:]:
        strides.append(step)
        step *= extent
    element_strides = element_strides or [1] * rank
    total = shared_bytes(box, size, swizzle)
    transaction = size
    for extent, stride in zip(box, [1] + list(element_strides[1:])):
        transaction *= -(-extent // stride)
    names = ", ".join(f"%c{i}" for i in range(rank))
    ptx = HEADER.format(version="8.6", target="sm_90a") + f"""\
.shared .align 1024 .b8 tile[{total}];
.shared .align 8 .b64 full;
.visible .entry k(.param .u64 in, .param .u64 out, .param .align 64 .b8 map[128])
{{
    .reg .b32 %thread, %set, %tile, %full, %step, %at;
    .reg .b64 %out, %index, %wide, %map;
    .reg .pred %p;
    mov.u32 %thread, %tid.x;
    mov.u32 %set, %ctaid.x;
    ld.param.u64 %out, [out];
    mov.u32 %tile, tile;
    mov.u32 %full, full;
    mov.u32 %step, %thread;
CLEAR:
    setp.ge.u32 %p, %step, {total // 8};
    @%p bra CLEAR_END;
    shl.b32 %at, %step, 3;
    add.u32 %at, %at, %tile;
    st.shared.b64 [%at], 0xEEEEEEEEEEEEEEEE;
    add.u32 %step, %step, 128;
    bra CLEAR;
CLEAR_END:
    fence.proxy.async.shared::cta;
    setp.ne.u32 %p, %thread, 0;
    @%p bra READY;
    mbarrier.init.shared.b64 [%full], 1;
    fence.mbarrier_init.release.cluster;
    fence.proxy.async.shared::cta;
READY:
    bar.sync 0;
    @%p bra WAIT;
    """ + "\n    ".join(coordinates(rank, size, True)) + f"""
    mbarrier.arrive.expect_tx.shared.b64 _, [%full], {transaction};
    mov.b64 %map, map;
    cvta.param.u64 %map, %map;
    cp.async.bulk.tensor.{rank}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%tile], [%map, {{{names}}}], [%full];
WAIT:
    mbarrier.try_wait.parity.shared.b64 %p, [%full], 0;
    @!%p bra WAIT;
    mul.wide.u32 %index, %set, {total};
    add.u64 %out, %out, %index;
    mov.u32 %step, %thread;
COPY:
    setp.ge.u32 %p, %step, {total // 8};
    @%p bra COPY_END;
    shl.b32 %at, %step, 3;
    cvt.u64.u32 %index, %at;
    add.u64 %index, %index, %out;
    add.u32 %at, %at, %tile;
    ld.shared.b64 %wide, [%at];
    st.global.b64 [%index], %wide;
    add.u32 %step, %step, 128;
    bra COPY;
COPY_END:
    ret;
}}
"""
    bytes_ = step
    stream = stream_of(name)

    def make():
        return inputs.pool(kind, -(-bytes_ // 64) * 64, stream)

    the_map = dict(type=code, rank=rank, at="in", dims=dims, strides=strides, box=box,
                   element_strides=element_strides, swizzle=SWIZZLES[swizzle],
                   promotion=promotion, fill=fill)
    return Form(f"tma.load.{name}", ptx, SETS, SETS * total // 8, make, grid=SETS,
                maps=[the_map])


def store_form(name, type_, dims, box, swizzle="none", reduce=None):
    """`dims` without the last dimension, which is the set. With `reduce`, the
    tensor holds values of the inputs before."""
    code, size, kind = TYPES[type_]
    rank = len(dims) + 1
    pitch = -(-dims[0] * size // 16) * 16
    strides, step = [], pitch
    for extent in dims[1:]:
        strides.append(step)
        step *= extent
    strides.append(step)
    slice_bytes = step
    total = shared_bytes(box, size, swizzle)
    names = ", ".join([f"%c{i}" for i in range(rank - 1)] + ["%set"])
    operation = "cp.async.bulk.tensor" if not reduce else "cp.reduce.async.bulk.tensor"
    op = f".{reduce}" if reduce else ""
    initial = f"""
    mov.u32 %step, %thread;
BEFORE:
    setp.ge.u32 %p, %step, {slice_bytes // 8};
    @%p bra BEFORE_END;
    shl.b32 %at, %step, 3;
    cvt.u64.u32 %index, %at;
    add.u64 %wide, %index, %in;
    ld.global.b64 %wide, [%wide];
    add.u64 %index, %index, %out;
    st.global.b64 [%index], %wide;
    add.u32 %step, %step, 128;
    bra BEFORE;
BEFORE_END:
    fence.proxy.async.global;
""" if reduce else ""
    ptx = HEADER.format(version="8.6", target="sm_90a") + f"""\
.shared .align 1024 .b8 tile[{total}];
.visible .entry k(.param .u64 in, .param .u64 out, .param .align 64 .b8 map[128])
{{
    .reg .b32 %thread, %set, %tile, %step, %at;
    .reg .b64 %in, %out, %index, %wide, %map;
    .reg .pred %p;
    mov.u32 %thread, %tid.x;
    mov.u32 %set, %ctaid.x;
    ld.param.u64 %in, [in];
    ld.param.u64 %out, [out];
    mul.wide.u32 %index, %set, {slice_bytes};
    add.u64 %out, %out, %index;
    mul.wide.u32 %index, %set, {max(total, slice_bytes)};
    add.u64 %in, %in, %index;{initial}
    mov.u32 %tile, tile;
    mov.u32 %step, %thread;
FILL:
    setp.ge.u32 %p, %step, {total // 8};
    @%p bra FILL_END;
    shl.b32 %at, %step, 3;
    cvt.u64.u32 %index, %at;
    add.u64 %index, %index, %in;
    ld.global.b64 %wide, [%index+{256 if reduce else 0}];
    add.u32 %at, %at, %tile;
    st.shared.b64 [%at], %wide;
    add.u32 %step, %step, 128;
    bra FILL;
FILL_END:
    fence.proxy.async.shared::cta;
    bar.sync 0;
    setp.ne.u32 %p, %thread, 0;
    @%p bra DONE;
    """ + "\n    ".join(coordinates(rank - 1, size, False)) + f"""
    mov.b64 %map, map;
    cvta.param.u64 %map, %map;
    {operation}.{rank}d.global.shared::cta{op}.tile.bulk_group [%map, {{{names}}}], [%tile];
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group 0;
DONE:
    ret;
}}
"""
    stream = stream_of(name)
    bytes_ = SETS * max(total, slice_bytes) + 4096

    def make():
        return inputs.pool(kind, bytes_, stream)

    the_map = dict(type=code, rank=rank, at="out", dims=list(dims) + [SETS],
                   strides=strides, box=list(box) + [1],
                   element_strides=[1] * rank, swizzle=SWIZZLES[swizzle],
                   promotion=0, fill=0)
    prefix = "tma.reduce" if reduce else "tma.store"
    return Form(f"{prefix}.{name}", ptx, SETS, SETS * slice_bytes // 8, make,
                grid=SETS, maps=[the_map])


def bulk_form(name, size, reduce=None, kind="b32"):
    """Global to shared to global (or a reduction into global), 1-D."""
    op = (f"cp.reduce.async.bulk.global.shared::cta.bulk_group.{reduce}" if reduce
          else "cp.async.bulk.global.shared::cta.bulk_group")
    before = f"""
    mov.u32 %step, %thread;
BEFORE:
    setp.ge.u32 %p, %step, {size // 8};
    @%p bra BEFORE_END;
    shl.b32 %at, %step, 3;
    cvt.u64.u32 %index, %at;
    add.u64 %wide, %index, %in;
    ld.global.b64 %wide, [%wide+16];
    add.u64 %index, %index, %out;
    st.global.b64 [%index], %wide;
    add.u32 %step, %step, 128;
    bra BEFORE;
BEFORE_END:
    fence.proxy.async.global;
""" if reduce else ""
    ptx = HEADER.format(version="8.6", target="sm_90a") + f"""\
.shared .align 128 .b8 tile[{size}];
.shared .align 8 .b64 full;
.visible .entry k(.param .u64 in, .param .u64 out)
{{
    .reg .b32 %thread, %set, %tile, %full, %step, %at;
    .reg .b64 %in, %out, %index, %wide;
    .reg .pred %p, %q;
    mov.u32 %thread, %tid.x;
    mov.u32 %set, %ctaid.x;
    ld.param.u64 %in, [in];
    ld.param.u64 %out, [out];
    mul.wide.u32 %index, %set, {size};
    add.u64 %in, %in, %index;
    add.u64 %out, %out, %index;{before}
    mov.u32 %tile, tile;
    mov.u32 %full, full;
    setp.ne.u32 %q, %thread, 0;
    @%q bra READY;
    mbarrier.init.shared.b64 [%full], 1;
    fence.mbarrier_init.release.cluster;
    fence.proxy.async.shared::cta;
READY:
    bar.sync 0;
    @%q bra DONE;
    mbarrier.arrive.expect_tx.shared.b64 _, [%full], {size};
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%tile], [%in], {size}, [%full];
WAIT:
    mbarrier.try_wait.parity.shared.b64 %p, [%full], 0;
    @!%p bra WAIT;
    {op} [%out], [%tile], {size};
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group 0;
DONE:
    ret;
}}
"""
    stream = stream_of(name)

    def make():
        return inputs.pool(kind, SETS * size + 4096, stream)

    return Form(f"bulk.{name}", ptx, SETS, SETS * size // 8, make, grid=SETS)


def loads():
    for t, (_, size, _) in TYPES.items():
        inner = 64 // size
        yield load_form(f"{t}.2d", t, [inner * 2 + 16 // size, 13], [inner, 9])
    for swizzle, span in [("32B", 32), ("64B", 64), ("128B", 128)]:
        for t in ["u8", "bf16", "f32", "f64"]:
            size = TYPES[t][1]
            yield load_form(f"{t}.{swizzle}", t, [200 // size // 2 * 2, 13],
                            [span // size, 16], swizzle)
        yield load_form(f"bf16.{swizzle}.narrow", "bf16", [104, 13], [8, 16], swizzle)
        yield load_form(f"bf16.{swizzle}.half", "bf16", [104, 13],
                        [max(span // 4, 8), 16], swizzle)
        yield load_form(f"bf16.{swizzle}.3d", "bf16", [104, 13, 7],
                        [span // 2, 4, 3], swizzle)
    yield load_form("bf16.1d", "bf16", [200], [64])
    yield load_form("f32.1d", "f32", [77], [32])
    yield load_form("f16.3d", "f16", [40, 11, 9], [16, 4, 3])
    yield load_form("u32.4d", "u32", [20, 7, 9, 5], [8, 3, 2, 4])
    yield load_form("u8.5d", "u8", [48, 7, 5, 6, 4], [32, 2, 3, 2, 2])
    for t in ["f16", "bf16", "f32", "f64", "tf32"]:
        size = TYPES[t][1]
        yield load_form(f"{t}.nan-fill", t, [96 // size, 13], [64 // size, 9], fill=1)
    yield load_form("bf16.element-stride-2", "bf16", [72, 40], [32, 16],
                    element_strides=[1, 2])
    yield load_form("f32.element-stride-3", "f32", [40, 40], [16, 15],
                    element_strides=[1, 3])
    yield load_form("f32.element-stride-ragged", "f32", [40, 40], [16, 16],
                    element_strides=[1, 3])
    for promotion in [1, 2, 3]:
        yield load_form(f"bf16.promotion-{promotion}", "bf16", [72, 13], [64, 8],
                        "128B", promotion=promotion)


def stores():
    for t, (_, size, _) in TYPES.items():
        if t.startswith("tf32"):
            continue
        # Rows of whole 16-byte units: TMA writes the unit of the last element
        # whole.
        yield store_form(f"{t}", t, [80 // size, 9], [64 // size, 8])
    for swizzle, span in [("32B", 32), ("64B", 64), ("128B", 128)]:
        for t in ["bf16", "f32"]:
            size = TYPES[t][1]
            yield store_form(f"{t}.{swizzle}", t, [144 // size, 9], [span // size, 8],
                             swizzle)
    yield store_form("bf16.3d", "bf16", [40, 7, 5], [16, 4, 3])
    yield store_form("bf16.1d", "bf16", [72], [64])
    for op, types in [("add", ["u32", "s32", "u64", "f16", "bf16", "f32", "f32_ftz",
                               "f64"]),
                      ("min", ["u32", "s32", "u64", "s64", "f16", "bf16"]),
                      ("max", ["u32", "s32", "u64", "s64", "f16", "bf16"]),
                      ("and", ["u32", "u64"]), ("or", ["u32", "u64"]),
                      ("xor", ["u32", "u64"]), ("inc", ["u32"]), ("dec", ["u32"])]:
        for t in types:
            size = TYPES[t][1]
            yield store_form(f"{op}.{t}", t, [80 // size, 9], [64 // size, 8],
                             reduce=op)


def bulks():
    for size in [16, 48, 1024, 4096]:
        yield bulk_form(f"copy.{size}", size)
    for op, types in [("add", ["u32", "s32", "u64", "f32", "f64", "noftz.f16",
                               "noftz.bf16"]),
                      ("min", ["u32", "s32", "u64", "s64", "f16", "bf16"]),
                      ("max", ["u32", "s32", "u64", "s64", "f16", "bf16"]),
                      ("and", ["b32", "b64"]), ("or", ["b32", "b64"]),
                      ("xor", ["b32", "b64"]), ("inc", ["u32"]), ("dec", ["u32"])]:
        for t in types:
            bare = t.split(".")[-1]
            kind = bare if "f" in bare else "b" + bare[1:]
            yield bulk_form(f"{op}.{t}", 256, f"{op}.{t}", kind)


def forms():
    yield from loads()
    yield from stores()
    yield from bulks()
