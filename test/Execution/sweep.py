#!/usr/bin/env python3
"""Compiles matmuls of dynamic sizes and runs them over a list of shapes.

usage: sweep.py SCHEDULE CASE... [--shapes=all|few] [--emulator=OPTIONS]

A CASE is TYPE-RESULT-LAYOUT[+C]: the operands' and the result's element type,
the layout (nn, nt, tn or tt; t: stored transposed) and, with +C, accumulation
into the result. Inputs are small integers, so that bwgemm-runner asks for exact
equality with its double-precision reference; outputs are poisoned with NaN and
all buffers lie between guard bytes.
"""

import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

# M, N, K: one element, one row, one column, less than a tile, a whole tile, one
# more and one less, K of one instruction (16), half of it, and not a multiple
# of the tile's, tall, wide, deep.
SHAPES = [
    (1, 1, 8), (1, 128, 16), (128, 1, 8), (8, 8, 8), (5, 3, 16),
    (64, 64, 64), (64, 64, 8), (64, 64, 72), (63, 65, 64), (65, 63, 72),
    (128, 64, 128), (64, 128, 192), (127, 129, 120), (129, 127, 136),
    (1, 1000, 8), (1000, 1, 16), (7, 9, 40), (256, 16, 64), (16, 256, 64),
    (100, 200, 72), (33, 17, 264), (200, 300, 512), (64, 64, 1024),
    (2, 2, 2048), (31, 1, 80), (1, 31, 88), (500, 24, 16), (24, 500, 24),
    (128, 128, 128), (191, 193, 200), (66, 130, 56), (48, 80, 96),
    (320, 8, 8), (8, 320, 8), (12, 20, 1000), (257, 255, 32),
    (0, 16, 16), (16, 0, 16), (16, 16, 0), (0, 0, 0),
]
FEW = [(1, 1, 8), (64, 64, 64), (63, 65, 72), (129, 127, 136), (16, 16, 0)]

MAPS = {
    "a": {"n": "(m, k)", "t": "(k, m)"},
    "b": {"n": "(k, n)", "t": "(n, k)"},
}


def source(operand, result, layout, accumulate):
    """A matmul on matrices of unknown sizes."""
    loops = "affine_map<(m, n, k) -> "
    maps = ", ".join(
        [loops + MAPS["a"][layout[0]] + ">", loops + MAPS["b"][layout[1]] + ">",
         loops + "(m, n)>"]
    )
    ab, d = f"memref<?x?x{operand}>", f"memref<?x?x{result}>"
    fill = (
        ""
        if accumulate
        else f"  %zero = arith.constant 0.0 : {result}\n"
        f"  linalg.fill ins(%zero : {result}) outs(%d : {d})\n"
    )
    return (
        f"func.func @matmul(%a: {ab}, %b: {ab}, %d: {d}) {{\n{fill}"
        f"  linalg.matmul indexing_maps = [{maps}]\n"
        f"    ins(%a, %b : {ab}, {ab}) outs(%d : {d})\n  return\n}}\n"
    )


def addressable(shape, layout, schedule):
    """The shape with what TMA cannot address rounded up: row pitches of 8
    elements. The naive kernel takes any."""
    m, n, k = shape
    if schedule.startswith("naive"):
        return m, n, k
    if layout[0] == "t":
        m = -(-m // 8) * 8
    if layout[1] == "n":
        n = -(-n // 8) * 8
    return m, n, k


def run(library, shape, layout, emulator):
    """The runner's result for one shape; None if it is right and exact."""
    m, n, k = shape
    a = (m, k) if layout[0] == "n" else (k, m)
    b = (k, n) if layout[1] == "n" else (n, k)
    text = ",".join(f"{rows}x{columns}" for rows, columns in (a, b, (m, n)))
    environment = dict(os.environ)
    if emulator:
        environment["BWGEMM_EMULATOR"] = emulator
    process = subprocess.run(
        ["bwgemm-runner", library, "--device=emulator", "--init=int",
         "--check=full", f"--shapes={text}", "--json"],
        capture_output=True, text=True, timeout=300, env=environment,
    )
    try:
        report = json.loads(process.stdout)
    except ValueError:
        report = {}
    right = (
        process.returncode == 0
        and report.get("status") == "right"
        and report.get("max_rel_err") == 0
        and not report.get("hazards")
    )
    return None if right else f"{text}: exit {process.returncode}\n{process.stdout}{process.stderr}"


def main():
    schedule, cases, shapes, emulator = sys.argv[1], [], SHAPES, ""
    for argument in sys.argv[2:]:
        if argument == "--shapes=few":
            shapes = FEW
        elif argument.startswith("--emulator="):
            emulator = argument.split("=", 1)[1]
        else:
            cases.append(argument)
    failures, runs = [], 0
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(2) as pool:
        for case in cases:
            types, accumulate = case.removesuffix("+C"), case.endswith("+C")
            operand, result, layout = types.split("-")
            path = os.path.join(folder, case + ".mlir")
            with open(path, "w") as file:
                file.write(source(operand, result, layout, accumulate))
            library = os.path.join(folder, case + ".so")
            subprocess.run(
                ["bwgemm-compile", path, f"--schedule={schedule}", "-o", library],
                check=True,
            )
            todo = {addressable(shape, layout, schedule) for shape in shapes}
            runs += len(todo)
            results = pool.map(
                lambda shape: run(library, shape, layout, emulator), sorted(todo)
            )
            failures += [f"{case} {failure}" for failure in results if failure]
    print(f"{schedule}: {runs} runs, {len(failures)} wrong")
    print("\n".join(failures[:5]))
    return 1 if failures or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
