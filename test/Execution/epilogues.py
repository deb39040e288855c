#!/usr/bin/env python3
"""Compiles matmuls with elementwise ops behind them and runs them.

usage: epilogues.py SCHEDULE EPILOGUE... [--shapes=MxNxK,...] [--static]
                    [--init=int|ones|normal] [--emulator=OPTIONS]
                    [--target=sm_90a] [--type=bf16] [--result=bf16]

An EPILOGUE is one of the names below, followed by +C for a matmul that
accumulates. Sizes are dynamic unless --static. What is computed is written in
linalg; the library must carry one kernel for each matmul, or two where K is
split or may be 0. bwgemm-runner checks every element: with --init=int, which is
the default, to the bit where the epilogue's ops are exact.
"""

import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

DEFAULT_SHAPES = "129x136x72,64x64x64,1x8x8,200x56x40"

# Operands beside A, B and D: name, memref shape, element type, indexing map.
BIAS = ("bias", "{n}", "f32", "(m, n) -> (n)")
ROWS = ("rows", "{m}", "f32", "(m, n) -> (m)")
RESIDUAL = ("residual", "{m}x{n}", "{t}", "(m, n) -> (m, n)")
RESIDUAL_F32 = ("residual", "{m}x{n}", "f32", "(m, n) -> (m, n)")
TRANSPOSED = ("transposed", "{n}x{m}", "{t}", "(m, n) -> (n, m)")
ROW = ("row", "1x{n}", "f32", "(m, n) -> (0, n)")
ALPHA = ("alpha", "", "f32", "(m, n) -> ()")
MASK = ("mask", "{m}x{n}", "i8", "(m, n) -> (m, n)")

GELU_ERF = """
    %c = arith.constant 0.70710678 : f32
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %u = arith.mulf {x}, %c : f32
    %e = math.erf %u : f32
    %e1 = arith.addf %e, %one : f32
    %h = arith.mulf {x}, %half : f32
    %y = arith.mulf %h, %e1 : f32"""

GELU_TANH = """
    %c = arith.constant 0.7978846 : f32
    %c3 = arith.constant 0.044715 : f32
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %x2 = arith.mulf {x}, {x} : f32
    %x3 = arith.mulf %x2, {x} : f32
    %p = arith.mulf %x3, %c3 : f32
    %q = arith.addf {x}, %p : f32
    %u = arith.mulf %q, %c : f32
    %e = math.tanh %u : f32
    %e1 = arith.addf %e, %one : f32
    %h = arith.mulf {x}, %half : f32
    %y = arith.mulf %h, %e1 : f32"""

SILU = """
    %one = arith.constant 1.0 : f32
    %neg = arith.negf {x} : f32
    %e = math.exp %neg : f32
    %e1 = arith.addf %e, %one : f32
    %y = arith.divf {x}, %e1 : f32"""

RELU = """
    %zero = arith.constant 0.0 : f32
    %y = arith.maximumf {x}, %zero : f32"""

