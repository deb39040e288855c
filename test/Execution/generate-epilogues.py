#!/usr/bin/env python3
"""Draws elementwise ops behind matmuls, on kernels of tcgen05, wgmma and mma.sync,
and holds the compiler and the emulator's result to what must come out.

usage: generate-epilogues.py [--seed=N] [--count=N] [--only=I] [--orders=N]
                             [--jobs=N] [--list]

Schedules, types and shapes are those of generate.py, generate-warpgroups.py and
generate-warps.py. Behind each stand one to six ops on up to three operands: of
columns, rows, elements, the transpose, one row, or one number, in rows of any
pitch and at any address, of f32, f16, bf16, i8 or i32. The result must be what
bwgemm-runner's reference computes of them: with small integers as inputs equal to
it, unless a function is among them whose bits are the device's own. With
--orders=N each is also run with normally distributed inputs in N random orders:
the bits must be those of the fair order.
"""

import importlib
import os
import random
import subprocess
import sys

import drawn
import generate
import sweep


def draw_tcgen05(seed, index):
    """What generate.py draws, in the form of the others."""
    c = generate.draw(seed, index)
    # A case of no type is passed over.
    return c.schedule, "--" if c.refusal else c.case, c.shape, c.static, "sm_100a"


KERNELS = [importlib.import_module("generate-warpgroups").draw,
           importlib.import_module("generate-warps").draw, draw_tcgen05]
MOST_PRODUCTS = 4_000_000

# Where an operand's element is, and its extents.
PLACES = {"[n]": "{n}", "[m]": "{m}", "[m, n]": "{m}x{n}", "[n, m]": "{n}x{m}",
          "[0, n]": "1x{n}", "[m, 0]": "{m}x1", "[]": ""}
# From any of these to f32.
WIDEN = {"f16": "extf", "bf16": "extf", "i8": "sitofp", "i32": "sitofp"}
BINARY = ("addf", "addf", "addf", "subf", "mulf", "divf", "maximumf", "minimumf",
          "maxnumf", "minnumf")
UNARY = ("arith.negf", "math.absf", "math.ceil", "math.floor", "root")
# In 16 bits, between a truncf and an extf; on integers ahead of their sitofp.
NARROW = ("addf", "mulf", "maximumf", "minnumf", "divf")
INTEGER = ("addi", "subi", "muli", "andi", "ori", "xori", "select", "extend")
# Not exact, so that the reference has an interval.
FUNCTIONS = ("math.tanh", "math.exp", "math.exp2", "math.erf", "math.log",
             "math.log2", "math.rsqrt", "math.tanh_afn", "math.exp_afn")


def draw(seed, index):
    """A configuration of a kernel; its case has the epilogue behind a colon."""
    r = random.Random(f"epilogues:{seed}:{index}")
    kernels = r.choice(KERNELS)
    for attempt in range(10_000):
        schedule, case, shape, static, target = kernels(
            f"{seed}:{index}", attempt)
        operand, result, _ = case.removesuffix("+C").split("-")
        size = 1
        for extent in shape:
            size *= extent
        if (size <= MOST_PRODUCTS and "accumulator" not in schedule
                and result in ("f32", "f16", "bf16") and operand in ("f16", "bf16")):
            break
    operands = [(r.choice(("[n]", "[n]", "[n]") + tuple(PLACES)),
                 r.choice(("f32", "f32", "bf16", "f16", "i8", "i32")),
                 r.choice(INTEGER + ("",) * len(INTEGER)),
                 r.choice(("", "", "", "pitch", "offset")))
                for _ in range(r.choice((0, 1, 1, 2, 3)))]
    values = [f"%x{i}" for i in range(len(operands))]
    ops = []
    for i in range(r.randint(max(len(operands), 1), 6)):
        # Each operand is used once at least.
        other = values[i] if i < len(values) else r.choice(values + ["%one"])
        kind = r.random()
        if kind < 0.1 and i >= len(values):
            ops.append(r.choice(UNARY))
        elif kind < 0.2 and i >= len(values):
            ops.append(r.choice(FUNCTIONS))
        elif kind < 0.27:
            ops.append(f"{r.choice(('f16', 'bf16'))}.{r.choice(NARROW)} {other}")
        elif kind < 0.34:
            ops.append(f"math.fma {other} {r.choice(values + ['%one'])}")
        elif kind < 0.4:
            ops.append(f"select {other} {r.choice(values + ['%one'])}")
        else:
            ops.append(f"arith.{r.choice(BINARY)} {other}")
    text = ";".join(["/".join(o) for o in operands] + ["="] + ops)
    return schedule, f"{case}:{text}", shape, static, target


def widened(i, element, op):
    """Operand I as f32, after `op` if it is an integer."""
    if element not in WIDEN:
        return [f"%x{i} = arith.addf %e{i}, %zero : f32"]
    if element[0] != "i" or not op:
        return [f"%x{i} = arith.{WIDEN[element]} %e{i} : {element} to f32"]
    three = f"%three{element[1:]}"
    if op == "extend" and element == "i8":
        return [f"%g{i} = arith.extui %e{i} : i8 to i32",
                f"%h{i} = arith.trunci %g{i} : i32 to i8",
                f"%i{i} = arith.extsi %h{i} : i8 to i32",
                f"%x{i} = arith.sitofp %i{i} : i32 to f32"]
    if op == "extend":
        return [f"%x{i} = arith.uitofp %e{i} : i32 to f32"]
    if op == "select":
        lines = [f"%g{i} = arith.cmpi slt, %e{i}, {three} : {element}",
                 f"%h{i} = arith.select %g{i}, %e{i}, {three} : {element}"]
    else:
        lines = [f"%h{i} = arith.{op} %e{i}, {three} : {element}"]
    return [*lines, f"%x{i} = arith.sitofp %h{i} : {element} to f32"]


