"""Runs sm100-scaled.cu: sm100-scaled.py LIBRARY PTX KIND M N K [key=value ...],
KIND mxf8 or nvf4; elements and scales are such that sums are exact."""

import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), os.pardir))

import numpy as np
from harness import Device, decode, encode, expect_equal


def blocks_of(scales):
    """Blocks of 512 bytes: (row tile, four scales along K, row % 32, row / 32,
    scale % 4)."""
    rows, count = scales.shape
    shaped = scales.reshape(rows // 128, 4, 32, count // 4, 4)
    return np.ascontiguousarray(shaped.transpose(0, 3, 2, 1, 4))


def operand(rng, kind, rows, k):
    if kind == "nvf4":
        bits = rng.integers(0, 16, (rows, k)).astype(np.uint8)
        memory, element, length = bits[:, 0::2] | bits[:, 1::2] << 4, "e2m1", 16
        factors = rng.choice([0.5, 1.0, 1.5, 2.0, 3.5], (rows, k // length))
        scales = encode("e4m3", factors)
    else:
        memory = bits = encode("e4m3", rng.integers(-4, 5, (rows, k)))
        element, length = "e4m3", 32
        scales = rng.integers(125, 130, (rows, k // length)).astype(np.uint8)
        factors = 2.0 ** (scales.astype(np.float64) - 127)
    values = decode(element, bits) * np.repeat(factors, length, 1)
    return memory, blocks_of(scales), values


def main():
    library, ptx, kind = sys.argv[1:4]
    m, n, k = (int(text) for text in sys.argv[4:7])
    options = dict(text.split("=") for text in sys.argv[7:])
    device = Device(library, arch="sm_100a", **options)
    kernel = device.load(ptx)["gemm"]
    rng = np.random.default_rng(m + n + k)
    a, a_scales, a_values = operand(rng, kind, m, k)
    b, b_scales, b_values = operand(rng, kind, n, k)
    arrays = [device.array(x) for x in (a, b, a_scales, b_scales)]
    maps = [
        device.tensor_map(x, "u8", (128, 128), swizzle="128B")
        for x in arrays[:2]
    ]
    d = device.array(np.full((m, n), np.nan, np.float32))
    start = time.time()
    kernel(
        (m // 128, n // 128, 1), (128, 1, 1), *maps, *arrays[2:], d,
        np.int32(n), np.int32(k), shared=2 * (2 * 16384 + 2 * 2048) + 1024,
    )  # fmt: skip
    print(f"{device.name}: {time.time() - start:.3f} s", file=sys.stderr)
    expect_equal(d.get(), (a_values @ b_values.T).astype(np.float32))
    print("right")


main()
