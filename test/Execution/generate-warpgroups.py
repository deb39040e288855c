#!/usr/bin/env python3
"""Draws schedules of wgmma, types and shapes for sm_90a, and holds the compiler
and the emulator's result to what must come out.

usage: generate-warpgroups.py [--seed=N] [--count=N] [--only=I] [--orders=N]
                              [--jobs=N] [--list]

The counterpart of generate.py for the presets warp_specialized and persistent of
sm_90a: clusters, swapped operands, staging tiles, parts of K, equal shares of
steps (stream-K), blocks of K that are summed apart, tiles of 256 rows, teams that
take tiles in turn, results whose rows begin anywhere. Configuration I of a seed is
always the same one. Each is compiled and run on the emulator with small integers
as inputs and with the hazard checker: the result must equal the double-precision
reference, and nothing may be reported. With --orders=N each is also run with
normally distributed inputs in N random orders of warps and landings: the bits must
be those of the fair order.

What fits is decided here, from sums of bytes and of registers.
"""

import random
import sys

import drawn

SHARED_BYTES = 227 * 1024
MOST_PRODUCTS = 12_000_000
CLUSTERS = ((1, 1), (1, 1), (2, 1), (1, 2), (2, 2), (4, 1), (1, 4), (3, 1))


def staging_bytes(rows, columns, element_bytes, slices):
    """Of `slices` slices of a result, each as wide as the widest row of 128, 64,
    32 or 16 bytes that divides a row of the tile."""
    row = columns * element_bytes
    span = next(s for s in (128, 64, 32, 16) if row % s == 0)
    return min(row // span, slices) * rows * span


def draw(seed, index):
    """A configuration: schedule, case, shape, whether sizes are static, target."""
    r = random.Random(f"warpgroups:{seed}:{index}")
    while True:
        preset = r.choice(("warp_specialized", "persistent", "persistent"))
        teams = preset == "persistent" and r.random() < 0.3
        m = r.choice((64, 128) if teams else (64, 64, 128, 256))
        n = r.choice((8, 16, 24, 32, 64, 64, 96, 128, 176, 192, 256))
        k = 16 * r.choice((1, 2, 2, 3, 4, 4, 8))
        stages = r.choice((1, 2, 3, 4, 5, 8))
        # Blocks of 64 rows that each warpgroup has, half a register a column.
        blocks = m // 64 if teams else max(m // 128, 1)
        if blocks * n // 2 > 200 or (teams and stages == 1):
            continue
        fields = [f"tile={m}x{n}x{k}", f"stages={stages}"]
        if teams:
            fields.append("pingpong=on")
        swaps = r.random() < 0.25
        if swaps:
            fields.append("swap_ab=on")
        operand = r.choice(("bf16", "f16"))
        result = r.choice(("f32", operand, operand))
        layout = r.choice(("nt", "nt", "nn", "tn", "tt"))
        # Elements along the contiguous dimension of the tiles of A and of B.
        of_a, of_b = (n, m) if swaps else (m, n)
        rows = ((k if layout[0] == "n" else of_a) * 2,
                (of_b if layout[1] == "n" else k) * 2)
        spans = [s for s in (32, 64, 128) if all(b % s == 0 for b in rows)]
        if not spans or any(b % 16 for b in rows):
            continue
        if r.random() < 0.5:
            fields.append(f"swizzle={r.choice(spans)}B")
        cluster = r.choice(CLUSTERS)
        if cluster != (1, 1):
            fields.append(f"cluster={cluster[0]}x{cluster[1]}")
        if preset == "persistent" and r.random() < 0.4:
            fields.append(f"raster={r.choice((2, 4, 8))}")
            fields.append(f"order={r.choice(('straight', 'serpentine', 'hilbert'))}")
        if r.random() < 0.15:
            fields.append("pdl=on")

        if not teams and blocks == 1 and r.random() < 0.2:
            # A thread's accumulator and its sum, and what is in flight between
            # them; five or nine warps leave it 255 or 168 registers, less 40.
            carries = r.random() < 0.5
            if n + (n * 3 // 8 if carries else 0) > {64: 215, 128: 128}[m]:
                continue
            steps = r.choice((2, 2, 3) if carries else (1, 1, 2, 3))
            fields.append(f"promote={k * steps}")
            if carries:
                fields.append("compensated=on")

        # Of small tiles so many that a CTA has several of them.
        many = 24 if m * n <= 2048 and r.random() < 0.7 else 3

        def extent(tile, unit, most):
            if r.random() < 0.25:
                size = r.choice((1, 2, 5, 8, 13))
            else:
                size = tile * r.randint(1, most) + r.choice((-9, -1, 0, 0, 1, 8))
            return max(-(-size // unit) * unit, unit)

        # TMA: rows of operands are multiples of 16 bytes.
        along_k = layout[0] == "n" or layout[1] == "t"
        depth = extent(k * r.choice((1, 1, 2, stages, stages + 1)),
                       8 if along_k else 1, 3)
        shape = (extent(of_a, 8 if layout[0] == "t" else 1, many),
                 extent(of_b, 8 if layout[1] == "n" else 1, many), depth)
        accumulates = r.random() < 0.2
        static = r.random() < 0.7
        parts = 1 if teams else r.choice((1, 1, 1, 2, 3))
        if parts > -(-depth // k):
            continue
        if parts > 1:
            fields.append(f"split_k={parts}")
        streams = (preset == "persistent" and not teams and cluster == (1, 1)
                   and parts == 1 and r.random() < 0.35)
        if streams:
            fields.append("scheduler=stream_k")
        stored = 4 if parts > 1 or result == "f32" else 2
        # What a pass through shared memory takes at most, where there is one.
        store = r.choice(("", "direct", "tma"))
        through = parts > 1 or (not swaps and not accumulates and static and
                                shape[1] * stored % 16 == 0)
        slices = 2
        if store == "tma":
            if not through:
                continue
            fields.append("store=tma")
            if r.random() < 0.5:
                slices = r.choice((2, 3, 4, 8))
                fields.append(f"staging={slices}")
        elif store:
            fields.append("store=direct")
        # The staging tiles are of 64 rows for each warpgroup.
        staged_rows = 128 if teams else min(m, 128)
        staged = (staging_bytes(staged_rows, n, stored, slices)
                  if store != "direct" else 0)
        if (m + n) * k * 2 * stages + staged + 16 * stages + 16 > SHARED_BYTES:
            continue
        whole = 1
        for size, tile in zip(shape, (of_a, of_b, k)):
            whole *= -(-size // tile) * tile
        if whole * cluster[0] * cluster[1] > MOST_PRODUCTS:
            continue
        case = f"{operand}-{result}-{layout}" + ("+C" if accumulates else "")
        return ",".join([preset] + fields), case, shape, static, "sm_90a"


if __name__ == "__main__":
    sys.exit(drawn.main(__doc__, draw))
