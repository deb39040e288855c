#!/usr/bin/env python3
"""Runs a chain of dependent products in one function on the emulator.

usage: dependent.py SCHEDULE...

D1 = A * B, D2 = D1 * C, D1 += D2 * E: the second product reads what the first
one writes, and the third one reads the second's result and overwrites what the
second one reads. Small integers, so that every value is exact.
"""

import ctypes
import os
import subprocess
import sys
import tempfile

import numpy

SOURCE = """
func.func @chain(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %c: memref<?x?xf16>,
                 %e: memref<?x?xf16>, %d1: memref<?x?xf16>, %d2: memref<?x?xf16>) {
  %zero = arith.constant 0.0 : f16
  linalg.fill ins(%zero : f16) outs(%d1 : memref<?x?xf16>)
  linalg.matmul ins(%a, %b : memref<?x?xf16>, memref<?x?xf16>) outs(%d1 : memref<?x?xf16>)
  linalg.fill ins(%zero : f16) outs(%d2 : memref<?x?xf16>)
  linalg.matmul ins(%d1, %c : memref<?x?xf16>, memref<?x?xf16>) outs(%d2 : memref<?x?xf16>)
  linalg.matmul ins(%d2, %e : memref<?x?xf16>, memref<?x?xf16>) outs(%d1 : memref<?x?xf16>)
  return
}
"""


class Matrix(ctypes.Structure):
    _fields_ = [
        ("allocated", ctypes.c_void_p), ("aligned", ctypes.c_void_p),
        ("offset", ctypes.c_int64), ("sizes", ctypes.c_int64 * 2),
        ("strides", ctypes.c_int64 * 2),
    ]


def matrix(x):
    strides = tuple(s // x.itemsize for s in x.strides)
    return ctypes.byref(Matrix(None, x.ctypes.data, 0, x.shape, strides))


def run(library, m, n):
    random = numpy.random.default_rng(m)
    draw = lambda rows, columns: random.integers(-1, 2, (rows, columns)).astype("f2")
    a, b, c, e = draw(m, n), draw(n, n), draw(n, n), draw(n, n)
    d1, d2 = (numpy.full((m, n), numpy.nan, "f2") for _ in range(2))
    library._mlir_ciface_chain(*map(matrix, (a, b, c, e, d1, d2)))
    first = a.astype("f8") @ b
    second = first @ c
    last = first + second @ e
    # f16 holds integers up to 2048.
    assert abs(last).max() <= 2048, abs(last).max()
    assert (d2 == second).all() and (d1 == last).all()


def main():
    os.environ["BWGEMM_DRIVER"] = "emulator"
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        for index, schedule in enumerate(sys.argv[1:]):
            path = os.path.join(folder, f"{index}.so")
            subprocess.run(
                ["bwgemm-compile", "-", f"--schedule={schedule}", "-o", path],
                input=SOURCE, text=True, check=True,
            )
            library = ctypes.CDLL(path)
            for m, n in ((1, 8), (64, 64), (200, 72)):
                run(library, m, n)
                count += 1
    print(f"{count} chains")


if __name__ == "__main__":
    main()
