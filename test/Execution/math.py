#!/usr/bin/env python3
"""Measures the functions of epilogues against double precision.

usage: math.py [FUNCTION...]

Each function is the epilogue of a product that is zero and is added to a matrix
of arguments: numbers over its whole range, more where it bends, the ends of the
range, subnormal numbers, zeros, infinities and NaN. Prints the largest error in
units in the last place (of the result, subnormal results included) and fails
where it is more than docs/Epilogues.md says or a special value is not as in
IEEE 754.
"""

import math
import os
import subprocess
import sys
import tempfile

import numpy

# Rows and columns of the matrix.
SIDE = 512

erf = numpy.vectorize(math.erf)

# The function, its range, where it bends, and the units that it may be off.
FUNCTIONS = {
    "exp": (numpy.exp, (-104, 89), (-1, 1), 1),
    "exp2": (numpy.exp2, (-150, 128), (-1, 1), 1),
    "log": (numpy.log, (1e-38, 3e38), (0.5, 2), 1),
    "log2": (numpy.log2, (1e-38, 3e38), (0.5, 2), 2),
    "tanh": (numpy.tanh, (-10, 10), (-1, 1), 3),
    "erf": (erf, (-5, 5), (-1, 1), 2),
    "sqrt": (numpy.sqrt, (0, 3e38), (0, 4), 0.5),
    "rsqrt": (lambda x: 1 / numpy.sqrt(x), (1e-38, 3e38), (0.1, 4), 2),
}

SPECIAL = [0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, -1.0, 1e-45, -1e-45,
           1e-40, 1.1754944e-38, 3.4028235e38, -3.4028235e38, 88.72284, -103.97,
           127.99999, -149.5, 0.625, 0.62499994, 0.93, 0.92999995, 4.0, 3.9192059]


def source(name):
    return f"""
func.func @f(%a: memref<{SIDE}x8xbf16>, %b: memref<8x{SIDE}xbf16>, %d: memref<{SIDE}x{SIDE}xf32>) {{
  linalg.matmul ins(%a, %b : memref<{SIDE}x8xbf16>, memref<8x{SIDE}xbf16>) outs(%d : memref<{SIDE}x{SIDE}xf32>)
  linalg.generic {{indexing_maps = [affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}}
    outs(%d : memref<{SIDE}x{SIDE}xf32>) {{
  ^bb0(%x: f32):
    %y = math.{name} %x : f32
    linalg.yield %y : f32
  }}
  return
}}
"""


def arguments(function, bounds, bend, random):
    count = SIDE * SIDE
    low, high = bounds
    if low > 0:
        # Every binade alike.
        wide = numpy.exp(random.uniform(math.log(low), math.log(high), count // 2))
    else:
        wide = random.uniform(low, high, count // 2)
    near = random.uniform(*bend, count // 4)
    tiny = random.choice([-1, 1], count) * numpy.exp(random.uniform(-103, 0, count))
    x = numpy.concatenate([SPECIAL, wide, near, tiny])[:count].astype("f4")
    return x.reshape(SIDE, SIDE)


def measure(folder, name):
    function, bounds, bend, most = FUNCTIONS[name]
    x = arguments(function, bounds, bend, numpy.random.default_rng(11))
    files = [os.path.join(folder, f) for f in ("a.npy", "b.npy", "x.npy")]
    numpy.save(files[0], numpy.zeros((SIDE, 8), "u2"))
    numpy.save(files[1], numpy.zeros((8, SIDE), "u2"))
    numpy.save(files[2], x)
    path = os.path.join(folder, "f.mlir")
    with open(path, "w") as file:
        file.write(source(name))
    subprocess.run(
        ["bwgemm-runner", path, "--device=emulator", "--schedule=naive",
         f"--input={','.join(files)}", f"--output={folder}", "--check=full"],
        check=True, capture_output=True)
    got = numpy.load(os.path.join(folder, "arg2.npy"))
    with numpy.errstate(all="ignore"):
        # What is added is +0, which makes +0 of -0.
        exact = function((x + numpy.float32(0)).astype("f8"))
        rounded = exact.astype("f4")
        regular = numpy.isfinite(exact) & numpy.isfinite(rounded)
        unit = numpy.spacing(numpy.abs(rounded[regular])).astype("f8")
        error = numpy.abs(got[regular].astype("f8") - exact[regular]) / unit
        same = (got == rounded) | (numpy.isnan(got) & numpy.isnan(rounded))
    worst = error.max()
    print(f"{name}: {worst:.2f} units of {most}")
    if worst > most:
        sys.exit(f"{name}: off by {worst} units at {x[regular][error.argmax()]!r}")
    if not same[~regular].all():
        at = x[~regular][~same[~regular]][0]
        sys.exit(f"{name}({at!r}) is not as in IEEE 754")


def main():
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[1:] or FUNCTIONS:
            measure(folder, name)
    print("all functions are as documented")


if __name__ == "__main__":
    sys.exit(main())
