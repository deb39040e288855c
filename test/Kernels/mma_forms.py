"""Every form of mma.sync and mma.sp on random small integers.

mma_forms.py DRIVER [ARCH [NUMERICS [FORM...]]]: a form is tried if the device
is new enough. Elements are placed one by one as the PTX ISA says ("Matrix
fragments for mma", "Sparse matrix storage"); sums of small integers are exact
in every type, so that results must be equal.
"""

import sys

import numpy as np

from harness import Device, DriverError, all_values, encode, expect_equal

rng = np.random.default_rng(1)

BITS = {
    "f16": 16, "bf16": 16, "tf32": 32, "e4m3": 8, "e5m2": 8, "e3m2": 8,
    "e2m3": 8, "e2m1": 8, "f64": 64, "s8": 8, "u8": 8, "s4": 4, "u4": 4,
    "b1": 1, "f32": 32, "s32": 32,
}  # fmt: skip


def element_bits(kind, values, packed=False):
    """Bit patterns of values in the place that a register has for them."""
    if kind in ("s8", "u8", "s4", "u4", "b1"):
        return values.astype(np.int64) & ((1 << BITS[kind]) - 1)
    if kind in ("tf32", "f32"):
        return values.astype(np.float32).view(np.uint32).astype(np.int64)
    bits = encode(kind, values).astype(np.int64)
    # In a byte of its own, a 4-bit element is in bits 2 to 5.
    return bits << 2 if kind == "e2m1" and not packed else bits


def some_values(kind, shape):
    """Random values whose products sum exactly."""
    if kind == "b1":
        return rng.integers(0, 2, shape).astype(float)
    if kind in ("s8", "u8", "s4", "u4"):
        bits = BITS[kind]
        low = -(1 << (bits - 1)) if kind[0] == "s" else 0
        return rng.integers(low, low + (1 << bits), shape).astype(float)
    if kind == "e2m1":
        return rng.choice([-6.0, -2, -1, -0.5, 0, 0.5, 1, 1.5, 3, 4], shape)
    if kind == "e2m3":
        return rng.integers(-7, 8, shape).astype(float)
    if kind == "e5m2":
        return rng.choice([-4.0, -3, -2, -1, 0, 1, 2, 3, 4, 5], shape)
    return rng.integers(-4, 5, shape).astype(float)


def rows_to_registers(bits, width, halves):
    """Registers of A (halves = 2 with 16 rows) or B: element i of a register
    is in column (lane % 4) * count + i of a block of K."""
    rows, columns = bits.shape
    count = 32 // width
    blocks = columns // (4 * count)
    registers = np.zeros((32, blocks * halves), np.uint64)
    for lane in range(32):
        for register in range(blocks * halves):
            row = lane // 4 + 8 * (register % halves)
            for i in range(count):
                column = lane % 4 * count + i + register // halves * 4 * count
                registers[lane, register] |= np.uint64(
                    int(bits[row, column]) << (i * width)
                )
    return registers.astype(np.uint32)


