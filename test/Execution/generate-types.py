#!/usr/bin/env python3
"""Draws operands of 8 bits and of f32, with schedules and shapes for them, and
holds the compiler and the emulator's result to what must come out.

usage: generate-types.py [--seed=N] [--count=N] [--only=I] [--orders=N] [--jobs=N]
                         [--list]

The counterpart of generate.py and generate-warps.py for the other element types,
on wgmma, tcgen05 and mma.sync. Configuration I of a seed is always the same one.
Inputs are small integers, so that results must equal the double-precision
reference, and nothing may be reported by the hazard checker. Integers are also
run over their whole range, which must be exact as well. About one in ten breaks a
rule on purpose, which bwgemm-compile must name. With --orders=N each is also run
with normally distributed inputs, exact numerics and in N random orders: the bits
must be those of the fair order, and within the oracle's bound.

What is legal is decided here, from the PTX ISA's tables.
"""

import os
import random
import re
import sys

import drawn
import sweep

INTEGERS = ("i8", "u8", "i8xu8", "u8xi8")
FLOATS = ("e4m3", "e5m2", "e4m3xe5m2", "e5m2xe4m3")
# Presets by what multiplies.
PRESETS = {
    "wgmma": ("warp_specialized", "persistent", "persistent"),
    "tcgen05": ("tma", "swizzle", "tma_store", "pipelined", "warp_specialized",
                "two_cta", "persistent", "persistent"),
    "mma.sync": ("microkernel", "tiled", "double_buffered", "multistage", "multistage"),
}
# Shared memory of a CTA in KiB (CUDA programming guide).
WARP_TARGETS = {"sm_80": 163, "sm_86": 99, "sm_89": 99, "sm_90": 227, "sm_103a": 227,
                "sm_120": 99}
MOST_PRODUCTS = 10_000_000


