import ctypes
import numpy as np

class Matrix(ctypes.Structure):
    _fields_ = [("allocated", ctypes.c_void_p), ("aligned", ctypes.c_void_p), ("offset", ctypes.c_int64),
                ("sizes", ctypes.c_int64 * 2), ("strides", ctypes.c_int64 * 2)]

def matrix(x):
    return ctypes.byref(Matrix(None, x.ctypes.data, 0, x.shape, tuple(s // x.itemsize for s in x.strides)))

a, b = np.random.randn(100, 64).astype("f2"), np.random.randn(64, 40).astype("f2")
d = np.empty((100, 40), "f4")
ctypes.CDLL("./matmul.so")._mlir_ciface_matmul(matrix(a), matrix(b), matrix(d))
print("largest error:", abs(d - a.astype("f8") @ b.astype("f8")).max())
