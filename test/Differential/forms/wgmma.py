"""wgmma: one warpgroup, operands in shared memory as the descriptors say.

Shared memory holds an image of A and one of B, copied from the inputs byte by
byte; what of it is an element, and which, is the descriptor's business. So
layouts, swizzles and transposes are checked together with the sums.
"""

from .base import HEADER, Form, stream_of

# Bytes of the pool of inputs; set s starts at a place of its own.
POOL = 1 << 21
SETS = 1024

# Layout field of the descriptor, bytes of a row.
SWIZZLES = {"none": (0, 16), "32B": (3, 32), "64B": (2, 64), "128B": (1, 128)}


def image_bytes(rows, k_bytes, swizzle, major, element_bytes):
    """Bytes of shared memory that an operand of `rows` x K may touch."""
    span = SWIZZLES[swizzle][1]
    if major == "k":
        return max(rows * span, rows * k_bytes) if swizzle != "none" else rows * k_bytes
    columns = max(1, -(-rows * element_bytes // span))
    return columns * span * max(k_bytes // element_bytes, 8)


def descriptor(swizzle, major, rows, k_bytes, element_bytes):
    """The descriptor without its address: leading and stride offsets as the
    canonical layouts of the ISA pack tiles densely."""
    code, span = SWIZZLES[swizzle]
    k = k_bytes // element_bytes
    if major == "k":
        if swizzle == "none":
            # Core matrices of 8 rows x 16 bytes; all rows of one 16-byte
            # column, then the next.
            lbo, sbo = rows * 16, 128
        else:
            lbo, sbo = 16, 8 * span
    elif swizzle == "none":
        # Core matrices of 8 elements along MN x 8 along K.
        lbo, sbo = rows * 16, 128
    else:
        # Groups of 8 along K lie side by side within a span along MN.
        lbo, sbo = span * k, span * 8
    return (lbo >> 4) << 16 | (sbo >> 4) << 32 | code << 62


def wgmma_form(name, n, k, d, a, b, swizzle="128B", major_a="k", major_b="k",
               a_in_registers=False, scale_d=1, negate=(1, 1), satfinite="",
               sets=SETS, chain=1, stream=None, offset=0):
    import inputs

    size = {"f16": 2, "bf16": 2, "tf32": 4, "e4m3": 1, "e5m2": 1, "s8": 1,
            "u8": 1}
    k_bytes = k * size[a]
    integer = d == "s32"
    registers = n // 2 if d != "f16" else n // 4
    a_bytes = image_bytes(64, k_bytes, swizzle, major_a, size[a])
    b_bytes = image_bytes(n, k_bytes, swizzle, major_b, size[b])
    a_span = -(-(a_bytes + offset) // 1024) * 1024
    b_span = -(-(b_bytes + offset) // 1024) * 1024
    total = a_span + b_span
    kind = {"tf32": "f32", "s8": "b8", "u8": "b8"}.get(a, a)
    type_d = {"f32": "f32", "f16": "b32", "s32": "b32"}[d]
    accumulators = "{" + ", ".join(f"%d{i}" for i in range(registers)) + "}"
    a_operand = "{%a0, %a1, %a2, %a3}" if a_in_registers else "%da"
    tail = f"{a_operand}, %db, %scale"
    if not integer:
        tail += f", {negate[0]}, {negate[1]}"
        if a in ("f16", "bf16"):
            if not a_in_registers:
                tail += f", {int(major_a != 'k')}"
            tail += f", {int(major_b != 'k')}"
    shape = f"m64n{n}k{k}"
    instruction = (f"wgmma.mma_async.sync.aligned.{shape}{satfinite}.{d}.{a}.{b} "
                   f"{accumulators}, {tail};")
    types = f"{a}.{b}"
    lines = []
    for i in range(registers):
        lines.append(f"ld.global.b32 %word, [%c+{512 * i}];")
        lines.append(f"mov.b32 %d{i}, %word;")
    if a_in_registers:
        for i in range(4):
            lines.append(f"ld.global.b32 %a{i}, [%regs+{512 * i}];")
    stores = []
    for i in range(registers):
        stores += [f"mov.b32 %word, %d{i};", f"st.global.b32 [%out+{512 * i}], %word;"]
    descriptor_a = descriptor(swizzle, major_a, 64, k_bytes, size[a])
    descriptor_b = descriptor(swizzle, major_b, n, k_bytes, size[b])
    # Every set reads its images, C and A registers at a place of its own.
    ptx = HEADER.format(version="8.6", target="sm_90a") + f"""\
.shared .align 1024 .b8 image[{total}];
.visible .entry k(.param .u64 in, .param .u64 out)
{{
    .reg .b32 %thread, %set, %word, %from, %to, %step, %low;
    .reg .b64 %in, %out, %wide, %index, %da, %db, %c, %regs, %source;
    .reg .pred %more, %scale;
    .reg .{type_d} %d<{registers}>;
    .reg .b32 %a<4>;
    mov.u32 %thread, %tid.x;
    mov.u32 %set, %ctaid.x;
    ld.param.u64 %in, [in];
    ld.param.u64 %out, [out];
    // The place of this set: a multiple of 16 below half of the pool.
    mul.lo.u32 %from, %set, 0x9E3779B1;
    and.b32 %from, %from, {POOL // 2 - 16};
    cvt.u64.u32 %index, %from;
    add.u64 %source, %in, %index;
    mad.lo.u32 %from, %set, 528, {POOL // 2};
    cvt.u64.u32 %index, %from;
    add.u64 %c, %in, %index;
    mul.wide.u32 %index, %thread, 4;
    add.u64 %c, %c, %index;
    mul.lo.u32 %from, %set, 272;
    cvt.u64.u32 %index, %from;
    add.u64 %regs, %in, %index;
    mul.wide.u32 %index, %thread, 4;
    add.u64 %regs, %regs, %index;
    mad.lo.u32 %from, %set, {registers * 128}, %thread;
    mul.wide.u32 %index, %from, 4;
    add.u64 %out, %out, %index;
    mov.u32 %to, image;
    mov.u32 %step, %thread;
COPY:
    setp.ge.u32 %more, %step, {total // 4};
    @%more bra COPY_END;
    mul.wide.u32 %index, %step, 4;
    add.u64 %wide, %source, %index;
    ld.global.b32 %word, [%wide];
    shl.b32 %low, %step, 2;
    add.u32 %low, %to, %low;
    st.shared.b32 [%low], %word;
    add.u32 %step, %step, 128;
    bra COPY;
COPY_END:
    """ + "\n    ".join(lines) + f"""
    fence.proxy.async.shared::cta;
    bar.sync 0;
    add.u32 %low, %to, {offset};
    bfe.u32 %low, %low, 4, 14;
    cvt.u64.u32 %da, %low;
    or.b64 %da, %da, 0x{descriptor_a:016x};
    add.u32 %low, %to, {a_span + offset};
    bfe.u32 %low, %low, 4, 14;
    cvt.u64.u32 %db, %low;
    or.b64 %db, %db, 0x{descriptor_b:016x};
    setp.ne.b32 %scale, {scale_d}, 0;
    wgmma.fence.sync.aligned;
    """ + f"\n    ".join([instruction] * chain) + """
    wgmma.commit_group.sync.aligned;
    wgmma.wait_group.sync.aligned 0;
    """ + "\n    ".join(stores) + "\n    ret;\n}\n"
    if stream is None:
        stream = stream_of(name)

    def make():
        import numpy as np

        half = POOL // 2
        operands = inputs.pool(kind, half + 256 * 1024, stream)
        c_kind = {"f32": "f32", "f16": "f16", "s32": "b32"}[d]
        addends = inputs.pool(c_kind, half + 128 * 1024, stream + 1)
        return np.concatenate([operands[:half], addends])

    return Form(name, ptx, sets, sets * registers * 64, make, grid=sets)


def forms():
    widths = [8, 16, 24, 40, 64, 96, 128, 200, 256]
    kinds = [("f32", "bf16", "bf16", 16), ("f32", "f16", "f16", 16),
             ("f16", "f16", "f16", 16), ("f32", "tf32", "tf32", 8)]
    kinds += [(d, a, b, 32) for d in ["f32", "f16"] for a in ["e4m3", "e5m2"]
              for b in ["e4m3", "e5m2"]]
    kinds += [("s32", a, b, 32) for a in ["s8", "u8"] for b in ["s8", "u8"]]
    for d, a, b, k in kinds:
        base = f"wgmma.{d}.{a}.{b}"
        some = [n for n in (widths if a in ("bf16", "f16") else [8, 64, 256])]
        if d == "s32":
            some = [8, 16, 32, 64, 96, 128, 256] if a == b == "s8" else [8, 48]
        for n in some:
            sets = SETS if n <= 64 else 1000
            yield wgmma_form(f"{base}.n{n}", n, k, d, a, b, sets=sets)
        for swizzle in ["none", "32B", "64B"]:
            yield wgmma_form(f"{base}.n32.{swizzle}", 32, k, d, a, b, swizzle)
        yield wgmma_form(f"{base}.n32.registers", 32, k, d, a, b,
                         a_in_registers=True)
        yield wgmma_form(f"{base}.n16.zero", 16, k, d, a, b, scale_d=0)
        yield wgmma_form(f"{base}.n16.chain", 16, k, d, a, b, chain=3)
        if d != "s32":
            yield wgmma_form(f"{base}.n16.negated", 16, k, d, a, b, negate=(-1, 1))
            yield wgmma_form(f"{base}.n16.negated-both", 16, k, d, a, b,
                             negate=(-1, -1))
        else:
            yield wgmma_form(f"{base}.n16.satfinite", 16, k, d, a, b,
                             satfinite=".satfinite")
        # The second K step of a 128-byte row: the address moves by 32 bytes,
        # the pattern does not.
        yield wgmma_form(f"{base}.n16.second-step", 16, k, d, a, b, offset=32)
        if a in ("f16", "bf16") and d == "f32":
            for swizzle in SWIZZLES:
                for major_a in ["k", "m"]:
                    for major_b in ["k", "n"]:
                        if major_a == "k" and major_b == "k":
                            continue
                        yield wgmma_form(
                            f"{base}.n64.{swizzle}.{major_a}{major_b}", 64, k, d, a, b,
                            swizzle, major_a, major_b)
            yield wgmma_form(f"{base}.n128.registers.kn", 128, k, d, a, b,
                             major_b="n", a_in_registers=True, sets=1000)
