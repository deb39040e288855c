"""The emulator's driver and compiled libraries, for tests in Python."""

import ctypes
import os
import subprocess

import numpy


class Matrix(ctypes.Structure):
    """MLIR's descriptor of a matrix."""

    _fields_ = [
        ("allocated", ctypes.c_void_p), ("aligned", ctypes.c_void_p),
        ("offset", ctypes.c_int64), ("sizes", ctypes.c_int64 * 2),
        ("strides", ctypes.c_int64 * 2),
    ]


class Driver:
    """The driver API with a primary context that is current."""

    def __init__(self, path):
        os.environ["BWGEMM_DRIVER"] = path
        self.library = ctypes.CDLL(path)
        self("cuInit", 0)
        context = ctypes.c_void_p()
        self("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
        self("cuCtxSetCurrent", context)
        self.context = context

    def __call__(self, name, *arguments):
        result = getattr(self.library, name)(*arguments)
        assert result == 0, f"{name}: {result}"

    def made(self, name, *arguments):
        """The handle that a function puts into its first argument."""
        handle = ctypes.c_void_p()
        self(name, ctypes.byref(handle), *arguments)
        return handle

    def buffer(self, array):
        """Device memory that holds a copy of an array."""
        address = self.made("cuMemAlloc_v2", ctypes.c_size_t(array.nbytes))
        buffer = Buffer(self, address.value, array.shape, array.dtype)
        buffer.write(array)
        return buffer


class Buffer:
    """A matrix without gaps in device memory."""

    def __init__(self, driver, address, shape, dtype):
        self.driver, self.address = driver, address
        self.shape, self.dtype = shape, numpy.dtype(dtype)

    def write(self, array):
        array = numpy.ascontiguousarray(array, self.dtype)
        self.driver("cuMemcpyHtoD_v2", ctypes.c_uint64(self.address),
                    ctypes.c_void_p(array.ctypes.data),
                    ctypes.c_size_t(array.nbytes))

    def read(self):
        """What is there, after all work of the context."""
        self.driver("cuCtxSynchronize")
        array = numpy.empty(self.shape, self.dtype)
        self.driver("cuMemcpyDtoH_v2", ctypes.c_void_p(array.ctypes.data),
                    ctypes.c_uint64(self.address),
                    ctypes.c_size_t(array.nbytes))
        return array

    def peek(self):
        """What is there now: the emulator's memory is the host's."""
        size = self.shape[0] * self.shape[1] * self.dtype.itemsize
        memory = (ctypes.c_char * size).from_address(self.address)
        return numpy.frombuffer(memory, self.dtype).reshape(self.shape).copy()


def matrix(x):
    """The descriptor of a numpy array or a Buffer."""
    if isinstance(x, Buffer):
        return ctypes.byref(Matrix(None, x.address, 0, x.shape, (x.shape[1], 1)))
    strides = tuple(s // x.itemsize for s in x.strides)
    return ctypes.byref(Matrix(None, x.ctypes.data, 0, x.shape, strides))


def compile(source, path, *options):
    subprocess.run(["bwgemm-compile", "-", "-o", path, *options], input=source,
                   text=True, check=True)


def without(path, instruction, to):
    """A copy of a library in whose PTX an instruction is replaced by blanks."""
    with open(path, "rb") as file:
        data = file.read()
    assert instruction.encode() in data, instruction
    with open(to, "wb") as file:
        file.write(data.replace(instruction.encode(), b" " * len(instruction)))
    return to
