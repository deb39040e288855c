"""Adds vectors through NVIDIA's Python bindings of the driver API: streams,
asynchronous copies, a captured graph, an updated one, occupancy, errors."""
import ctypes
import sys

import numpy as np
from cuda.bindings import driver as cuda


def check(answer):
    status, *values = answer
    if status != cuda.CUresult.CUDA_SUCCESS:
        sys.exit(f"failed: {cuda.cuGetErrorName(status)[1].decode()}")
    return values[0] if len(values) == 1 else values


check(cuda.cuInit(0))
device = check(cuda.cuDeviceGet(0))
print("version:", check(cuda.cuDriverGetVersion()))
major = check(
    cuda.cuDeviceGetAttribute(
        cuda.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device
    )
)
print("major:", major)
context = check(cuda.cuDevicePrimaryCtxRetain(device))
check(cuda.cuCtxSetCurrent(context))
with open(sys.argv[1], "rb") as ptx:
    module = check(cuda.cuModuleLoadData(ptx.read() + b"\0"))
kernel = check(cuda.cuModuleGetFunction(module, b"vector_add"))

n = 300
a = np.arange(n, dtype=np.float32)
b = (1000 - a).astype(np.float32)
c = np.zeros(n, np.float32)
stream = check(cuda.cuStreamCreate(0))
pointers = [check(cuda.cuMemAllocAsync(a.nbytes, stream)) for _ in range(3)]
arguments = (
    (*pointers, n),
    (None, None, None, ctypes.c_uint),
)


def submit():
    check(cuda.cuMemcpyHtoDAsync(pointers[0], a.ctypes.data, a.nbytes, stream))
    check(cuda.cuMemcpyHtoDAsync(pointers[1], b.ctypes.data, b.nbytes, stream))
    check(
        cuda.cuLaunchKernel(kernel, 5, 1, 1, 64, 1, 1, 0, stream, arguments, 0)
    )
    check(cuda.cuMemcpyDtoHAsync(c.ctypes.data, pointers[2], c.nbytes, stream))


submit()
check(cuda.cuStreamSynchronize(stream))
print("stream:", bool((c == 1000).all()))

check(
    cuda.cuStreamBeginCapture(
        stream, cuda.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_GLOBAL
    )
)
submit()
graph = check(cuda.cuStreamEndCapture(stream))
executable = check(cuda.cuGraphInstantiate(graph, 0))
a += 1  # Read when the graph is launched.
check(cuda.cuGraphLaunch(executable, stream))
check(cuda.cuStreamSynchronize(stream))
print("graph:", bool((c == 1001).all()))

blocks = check(cuda.cuOccupancyMaxActiveBlocksPerMultiprocessor(kernel, 128, 0))
print("blocks:", blocks)
status, _ = cuda.cuModuleGetFunction(module, b"absent")
print("absent:", cuda.cuGetErrorName(status)[1].decode())