# Each epilogue: operands, and a body from %s (f32) and the operands' elements,
# widened to f32 if they are floats, to %y.
EPILOGUES = {
    "relu": ([], RELU.format(x="%s")),
    # A number where the other one is none, as ReLU6 is written too.
    "relu6": ([BIAS], """
    %zero = arith.constant 0.0 : f32
    %six = arith.constant 6.0 : f32
    %s1 = arith.addf %s, %bias : f32
    %s2 = arith.maxnumf %s1, %zero : f32
    %y = arith.minnumf %s2, %six : f32"""),
    "bias": ([BIAS], "\n    %y = arith.addf %s, %bias : f32"),
    "row": ([ROW], "\n    %y = arith.addf %s, %row : f32"),
    "rows": ([ROWS], "\n    %y = arith.mulf %s, %rows : f32"),
    "residual": ([RESIDUAL], "\n    %y = arith.addf %s, %residual : f32"),
    "transposed": ([TRANSPOSED], "\n    %y = arith.addf %s, %transposed : f32"),
    "alpha": ([ALPHA], "\n    %y = arith.mulf %s, %alpha : f32"),
    # Trial 123: alpha * A * B + beta * C, not fused into a multiply-add.
    "alpha_beta": ([RESIDUAL_F32], """
    %alpha = arith.constant 0.1 : f32
    %beta = arith.constant 0.3 : f32
    %p = arith.mulf %s, %alpha : f32
    %q = arith.mulf %residual, %beta : f32
    %y = arith.addf %p, %q : f32"""),
    "bias_relu": ([BIAS], "\n    %s1 = arith.addf %s, %bias : f32" + RELU.format(x="%s1")),
    "bias_gelu": ([BIAS], "\n    %s1 = arith.addf %s, %bias : f32" + GELU_ERF.format(x="%s1")),
    "bias_gelu_tanh": ([BIAS], "\n    %s1 = arith.addf %s, %bias : f32" + GELU_TANH.format(x="%s1")),
    # The hardware's approximations.
    "bias_gelu_afn": ([BIAS], "\n    %s1 = arith.addf %s, %bias : f32" +
                      GELU_TANH.format(x="%s1").replace("math.tanh %u", "math.tanh %u fastmath<afn>")),
    "silu_afn": ([], SILU.format(x="%s").replace("math.exp %neg", "math.exp %neg fastmath<afn>")),
    "silu": ([], SILU.format(x="%s")),
    "mask": ([MASK], """
    %zero = arith.constant 0.0 : f32
    %none = arith.constant 0 : i8
    %keep = arith.cmpi sgt, %mask, %none : i8
    %y = arith.select %keep, %s, %zero : f32"""),
    # Everything at once.
    "all": ([BIAS, ROWS, RESIDUAL, TRANSPOSED, MASK], """
    %zero = arith.constant 0.0 : f32
    %none = arith.constant 0 : i8
    %s1 = arith.addf %s, %bias : f32
    %s2 = arith.mulf %s1, %rows : f32
    %s3 = arith.addf %s2, %residual : f32
    %s4 = arith.subf %s3, %transposed : f32
    %keep = arith.cmpi sgt, %mask, %none : i8
    %s5 = arith.select %keep, %s4, %zero : f32
    %y = arith.maximumf %s5, %zero : f32"""),
}

# Those whose ops are not all exact or correctly rounded.
APPROXIMATE = {"bias_gelu", "bias_gelu_tanh", "silu", "bias_gelu_afn", "silu_afn"}


def source(name, element, result, accumulate, shape):
    """The matmul and the elementwise op on its result, f32, through a buffer that
    only they see; if it accumulates, on D itself, which is f32 then."""
    operands, body = EPILOGUES[name]
    m, n, k = shape or "???"
    sizes = {"m": m, "n": n, "t": element}
    a, b = f"memref<{m}x{k}x{element}>", f"memref<{n}x{k}x{element}>"
    if accumulate:
        result = "f32"
    d, between = f"memref<{m}x{n}x{result}>", f"memref<{m}x{n}xf32>"
    signature = [f"%a: {a}", f"%b: {b}"]
    inputs, types, maps, elements, widen = [], [], [], [], ""
    for operand, extents, of, place in operands:
        of = of.format(**sizes)
        extents = extents.format(**sizes)
        memref = f"memref<{extents}{'x' if extents else ''}{of}>"
        signature.append(f"%{operand}_in: {memref}")
        inputs.append(f"%{operand}_in")
        types.append(memref)
        maps.append(f"affine_map<{place}>")
        if of in ("bf16", "f16"):
            elements.append(f"%{operand}_: {of}")
            widen += f"\n    %{operand} = arith.extf %{operand}_ : {of} to f32"
        else:
            elements.append(f"%{operand}: {of}")
    signature.append(f"%d: {d}")
    narrow, stored = "", "%y"
    if result != "f32":
        narrow, stored = f"\n    %r = arith.truncf %y : f32 to {result}", "%r"
    identity = "affine_map<(m, n) -> (m, n)>"
    lines = [f"func.func @matmul({', '.join(signature)}) {{"]
    target = "%d"
    if not accumulate:
        target = "%t"
        if shape:
            lines.append(f"  %t = memref.alloc() : {between}")
        else:
            lines += ["  %c0 = arith.constant 0 : index", "  %c1 = arith.constant 1 : index",
                      f"  %m = memref.dim %d, %c0 : {d}", f"  %n = memref.dim %d, %c1 : {d}",
                      f"  %t = memref.alloc(%m, %n) : {between}"]
        lines += ["  %fill = arith.constant 0.0 : f32",
                  f"  linalg.fill ins(%fill : f32) outs(%t : {between})"]
        inputs.insert(0, "%t")
        types.insert(0, between)
        maps.insert(0, identity)
        elements.insert(0, "%s: f32")
        elements.append(f"%old: {result}")
    else:
        elements.append("%s: f32")
    ins = f"ins({', '.join(inputs)} : {', '.join(types)}) " if inputs else ""
    lines += [
        "  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, "
        "affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]",
        f"    ins(%a, %b : {a}, {b}) outs({target} : {between})",
        f"  linalg.generic {{indexing_maps = [{', '.join(maps + [identity])}], "
        'iterator_types = ["parallel", "parallel"]}',
        f"    {ins}outs(%d : {d}) {{",
        f"  ^bb0({', '.join(elements)}):{widen}{body}{narrow}",
        f"    linalg.yield {stored} : {result}",
        "  }", "  return", "}"]
    return "\n".join(lines) + "\n"


