"""wmma: the warp's matrices in registers of a layout of their own.

The ISA leaves open which element lies in which register; these forms show it
(a load, its registers as the result) and then multiply.
"""

from .base import lane_form

SETS = 1024


def regs(prefix, first, count):
    return "{{" + ", ".join(f"{{{prefix}{first + n}}}" for n in range(count)) + "}}"


# Type of A and B, shape (M, N, K), registers of A and of B.
SHAPES = (
    [("f16", shape, 8, 8) for shape in [(16, 16, 16), (32, 8, 16), (8, 32, 16)]] +
    [("bf16", (16, 16, 16), 4, 4), ("bf16", (32, 8, 16), 8, 2),
     ("bf16", (8, 32, 16), 2, 8), ("tf32", (16, 16, 8), 4, 4),
     ("f64", (8, 8, 4), 1, 1)] +
    [(t, shape, a, b) for t in ["s8", "u8"]
     for shape, a, b in [((16, 16, 16), 2, 2), ((32, 8, 16), 4, 1),
                         ((8, 32, 16), 1, 4)]] +
    [(t, (8, 8, 32), 1, 1) for t in ["s4", "u4"]] +
    [("b1", (8, 8, 128), 1, 1)])

BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f64": 64, "s8": 8, "u8": 8, "s4": 4,
        "u4": 4, "b1": 1, "f32": 32, "s32": 32}
KINDS = {"f16": "f16x2", "bf16": "bf16x2", "tf32": "b32f32", "f64": "f64",
         "s8": "b8x4", "u8": "b8x4", "s4": "b32", "u4": "b32", "b1": "b32",
         "f32": "f32", "s32": "b32"}


def cells(t, shape):
    """Registers of C and D by their type."""
    if t == "f64":
        return {"f64": 2}
    if t == "f16":
        return {"f32": 8, "f16": 4}
    if t in ("bf16", "tf32"):
        return {"f32": 8}
    return {"s32": shape[0] * shape[1] // 32}


def name_of(shape):
    return "m%dn%dk%d" % shape


def register(t):
    return {"f64": "f64", "f32": "f32"}.get(t, "b32")


# Each warp has 2 KB of shared memory, filled by its lanes.
WARP_BYTES = 2048


def stage(kind, count):
    """Lane's inputs, of 64 bits each or fewer, side by side in shared memory."""
    width = 8 if kind == "f64" else 4
    lines = [".reg .b32 %stage, %mine, %lane;", "mov.u32 %stage, stage;",
             "mov.u32 %lane, %tid.x;", "shr.u32 %mine, %lane, 5;",
             f"mad.lo.u32 %stage, %mine, {WARP_BYTES}, %stage;",
             "and.b32 %lane, %lane, 31;",
             f"mad.lo.u32 %mine, %lane, {width * count}, %stage;"]
    for n in range(count):
        lines.append(f"st.shared.b{8 * width} [%mine+{width * n}], {{i{n}}};")
    return "\n".join(lines) + "\nbar.warp.sync -1;\n"


def loads():
    declare = f".shared .align 128 .b8 stage[{4 * WARP_BYTES}];\n"
    seen = set()
    for t, shape, a, b in SHAPES:
        m, n, k = shape
        one_way = BITS[t] < 8
        wanted = [("a", t, a, m, k), ("b", t, b, k, n)]
        wanted += [("c", ct, count, m, n) for ct, count in cells(t, shape).items()]
        for matrix, element, count, rows, columns in wanted:
            for layout in ["row", "col"]:
                if one_way and matrix != "c" and layout != ("row" if matrix == "a" else "col"):
                    continue
                name = f"wmma.load.{matrix}.{layout}.{name_of(shape)}.{element}"
                if name in seen:
                    continue
                seen.add(name)
                bits = BITS[element]
                runs, pitch = (rows, columns) if layout == "row" else (columns, rows)
                kind = KINDS[element]
                # A pitch wider than the matrix, where it fits.
                if bits >= 8 and rows * columns * bits <= 4 * WARP_BYTES:
                    pitch += 16 * 8 // bits
                # Lanes fill what is read, and a little more.
                words = -(-runs * pitch * bits // ((64 if kind == "f64" else 32) * 32))
                outs = [register(element)] * count
                yield lane_form(
                    name, stage(kind, words) +
                    f"wmma.load.{matrix}.sync.aligned.{layout}.{name_of(shape)}"
                    f".shared.{element} {regs('o', 0, count)}, [%stage], {pitch};",
                    [kind] * words, outs, sets=SETS, per_set=32, declare=declare)


def stores():
    declare = f".shared .align 128 .b8 stage[{4 * WARP_BYTES}];\n"
    seen = set()
    for t, shape, _, _ in SHAPES:
        m, n, _ = shape
        for element, count in cells(t, shape).items():
            for layout in ["row", "col"]:
                name = f"wmma.store.d.{layout}.{name_of(shape)}.{element}"
                if name in seen:
                    continue
                seen.add(name)
                width = 8 if element == "f64" else 4
                words = m * n * BITS[element] // 8 // width // 32
                pitch = n if layout == "row" else m
                lines = [".reg .b32 %stage, %mine, %lane;", "mov.u32 %stage, stage;",
                         "mov.u32 %lane, %tid.x;", "shr.u32 %mine, %lane, 5;",
                         f"mad.lo.u32 %stage, %mine, {WARP_BYTES}, %stage;",
                         "and.b32 %lane, %lane, 31;",
                         f"mad.lo.u32 %mine, %lane, {width * words}, %stage;",
                         f"wmma.store.d.sync.aligned.{layout}.{name_of(shape)}"
                         f".shared.{element} [%stage], {regs('i', 0, count)}, {pitch};",
                         "bar.warp.sync -1;"]
                lines += [f"ld.shared.b{8 * width} {{o{n_}}}, [%mine+{width * n_}];"
                          for n_ in range(words)]
                yield lane_form(name, "\n".join(lines), [KINDS[element]] * count,
                                [register(element)] * words, sets=SETS, per_set=32,
                                declare=declare)


def products():
    for t, shape, a, b in SHAPES:
        for c, count in cells(t, shape).items():
            for d, d_count in cells(t, shape).items():
                if t == "f16":
                    types = f".{d}.{c}"
                else:
                    types = f".{d}.{t}.{t}.{c}"
                layouts = ["row.col", "row.row", "col.col", "col.row"]
                operation = ""
                suffixes = [""]
                if t in ("s8", "u8"):
                    suffixes = ["", ".satfinite"]
                if t in ("s4", "u4"):
                    layouts = ["row.col"]
                    suffixes = ["", ".satfinite"]
                if t == "b1":
                    layouts = ["row.col"]
                    operations = [".xor.popc", ".and.popc"]
                else:
                    operations = [""]
                for operation in operations:
                    for layout in layouts:
                        for suffix in suffixes:
                            yield lane_form(
                                f"wmma.mma{operation}.{layout}.{name_of(shape)}{types}{suffix}",
                                f"wmma.mma{operation}.sync.aligned.{layout}.{name_of(shape)}"
                                f"{types}{suffix} {regs('o', 0, d_count)}, "
                                f"{regs('i', 0, a)}, {regs('i', a, b)}, "
                                f"{regs('i', a + b, count)};",
                                [KINDS[t]] * (a + b) + [KINDS[c]] * count,
                                [register(d)] * d_count, sets=SETS, per_set=32)


def forms():
    yield from loads()
    yield from stores()
    yield from products()