class Drawer:
    """Draws one configuration."""

    def __init__(self, seed, index):
        self.r = random.Random(f"types:{seed}:{index}")

    def draw(self):
        r = self.r
        while True:
            self.by = r.choice(("wgmma", "tcgen05", "mma.sync"))
            self.operand = r.choice(INTEGERS + FLOATS + ("f32", "f32"))
            self.bytes = sweep.BYTES.get(self.operand, 1)
            self.depth = 32 // self.bytes
            self.is_integer = self.operand in INTEGERS
            self.preset = r.choice(PRESETS[self.by])
            self.target = {"wgmma": "sm_90a", "tcgen05": "sm_100a"}.get(
                self.by, r.choice(sorted(WARP_TARGETS)))
            if self.operand in FLOATS and self.target in ("sm_80", "sm_86"):
                continue
            self.layout = "nt"
            if self.by == "mma.sync" or (self.by == "tcgen05" and self.bytes == 1):
                self.layout = r.choice(("nt", "nt", "nn", "tn", "tt"))
            self.result = "i32" if self.is_integer else r.choice(("f32", "bf16", "f16"))
            self.fields = {}
            if not self.draw_tile() or not self.draw_shape():
                continue
            break
        if self.bytes == 4:
            self.fields["precision"] = "tf32"
        accumulate = "+C" if r.random() < 0.25 else ""
        refusal = self.break_a_rule() if r.random() < 0.1 else ""
        schedule = ",".join([self.preset] + [f"{k}={v}" for k, v in self.fields.items()])
        case = f"{self.operand}-{self.result}-{self.layout}{accumulate}"
        return schedule, case, self.shape, r.random() < 0.6, self.target, refusal

    def draw_tile(self):
        r = self.r
        k = self.depth * r.choice((1, 2, 2, 4, 4, 4, 6, 8))
        group, warps = 1, (1, 1)
        if self.by == "mma.sync":
            m, n = 16, 8
            if self.preset != "microkernel":
                warps = r.choice(((1, 1), (1, 2), (2, 1), (2, 2), (2, 4)))
                m = warps[0] * 16 * r.choice((1, 2, 4))
                n = warps[1] * r.choice((8, 16, 32, 64))
                self.fields["warps"] = f"{warps[0]}x{warps[1]}"
        else:
            group = 2 if self.preset == "two_cta" else 1
            m = r.choice((64, 128)) * group
            wgmma = self.by == "wgmma"
            if wgmma and self.preset == "persistent" and r.random() < 0.3:
                self.fields["pingpong"] = "on"
            elif wgmma and r.random() < 0.25:
                m = 256
            # PTX ISA, shapes of wgmma.mma_async and tcgen05.mma.
            n_rows = self.by == "tcgen05" and self.bytes == 1 and self.layout[1] == "n"
            step = (32 if group == 2 else
                    16 if (m == 128 and self.by == "tcgen05") or n_rows else 8)
            n = r.randrange(step, 257, step)
            if self.is_integer and n not in (8, 24) and n % 16:
                return False
            # Two blocks of 64 rows have half a register a column each.
            blocks = m // 64 if "pingpong" in self.fields else m // 128
            if wgmma and blocks * n // 2 > 200:
                return False
        # The contiguous mode of each tile is whole rows of some swizzle.
        each_m, each_n = m // group, n // group
        rows = ((k if self.layout[0] == "n" else each_m) * self.bytes,
                (k if self.layout[1] == "t" else each_n) * self.bytes)
        narrowest = 16 if self.preset == "tma" or self.by == "mma.sync" else 32
        if any(row % narrowest for row in rows):
            return False
        fits = any if self.by == "mma.sync" else all
        spans = [s for s in (32, 64, 128) if fits(row % s == 0 for row in rows)]
        if self.preset != "tma" and spans and r.random() < 0.4:
            self.fields["swizzle"] = f"{r.choice(spans)}B"
        self.fields["tile"] = f"{m}x{n}x{k}"
        rings = {"pipelined", "warp_specialized", "two_cta", "persistent", "multistage"}
        self.stages = 1
        if self.preset in rings:
            self.stages = r.randint(2, 6)
            self.fields["stages"] = self.stages
        elif self.preset == "double_buffered":
            self.stages = 2
        room = WARP_TARGETS.get(self.target, 227) * 1024 - 2048
        if self.by != "mma.sync":
            # The result may go out through as much.
            room -= 2 * 128 * 128
        if self.preset == "persistent" and self.by == "tcgen05":
            scheduler = r.choice(("static", "static", "clc", "stream_k"))
            self.fields["scheduler"] = scheduler
        self.tile = (m, n, k)
        return (each_m + each_n) * k * self.bytes * self.stages <= room

    def draw_shape(self):
        r = self.r

        def extent(tile):
            if r.random() < 0.2:
                return r.choice((1, 2, 3, 5, 8, 13))
            return max(tile * r.randint(1, 3) + r.choice((-1, 0, 0, 1, 4, -8)), 1)

        m, n, k = self.tile
        steps = r.choice((0, 1, 1, 2, self.stages, self.stages + 1, 2 * self.stages + 1))
        depth = max(k * steps - r.choice((0, 0, 1, 8, 15, self.depth // 2)), 0)
        shape = (extent(m), extent(n), depth)
        if self.by != "mma.sync":
            shape = sweep.addressable(
                shape, f"{self.operand}-{self.result}-{self.layout}", self.preset)
        elif r.random() < 0.5:
            # Copies of 16, 8, 4 or 1 bytes.
            unit = r.choice((16, 8, 4)) // self.bytes or 1
            shape = (shape[0], shape[1], -(-depth // unit) * unit)
        self.shape = shape
        parts = -(-shape[2] // k)
        if (parts > 1 and self.fields.get("scheduler") != "stream_k"
                and "pingpong" not in self.fields and r.random() < 0.25):
            self.fields["split_k"] = r.randint(2, min(parts, 4))
        whole = 1
        for size, tile in zip(shape, self.tile):
            whole *= max(-(-size // tile), 1) * tile
        return whole <= MOST_PRODUCTS

    def break_a_rule(self):
        """Changes something that must be refused; the reason's pattern."""
        m, n, k = self.tile
        ways = ["depth"]
        if self.by == "wgmma" or (self.by == "tcgen05" and self.bytes == 4):
            ways.append("layout")
        if self.is_integer and self.by != "mma.sync" and self.preset != "two_cta":
            ways.append("width")
        if self.bytes == 4:
            ways.append("precision")
        way = self.r.choice(ways)
        if way == "depth":
            self.fields["tile"] = f"{m}x{n}x{k + self.depth // 2}"
            return (f"a multiple of {self.depth}, but got {k + self.depth // 2}"
                    if self.by != "mma.sync" else
                    f"expects a tile of multiples of 16x8x{self.depth} ")
        if way == "width":
            self.fields["tile"] = f"64x40x{k}"
            return "expects a tile of N that is 8, 24 or a multiple of 16 for integers"
        if way == "layout":
            self.layout = self.r.choice(("nn", "tt", "tn"))
            return (f"has [MN] contiguous in memory, but {self.by} takes operands of its "
                    "size that have K so")
        self.fields.pop("precision")
        return "expects precision=tf32 for operands of f32"


def draw(seed, index):
    return Drawer(seed, index).draw()


def describe(configuration):
    schedule, case, shape, static, target, refusal = configuration
    return (f"{schedule} {case} --shapes={'x'.join(map(str, shape))} "
            f"--target={target}" + (" --static" if static else "")
            + (f"   must be refused: {refusal}" if refusal else ""))


def read(folder):
    data = {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            data[name] = file.read()
    assert data, "the runner has written no result"
    return data


def run(configuration, index, folder, orders):
    """What is wrong; None if nothing is. And how often it ran."""
    schedule, case, shape, static, target, refusal = configuration
    library, process = sweep.compile_case(folder, schedule, case,
                                          shape if static else None,
                                          ["--ptxas=none", f"--target={target}"])
    if refusal:
        if process.returncode == 2 and re.search(refusal, process.stderr):
            return None, 0
        return (f"expected a refusal, got status {process.returncode}\n"
                f"{process.stderr}"), 0
    if process.returncode != 0:
        return f"status {process.returncode}, though it is legal\n{process.stderr}", 0
    layout = case.removesuffix("+C").split("-")[2]

    def execute(init, emulator, output=None):
        return sweep.run(library, shape, layout, init, f"hazards=on,{emulator}", output)

    wrong, runs = execute("int", "schedule=fair"), 1
    if not wrong and "-i32-" in case:
        wrong, runs = execute("uniform", "schedule=fair"), 2
    if wrong or not orders:
        return wrong, runs
    expected = None
    for order in range(orders + 1):
        output = os.path.join(folder, f"out{order}")
        os.makedirs(output)
        emulator = "numerics=exact," + (
            f"schedule=random,seed={1000 * index + order}" if order else "schedule=fair")
        wrong = execute("normal", emulator, output)
        if wrong:
            return f"with {emulator}: {wrong}", runs + order + 1
        data = read(output)
        expected = expected or data
        if data != expected:
            return f"with {emulator}: other bits than in the fair order", runs + order + 1
    return None, runs + orders + 1


if __name__ == "__main__":
    sys.exit(drawn.main(__doc__, draw, describe, run))