def source(case, shape, static):
    """The module, and the shapes of its arguments."""
    case, epilogue = case.split(":")
    types, accumulates = case.removesuffix("+C"), case.endswith("+C")
    operand, result, layout = types.split("-")
    m, n, _ = shape
    sizes = dict(m=m, n=n)
    before, _, behind = epilogue.partition("=")
    operands = [o.split("/") for o in before.split(";")[:-1]]
    ops = behind.split(";")[1:]

    def memref(extents, element, memory=""):
        extents = [str(e) for e in extents]
        if not static:
            extents = ["?" if e != "1" else e for e in extents]
        strides = ""
        if memory == "pitch" and len(extents) == 2:
            strides = ", strided<[?, 1]>"
        elif memory == "offset" and extents:
            strides = f", strided<[{'?, ' if len(extents) == 2 else ''}1], offset: ?>"
        return "memref<" + "".join(f"{e}x" for e in extents) + element + strides + ">"

    a, b, d = sweep.extents(shape, layout)
    a, b, d = memref(a, operand), memref(b, operand), memref(d, result)
    arguments = [f"%a: {a}", f"%b: {b}"]
    elements, widen = [], []
    for i, (place, element, op, memory) in enumerate(operands):
        extents = [e for e in PLACES[place].format(**sizes).split("x") if e]
        memory = memref(extents, element, memory)
        arguments.append(f"%o{i}: {memory}")
        elements.append(f"%e{i} = %o{i}{place} : {memory}")
        widen += widened(i, element, op)
    arguments.append(f"%d: {d}")
    lines = ["%zero = arith.constant -0.0 : f32", "%one = arith.constant 1.0 : f32",
             "%three8 = arith.constant 3 : i8", "%three32 = arith.constant 3 : i32",
             *widen]
    last = "%sum"
    for i, op in enumerate(ops):
        name, *others = op.split()
        fast = " fastmath<afn>" if name.endswith("_afn") else ""
        name = name.removesuffix("_afn")
        this = f"%v{i}"
        if name == "select":
            lines += [f"%c{i} = arith.cmpf olt, {last}, {others[0]} : f32",
                      f"{this} = arith.select %c{i}, {others[1]}, {last} : f32"]
        elif name == "root":
            lines += [f"%c{i} = math.absf {last} : f32", f"{this} = math.sqrt %c{i} : f32"]
        elif name.startswith(("f16.", "bf16.")):
            narrow, name = name.split(".")
            lines += [f"%l{i} = arith.truncf {last} : f32 to {narrow}",
                      f"%r{i} = arith.truncf {others[0]} : f32 to {narrow}",
                      f"%n{i} = arith.{name} %l{i}, %r{i} : {narrow}",
                      f"{this} = arith.extf %n{i} : {narrow} to f32"]
        else:
            lines.append(f"{this} = {name} {', '.join([last, *others])}{fast} : f32")
        last = this
    if result != "f32":
        lines.append(f"%r = arith.truncf {last} : f32 to {result}")
        last = "%r"
    flags = (" transpose_a" if layout[0] == "t" else "") + (
        " transpose_b" if layout[1] == "t" else "") + (
        " accumulate" if accumulates else "")
    body = "\n    ".join(lines)
    return f"""func.func @matmul({", ".join(arguments)}) {{
  bwgemm.gemm %a, %b, %d{flags} epilogue({", ".join(["%sum", *elements])}) {{
    {body}
    bwgemm.yield {last} : {result}
  }} : {a}, {b}, {d}
  return
}}
"""


def argument_shapes(case, shape):
    """What --shapes takes: all memrefs with extents, in order."""
    case, epilogue = case.split(":")
    a, b, d = sweep.extents(shape, case.removesuffix("+C").split("-")[2])
    sizes = dict(m=shape[0], n=shape[1])
    places = [o.partition("]")[0] + "]" for o in epilogue.partition("=")[0].split(";")[:-1]]
    between = [PLACES[place].format(**sizes) for place in places]
    return ",".join([f"{a[0]}x{a[1]}", f"{b[0]}x{b[1]}", *filter(None, between),
                     f"{d[0]}x{d[1]}"])


def run(configuration, index, folder, orders):
    """What is wrong; None if nothing is. And how often it ran."""
    schedule, case, shape, static, target = configuration
    library = os.path.join(folder, "matmul.so")
    text = source(case, shape, static)
    process = subprocess.run(
        ["bwgemm-compile", "-", f"--schedule={schedule}", "-o", library,
         "--ptxas=none", f"--target={target}"],
        input=text, capture_output=True, text=True)
    if process.returncode != 0:
        return f"status {process.returncode}\n{process.stderr}{text}", 0
    exact = not any(function in case for function in FUNCTIONS)

    def execute(init, emulator, output=None):
        wrong = sweep.run_shapes(library, argument_shapes(case, shape), init,
                                 f"hazards=on,{emulator}", output, exact)
        return wrong and wrong + text

    return drawn.compare_orders(execute, index, folder, orders)


if __name__ == "__main__":
    sys.exit(drawn.main(__doc__, draw, run=run))
