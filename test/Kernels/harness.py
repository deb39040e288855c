"""Runs kernels through the CUDA driver API, with ctypes and numpy alone.

Which library stands behind the API is an argument: the emulator's, or
libcuda.so.1 for a GPU. A test reads

    device = Device(library, arch="sm_80")
    kernel = device.load(ptx)["name"]
    a = device.array(host_array)
    kernel((grid_x, 1, 1), (128, 1, 1), a, np.int32(5), shared=4096)
    expect_equal(a.get(), reference)

Narrow floating-point types, which numpy lacks, are handled as raw integers:
`encode` and `decode` convert.
"""

import ctypes
import functools
import os
import re
import sys
from ctypes import byref, c_int, c_size_t, c_uint, c_uint64, c_void_p

import numpy as np


class DriverError(Exception):
    """A driver call that failed; `name` is the CUresult's."""

    def __init__(self, call, code, name):
        super().__init__(f"{call}: {name} ({code})")
        self.code, self.name = code, name


class LaunchAttribute(ctypes.Structure):
    _fields_ = [
        ("id", c_int),
        ("pad", ctypes.c_char * 4),
        ("value", c_uint * 16),
    ]


class LaunchConfig(ctypes.Structure):
    _fields_ = [
        ("grid", c_uint * 3),
        ("block", c_uint * 3),
        ("shared", c_uint),
        ("stream", c_void_p),
        ("attributes", ctypes.POINTER(LaunchAttribute)),
        ("count", c_uint),
    ]


class Array:
    """Device memory with the shape and type of a numpy array."""

    def __init__(self, device, host):
        host = np.ascontiguousarray(host)
        self.device, self.shape, self.dtype = device, host.shape, host.dtype
        self.bytes = max(host.nbytes, 1)
        self.pointer = c_uint64()
        device.call("cuMemAlloc_v2", byref(self.pointer), c_size_t(self.bytes))
        self.set(host)

    def set(self, host):
        host = np.ascontiguousarray(host, self.dtype)
        if host.nbytes:
            self.device.call(
                "cuMemcpyHtoD_v2",
                self.pointer,
                c_void_p(host.ctypes.data),
                c_size_t(host.nbytes),
            )

    def get(self):
        host = np.empty(self.shape, self.dtype)
        if host.nbytes:
            self.device.call(
                "cuMemcpyDtoH_v2",
                c_void_p(host.ctypes.data),
                self.pointer,
                c_size_t(host.nbytes),
            )
        return host

    def free(self):
        self.device.call("cuMemFree_v2", self.pointer)


class TensorMap:
    """A CUtensorMap, passed to a kernel by value."""

    TYPES = {
        "u8": 0, "u16": 1, "u32": 2, "s32": 3, "u64": 4, "s64": 5, "f16": 6,
        "f32": 7, "f64": 8, "bf16": 9, "f32_ftz": 10, "tf32": 11,
        "tf32_ftz": 12, "u4_align8": 13, "u4_align16": 14, "u6_align16": 15,
    }  # fmt: skip
    SWIZZLES = {"none": 0, "32B": 1, "64B": 2, "128B": 3}

    def __init__(
        self, device, array, kind, box, swizzle="none", dims=None,
        strides=None, fill_nan=False, l2=0,
    ):  # fmt: skip
        """`dims` and `box` run from the innermost dimension to the outermost;
        `strides` (bytes) from dimension 1 on. The default is the whole of
        `array` in its C order."""
        if dims is None:
            dims = array.shape[::-1]
        rank = len(dims)
        if strides is None:
            strides, pitch = [], array.dtype.itemsize
            for extent in dims[:-1]:
                pitch *= extent
                strides.append(pitch)
        memory = ctypes.create_string_buffer(128 + 64)
        start = (ctypes.addressof(memory) + 63) // 64 * 64
        self.memory, self.address = memory, start
        device.call(
            "cuTensorMapEncodeTiled",
            c_void_p(start),
            c_int(self.TYPES[kind]),
            c_uint(rank),
            array.pointer,
            (c_uint64 * rank)(*dims),
            (c_uint64 * max(rank - 1, 1))(*strides),
            (c_uint * rank)(*box),
            (c_uint * rank)(*([1] * rank)),
            c_int(0),
            c_int(self.SWIZZLES[swizzle]),
            c_int(l2),
            c_int(int(fill_nan)),
        )


