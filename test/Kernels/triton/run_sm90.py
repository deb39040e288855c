"""Runs the kernels of sm90_matmul.py: run_sm90.py LIBRARY PTX M N K [key=value
...], with sums of small integers, which are exact."""

import ast
import os
import re
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), os.pardir))

import numpy as np
from harness import Device, encode, expect_equal


def round_to_bf16(values):
    """Nearest even, as bits."""
    bits = values.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def main():
    library, path = sys.argv[1:3]
    m, n, k = (int(text) for text in sys.argv[3:6])
    options = dict(text.split("=") for text in sys.argv[6:])
    with open(path) as file:
        text = file.read()
    shared, warps, scratch = (
        int(re.search(word + r"=(\d+)", text).group(1))
        for word in ("shared", "warps", "scratch")
    )
    tile = ast.literal_eval(re.search(r"constants=(\{.*\})", text).group(1))
    device = Device(library, arch="sm_90a", **options)
    (name, kernel), = device.load(text).items()
    rng = np.random.default_rng(m + n + k)
    a = rng.integers(-3, 4, (m, k)).astype(np.float32)
    b = rng.integers(-3, 4, (n, k)).astype(np.float32)
    want = a @ b.T
    i32, i64, null = np.int32, np.int64, np.uint64(0)
    tiles_m, tiles_n = -(-m // tile["BM"]), -(-n // tile["BN"])
    grid = (tiles_m, tiles_n, 1)
    memory = null
    if name == "matmul":
        kind, want = "f16", encode("f16", want)
        b = np.ascontiguousarray(b.T)
    elif name == "matmul_fp8":
        kind = "e4m3"
    else:
        kind, want = "bf16", round_to_bf16(want)
        grid = (3, 1, 1)
        if scratch:
            memory = device.array(np.zeros(scratch * grid[0], np.uint8))
    da, db = device.array(encode(kind, a)), device.array(encode(kind, b))
    dc = device.array(np.full(want.shape, -1).astype(want.dtype))

    if name == "matmul":
        arguments = [da, db, dc, i32(m), i32(n), i32(k), i32(k), i32(n), i32(n)]
    elif name == "matmul_fp8":
        arguments = [da, db, dc, i32(k)]
    elif name == "persistent_device":
        arguments = [da, db, dc, i32(m), i32(n), i32(k)]
    else:
        arguments = []
        for array, rows in ((da, tile["BM"]), (db, tile["BN"]), (dc, tile["BM"])):
            height, width = array.shape
            box = (64, rows)  # 128 bytes, what the swizzle spans
            arguments += [
                device.tensor_map(array, "bf16", box, swizzle="128B"),
                i32(height), i32(width), i64(width), i64(1),
            ]  # fmt: skip
        arguments += [i32(m), i32(n), i32(k)]
    start = time.time()
    kernel(grid, (32 * warps, 1, 1), *arguments, memory, null, shared=shared)
    print(f"{device.name}: {time.time() - start:.3f} s", file=sys.stderr)
    expect_equal(dc.get(), want)
    print("right")


main()
