#!/usr/bin/env python3
"""Compiles batches of matmuls and runs them on the emulator.

usage: batches.py SCHEDULE CASE... [--shapes=BxMxNxK,...] [--static]
                  [--emulator=OPTIONS] [--target=sm_90a]

A CASE is TYPE-RESULT-LAYOUT, as for sweep.py, and any of +C (accumulates), +A
(one A for all), +B (one B for all) and +E (an epilogue with operands that have a
batch and such that have none). Small integers: bwgemm-runner asks for equality.
"""

import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

DEFAULT_SHAPES = "3x33x24x16,1x64x64x64,0x8x8x8,2x1x1x8,5x16x8x0"
A = {"n": ("m", "k"), "t": ("k", "m")}
B = {"n": ("k", "n"), "t": ("n", "k")}


def operands(case):
    """Type, result and, for A, B, D and the epilogue's operands, their loops."""
    types, *flags = case.split("+")
    element, result, layout = types.split("-")
    a, b = A[layout[0]], B[layout[1]]
    if "A" not in flags:
        a = ("b", *a)
    if "B" not in flags:
        b = ("b", *b)
    extras = [("b", "m", "n"), ("n",), ("b", "n")] if "E" in flags else []
    return element, result, [a, b, ("b", "m", "n")], extras, "C" in flags


def source(case, shape):
    element, result, (a, b, d), extras, accumulate = operands(case)
    sizes = dict(zip("bmnk", shape)) if shape else dict.fromkeys("bmnk", "?")

    def memref(loops, of):
        return f"memref<{'x'.join(str(sizes[loop]) for loop in loops)}x{of}>"

    def place(loops, of="b, m, n, k"):
        return f"affine_map<({of}) -> ({', '.join(loops)})>"

    types = [memref(a, element), memref(b, element)]
    extra_types = [memref(loops, "f32") for loops in extras]
    d_type = memref(d, result)
    names = [f"%e{i}" for i in range(len(extras))]
    arguments = [f"%a: {types[0]}", f"%b: {types[1]}",
                 *(f"{name}: {of}" for name, of in zip(names, extra_types)),
                 f"%d: {d_type}"]
    fill = (f"  %zero = arith.constant 0.0 : {result}\n"
            f"  linalg.fill ins(%zero : {result}) outs(%d : {d_type})\n")
    # The sum in f32, or in the operands' type, which means the same here.
    multiply = f"""    %p = arith.mulf %x, %y : {element}
    %r = arith.addf %z, %p : {element}"""
    if result == "f32":
        multiply = f"""    %xf = arith.extf %x : {element} to f32
    %yf = arith.extf %y : {element} to f32
    %p = arith.mulf %xf, %yf : f32
    %r = arith.addf %z, %p : f32"""
    epilogue = ""
    if extras:
        three = "b, m, n"
        maps = ", ".join(place(loops, three) for loops in [*extras, d])
        widen, total = "", "%s"
        if result != "f32":
            widen = f"\n    %w = arith.extf %s : {result} to f32"
            total = "%w"
        narrow, stored = "", "%y2"
        if result != "f32":
            narrow, stored = f"\n    %y = arith.truncf %y2 : f32 to {result}", "%y"
        epilogue = f"""
  linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel", "parallel"]}}
    ins({', '.join(names)} : {', '.join(extra_types)}) outs(%d : {d_type}) {{
  ^bb0(%x: f32, %v: f32, %u: f32, %s: {result}):{widen}
    %y0 = arith.addf {total}, %x : f32
    %y1 = arith.subf %y0, %v : f32
    %y2 = arith.addf %y1, %u : f32{narrow}
    linalg.yield {stored} : {result}
  }}"""
    return f"""func.func @f({', '.join(arguments)}) {{
{'' if accumulate else fill}  linalg.generic {{indexing_maps = [{place(a)}, {place(b)}, {place(d)}],
    iterator_types = ["parallel", "parallel", "parallel", "reduction"]}}
    ins(%a, %b : {', '.join(types)}) outs(%d : {d_type}) {{
  ^bb0(%x: {element}, %y: {element}, %z: {result}):
{multiply}
    linalg.yield %r : {result}
  }}{epilogue}
  return
}}
"""


def run(library, case, shape, emulator):
    _, _, (a, b, d), extras, _ = operands(case)
    sizes = dict(zip("bmnk", shape))
    text = ",".join("x".join(str(sizes[loop]) for loop in loops)
                    for loops in [a, b, *extras, d])
    environment = dict(os.environ)
    if emulator:
        environment["BWGEMM_EMULATOR"] = emulator
    process = subprocess.run(
        ["bwgemm-runner", library, "--device=emulator", "--init=int",
         "--check=full", f"--shapes={text}", "--json"],
        capture_output=True, text=True, timeout=300, env=environment)
    try:
        report = json.loads(process.stdout)
    except ValueError:
        report = {}
    count = shape[0] * shape[1] * shape[2]
    right = (process.returncode == 0 and report.get("status") == "right"
             and report.get("max_rel_err") == 0 and not report.get("hazards")
             and report.get("checked") == count)
    return None if right else (f"{case} {text}: exit {process.returncode}\n"
                               f"{process.stdout}{process.stderr}")


def main():
    options = {"--shapes": DEFAULT_SHAPES, "--emulator": "", "--static": "",
               "--target": "sm_100a"}
    schedule, cases = sys.argv[1], []
    for argument in sys.argv[2:]:
        key, _, value = argument.partition("=")
        if key in options:
            options[key] = value or "yes"
        else:
            cases.append(argument)
    shapes = [tuple(map(int, s.split("x"))) for s in options["--shapes"].split(",")]
    failures, runs = [], 0
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(2) as pool:
        for case in cases:
            def build(shape):
                name = "x".join(map(str, shape or ["dynamic"]))
                library = os.path.join(folder, f"{case}.{name}.so")
                text = source(case, shape)
                process = subprocess.run(
                    ["bwgemm-compile", "-", f"--schedule={schedule}",
                     f"--target={options['--target']}", "-o", library],
                    input=text, capture_output=True, text=True)
                if process.returncode != 0:
                    sys.exit(f"{schedule} {case}: {process.stderr}\n{text}")
                return library

            if options["--static"]:
                libraries = list(pool.map(build, shapes))
            else:
                libraries = [build(None)] * len(shapes)
            runs += len(shapes)
            results = pool.map(
                lambda pair: run(pair[0], case, pair[1], options["--emulator"]),
                zip(libraries, shapes))
            failures += [failure for failure in results if failure]
    print(f"{schedule}: {runs} runs, {len(failures)} wrong")
    print("\n".join(failures[:5]))
    return 1 if failures or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
