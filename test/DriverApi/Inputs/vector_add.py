"""Adds two vectors through the CUDA driver API, by ctypes and nothing else."""
import ctypes
import sys
from ctypes import byref, c_float, c_int, c_size_t, c_uint, c_uint64, c_void_p

cuda = ctypes.CDLL("libcuda.so.1")


def check(result):
    if result != 0:
        name = ctypes.c_char_p()
        cuda.cuGetErrorName(result, byref(name))
        sys.exit(f"failed: {name.value.decode()}")


n = 300
context, module, kernel = c_void_p(), c_void_p(), c_void_p()
device, name = c_int(), ctypes.create_string_buffer(100)
check(cuda.cuInit(0))
check(cuda.cuDeviceGet(byref(device), 0))
check(cuda.cuDeviceGetName(name, 100, device))
print("device:", name.value.decode())
check(cuda.cuDevicePrimaryCtxRetain(byref(context), device))
check(cuda.cuCtxSetCurrent(context))
with open(sys.argv[1], "rb") as ptx:
    check(cuda.cuModuleLoadData(byref(module), ptx.read()))
check(cuda.cuModuleGetFunction(byref(kernel), module, b"vector_add"))

a = (c_float * n)(*range(n))
b = (c_float * n)(*(1000 - i for i in range(n)))
c = (c_float * n)()
pointers = []
for host in (a, b, c):
    pointer = c_uint64()
    check(cuda.cuMemAlloc_v2(byref(pointer), c_size_t(ctypes.sizeof(host))))
    check(cuda.cuMemcpyHtoD_v2(pointer, host, c_size_t(ctypes.sizeof(host))))
    pointers.append(pointer)
values = pointers + [c_uint(n)]
parameters = (c_void_p * 4)(*(ctypes.addressof(value) for value in values))
check(cuda.cuLaunchKernel(kernel, 5, 1, 1, 64, 1, 1, 0, None, parameters, None))
check(cuda.cuCtxSynchronize())
check(cuda.cuMemcpyDtoH_v2(c, pointers[2], c_size_t(ctypes.sizeof(c))))
print("all right:", all(value == 1000 for value in c))
