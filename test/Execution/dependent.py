#!/usr/bin/env python3
"""Runs a chain of dependent products in one function on the emulator.

usage: dependent.py EMULATOR [--overlap] SCHEDULE...

D1 = A * B, D2 = D1 * C, D1 += D2 * E: the second product reads what the first
one writes, and the third one reads the second's result and overwrites what the
second one reads. Small integers, so that every value is exact. Buffers lie in
host memory, and then in device memory, where nothing waits between kernels.

With --overlap, kernels do begin before the one in front of them has ended: a
library whose griddepcontrol.wait is taken out gets wrong results.
"""

import ctypes
import os
import sys
import tempfile

import numpy

import emulated

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


def run(library, driver, m, n, on_device):
    """Whether the results are right."""
    random = numpy.random.default_rng(m)
    draw = lambda rows, columns: random.integers(-1, 2, (rows, columns)).astype("f2")
    inputs = draw(m, n), draw(n, n), draw(n, n), draw(n, n)
    results = [numpy.full((m, n), numpy.nan, "f2") for _ in range(2)]
    a, b, c, e = inputs
    first = a.astype("f8") @ b
    second = first @ c
    last = first + second @ e
    # f16 holds integers up to 2048.
    assert abs(last).max() <= 2048, abs(last).max()
    if on_device:
        buffers = [driver.buffer(x) for x in (*inputs, *results)]
        library._mlir_ciface_chain(*map(emulated.matrix, buffers))
        results = [buffer.read() for buffer in buffers[4:]]
        for buffer in buffers:
            driver("cuMemFree_v2", ctypes.c_uint64(buffer.address))
    else:
        library._mlir_ciface_chain(*map(emulated.matrix, (*inputs, *results)))
    return (results[1] == second).all() and (results[0] == last).all()


def main():
    arguments = sys.argv[1:]
    driver = emulated.Driver(arguments.pop(0))
    overlap = "--overlap" in arguments
    right = wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for index, schedule in enumerate(x for x in arguments if x != "--overlap"):
            path = os.path.join(folder, f"{index}.so")
            emulated.compile(SOURCE, path, f"--schedule={schedule}")
            library = ctypes.CDLL(path)
            for m, n in ((1, 8), (64, 64), (200, 72)):
                for on_device in (False, True):
                    assert run(library, driver, m, n, on_device), (schedule, m, n)
                    right += 1
            if overlap:
                broken = emulated.without(path, "griddepcontrol.wait;",
                                          f"{path}.broken")
                library = ctypes.CDLL(broken)
                assert not run(library, driver, 200, 72, True), schedule
                wrong += 1
    print(f"{right} chains" + (f", {wrong} wrong without a wait" if overlap else ""))


if __name__ == "__main__":
    main()
