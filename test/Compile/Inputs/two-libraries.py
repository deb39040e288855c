"""Calls D = A B of one library and D += A B^T of another, in one process.

Usage: two-libraries.py FIRST SECOND
"""

import ctypes
import sys

import numpy as np


class Matrix(ctypes.Structure):
    _fields_ = [
        ("allocated", ctypes.c_void_p),
        ("aligned", ctypes.c_void_p),
        ("offset", ctypes.c_int64),
        ("sizes", ctypes.c_int64 * 2),
        ("strides", ctypes.c_int64 * 2),
    ]

    def __init__(self, array):
        address = array.ctypes.data
        strides = [stride // array.itemsize for stride in array.strides]
        super().__init__(
            address,
            address,
            0,
            (ctypes.c_int64 * 2)(*array.shape),
            (ctypes.c_int64 * 2)(*strides),
        )


def bf16(array):
    """The bits of small integers, which bf16 holds exactly."""
    return (array.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


first, second = (ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL) for name in sys.argv[1:])
messages = []


@ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_int, ctypes.c_void_p)
def handler(message, status, user):
    messages.append(f"{message.decode()} (status {status})")


first.bwgemm_set_error_handler(handler, None)

random = np.random.default_rng(1)
a = random.integers(-3, 4, (40, 64))
b = random.integers(-3, 4, (64, 24))
c = random.integers(-9, 10, (40, 24))
a_bits, b_bits = bf16(a), bf16(b)
b_transposed = np.ascontiguousarray(b_bits.T)


def call(library, b_operand, expected, what):
    d = c.astype(np.float32)
    operands = [Matrix(array) for array in (a_bits, b_operand, d)]
    library._mlir_ciface_matmul(*(ctypes.byref(operand) for operand in operands))
    print(f"{what}:", "exact" if np.array_equal(d, expected) else "wrong")


call(first, b_bits, a @ b, "first")
call(second, b_transposed, c + a @ b, "second")
call(first, b_bits, a @ b, "first again")

narrow = np.zeros((40, 23), np.float32)
operands = [Matrix(array) for array in (a_bits, b_bits, narrow)]
first._mlir_ciface_matmul(*(ctypes.byref(operand) for operand in operands))
assert not narrow.any(), "results in spite of the error"
print("error:", *messages)
first.bwgemm_clear_error()
call(first, b_bits, a @ b, "after bwgemm_clear_error")
