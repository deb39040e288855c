#!/usr/bin/env python3
# Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes scaled-dots.txt, the vectors of ExactBlockScaleTest.

Each line is one sum of 64 products of e2m1: scale type, blocks, A, B (a digit
per element), scales of A, scales of B, C, D. The first ones are results of a
B200 that github.com/sf-tensor/tcgen05 publishes; their inputs are drawn as
that project's validation says. The others are worked out here from the rule in
words, in exact rational arithmetic:

  R  largest exponent of a product that is not zero, scales included
  S  largest exponent of the two scales of such a product
  c  exponent of C, if it is not zero
  exponents are those of the encodings: a subnormal has that of the smallest
  normal number, and a product the sum of its factors'
"""

import random
from fractions import Fraction

NONE = -(10**6)


def e2m1(bits):
    """(value, exponent)."""
    field, low = (bits >> 1) & 3, bits & 1
    exponent = max(field, 1) - 1
    value = Fraction(2 * (field > 0) + low, 2) * 2**exponent
    return (-value if bits & 8 else value), exponent


def scale(kind, bits):
    if kind == "ue8m0":
        return Fraction(2) ** (bits - 127), bits - 127
    field, low = (bits >> 3) & 15, bits & 7
    exponent = max(field, 1) - 7
    return Fraction(8 * (field > 0) + low, 8) * Fraction(2) ** exponent, exponent


def f32(bits):
    field, low = (bits >> 23) & 255, bits & 0x7FFFFF
    exponent = max(field, 1) - 127
    value = Fraction((field > 0) * 2**23 + low, 2**23) * Fraction(2) ** exponent
    return (-value if bits >> 31 else value), exponent


def toward0(value, unit):
    """The multiple of 2^unit next to value on the side of zero."""
    step = Fraction(2) ** unit
    count = abs(value) // step
    return (-count if value < 0 else count) * step


def to_f32(value):
    if value == 0:
        return 0
    exponent = 0
    while abs(value) >= Fraction(2) ** (exponent + 1):
        exponent += 1
    while abs(value) < Fraction(2) ** exponent:
        exponent -= 1
    sign = (value < 0) << 31
    if exponent > 127:
        return sign | 0x7F800000
    value = abs(toward0(value, max(exponent, -126) - 23))
    if value == 0:
        return 0
    if exponent < -126:
        return sign | int(value * 2**149)
    return sign | (exponent + 127) << 23 | int(value / Fraction(2) ** exponent * 2**23) & 0x7FFFFF


def dot(kind, a, b, sa, sb, c):
    if any(x == (255 if kind == "ue8m0" else 127) for x in sa + sb):
        return 0x7FFFFFFF
    block = len(a) // len(sa)
    products = []  # value, exponent, exponent of the scales
    for k, (x, y) in enumerate(zip(a, b)):
        (va, ea), (vb, eb) = e2m1(x), e2m1(y)
        (vs, es), (vt, et) = scale(kind, sa[k // block]), scale(kind, sb[k // block])
        value = va * vb * vs * vt
        products.append((value, ea + eb + es + et if value else NONE, es + et if value else NONE))
    R = max(p[1] for p in products)
    S = max(p[2] for p in products)
    C, exponent = f32(c)
    ec = exponent if C else NONE
    if R == NONE:
        return c
    sums = lambda size: [products[i : i + size] for i in range(0, len(products), size)]
    if kind == "ue4m3" and ec >= R:
        unit = ec - 35
        return to_f32(toward0(C, unit) + sum(toward0(sum(p[0] for p in s), unit) for s in sums(16)))
    unit = max(max(R, ec) - 39, S - 35)
    if kind == "ue4m3":
        return to_f32(toward0(C, unit) + sum(toward0(sum(p[0] for p in s), unit) for s in sums(4)))
    terms = []
    for s in sums(16):
        highest = max(p[1] for p in s)
        own = max(unit, ec - 35) if highest > NONE and ec >= highest else unit
        terms.append((toward0(sum(p[0] for p in s), own), max(p[2] for p in s)))
    result = to_f32(toward0(C, unit) + sum(t[0] for t in terms))
    if 0 < result & 0x7FFFFFFF < 0x800000:
        least = Fraction(2) ** max(-174, unit)
        kept = [t[0] for t in terms if t[1] in (NONE, S) or abs(t[0]) >= least]
        result = to_f32(toward0(C, unit) + sum(kept))
    return result


def line(kind, a, b, sa, sb, c, d):
    digits = lambda values: "".join("%x" % v for v in values)
    pairs = lambda values: "".join("%02x" % v for v in values)
    return "%s %d %s %s %s %s %08x %08x" % (kind, len(sa), digits(a), digits(b), pairs(sa), pairs(sb), c, d)


def measured():
    rng = random.Random(700)
    for d in (0x4429730B, 0xC30545D3):
        a = [rng.randrange(16) for _ in range(64)]
        b = [rng.randrange(16) for _ in range(64)]
        c = rng.getrandbits(32)
        if c & 0x7F800000 == 0x7F800000:
            c &= 0x807FFFFF
        sa = [rng.randrange(0x77) for _ in range(4)]
        sb = [rng.randrange(0x77) for _ in range(4)]
        yield "ue4m3", a, b, sa, sb, c, d
    for seed, count, d in ((920, 2, 0x46BA8000), (921, 2, 0x40580000), (922, 4, 0xC6A88896)):
        rng = random.Random(seed)
        a = [rng.randrange(16) for _ in range(64)]
        b = [rng.randrange(16) for _ in range(64)]
        sa = [rng.randrange(115, 140) for _ in range(count)]
        sb = [rng.randrange(115, 140) for _ in range(count)]
        yield "ue8m0", a, b, sa, sb, 0, d
    a = [int(x, 16) for x in "eeb608f9ab39f7e02615a8647c6b1c6dbb86c8c5041f16f52465a7b701adbfe7"]
    b = [int(x, 16) for x in "6cb289b43d299c187263d29a59f5a8608dd2cc52834ff11aba5bf3bea571178a"]
    yield "ue4m3", a, b, [0x09, 0x7C, 0x6D, 0x44], [0x07, 0x78, 0x26, 0x79], 0x094E5986, 0x49FCAFB7


def derived():
    rng = random.Random(20)
    for index in range(160):
        kind, count = (("ue4m3", 4), ("ue8m0", 2), ("ue8m0", 4))[index % 3]
        a = [rng.randrange(16) for _ in range(64)]
        b = [rng.randrange(16) for _ in range(64)]
        if index % 10 == 7:  # Whole groups of zeros.
            first = 16 * rng.randrange(4)
            a[first : first + 16] = [0, 8] * 8
        if kind == "ue4m3":
            sa, sb = ([rng.randrange(0x7F) for _ in range(4)] for _ in "ab")
            center = 0
        else:
            spread = rng.choice((2, 20, 120))
            center = rng.choice((0, 0, -60, -150, 100))
            each = lambda: max(0, min(254, 127 + center // 2 + rng.randint(-spread, spread)))
            sa, sb = ([each() for _ in range(count)] for _ in "ab")
        mode = index % 4
        c = 0
        if mode == 1:  # Near the products, below or above.
            field = max(0, min(254, 127 + center + rng.randint(-20, 24)))
            c = rng.getrandbits(1) << 31 | field << 23 | rng.getrandbits(23)
        elif mode == 2:
            c = rng.getrandbits(32)
            c = c & ~0x40000000 if c & 0x7F800000 == 0x7F800000 else c
        elif mode == 3:  # Almost what the products cancel.
            c = dot(kind, a, b, sa, sb, 0) ^ 0x80000000
            if c & 0x7F800000 == 0x7F800000:
                c = 0
        yield kind, a, b, sa, sb, c, dot(kind, a, b, sa, sb, c)
    a, b = [2] * 64, [2] * 64
    yield "ue8m0", a, b, [255, 127], [127, 127], 0, 0x7FFFFFFF
    yield "ue4m3", a, b, [0x38, 0x38, 0x7F, 0x38], [0x38] * 4, 0, 0x7FFFFFFF
    yield "ue8m0", [0] * 64, b, [127, 127], [127, 127], 0xC0490FDB, 0xC0490FDB


def main():
    with open("scaled-dots.txt", "w") as out:
        out.write("# Written by scaled-dots.py. Results of a B200:\n")
        for case in measured():
            assert dot(*case[:6]) == case[6], ("%x" % dot(*case[:6]), case)
            out.write(line(*case) + "\n")
        out.write("# Worked out in rational arithmetic:\n")
        for case in derived():
            out.write(line(*case) + "\n")


main()