def accumulator_registers(values, kind):
    rows = values.shape[0]
    width = BITS[kind]
    bits = element_bits(kind, values) if kind != "s32" else (
        values.astype(np.int64) & 0xFFFFFFFF
    )  # fmt: skip
    count = 32 // width
    registers = np.zeros((32, rows // 4 // count), np.uint64)
    for lane in range(32):
        for i in range(rows // 4):
            row = lane // 4 + 8 * (i // 2)
            value = int(bits[row, lane % 4 * 2 + i % 2])
            registers[lane, i // count] |= np.uint64(value << i % count * width)
    return registers.astype(np.uint32)


def accumulator_values(registers, kind, rows):
    values = np.zeros((rows, 8))
    width = BITS[kind]
    count = 32 // width
    for lane in range(32):
        for i in range(rows // 4):
            word = int(registers[lane, i // count])
            bits = word >> (i % count * width) & ((1 << width) - 1)
            if kind == "s32":
                value = bits - (1 << 32) if bits >> 31 else bits
            elif kind == "f32":
                value = np.array([bits], np.uint32).view(np.float32)[0]
            else:
                value = all_values(kind)[bits]
            values[lane // 4 + 8 * (i // 2), lane % 4 * 2 + i % 2] = value
    return values


def program(instruction, target, counts, extra, wide=False):
    """A kernel that loads the fragments of each lane, multiplies, stores D."""
    kind, size = ("b64", 8) if wide else ("b32", 4)
    names = "dabcx"
    lines = [
        ".version 8.8",
        f".target {target}",
        ".address_size 64",
        ".visible .entry k(.param .u64 pd, .param .u64 pa, .param .u64 pb,",
        "                  .param .u64 pc, .param .u64 px) {",
        ".reg .b64 %p<5>, %q<5>;",
        ".reg .b32 %t;",
        "mov.u32 %t, %tid.x;",
    ]
    for index, name in enumerate(names):
        lines += [
            f".reg .{kind} %{name}<{max(counts[index], 1)}>;",
            f"ld.param.u64 %p{index}, [p{name}];",
            f"mad.wide.u32 %q{index}, %t, {size * counts[index]}, %p{index};",
        ]
        if name != "d":
            lines += [
                f"ld.global.{kind} %{name}{i}, [%q{index}+{size * i}];"
                for i in range(counts[index])
            ]
    vectors = [
        "{" + ", ".join(f"%{name}{i}" for i in range(count)) + "}"
        for name, count in zip("dabc", counts)
    ]
    lines.append(f"{instruction} {', '.join(vectors)}{extra};")
    lines += [
        f"st.global.{kind} [%q0+{size * i}], %d{i};" for i in range(counts[0])
    ]
    return "\n".join(lines + ["ret;", "}", ""])


def run(device, text, counts, a, b, c, x, wide=False):
    empty = np.zeros((32, 1), np.uint64 if wide else np.uint32)
    d = device.array(np.zeros((32, counts[0]), empty.dtype))
    arrays = [device.array(empty if v is None else v) for v in (a, b, c, x)]
    device.load(text)["k"]((1, 1, 1), (32, 1, 1), d, *arrays)
    result = d.get()
    for array in arrays + [d]:
        array.free()
    return result


def metadata(rows, chunks, chunk):
    """Random numbers of 4 bits, and where each stored group comes from."""
    pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    if chunk == 2:
        pairs = [(0, 1), (2, 3)]
    choice = rng.integers(0, len(pairs), (rows, chunks))
    chosen = np.array(pairs)[choice]
    return chosen[:, :, 0] | chosen[:, :, 1] << 2, chosen


def dense(device, target, m, k, types, modifiers="", saturate=False, scale=""):
    d_kind, a_kind, b_kind, c_kind = types
    return sparse_or_dense(
        device, target, m, k, types, modifiers, saturate, None, scale
    )


def sparse_or_dense(
    device, target, m, k, types, modifiers, saturate, selector, scale=""
):  # fmt: skip
    d_kind, a_kind, b_kind, c_kind = types
    packed = "kind::mxf4" in modifiers
    widths = [4 if packed else BITS[kind] for kind in (a_kind, b_kind)]
    halves = m // 8
    is_sparse = selector is not None
    a = some_values(a_kind, (m, k // 2 if is_sparse else k))
    b = some_values(b_kind, (8, k))
    c = rng.integers(-9, 10, (m, 8)).astype(float)
    if saturate:
        c = rng.choice([2.0**31 - 5, -(2.0**31) + 3, 7], (m, 8))
    counts = [
        m // 4 * BITS[d_kind] // 32,
        a.shape[1] * widths[0] // 128 * halves,
        k * widths[1] // 128,
        m // 4 * BITS[c_kind] // 32,
        0,
    ]
    full, x, extra = a, None, ""
    if is_sparse:
        chunk = {32: 2, 4: 8}.get(widths[0], 4)
        chunks = k // chunk
        numbers, chosen = metadata(m, chunks, chunk)
        full = np.zeros((m, k))
        for row in range(m):
            for part in range(chunks):
                for index in range(2):
                    at = chosen[row, part, index]
                    if chunk == 4:
                        full[row, 4 * part + at] = a[row, 2 * part + index]
                    elif chunk == 8:
                        to = 8 * part + 2 * at
                        start = 4 * part + 2 * index
                        full[row, to : to + 2] = a[row, start : start + 2]
                    else:
                        full[row, 2 * part + at // 2] = a[row, part]
        # Where the numbers are, measured on an H200.
        words = rng.integers(0, 1 << 32, (32, 1), dtype=np.uint32)
        for row in range(m):
            for part in range(chunks):
                lane = row % 8 * 4 + selector * (chunks // 4)
                if widths[0] >= 16:
                    lane += part // 4
                    shift = row // 8 * 16 + part % 4 * 4
                else:
                    lane += part // 8 * 2 + row // 8
                    shift = part % 8 * 4
                word = int(words[lane, 0]) & ~(15 << shift)
                words[lane, 0] = word | int(numbers[row, part]) << shift
        x, counts[4], extra = words, 1, f", %x0, {selector}"
    scale_a, scale_b = np.ones((m, k)), np.ones((8, k))
    if scale:
        kind, blocks = scale.split(".")
        blocks = int(blocks)
        byte, thread_a, thread_b = 0 if blocks == 4 else 2, 1, 3
        x = rng.integers(0, 1 << 32, (32, 2), dtype=np.uint32)
        for operand, values in ((0, scale_a), (1, scale_b)):
            for row in range(values.shape[0]):
                for s in range(blocks):
                    power = int(rng.integers(-2, 3))
                    code = 127 + power if kind == "ue8m0" else (7 + power) << 3
                    lane = row % 8 * 4 + (
                        thread_b if operand else 2 * thread_a + row // 8
                    )
                    shift = 8 * (byte + s)
                    word = int(x[lane, operand]) & ~(255 << shift)
                    x[lane, operand] = word | code << shift
                    part = slice(s * (k // blocks), (s + 1) * (k // blocks))
                    values[row, part] = 2.0**power
        counts[4] = 2
        extra = (
            f", %x0, {{{byte}, {thread_a}}}, %x1, {{{byte}, {thread_b}}}"
        )
        if is_sparse:
            x = np.concatenate([words, x], axis=1)
            counts[4] = 3
            extra = (
                f", %x0, {selector}, %x1, {{{byte}, {thread_a}}}, "
                f"%x2, {{{byte}, {thread_b}}}"
            )
    if a_kind == "b1":
        joined = np.not_equal if "xor" in modifiers else np.logical_and
        want = joined(full[:, None, :], b[None]).sum(axis=2) + c
    else:
        want = (full * scale_a) @ (b * scale_b).T + c
    if saturate:
        want = np.clip(want, -(2.0**31), 2.0**31 - 1)
    name = "mma.sp::ordered_metadata" if is_sparse else "mma"
    kind_words = ".".join(w for w in modifiers.split(".") if "popc" not in w
                          and w not in ("", "xor", "and"))  # fmt: skip
    tail = [w for w in modifiers.split(".") if w in ("xor", "and", "popc")]
    words = [name, "sync.aligned"] + ([kind_words] if kind_words else [])
    words += [f"m{m}n8k{k}", "row.col"]
    words += ["satfinite"] if saturate else []
    words += list(types) + tail + ([scale.split(".")[0]] if scale else [])
    instruction = ".".join(words)
    text = program(instruction, target, counts, extra)
    registers = run(
        device,
        text,
        counts,
        rows_to_registers(element_bits(a_kind, a, packed), widths[0], halves),
        rows_to_registers(element_bits(b_kind, b, packed), widths[1], 1),
        accumulator_registers(c, c_kind),
        x,
    )
    got = accumulator_values(registers, d_kind, m)
    expect_equal(got, want, instruction)
    return instruction


def doubles(device, target, m, k):
    """f64: the same places with registers of 64 bits."""
    halves = m // 8
    a, b = some_values("f16", (m, k)), some_values("f16", (8, k))
    c = some_values("f16", (m, 8))
    lanes = np.arange(32)

    def rows(values, halves):
        columns = [
            values[lanes // 4 + 8 * (r % halves), lanes % 4 + r // halves * 4]
            for r in range(values.shape[1] // 4 * halves)
        ]
        return np.stack(columns, axis=1).view(np.uint64)

    places = [
        (lanes // 4 + 8 * (i // 2), lanes % 4 * 2 + i % 2)
        for i in range(2 * halves)
    ]
    counts = [2 * halves, k // 4 * halves, k // 4, 2 * halves, 0]
    instruction = f"mma.sync.aligned.m{m}n8k{k}.row.col.f64.f64.f64.f64"
    registers = run(
        device,
        program(instruction, target, counts, "", wide=True),
        counts,
        rows(a, halves),
        rows(b, 1),
        np.stack([c[place] for place in places], axis=1).view(np.uint64),
        None,
        wide=True,
    )
    got = np.zeros((m, 8))
    for i, place in enumerate(places):
        got[place] = registers[:, i].copy().view(np.float64)
    expect_equal(got, a @ b.T + c, instruction)
    return instruction


def quads(device, target, layouts, d_kind, c_kind):
    """m8n8k4: four multiplications, each by two groups of four lanes."""
    a, b = some_values("f16", (4, 8, 4)), some_values("f16", (4, 8, 4))
    c = some_values("f16", (4, 8, 8))
    by_columns, by_rows = layouts[0] == "col", layouts[1] == "row"
    fragments = np.zeros((2, 32, 4))
    c_values, want = np.zeros((32, 8)), np.zeros((32, 8))

    def place(lane, i, kind):
        high = 4 if lane >= 16 else 0
        if kind == "f16":
            return lane % 4 + high, i
        return (lane & 1) + (i & 2) + high, (i & 4) + (lane & 2) + (i & 1)

    for lane in range(32):
        quad, high = lane % 16 // 4, 4 if lane >= 16 else 0
        product = a[quad] @ b[quad].T + c[quad]
        for i in range(4):
            row, column = (i + high, lane % 4) if by_columns else (
                lane % 4 + high, i)  # fmt: skip
            fragments[0, lane, i] = a[quad, row, column]
            k, n = (lane % 4, i + high) if by_rows else (i, lane % 4 + high)
            fragments[1, lane, i] = b[quad, n, k]
        for i in range(8):
            c_values[lane, i] = c[quad][place(lane, i, c_kind)]
            want[lane, i] = product[place(lane, i, d_kind)]

    def pack(values, kind):
        if kind == "f32":
            return values.astype(np.float32).view(np.uint32)
        bits = encode("f16", values).astype(np.uint32)
        return bits[:, 0::2] | bits[:, 1::2] << 16

    counts = [4 if d_kind == "f16" else 8, 2, 2, 4 if c_kind == "f16" else 8, 0]
    instruction = (
        f"mma.sync.aligned.m8n8k4.{layouts[0]}.{layouts[1]}."
        f"{d_kind}.f16.f16.{c_kind}"
    )
    registers = run(
        device,
        program(instruction, target, counts, ""),
        counts,
        pack(fragments[0], "f16"),
        pack(fragments[1], "f16"),
        pack(c_values, c_kind),
        None,
    )
    if d_kind == "f32":
        got = registers.view(np.float32).astype(float)
    else:
        halves = np.stack([registers & 0xFFFF, registers >> 16], axis=2)
        got = all_values("f16")[halves.reshape(32, 8)]
    expect_equal(got, want, instruction)
    return instruction


def forms(capability, target):
    """(least architecture, function, arguments) of every form."""
    for layouts in ("row col", "row row", "col col", "col row"):
        for kinds in (("f16", "f16"), ("f32", "f16"), ("f32", "f32")):
            yield 70, quads, (layouts.split(), *kinds)
    for k in (8, 16):
        for kind in ("f16", "f32"):
            yield 80, dense, (16, k, (kind, "f16", "f16", kind))
        yield 80, dense, (16, k, ("f32", "bf16", "bf16", "f32"))
        yield 80, dense, (16, k // 2, ("f32", "tf32", "tf32", "f32"))
    for k in (16, 32):
        for a in ("e4m3", "e5m2"):
            for b in ("e4m3", "e5m2"):
                for kind in ("f16", "f32"):
                    yield 89, dense, (16, k, (kind, a, b, kind))
    for m, k in ((8, 4), (16, 4), (16, 8), (16, 16)):
        yield 80 if m == 8 else 90, doubles, (m, k)
    for bits, shapes in (
        (8, ((8, 16), (16, 16), (16, 32))),
        (4, ((8, 32), (16, 32), (16, 64))),
    ):
        for m, k in shapes:
            for a in "su":
                for b in "su":
                    types = ("s32", f"{a}{bits}", f"{b}{bits}", "s32")
                    yield 80, dense, (m, k, types)
                    yield 80, dense, (m, k, types, "", True)
    for m, k in ((8, 128), (16, 128), (16, 256)):
        for operation in ("xor", "and"):
            # sm_90 runs them in another way, sm_100 has them no more.
            types = ("s32", "b1", "b1", "s32")
            yield 80, dense, (m, k, types, f"{operation}.popc")
    for kind, shapes in (
        ("f16", ((16, 4), (32, 2))),
        ("bf16", ((16, 4), (32, 2))),
        ("tf32", ((8, 4), (16, 2))),
    ):
        for k, selectors in shapes:
            for selector in range(selectors):
                for out in ("f16", "f32") if kind == "f16" else ("f32",):
                    types = (out, kind, kind, out)
                    yield 80, sparse_or_dense, (
                        16, k, types, "", False, selector,
                    )  # fmt: skip
    for kind, shapes in (
        ("s8", ((32, 2), (64, 1))),
        ("s4", ((64, 2), (128, 1))),
    ):
        for k, selectors in shapes:
            for selector in range(selectors):
                for saturate in (False, True):
                    types = ("s32", kind, "u" + kind[1], "s32")
                    yield 80, sparse_or_dense, (
                        16, k, types, "", saturate, selector,
                    )  # fmt: skip
    types = ("f32", "e4m3", "e5m2", "f32")
    yield 89, sparse_or_dense, (16, 64, types, "", False, 0)
    narrow = ("e4m3", "e5m2", "e3m2", "e2m3", "e2m1")
    for a in narrow:
        for b in narrow:
            for kind in ("f16", "f32"):
                types = (kind, a, b, kind)
                yield 120, dense, (16, 32, types, "kind::f8f6f4")
            types = ("f32", a, b, "f32")
            words = "kind::mxf8f6f4.block_scale"
            yield 120, dense, (
                16, 32, types, words + ".scale_vec::1X", False, "ue8m0.1",
            )  # fmt: skip
            yield 120, sparse_or_dense, (
                16, 64, types, words, False, 0, "ue8m0.1",
            )  # fmt: skip
            yield 120, sparse_or_dense, (
                16, 64, types, "kind::f8f6f4", False, 0,
            )  # fmt: skip
    types = ("f32", "e2m1", "e2m1", "f32")
    for words, scale in (
        ("kind::mxf4.block_scale", "ue8m0.2"),
        ("kind::mxf4nvf4.block_scale.scale_vec::2X", "ue8m0.2"),
        ("kind::mxf4nvf4.block_scale.scale_vec::4X", "ue4m3.4"),
    ):
        yield 120, dense, (16, 64, types, words, False, scale)
        yield 120, sparse_or_dense, (16, 128, types, words, False, 0, scale)


def main():
    library, *rest = sys.argv[1:]
    arch = rest[0] if rest else None
    numerics = rest[1] if len(rest) > 1 else "fast"
    device = Device(library, arch=arch, numerics=numerics)
    target = arch or f"sm_{device.capability}"
    count, failures = 0, []
    for least, function, arguments in forms(device.capability, target):
        if least > device.capability:
            continue
        if any(word not in str(arguments) + function.__name__
               for word in rest[2:]):  # fmt: skip
            continue
        try:
            function(device, target, *arguments)
            count += 1
        except (SystemExit, DriverError) as error:
            failures.append(f"{function.__name__}{arguments}: {error}")
    if failures:
        sys.exit("\n".join(failures))
    print(f"{count} forms agree on {device.name}, {numerics}")


if __name__ == "__main__":
    main()
