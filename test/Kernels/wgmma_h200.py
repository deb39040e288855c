"""wgmma as an H200 executes it: random descriptors, operands and metadata.

    wgmma_h200.py DRIVER check RECORD   compares with the record
    wgmma_h200.py DRIVER write RECORD   writes one

The record holds the beginning of a SHA-256 of each result. Inputs come from
seeds. What is covered:

- descriptor-*: where every element of A or B comes from, for random start
  addresses, offsets, swizzles, base offsets and values of the bits that the
  descriptor does not use, in either major-ness. Shared memory holds its own
  index; the other operand is the identity.
- dense-*: all types, A from shared memory and from registers, negated, N of 8,
  16, 48 and 256, saturating; bits of every kind: random ones with NaNs and
  infinities, near exponents, subnormals, zeros.
- sparse-*: both selectors, all swizzles of B, metadata in any order.

Results are bit patterns, with the exact numerics on the emulator.
"""

import hashlib
import sys

import numpy as np
from harness import Device

BASE = 0x400  # where shared memory begins
SIZE = 96 * 1024
THREADS = 128
# K of one instruction.
DEPTH = {
    "f16": 16, "bf16": 16, "tf32": 8, "e4m3": 32, "e5m2": 32, "s8": 32,
    "u8": 32, "b1": 256,
}  # fmt: skip
# Layout codes and the masks of their swizzles.
SWIZZLE = {0: 0, 1: 7, 2: 3, 3: 1}


def descriptor(start, leading, stride, layout, base=0, unused=0):
    return (
        (start & 0x3FFFF) >> 4 | (leading >> 4) << 16 | (stride >> 4) << 32
        | base << 49 | layout << 62 | unused
    )  # fmt: skip


def program(instruction, registers, a_in_registers, selector, tail):
    """One CTA per case: fills shared memory, multiplies once, stores D."""
    d = "{" + ", ".join(f"%d{i}" for i in range(registers)) + "}"
    a = "{%a0, %a1, %a2, %a3}" if a_in_registers else "%da"
    sparse = "" if selector is None else ".sp"
    meta = "" if selector is None else f", %m, {selector}"
    each = range(registers)
    load = "\n".join(f"ld.global.b32 %d{i}, [%pd+{512 * i}];" for i in each)
    store = "\n".join(f"st.global.b32 [%pd+{512 * i}], %d{i};" for i in each)
    return f"""
.version 8.5
.target sm_90a
.address_size 64
.extern .shared .align 1024 .b8 memory[];
.visible .entry k(.param .u64 image, .param .u64 pitch, .param .u64 operands,
                  .param .u64 fragments, .param .u64 d) {{
.reg .b32 %t, %c, %to, %i, %x<4>, %a<4>, %m, %s, %d<{registers}>;
.reg .b64 %cta, %from, %pitch, %lane, %p, %pd, %da, %db;
.reg .pred %more, %scale;
mov.u32 %t, %tid.x;
mov.u32 %c, %ctaid.x;
cvt.u64.u32 %cta, %c;
ld.param.u64 %from, [image];
ld.param.u64 %pitch, [pitch];
mad.lo.u64 %from, %cta, %pitch, %from;
mul.wide.u32 %lane, %t, 16;
add.u64 %from, %from, %lane;
mov.u32 %to, memory;
mad.lo.u32 %to, %t, 16, %to;
mov.u32 %i, 0;
FILL:
ld.global.v4.b32 {{%x0, %x1, %x2, %x3}}, [%from];
st.shared.v4.b32 [%to], {{%x0, %x1, %x2, %x3}};
add.u64 %from, %from, 2048;
add.u32 %to, %to, 2048;
add.u32 %i, %i, 2048;
setp.lt.u32 %more, %i, {SIZE};
@%more bra FILL;
fence.proxy.async;
bar.sync 0;
ld.param.u64 %p, [operands];
mad.lo.u64 %p, %cta, 24, %p;
ld.global.u64 %da, [%p];
ld.global.u64 %db, [%p+8];
ld.global.u32 %s, [%p+16];
setp.ne.u32 %scale, %s, 0;
ld.param.u64 %p, [fragments];
mad.lo.u64 %p, %cta, {THREADS * 4 * 5}, %p;
mad.wide.u32 %p, %t, 4, %p;
ld.global.b32 %a0, [%p];
ld.global.b32 %a1, [%p+512];
ld.global.b32 %a2, [%p+1024];
ld.global.b32 %a3, [%p+1536];
ld.global.b32 %m, [%p+2048];
ld.param.u64 %pd, [d];
mad.lo.u64 %pd, %cta, {THREADS * 4 * registers}, %pd;
mad.wide.u32 %pd, %t, 4, %pd;
{load}
wgmma.fence.sync.aligned;
wgmma.mma_async{sparse}.sync.aligned.{instruction} {d}, {a}, %db{meta}{tail};
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
{store}
ret;
}}
"""


