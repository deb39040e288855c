#!/usr/bin/env python3
# Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes b200-dots.txt, vectors of B200DotTest: type, scale of A, scale of B,
A, B (a word in hexadecimal per element, separated by commas), C, D.

D is what a B200 gave, as github.com/sf-tensor/tcgen05 publishes it; the inputs
are drawn as that project's validation says. Scales are UE8M0, 7f where there is
none.
"""

import random


def finite(rng):
    bits = rng.getrandbits(32)
    return bits & 0x807FFFFF if bits & 0x7F800000 == 0x7F800000 else bits


def below(limit):
    return lambda rng: rng.randrange(limit)


CASES = (
    ("tf32", 8, 104, finite, (0xFF800000, 0xFC347E7C)),
    ("bf16", 16, 104, finite, (0x7F800000, 0x7F800000)),
    ("f16", 16, 103, lambda rng: rng.getrandbits(16), (0x7FFFFFFF, 0x49776BBA)),
    ("e4m3", 32, 104, below(0x7F), (0xEC63D12A, 0x452AF963)),
    ("e5m2", 32, 300, below(0x7C), (0x4D92B09A, 0x4C9C1102)),
    ("e2m3", 32, 301, below(0x40), (0xC29DD800, 0x449D14C1)),
    ("e3m2", 32, 302, below(0x40), (0x52C9EC63, 0xC33B7700)),
    ("e2m1", 32, 303, below(0x10), (0xC1FE0000, 0xDC3B62A3)),
)


def main():
    with open("b200-dots.txt", "w") as out:
        out.write("# Written by b200-dots.py.\n")

        def line(name, scales, a, b, c, d):
            words = [",".join("%x" % x for x in v) for v in (a, b)]
            out.write("%s %02x %02x %s %s %08x %08x\n" % (name, *scales, *words, c, d))

        for name, depth, seed, element, results in CASES:
            rng = random.Random(seed)
            for d in results:
                a = [element(rng) for _ in range(depth)]
                b = [element(rng) for _ in range(depth)]
                line(name, (0x7F, 0x7F), a, b, finite(rng), d)
        rng = random.Random(910)
        a = [rng.randrange(16) for _ in range(32)]
        b = [rng.randrange(16) for _ in range(32)]
        scales = [rng.randrange(115, 140) for _ in "ab"]
        line("e2m1", scales, a, b, 0, 0x3F094000)


main()
