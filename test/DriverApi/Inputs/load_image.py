"""load_image.py IMAGE KERNEL: loads a module through the CUDA driver API and
runs KERNEL(float *x, int n), which adds 1 to n numbers. What cuModuleLoadDataEx
answers and writes to its log is printed."""
import ctypes
import sys
from ctypes import byref, c_float, c_int, c_size_t, c_uint64, c_void_p

cuda = ctypes.CDLL("libcuda.so.1")


def name(result):
    text = ctypes.c_char_p()
    cuda.cuGetErrorName(result, byref(text))
    return text.value.decode()


def check(result):
    if result != 0:
        sys.exit(f"failed: {name(result)}")


device, context = c_int(), c_void_p()
check(cuda.cuInit(0))
check(cuda.cuDeviceGet(byref(device), 0))
check(cuda.cuDevicePrimaryCtxRetain(byref(context), device))
check(cuda.cuCtxSetCurrent(context))
image = open(sys.argv[1], "rb").read() + b"\0"
log = ctypes.create_string_buffer(1000)
options = (c_int * 2)(5, 6)  # The buffer for errors and its size.
values = (c_void_p * 2)(ctypes.addressof(log), 1000)
module, kernel = c_void_p(), c_void_p()
result = cuda.cuModuleLoadDataEx(byref(module), image, 2, options, values)
print("load:", name(result))
if result != 0:
    print("log:", log.value.decode())
    sys.exit()
check(cuda.cuModuleGetFunction(byref(kernel), module, sys.argv[2].encode()))
n = 100
x, p, count = (c_float * n)(*range(n)), c_uint64(), c_int(n)
check(cuda.cuMemAlloc_v2(byref(p), c_size_t(4 * n)))
check(cuda.cuMemcpyHtoD_v2(p, x, c_size_t(4 * n)))
parameters = (c_void_p * 2)(ctypes.addressof(p), ctypes.addressof(count))
check(cuda.cuLaunchKernel(kernel, 4, 1, 1, 32, 1, 1, 0, None, parameters, None))
check(cuda.cuMemcpyDtoH_v2(x, p, c_size_t(4 * n)))
print("all right:", list(x) == [i + 1 for i in range(n)])
