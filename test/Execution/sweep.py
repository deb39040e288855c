#!/usr/bin/env python3
"""Compiles matmuls and runs them over a list of shapes on the emulator.

usage: sweep.py SCHEDULE CASE... [--shapes=all|few|MxNxK,...] [--static]
                [--init=int|ones|uniform|normal] [--emulator=OPTIONS] [--target=sm_90a]

A CASE is TYPE-RESULT-LAYOUT[+C]: the operands' and the result's element type,
the layout (nn, nt, tn or tt; t: stored transposed) and, with +C, accumulation
into the result. TYPE is one of MLIR's names, e4m3, e5m2, or u8 for i8 without a
sign; two that are multiplied are joined by an x, such as u8xi8. Sizes are dynamic, and one library serves all shapes; with
--static each shape is compiled for itself.

Inputs are small integers (or ones), so that bwgemm-runner asks for exact
equality with its double-precision reference; with --init=normal and uniform for
its error bound, unless they are integers by type. Outputs are poisoned with NaN and all buffers lie between guard bytes.
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

# The emulator says what hangs, so this is only met by what goes on for ever.
TIMEOUT_S = 300

ANY_PITCH = ("auto", "naive", "microkernel", "tiled", "double_buffered", "multistage")

# What MLIR calls them, and bytes of an element.
NAMES = {"e4m3": "f8E4M3FN", "e5m2": "f8E5M2", "u8": "i8"}
BYTES = {"f32": 4, "f16": 2, "bf16": 2}

MAPS = {
    "a": {"n": "(m, k)", "t": "(k, m)"},
    "b": {"n": "(k, n)", "t": "(n, k)"},
}


def extents(shape, layout):
    """Rows and columns of A, B and D as they are stored."""
    m, n, k = shape
    a = (m, k) if layout[0] == "n" else (k, m)
    b = (k, n) if layout[1] == "n" else (n, k)
    return a, b, (m, n)


def operand_types(operand):
    """The types of A and B, as cases name them."""
    first, _, second = operand.partition("x")
    return first, second or first


def contraction(types, maps, a, b, d):
    """The op, as a generic one where linalg.matmul has no word for it."""
    ins = f"ins(%a, %b : {a}, {b}) outs(%d : {d})"
    if "u8" not in types or types == ("u8", "u8"):
        cast = " {cast = #linalg.type_fn<cast_unsigned>}" if "u8" in types else ""
        return f"  linalg.matmul indexing_maps = [{maps}]{cast}\n    {ins}\n"
    extend = ["extui" if t == "u8" else "extsi" for t in types]
    return f"""  linalg.generic {{indexing_maps = [{maps}],
      iterator_types = ["parallel", "parallel", "reduction"]}} {ins} {{
  ^bb0(%x: i8, %y: i8, %z: i32):
    %p = arith.{extend[0]} %x : i8 to i32
    %q = arith.{extend[1]} %y : i8 to i32
    %r = arith.muli %p, %q : i32
    %s = arith.addi %z, %r : i32
    linalg.yield %s : i32
  }}