class Kernel:
    """A kernel; calling it launches and waits."""

    def __init__(self, device, function, name):
        self.device, self.function, self.name = device, function, name

    def attribute(self, number, value):
        self.device.call(
            "cuFuncSetAttribute", self.function, c_int(number), c_int(value)
        )

    def __call__(self, grid, block, *arguments, shared=0, cluster=None):
        """Arguments: Array, TensorMap, numpy scalars (their type is the
        parameter's), or bytes for a struct."""
        if shared > 48 * 1024:
            self.attribute(8, shared)  # MAX_DYNAMIC_SHARED_SIZE_BYTES
        values, places = [], []
        for argument in arguments:
            if isinstance(argument, TensorMap):
                places.append(argument.address)
                values.append(argument)
                continue
            if isinstance(argument, Array):
                value = argument.pointer
            elif isinstance(argument, bytes):
                value = ctypes.create_string_buffer(argument, len(argument))
            elif isinstance(argument, np.generic):
                raw = argument.tobytes()
                value = ctypes.create_string_buffer(raw, len(raw))
            else:
                raise TypeError(f"argument of type {type(argument)}")
            values.append(value)
            places.append(ctypes.addressof(value))
        parameters = (c_void_p * max(len(places), 1))(*places)
        config = LaunchConfig()
        config.grid, config.block = (c_uint * 3)(*grid), (c_uint * 3)(*block)
        config.shared = shared
        if cluster:
            attribute = LaunchAttribute()
            attribute.id = 4  # CLUSTER_DIMENSION
            attribute.value[0:3] = cluster
            config.attributes = ctypes.pointer(attribute)
            config.count = 1
        self.device.call(
            "cuLaunchKernelEx", byref(config), self.function, parameters, None
        )
        self.device.call("cuCtxSynchronize")


