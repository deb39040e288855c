#!/usr/bin/env python3
"""Draws schedules of mma.sync, targets, types and shapes, and holds the
compiler and the emulator's result to what must come out.

usage: generate-warps.py [--seed=N] [--count=N] [--only=I] [--orders=N] [--jobs=N]
                         [--list]

The counterpart of generate.py for the presets microkernel, tiled,
double_buffered and multistage. Configuration I of a seed is always the same one.
Each is compiled and run on the emulator with small integers as inputs and with
the hazard checker: the result must equal the double-precision reference, and
nothing may be reported. With --orders=N each is also run with normally
distributed inputs in N random orders of warps and landings: the bits must be
those of the fair order.

Rows of operands have any length, and so any alignment. What fits is decided
here, from sums of bytes and registers.
"""

import random
import sys

import drawn

# Shared memory of a CTA in KiB (CUDA programming guide).
TARGETS = {"sm_80": 163, "sm_86": 99, "sm_89": 99, "sm_90": 227, "sm_90a": 227,
           "sm_100a": 227, "sm_120": 99}
PRESETS = ("microkernel", "tiled", "double_buffered", "multistage", "multistage")
MOST_PRODUCTS = 12_000_000


def fits(rows, columns, warps, sums=1):
    """Whether a warp's part leaves registers: an accumulator of 32 bits for each
    element, perhaps a sum apart, two sets of operands, and 48 for everything
    else."""
    registers = sums * rows * columns // 32 + (rows + columns) // 2
    return registers <= min(65536 // (32 * warps), 255) - 48


def draw(seed, index):
    """A configuration: schedule, case, shape, whether sizes are static, target."""
    r = random.Random(f"warps:{seed}:{index}")
    while True:
        preset = r.choice(PRESETS)
        target = r.choice(sorted(TARGETS))
        fields = []
        m, n, warps = 16, 8, (1, 1)
        k = 16 * r.choice((1, 2, 2, 3, 4, 4, 6, 8))
        if preset != "microkernel":
            warps = r.choice(((1, 1), (1, 2), (2, 1), (2, 2), (2, 2), (2, 4), (4, 2),
                              (1, 3), (3, 1), (4, 1), (1, 4)))
            m = warps[0] * 16 * r.choice((1, 2, 2, 3, 4, 4))
            n = warps[1] * r.choice((8, 16, 16, 32, 32, 48, 64, 64))
            fields.append(f"warps={warps[0]}x{warps[1]}")
        if not fits(m // warps[0], n // warps[1], warps[0] * warps[1]):
            continue
        fields.insert(0, f"tile={m}x{n}x{k}")
        stages = {"double_buffered": 2, "multistage": r.choice((2, 3, 3, 4, 5, 8))}.get(
            preset, 1)
        if preset == "multistage":
            fields.append(f"stages={stages}")
        if (m + n) * k * 2 * stages > TARGETS[target] * 1024:
            continue
        operand = r.choice(("bf16", "f16"))
        result = r.choice(("f32", operand))
        layout = r.choice(("nt", "nt", "nn", "tn", "tt"))
        rows = ((k if layout[0] == "n" else m) * 2, (n if layout[1] == "n" else k) * 2)
        spans = [s for s in (0, 32, 64, 128) if any(b % max(s, 16) == 0 for b in rows)]
        if r.random() < 0.5:
            span = r.choice(spans)
            fields.append(f"swizzle={span}B" if span else "swizzle=none")
        if r.random() < 0.4:
            fields.append(f"raster={r.choice((2, 4, 8))}")
            fields.append(f"order={r.choice(('straight', 'serpentine', 'hilbert'))}")
        if r.random() < 0.1 and target not in ("sm_80", "sm_86", "sm_89"):
            fields.append("pdl=on")

        def extent(tile):
            kind = r.randrange(4)
            if kind == 0:
                return r.choice((1, 2, 3, 5, 8, 13))
            whole = tile * r.randint(1, 3)
            # Multiples of 8, of 4, of 2 and odd ones.
            return max(whole + r.choice((-1, 0, 0, 1, 2, 4, 8, -8)), 1)

        if r.random() < 0.25 and fits(m // warps[0], n // warps[1],
                                      warps[0] * warps[1], sums=2):
            fields.append(f"promote={k * r.choice((1, 1, 2, 3))}")
            if r.random() < 0.5:
                fields.append("compensated=on")
        # Drawn apart, so that all else of a seed's configurations is what it was.
        if operand == "f16" and random.Random(f"half:{seed}:{index}").random() < 0.3:
            fields = [f for f in fields if f != "compensated=on"] + ["accumulator=f16"]
        steps = r.choice((1, 1, 2, stages - 1, stages, stages + 1, 2 * stages + 1))
        depth = max(k * max(steps, 1) - r.choice((0, 0, 1, 2, 4, 8, 15)), 1)
        shape = (extent(m), extent(n), depth)
        if r.random() < 0.2:
            parts = r.choice((2, 3, 5))
            if parts <= -(-depth // k):
                fields.append(f"split_k={parts}")
        whole = 1
        for size, tile in zip(shape, (m, n, k)):
            whole *= -(-size // tile) * tile
        if whole > MOST_PRODUCTS:
            continue
        case = f"{operand}-{result}-{layout}" + ("+C" if r.random() < 0.2 else "")
        static = r.random() < 0.7
        return ",".join([preset] + fields), case, shape, static, target


if __name__ == "__main__":
    sys.exit(drawn.main(__doc__, draw))
