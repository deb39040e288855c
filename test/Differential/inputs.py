"""Inputs of the differential tests: the same bits on every machine.

No random library is used, so that neither its version nor its platform
matters: element i of stream s is a mix (splitmix64) of both. Every kind of
value is drawn in several modes, chosen by the number of the input set, since
uniform bits alone seldom meet rounding ties, cancellation or the edges of a
format.
"""

import numpy as np

MASK64 = (1 << 64) - 1


def mix(count, stream):
    """`count` 64-bit words of stream `stream` (splitmix64)."""
    seed = np.uint64((stream * 0xD1342543DE82EF95 + 0x9E3779B97F4A7C15) & MASK64)
    with np.errstate(over="ignore"):
        z = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(
            0x9E3779B97F4A7C15
        ) + seed
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


# Exponent bits, fraction bits.
# f32 values in untyped registers: inputs of tf32 instructions.
FLOATS = {
    "b32f32": (8, 23),
    "f64": (11, 52),
    "f32": (8, 23),
    "tf32": (8, 23),
    "f16": (5, 10),
    "bf16": (8, 7),
    "e4m3": (4, 3),
    "e5m2": (5, 2),
    "e3m2": (3, 2),
    "e2m3": (2, 3),
    "e2m1": (2, 1),
}
# The modes of floating-point values.
MODES = 8


def float_bits(kind, word, extra, mode):
    """Bits of floats of `kind`, one for each element of the three arrays:
    two random words and the mode."""
    exponent_bits, fraction_bits = FLOATS[kind]
    width = 1 + exponent_bits + fraction_bits
    u = np.uint64
    top = u((1 << exponent_bits) - 1)
    bias = (1 << (exponent_bits - 1)) - 1
    fraction_mask = u((1 << fraction_bits) - 1)
    sign = (word >> u(63)) << u(width - 1)
    fraction = (word >> u(3)) & fraction_mask
    e = extra >> u(8)

    def make(exponent, fraction_):
        return sign | (exponent.astype(u) << u(fraction_bits)) | fraction_

    # 0: any bits. NaN and infinities among them.
    bits0 = word & u((1 << width) - 1)
    # 1: around one, full fractions.
    near = np.clip(bias - 2 + (e % u(5)).astype(np.int64), 0, int(top) - 1)
    bits1 = make(near, fraction)
    # 2: wide exponents, no specials.
    bits2 = make((e % top).astype(np.int64), fraction)
    # 3: subnormals and the smallest normals.
    bits3 = make((e % u(3) % top).astype(np.int64), fraction)
    # 4: edges of the format.
    edges = np.array(
        [
            0,
            1,
            int(fraction_mask),
            1 << fraction_bits,
            (int(top) << fraction_bits) - 1,
            int(top) << fraction_bits,
            (int(top) << fraction_bits) | 1,
            (int(top) << fraction_bits) | int(fraction_mask),
            bias << fraction_bits,
            (bias << fraction_bits) | 1,
            (bias << fraction_bits) - 1,
            ((bias + 1) % int(top)) << fraction_bits,
        ],
        dtype=u,
    )
    bits4 = sign | edges[(e % u(len(edges))).astype(np.int64)]
    # 5: few fraction bits set: ties when they are added or converted.
    short = (fraction >> u(max(fraction_bits - 3, 0))) << u(max(fraction_bits - 3, 0))
    low = u(1) * ((extra >> u(40)) & u(1))
    spread = np.clip(bias - 12 + (e % u(25)).astype(np.int64), 0, int(top) - 1)
    bits5 = make(spread, short | (low & fraction_mask))
    # 6: small integers.
    integer = (e % u(8)).astype(np.int64)
    log = np.array([0, 0, 1, 1, 2, 2, 2, 2])[integer]
    rest = (integer - (1 << log)) * (1 << fraction_bits) // (1 << log)
    ok = (integer > 0) & (bias + log < int(top))
    bits6 = np.where(
        ok,
        make(np.clip(bias + log, 0, int(top)), np.maximum(rest, 0).astype(u)),
        u(0),
    )
    # 7: mostly zeros.
    bits7 = np.where(extra & u(3), u(0), bits1)
    out = np.choose(mode, [bits0, bits1, bits2, bits3, bits4, bits5, bits6, bits7])
    return out & u((1 << width) - 1)


def integer_bits(width, word, extra, mode):
    """Bits of integers of `width` bits."""
    u = np.uint64
    mask = u((1 << width) - 1)
    edges = np.array(
        [
            0,
            1,
            2,
            int(mask),
            int(mask) - 1,
            1 << (width - 1),
            (1 << (width - 1)) - 1,
            (1 << (width - 1)) + 1,
            1 << (width // 2),
            (1 << (width // 2)) - 1,
        ],
        dtype=u,
    )
    anything = word & mask
    edge = edges[(extra % u(len(edges))).astype(np.int64)] & mask
    short = (word & mask) >> (extra % u(width))
    small = word % u(70) & mask
    return np.choose(
        mode, [anything, edge, short, ~short & mask, small, anything, edge, short]
    )


def values(kind, count, stream, per_set=1):
    """`count` 64-bit slots of kind `kind`; `per_set` consecutive ones are of
    one input set, and so of one mode. A kind is a float of FLOATS, `b8` to
    `b64`, either packed by a suffix (`f16x2`, `b8x4`, `e4m3x4`), `pred`, `lane`
    (0 to 31), `shift` (0 to 69)."""
    u = np.uint64
    if kind == "pred":
        return mix(count, stream) & u(1)
    if kind == "lane":
        return mix(count, stream) % u(32)
    if kind == "shift":
        return mix(count, stream) % u(70)
    if "x" in kind:
        base, packed = kind.rsplit("x", 1)
        width = element_width(base)
        total = np.zeros(count, dtype=u)
        for part in range(int(packed)):
            total |= values(base, count, stream * 8 + part + 1, per_set) << u(
                part * width
            )
        return total
    word = mix(count, 2 * stream)
    extra = mix(count, 2 * stream + 1)
    sets = np.arange(count, dtype=np.int64) // per_set
    # Operands of one set differ in mode every second time.
    mode = np.where(sets % 2 == 0, sets // 2, sets // 2 + stream) % MODES
    if kind in FLOATS:
        return float_bits(kind, word, extra, mode)
    return integer_bits(int(kind[1:]), word, extra, mode)


def element_width(kind):
    if kind in FLOATS:
        exponent_bits, fraction_bits = FLOATS[kind]
        return 1 + exponent_bits + fraction_bits
    return int(kind[1:])


def pool(kind, byte_count, stream, run=64):
    """Bytes of densely packed elements of `kind`; `run` consecutive ones share
    a mode."""
    width = element_width(kind)
    per_byte = 8 // width if width < 8 else 1
    if width < 8:
        elements = values(kind, byte_count * per_byte, stream, run)
        out = np.zeros(byte_count, dtype=np.uint8)
        for part in range(per_byte):
            out |= (elements[part::per_byte] << np.uint64(part * width)).astype(
                np.uint8
            )
        return out
    dtype = {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}[width]
    count = byte_count // (width // 8)
    return values(kind, count, stream, run).astype(dtype).view(np.uint8)