def compile_case(folder, schedule, case, element, result, shape, target):
    name, accumulate = case.removesuffix("+C"), case.endswith("+C")
    text = source(name, element, result, accumulate, shape)
    library = os.path.join(folder, f"{case}.{'x'.join(map(str, shape or ['dynamic']))}.so")
    command = ["bwgemm-compile", "-", f"--schedule={schedule}", f"--target={target}"]
    process = subprocess.run(command + ["-o", library], input=text, capture_output=True,
                             text=True)
    if process.returncode != 0:
        sys.exit(f"{schedule} {case}: {process.stderr}\n{text}")
    ptx = subprocess.run(command + ["--emit=ptx"], input=text, capture_output=True,
                         text=True, check=True).stdout
    entries = re.findall(r"\.entry (\w+)", ptx)
    expected = 1 + ("split_k" in schedule or "stream_k" in schedule)
    # K may be 0, and auto may need the naive kernel.
    if not shape:
        expected = 2 * (1 + (schedule == "auto")) + (expected - 1)
        if schedule.startswith("naive"):
            expected = 2
    if len(entries) != expected:
        sys.exit(f"{schedule} {case}: expected {expected} kernels, got {entries}")
    return library


def addressable(shape, schedule):
    """The shape with K rounded up to what TMA can address."""
    m, n, k = shape
    return shape if schedule in ("naive", "auto") else (m, n, -(-k // 8) * 8)


def run(library, case, shape, element, init, emulator):
    name = case.removesuffix("+C")
    m, n, k = shape
    shapes = [f"{m}x{k}", f"{n}x{k}"]
    for _, extents, _, _ in EPILOGUES[name][0]:
        if "{" in extents:
            shapes.append(extents.format(m=m, n=n))
    shapes.append(f"{m}x{n}")
    environment = dict(os.environ)
    if emulator:
        environment["BWGEMM_EMULATOR"] = emulator
    process = subprocess.run(
        ["bwgemm-runner", library, "--device=emulator", f"--init={init}",
         "--check=full", f"--shapes={','.join(shapes)}", "--json"],
        capture_output=True, text=True, timeout=300, env=environment)
    try:
        report = json.loads(process.stdout)
    except ValueError:
        report = {}
    right = (process.returncode == 0 and report.get("status") == "right"
             and not report.get("hazards") and report.get("checked") == m * n
             and (init == "normal" or name in APPROXIMATE
                  or report.get("max_rel_err") == 0))
    return None if right else (f"{case} {m}x{n}x{k}: exit {process.returncode}\n"
                               f"{process.stdout}{process.stderr}")


def main():
    options = {"--shapes": DEFAULT_SHAPES, "--init": "int", "--emulator": "",
               "--static": "", "--target": "sm_100a", "--type": "bf16",
               "--result": "bf16", "--print": ""}
    schedule, cases = sys.argv[1], []
    for argument in sys.argv[2:]:
        key, _, value = argument.partition("=")
        if key in options:
            options[key] = value or "yes"
        else:
            cases.append(argument)
    if options["--print"]:
        for case in cases:
            print(source(case.removesuffix("+C"), options["--type"],
                         options["--result"], case.endswith("+C"), None))
        return 0
    shapes = [addressable(tuple(map(int, s.split("x"))), schedule)
              for s in options["--shapes"].split(",")]
    failures, runs = [], 0
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(2) as pool:
        for case in cases:
            def build(shape):
                return compile_case(folder, schedule, case, options["--type"],
                                    options["--result"], shape, options["--target"])
            if options["--static"]:
                libraries = list(pool.map(build, shapes))
            else:
                libraries = [build(None)] * len(shapes)
            runs += len(shapes)
            results = pool.map(
                lambda pair: run(pair[0], case, pair[1], options["--type"],
                                 options["--init"], options["--emulator"]),
                zip(libraries, shapes))
            failures += [failure for failure in results if failure]
    print(f"{schedule}: {runs} runs, {len(failures)} wrong")
    print("\n".join(failures[:5]))
    return 1 if failures or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