class Device:
    """The first device of a driver library."""

    def __init__(self, library, arch=None, **options):
        """`arch` and `options` are the emulator's (numerics="exact",
        hazards="on", schedule="random", seed=7); a GPU takes no notice."""
        words = [f"arch={arch}"] if arch else []
        words += [f"{key}={value}" for key, value in options.items()]
        if words:
            os.environ["BWGEMM_EMULATOR"] = ",".join(words)
        self.library = ctypes.CDLL(library)
        self.call("cuInit", 0)
        device, context = c_int(), c_void_p()
        self.call("cuDeviceGet", byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", byref(context), device)
        self.call("cuCtxSetCurrent", context)
        major, minor = c_int(), c_int()
        self.call("cuDeviceGetAttribute", byref(major), 75, device)
        self.call("cuDeviceGetAttribute", byref(minor), 76, device)
        self.capability = 10 * major.value + minor.value
        name = ctypes.create_string_buffer(200)
        self.call("cuDeviceGetName", name, 200, device)
        self.name = name.value.decode()

    def call(self, entry, *arguments):
        result = getattr(self.library, entry)(*arguments)
        if result != 0:
            name = ctypes.c_char_p()
            self.library.cuGetErrorName(result, byref(name))
            raise DriverError(entry, result, (name.value or b"?").decode())

    def load(self, ptx):
        """PTX text, or the name of a file with it; its kernels by name."""
        if "\n" not in ptx:
            with open(ptx) as file:
                ptx = file.read()
        module = c_void_p()
        text = ctypes.create_string_buffer(ptx.encode())
        self.call("cuModuleLoadData", byref(module), text)
        kernels = {}
        for name in re.findall(r"\.entry\s+([\w$]+)", ptx):
            function = c_void_p()
            self.call(
                "cuModuleGetFunction", byref(function), module, name.encode()
            )
            kernels[name] = Kernel(self, function, name)
        return kernels

    def array(self, host):
        return Array(self, host)

    def tensor_map(self, array, kind, box, **settings):
        return TensorMap(self, array, kind, box, **settings)


# Narrow types: exponent bits, mantissa bits, bias, and whether the largest
# exponent holds infinities ("ieee"), only NaN ("fn") or neither ("finite").
FORMATS = {
    "f16": (5, 10, 15, "ieee"),
    "bf16": (8, 7, 127, "ieee"),
    "e4m3": (4, 3, 7, "fn"),
    "e5m2": (5, 2, 15, "ieee"),
    "e3m2": (3, 2, 3, "finite"),
    "e2m3": (2, 3, 1, "finite"),
    "e2m1": (2, 1, 1, "finite"),
}


@functools.lru_cache(maxsize=None)
def all_values(kind):
    """The value of every bit pattern, in double precision."""
    exponent_bits, mantissa_bits, bias, top = FORMATS[kind]
    width = 1 + exponent_bits + mantissa_bits
    bits = np.arange(1 << width)
    sign = np.where(bits >> (width - 1), -1.0, 1.0)
    field = (bits >> mantissa_bits) & ((1 << exponent_bits) - 1)
    fraction = bits & ((1 << mantissa_bits) - 1)
    scale = 2.0 ** (np.maximum(field, 1) - bias - mantissa_bits)
    value = sign * scale * (fraction + ((field > 0) << mantissa_bits))
    last = field == (1 << exponent_bits) - 1
    if top == "ieee":
        value[last & (fraction == 0)] = np.inf * sign[last & (fraction == 0)]
        value[last & (fraction != 0)] = np.nan
    elif top == "fn":
        value[last & (fraction == (1 << mantissa_bits) - 1)] = np.nan
    value.setflags(write=False)
    return value


@functools.lru_cache(maxsize=None)
def sorted_patterns(kind):
    """The patterns of finite values in the order of their values."""
    table = all_values(kind)
    usable = np.flatnonzero(np.isfinite(table))
    return usable[np.argsort(table[usable], kind="stable")]


def storage(kind):
    """The numpy type that holds the bits of a narrow type."""
    return np.uint16 if kind in ("f16", "bf16") else np.uint8


def encode(kind, values):
    """Bit patterns of values that the type can represent exactly."""
    table = all_values(kind)
    order = sorted_patterns(kind)
    values = np.asarray(values, np.float64)
    at = np.searchsorted(table[order], values)
    bits = order[np.minimum(at, len(order) - 1)]
    if not np.array_equal(table[bits], values):
        raise ValueError(f"a value is not representable in {kind}")
    bits = np.where(values == 0, 0, bits)  # +0 rather than -0
    return bits.astype(storage(kind))


def decode(kind, bits):
    return all_values(kind)[np.asarray(bits).astype(np.int64)]


def integers(rng, shape, low, high):
    """Small integers as doubles: what sums of products keep exact."""
    return rng.integers(low, high + 1, shape).astype(np.float64)


def expect_equal(got, want, what="result"):
    """Exits with the first differences unless the arrays agree exactly."""
    got, want = np.asarray(got), np.asarray(want)
    if got.shape != want.shape:
        sys.exit(f"{what}: expected shape {want.shape}, got {got.shape}")
    wrong = np.argwhere(~((got == want) | ((got != got) & (want != want))))
    if len(wrong):
        lines = [
            f"  at {tuple(int(i) for i in at)}: "
            f"expected {want[tuple(at)]}, got {got[tuple(at)]}"
            for at in wrong[:5]
        ]
        sys.exit(
            f"{what}: {len(wrong)} of {got.size} elements differ\n"
            + "\n".join(lines)
        )


def expect_close(got, want, bound, what="result"):
    """Exits unless |got - want| <= bound everywhere."""
    got, want = np.asarray(got, np.float64), np.asarray(want, np.float64)
    error = np.abs(got - want)
    if not np.all(error <= bound):
        at = np.unravel_index(np.nanargmax(error - bound), error.shape)
        sys.exit(
            f"{what}: at {at}: expected {want[at]}, got {got[at]}, "
            f"more than {np.broadcast_to(bound, error.shape)[at]} away"
        )
