"""Runs the kernels of sm100_matmul.py: run_sm100_matmul.py LIBRARY PTX M N K
[key=value ...], with sums of small integers, which are exact."""

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
    shared = int(re.search(r"shared=(\d+)", text).group(1))
    threads = int(re.search(r"\.reqntid (\d+)", text).group(1))
    tile = ast.literal_eval(re.search(r"constants=(\{.*\})", text).group(1))
    device = Device(library, arch="sm_100a", **options)
    (name, kernel), = device.load(text).items()
    rng = np.random.default_rng(m + n + k)
    a = rng.integers(-3, 4, (m, k)).astype(np.float32)
    b = rng.integers(-3, 4, (n, k)).astype(np.float32)
    want = round_to_bf16(a @ b.T)
    da, db = device.array(encode("bf16", a)), device.array(encode("bf16", b))
    dc = device.array(np.full((m, n), 0x7FC0, np.uint16))
    i32, i64, null = np.int32, np.int64, np.uint64(0)
    arguments = []
    for array, rows in ((da, tile["BM"]), (db, tile["BN"]), (dc, tile["BM"])):
        height, width = array.shape
        box = (64, rows)  # 128 bytes, what the swizzle spans
        arguments += [
            device.tensor_map(array, "bf16", box, swizzle="128B"),
            i32(height), i32(width), i64(width), i64(1),
        ]  # fmt: skip
    arguments += [i32(m), i32(n), i32(k)]
    grid = (-(-m // tile["BM"]), -(-n // tile["BN"]), 1)
    if name == "persistent":
        grid = (2, 1, 1)
    start = time.time()
    kernel(grid, (threads, 1, 1), *arguments, null, null, shared=shared)
    print(f"{device.name}: {time.time() - start:.3f} s", file=sys.stderr)
    expect_equal(dc.get(), want)
    print("right")


main()
