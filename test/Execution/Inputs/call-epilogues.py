#!/usr/bin/env python3
"""Calls the functions of epilogue-checks.mlir, wrongly and rightly.

usage: call-epilogues.py LIBRARY
"""

import ctypes
import os
import sys

import numpy

os.environ["BWGEMM_DRIVER"] = "emulator"
library = ctypes.CDLL(sys.argv[1])


def memref(x):
    class Memref(ctypes.Structure):
        _fields_ = [("allocated", ctypes.c_void_p), ("aligned", ctypes.c_void_p),
                    ("offset", ctypes.c_int64), ("sizes", ctypes.c_int64 * x.ndim),
                    ("strides", ctypes.c_int64 * x.ndim)]

    return ctypes.byref(Memref(None, x.ctypes.data, 0, x.shape,
                               tuple(s // x.itemsize for s in x.strides)))


# A handler of one's own takes the place of the one that ends the process.
HANDLER = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_int, ctypes.c_void_p)
handler = HANDLER(lambda message, status, user: print(message.decode(), flush=True))
library.bwgemm_set_error_handler(handler, None)

a, b = numpy.zeros((64, 64), "u2"), numpy.zeros((64, 64), "u2")
d = numpy.zeros((64, 64), "f4")
library._mlir_ciface_linear(memref(a), memref(b), memref(numpy.zeros(63, "f4")), memref(d))

ab, bb = numpy.zeros((2, 8, 8), "f2"), numpy.zeros((3, 8, 8), "f2")
# After an error nothing is done until it is cleared.
library.bwgemm_clear_error()
library._mlir_ciface_batch(memref(ab), memref(bb), memref(numpy.zeros((2, 8, 8), "f4")))

x = numpy.arange(64 * 32).reshape(64, 32).astype("f2") % 7
y = numpy.arange(32 * 64).reshape(32, 64).astype("f2") % 5
library.bwgemm_clear_error()
library._mlir_ciface_scaled(memref(x), memref(y), memref(d), ctypes.c_float(0.5))
right = (d == (x.astype("f4") @ y.astype("f4")) * numpy.float32(0.5)).all()
print("scaled by 0.5:", "right" if right else "wrong")
