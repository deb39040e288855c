"""Runs sm100-gemm.cu: sm100-gemm.py LIBRARY PTX PAIR CTAS M N K [key=value ...]"""

import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), os.pardir))

import numpy as np
from harness import Device, encode, expect_equal

STAGES = 4


def main():
    library, ptx = sys.argv[1:3]
    pair, ctas, m, n, k = (int(text) for text in sys.argv[3:8])
    options = dict(text.split("=") for text in sys.argv[8:])
    device = Device(library, arch="sm_100a", **options)
    kernel = device.load(ptx)["gemm"]
    rows_b = 64 if pair else 128
    shared = STAGES * (16384 + rows_b * 128) + 1024 + 1024
    rng = np.random.default_rng(m + n + k)
    a = rng.integers(-3, 4, (m, k)).astype(np.float32)
    b = rng.integers(-3, 4, (n, k)).astype(np.float32)
    device_a = device.array(encode("bf16", a))
    device_b = device.array(encode("bf16", b))
    device_d = device.array(np.full((m, n), np.nan, np.float32))
    map_a = device.tensor_map(device_a, "bf16", (64, 128), swizzle="128B")
    map_b = device.tensor_map(device_b, "bf16", (64, rows_b), swizzle="128B")
    start = time.time()
    kernel(
        (ctas, 1, 1), (192, 1, 1), map_a, map_b, device_d,
        np.int32(m), np.int32(n), np.int32(k), shared=shared,
        cluster=(2, 1, 1) if pair else None,
    )  # fmt: skip
    print(f"{device.name}: {time.time() - start:.3f} s", file=sys.stderr)
    expect_equal(device_d.get(), a @ b.T)
    print("right")


main()
