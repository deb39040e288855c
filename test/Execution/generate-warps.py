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

import argparse
import concurrent.futures
import os
import random
import sys
import tempfile
import time

import sweep

# Shared memory of a CTA in KiB (CUDA programming guide).
TARGETS = {"sm_80": 163, "sm_86": 99, "sm_89": 99, "sm_90": 227, "sm_90a": 227,
           "sm_100a": 227, "sm_120": 99}
PRESETS = ("microkernel", "tiled", "double_buffered", "multistage", "multistage")
MOST_PRODUCTS = 12_000_000


def fits(rows, columns, warps):
    """Whether a warp's part leaves registers: an accumulator of 32 bits for each
    element, two sets of operands, and 48 for everything else."""
    registers = rows * columns // 32 + (rows + columns) // 2
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


def describe(configuration):
    schedule, case, shape, static, target = configuration
    return (f"{schedule} {case} --shapes={'x'.join(map(str, shape))} "
            f"--target={target}" + (" --static" if static else ""))


def run(configuration, index, folder, orders):
    """What is wrong; None if nothing is. And how often it ran."""
    schedule, case, shape, static, target = configuration
    library, process = sweep.compile_case(folder, schedule, case,
                                          shape if static else None,
                                          ["--ptxas=none", f"--target={target}"])
    if process.returncode != 0:
        return f"status {process.returncode}, though it is legal\n{process.stderr}", 0
    layout = case.removesuffix("+C").split("-")[2]

    def execute(init, emulator, output=None):
        return sweep.run(library, shape, layout, init, f"hazards=on,{emulator}", output)

    wrong = execute("int", "schedule=fair")
    if wrong or not orders:
        return wrong, 1
    expected = None
    for order in range(orders + 1):
        output = os.path.join(folder, f"out{order}")
        os.makedirs(output)
        emulator = (f"schedule=random,seed={1000 * index + order}" if order
                    else "schedule=fair")
        wrong = execute("normal", emulator, output)
        if wrong:
            return f"with {emulator}: {wrong}", order + 2
        data = {}
        for name in sorted(os.listdir(output)):
            with open(os.path.join(output, name), "rb") as file:
                data[name] = file.read()
        assert data, "the runner has written no result"
        if expected is None:
            expected = data
        elif data != expected:
            return f"with {emulator}: other bits than in the fair order", order + 2
    return None, orders + 2


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--only", type=int)
    parser.add_argument("--orders", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    indices = range(arguments.count) if arguments.only is None else [arguments.only]
    drawn = [(index, draw(arguments.seed, index)) for index in indices]
    if arguments.list:
        print("\n".join(f"{index}: {describe(c)}" for index, c in drawn))
        return 0
    started, runs, failures = time.monotonic(), 0, 0

    def attempt(pair):
        with tempfile.TemporaryDirectory() as folder:
            return pair, run(pair[1], pair[0], folder, arguments.orders)

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for (index, configuration), (wrong, count) in pool.map(attempt, drawn):
            runs += count
            if wrong:
                failures += 1
                print(f"{index}: {describe(configuration)}\n{wrong}", flush=True)
    print(f"seed {arguments.seed}: {len(drawn)} configurations, {runs} runs, "
          f"{failures} wrong; {time.monotonic() - started:.0f} s")
    return 1 if failures or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