class Form:
    """One instruction, and how to launch it."""

    def __init__(
        self, d, a, b, n, registers=False, selector=None, saturate=False,
        signs=(1, 1), transposes=(0, 0),
    ):  # fmt: skip
        depth = DEPTH[a] * (1 if selector is None else 2)
        instruction = (
            f"m64n{n}k{depth}" + (".satfinite" if saturate else "")
            + f".{d}.{a}.{b}" + (".and.popc" if a == "b1" else "")
        )  # fmt: skip
        self.count = n // (4 if d == "f16" else 2)
        self.d, self.n = d, n
        tail = ", %scale"
        if d != "s32":
            tail += f", {signs[0]}, {signs[1]}"
        if a in ("f16", "bf16"):
            tail += "" if registers else f", {transposes[0]}"
            tail += f", {transposes[1]}"
        self.text = program(instruction, self.count, registers, selector, tail)

    def run(self, device, image, operands, d, fragments=None):
        """`operands`: (descriptor of A, of B, scale-d) per case."""
        cases = len(operands)
        if fragments is None:
            fragments = np.zeros((cases, 5, THREADS), np.uint32)
        arrays = [
            device.array(x)
            for x in (image, np.array(operands, np.uint64), fragments, d)
        ]
        image_, operands_, fragments_, d_ = arrays
        pitch = np.uint64(image.shape[1] if image.ndim == 2 else 0)
        device.load(self.text)["k"](
            (cases, 1, 1), (THREADS, 1, 1), image_, pitch, operands_, fragments_,
            d_, shared=SIZE,
        )  # fmt: skip
        result = d_.get()
        for array in arrays:
            array.free()
        return result

    def matrix(self, registers):
        """[case][register][thread] to [case][row][column] for 32-bit D."""
        thread = np.arange(THREADS)
        warp, lane = thread // 32, thread % 32
        result = np.zeros((len(registers), 64, self.n), np.uint32)
        for i in range(self.count):
            row = 16 * warp + lane // 4 + 8 * (i // 2 % 2)
            result[:, row, 8 * (i // 4) + lane % 4 * 2 + i % 2] = registers[:, i]
        return result


def place_unswizzled(image, values, start, leading):
    """f16 values, K-major without swizzle, SBO = 128."""
    rows, depth = values.shape
    row, k = np.meshgrid(np.arange(rows), np.arange(depth), indexing="ij")
    offset = row * 16 + k % 8 * 2 + k // 8 * leading
    image.view(np.uint16)[(start - BASE + offset) // 2] = values.view(np.uint16)


def descriptor_cases():
    rng = np.random.default_rng(77)
    end = BASE + SIZE
    a_identity, b_identity = end - 4096, end - 6144
    identity = np.zeros((64, 16), np.float16)
    identity[np.arange(16), np.arange(16)] = 1
    plain_a = descriptor(a_identity, 1024, 128, 0)
    plain_b = descriptor(b_identity, 256, 128, 0)
    for operand in "AB":
        n = 16 if operand == "A" else 64
        for transposed in (0, 1):
            operands = []
            for _ in range(400):
                layout = int(rng.integers(4))
                base = int(rng.integers(8)) if rng.random() < 0.5 else 0
                start = BASE + 16 * int(rng.integers(0, 2300))
                if rng.random() < 0.5:
                    start = (start + 127) // 128 * 128
                leading = 16 * int(rng.integers(0, 128))
                stride = 16 * int(rng.integers(0, 128))
                unused = 0
                if rng.random() < 0.2:
                    for bit in [*range(46, 49), *range(52, 62), 14, 15, 30, 31]:
                        if rng.random() < 0.2:
                            unused |= 1 << bit
                random = descriptor(start, leading, stride, layout, base, unused)
                pair = (random, plain_b) if operand == "A" else (plain_a, random)
                operands.append((*pair, 0))
            form = Form(
                "f32", "f16", "f16", n,
                transposes=(transposed, 0) if operand == "A" else (0, transposed),
            )  # fmt: skip

            def run(device, form=form, operands=operands, operand=operand):
                # f16 holds eleven bits: the index takes two runs.
                index = np.arange(SIZE // 2)
                found = 0
                for part, weight in ((index % 2048, 1), (index // 2048, 2048)):
                    image = part.astype(np.float16).view(np.uint8).copy()
                    place_unswizzled(image, identity, a_identity, 1024)
                    place_unswizzled(image, identity[:16], b_identity, 256)
                    d = np.zeros((len(operands), form.count, THREADS), np.uint32)
                    d = form.matrix(form.run(device, image, operands, d))
                    found = found + weight * d.view(np.float32)
                rows = 64 if operand == "A" else 16
                return found[:, :rows].astype(np.int32)

            yield f"descriptor-{operand}-{'mn' if transposed else 'k'}-major", run


# For each type: mask of sign and fraction, shift of the exponent, and a range
# of exponents that lie near each other.
FLOATS = {
    "f16": (0x83FF, 10, 13, 19, np.uint16),
    "bf16": (0x807F, 7, 120, 136, np.uint16),
    "tf32": (0x807FFFFF, 23, 120, 136, np.uint32),
    "e4m3": (0x87, 3, 4, 10, np.uint8),
    "e5m2": (0x83, 2, 11, 19, np.uint8),
}


def random_bits(rng, kind, mode, size):
    """Bytes with elements of `kind`: any bits (0), near exponents (1), many
    zeros (2), the smallest exponents (3), one exponent (4)."""
    if kind not in FLOATS:
        return rng.integers(0, 256, size, dtype=np.uint8)
    mask, shift, low, high, storage = FLOATS[kind]
    width = np.dtype(storage).itemsize
    bits = rng.integers(0, 2 ** (8 * width), size // width, dtype=np.uint64)
    if mode == 1:
        exponent = rng.integers(low, high, bits.shape).astype(np.uint64)
        bits = (bits & mask) | (exponent << shift)
    if mode == 2:
        bits = np.where(rng.random(bits.shape) < 0.7, 0, bits)
    if mode == 3:
        exponent = rng.integers(0, 3, bits.shape).astype(np.uint64)
        bits = (bits & mask) | (exponent << shift)
    if mode == 4:
        bits = (bits & mask) | (np.uint64(low) << np.uint64(shift))
    return bits.astype(storage).view(np.uint8).copy()


def random_addend(rng, kind, mode, shape):
    bits = rng.integers(0, 2**32, shape, dtype=np.uint64).astype(np.uint32)
    if kind == "f32" and mode in (1, 4):
        exponent = rng.integers(118, 140, shape).astype(np.uint32)
        bits = (bits & 0x807FFFFF) | (exponent << 23)
    if kind == "f32" and mode == 3:
        exponent = rng.integers(0, 30, shape).astype(np.uint32)
        bits = (bits & 0x807FFFFF) | (exponent << 23)
    if kind == "f16" and mode in (1, 4):
        exponent = rng.integers(10, 20, shape).astype(np.uint32)
        bits = (bits & 0x83FF83FF) | (exponent * np.uint32(0x04000400))
    if kind == "f16" and mode == 3:
        bits = bits & 0x87FF87FF
    return bits


def random_fragments(rng, kind, cases):
    return np.stack([
        random_bits(rng, kind, c % 5, THREADS * 5 * 4).view(np.uint32)
        .reshape(5, THREADS) for c in range(cases)
    ])  # fmt: skip


def dense_types():
    yield from [
        ("f16", "f16", "f32"), ("f16", "f16", "f16"), ("bf16", "bf16", "f32"),
        ("tf32", "tf32", "f32"), ("s8", "s8", "s32"), ("s8", "u8", "s32"),
        ("u8", "s8", "s32"), ("u8", "u8", "s32"), ("b1", "b1", "s32"),
    ]  # fmt: skip
    for a in ("e4m3", "e5m2"):
        for b in ("e4m3", "e5m2"):
            for d in ("f32", "f16"):
                yield a, b, d


def dense_case(seed, a, b, d, variant, device):
    rng = np.random.default_rng(seed)
    n = (16, 48, 256, 8)[variant]
    cases = 20 if n < 256 else 3
    saturate = variant in (1, 2) and a in ("s8", "u8")
    signs = [(1, 1), (-1, 1), (-1, -1), (1, -1)][variant]
    form = Form(
        d, a, b, n, registers=variant in (1, 3), saturate=saturate, signs=signs
    )
    image = np.zeros((cases, SIZE), np.uint8)
    for c in range(cases):
        image[c] = random_bits(rng, a, c % 5, SIZE)
        if b != a:
            image[c, SIZE // 2 :] = random_bits(rng, b, c % 5, SIZE)[SIZE // 2 :]
    shape = (form.count, THREADS)
    addend = np.stack([random_addend(rng, d, c % 5, shape) for c in range(cases)])
    if saturate:
        extreme = np.where(
            rng.random(addend.shape) < 0.5, addend,
            np.where(
                rng.random(addend.shape) < 0.5, np.uint32(0x7FFFFFFF - 1000),
                np.uint32(0x80000000 + 1000),
            ),
        )  # fmt: skip
        addend = extreme.astype(np.uint32)
    fragments = random_fragments(rng, a, cases)
    operands = [
        (
            descriptor(BASE + 128 * c, 1024, 128, 0),
            descriptor(BASE + SIZE // 2 + 16 * c, n * 16, 128, 0),
            c % 7 != 6,
        )
        for c in range(cases)
    ]
    return form.run(device, image, operands, addend, fragments)


def sparse_case(seed, a, b, d, selector, registers, layout, device):
    rng = np.random.default_rng(seed)
    n, cases = 16, 6
    form = Form(d, a, b, n, registers=registers, selector=selector)
    image = np.stack([random_bits(rng, a, c % 5, SIZE) for c in range(cases)])
    if b != a:
        image[:, SIZE // 2 :] = np.stack([
            random_bits(rng, b, c % 5, SIZE) for c in range(cases)
        ])[:, SIZE // 2 :]  # fmt: skip
    shape = (form.count, THREADS)
    addend = np.stack([random_addend(rng, d, c % 5, shape) for c in range(cases)])
    fragments = random_fragments(rng, a, cases)
    # The pairs of positions among four that the ISA allows; the hardware takes
    # them in any order.
    pairs = [0b0100, 0b1000, 0b1100, 0b1001, 0b1101, 0b1110]
    if a == "tf32":
        pairs = [0b0100, 0b1110]
    elif layout == 0:
        pairs = [i | j << 2 for i in range(4) for j in range(4) if i != j]
    pairs = np.array(pairs, np.uint32)
    meta = np.zeros((cases, THREADS), np.uint32)
    for s in range(8):
        meta |= pairs[rng.integers(0, len(pairs), meta.shape)] << np.uint32(4 * s)
    fragments[:, 4] = meta
    leading, stride = {0: (256, 128), 1: (4096, 2048), 2: (4096, 1024),
                       3: (4096, 512)}[layout]  # fmt: skip
    operands = [
        (
            descriptor(BASE + 128 * c, 1024, 128, 0),
            descriptor(BASE + SIZE // 2 + 1024 * c, leading, stride, layout),
            c % 7 != 6,
        )
        for c in range(cases)
    ]
    return form.run(device, image, operands, addend, fragments)


def all_cases():
    yield from descriptor_cases()
    seed = 0
    for a, b, d in dense_types():
        for variant in range(4):
            seed += 1
            yield (
                f"dense-{d}-{a}-{b}-{variant}",
                lambda device, s=(seed, a, b, d, variant): dense_case(*s, device),
            )
    seed = 1000
    for a, b, d in [
        ("f16", "f16", "f32"), ("bf16", "bf16", "f32"), ("f16", "f16", "f16"),
        ("tf32", "tf32", "f32"), ("e4m3", "e5m2", "f32"), ("e5m2", "e4m3", "f16"),
        ("s8", "u8", "s32"), ("u8", "s8", "s32"),
    ]:  # fmt: skip
        for selector in (0,) if DEPTH[a] == 32 else (0, 1):
            for registers in (False, True):
                for layout in range(4):
                    seed += 1
                    where = "registers" if registers else "shared"
                    yield (
                        f"sparse-{d}-{a}-{b}-{selector}-{where}-{layout}",
                        lambda device, s=(
                            seed, a, b, d, selector, registers, layout
                        ): sparse_case(*s, device),
                    )  # fmt: skip


def main():
    driver, action, path = sys.argv[1:4]
    device = Device(driver, arch="sm_90a", numerics="exact")
    results = {
        name: hashlib.sha256(run(device).tobytes()).hexdigest()[:16]
        for name, run in all_cases()
    }
    if action == "write":
        with open(path, "w") as file:
            file.write(f"# {device.name}, wgmma_h200.py\n")
            file.writelines(f"{name} {hash}\n" for name, hash in results.items())
        return
    with open(path) as file:
        lines = [line.split() for line in file if not line.startswith("#")]
    expected = dict(lines)
    if list(expected) != list(results):
        sys.exit("the record holds other cases")
    wrong = [name for name in results if results[name] != expected[name]]
    if wrong:
        sys.exit("differs from the record: " + ", ".join(wrong))
    print(f"{len(results)} results are those of the record")


main()