"""


def source(operand, result, layout, accumulate, shape):
    """A matmul on matrices of this shape; of unknown sizes if it is None."""
    types = operand_types(operand)
    loops = "affine_map<(m, n, k) -> "
    maps = ", ".join(
        [loops + MAPS["a"][layout[0]] + ">", loops + MAPS["b"][layout[1]] + ">",
         loops + "(m, n)>"]
    )
    sizes = extents(shape, layout) if shape else [("?", "?")] * 3
    a, b, d = (
        f"memref<{rows}x{columns}x{element}>"
        for (rows, columns), element in zip(
            sizes, [NAMES.get(t, t) for t in (*types, result)])
    )
    zero = "0" if result == "i32" else "0.0"
    fill = (
        ""
        if accumulate
        else f"  %zero = arith.constant {zero} : {result}\n"
        f"  linalg.fill ins(%zero : {result}) outs(%d : {d})\n"
    )
    return (
        f"func.func @matmul(%a: {a}, %b: {b}, %d: {d}) {{\n{fill}"
        f"{contraction(types, maps, a, b, d)}  return\n}}\n"
    )


def addressable(shape, case, schedule):
    """The shape with what TMA cannot address rounded up: row pitches of 16 bytes.
    Kernels whose threads load take any, and auto chooses at run time."""
    m, n, k = shape
    if schedule.split(",")[0] in ANY_PITCH:
        return m, n, k
    operand, _, layout = case.removesuffix("+C").split("-")
    unit = 16 // BYTES.get(operand_types(operand)[0], 1)

    def up(extent):
        return -(-extent // unit) * unit

    if layout[0] == "t":
        m = up(m)
    if layout[1] == "n":
        n = up(n)
    if layout != "tn":
        k = up(k)
    return m, n, k


def run(library, shape, layout, init, emulator, output=None):
    """What the runner says about one shape; None if it is right (and exact).
    Results go to the folder `output`, if there is one."""
    text = ",".join(f"{rows}x{columns}" for rows, columns in extents(shape, layout))
    return run_shapes(library, text, init, emulator, output)


def run_shapes(library, text, init, emulator, output=None, exact=True):
    """The same for the shapes of all arguments, as the runner takes them."""
    environment = dict(os.environ)
    if emulator:
        environment["BWGEMM_EMULATOR"] = emulator
    command = ["bwgemm-runner", library, "--device=emulator", f"--init={init}",
               "--check=full", f"--shapes={text}", "--json"]
    if output:
        command.append(f"--output={output}")
    try:
        process = subprocess.run(command, capture_output=True, text=True,
                                 timeout=TIMEOUT_S, env=environment)
    except subprocess.TimeoutExpired:
        return f"{text}: no end after {TIMEOUT_S} s\n"
    try:
        report = json.loads(process.stdout)
    except ValueError:
        report = {}
    right = (
        process.returncode == 0
        and report.get("status") == "right"
        and (init in ("normal", "uniform") or not exact
             or report.get("max_rel_err") == 0)
        and not report.get("hazards")
    )
    return None if right else f"{text}: exit {process.returncode}\n{process.stdout}{process.stderr}"


def compile_case(folder, schedule, case, shape=None, options=()):
    """Compiles a case. Returns the library and bwgemm-compile's process."""
    types, accumulate = case.removesuffix("+C"), case.endswith("+C")
    operand, result, layout = types.split("-")
    name = "x".join(map(str, shape)) if shape else "dynamic"
    library = os.path.join(folder, f"{case}.{name}.so")
    process = subprocess.run(
        ["bwgemm-compile", "-", f"--schedule={schedule}", "-o", library, *options],
        input=source(operand, result, layout, accumulate, shape),
        capture_output=True, text=True,
    )
    return library, process


def build(folder, schedule, case, shape=None, options=()):
    """The library for a case."""
    library, process = compile_case(folder, schedule, case, shape, options)
    if process.returncode != 0:
        sys.exit(f"{schedule} {case}: {process.stderr}")
    return library


def parse_shapes(text):
    named = {"all": SHAPES, "few": FEW}
    if text in named:
        return named[text]
    return [tuple(map(int, shape.split("x"))) for shape in text.split(",")]


def main():
    schedule, cases = sys.argv[1], []
    options = {"--shapes": "all", "--init": "int", "--emulator": "", "--static": "",
               "--target": "sm_100a"}
    for argument in sys.argv[2:]:
        key, _, value = argument.partition("=")
        if key in options:
            options[key] = value or "yes"
        else:
            cases.append(argument)
    shapes, init = parse_shapes(options["--shapes"]), options["--init"]
    static = options["--static"] == "yes"
    target = [f"--target={options['--target']}"]
    failures, runs = [], 0
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(2) as pool:
        for case in cases:
            layout = case.removesuffix("+C").split("-")[2]
            if static:
                todo = sorted({addressable(s, case, schedule) for s in shapes})
                libraries = [build(folder, schedule, case, shape, target) for shape in todo]
            else:
                todo = sorted({addressable(s, case, schedule) for s in shapes})
                libraries = [build(folder, schedule, case, None, target)] * len(todo)
            runs += len(todo)
            results = pool.map(
                lambda pair: run(pair[0], pair[1], layout, init, options["--emulator"]),
                zip(libraries, todo),
            )
            failures += [f"{case} {failure}" for failure in results if failure]
    print(f"{schedule}: {runs} runs, {len(failures)} wrong")
    print("\n".join(failures[:5]))
    return 1 if failures or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
