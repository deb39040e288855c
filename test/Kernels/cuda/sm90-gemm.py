"""Runs sm90-gemm.cu: sm90-gemm.py LIBRARY PTX CLUSTER M N K [key=value ...]"""

import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), os.pardir))

import numpy as np
from harness import Device, encode, expect_equal

STAGES = 4
SHARED = STAGES * 2 * 16384 + 128 * 128 * 2 + 1024 + 1024


def round_to_bf16(values):
    """Nearest even, as bits."""
    bits = values.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def main():
    library, ptx = sys.argv[1:3]
    cluster, m, n, k = (int(text) for text in sys.argv[3:7])
    options = dict(text.split("=") for text in sys.argv[7:])
    device = Device(library, arch="sm_90a", **options)
    kernel = device.load(ptx)["gemm"]
    rng = np.random.default_rng(m + n + k)
    a = rng.integers(-3, 4, (m, k)).astype(np.float32)
    b = rng.integers(-3, 4, (n, k)).astype(np.float32)
    device_a = device.array(encode("bf16", a))
    device_b = device.array(encode("bf16", b))
    device_d = device.array(np.full((m, n), 0x7FC0, np.uint16))
    swizzled = {"swizzle": "128B"}
    map_a = device.tensor_map(device_a, "bf16", (64, 128), **swizzled)
    map_b = device.tensor_map(device_b, "bf16", (64, 128 // cluster), **swizzled)
    map_d = device.tensor_map(device_d, "bf16", (64, 64), **swizzled)
    start = time.time()
    kernel(
        (m // 128, n // 128, 1), (384, 1, 1), map_a, map_b, map_d, np.int32(k),
        shared=SHARED,
    )  # fmt: skip
    print(f"{device.name}: {time.time() - start:.3f} s", file=sys.stderr)
    expect_equal(device_d.get(), round_to_bf16(a @ b.T))
    print("right")


main()
