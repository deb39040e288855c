"""Runs the kernels of sm100_scaled.py: run_sm100.py LIBRARY PTX M N K
[key=value ...], with elements and scales whose sums are exact."""

import json
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), os.pardir))

import numpy as np
from harness import Device, decode, encode, expect_equal


def operand(rng, rows, k, facts):
    """Elements in memory, scales in memory, and the scaled values."""
    kind = facts["kind"]
    if kind == "e2m1":
        bits = rng.integers(0, 16, (rows, k)).astype(np.uint8)
        memory = bits[:, 0::2] | bits[:, 1::2] << 4
    else:
        memory = bits = encode(kind, rng.integers(-4, 5, (rows, k)))
    shape = (rows, k // facts["per_scale"])
    if facts["per_scale"] == 16:  # UE4M3
        factors = rng.choice([0.5, 1.0, 1.5, 2.0, 2.5], shape)
        scales = encode("e4m3", factors)
    else:  # UE8M0
        scales = rng.integers(125, 130, shape).astype(np.uint8)
        factors = 2.0 ** (scales.astype(np.float64) - 127)
    values = decode(kind, bits) * np.repeat(factors, facts["per_scale"], 1)
    return memory, scales, values


def main():
    library, path = sys.argv[1:3]
    m, n, k = (int(text) for text in sys.argv[3:6])
    options = dict(text.split("=") for text in sys.argv[6:])
    with open(path) as file:
        text = file.read()
    facts = json.loads(text.splitlines()[0][3:])
    device = Device(library, arch="sm_100a", **options)
    kernel = device.load(text)["scaled_matmul"]
    rng = np.random.default_rng(m + n + k)
    a, a_scales, a_values = operand(rng, m, k, facts)
    b, b_scales, b_values = operand(rng, n, k, facts)
    d = device.array(np.full((m, n), np.nan, np.float32))
    grid = (m // facts["block_m"], n // facts["block_n"], 1)
    start = time.time()
    kernel(
        grid, (128, 1, 1), device.array(a), device.array(b),
        device.array(a_scales), device.array(b_scales), d,
        np.int32(m), np.int32(n), np.int32(k), np.uint64(0), np.uint64(0),
        shared=facts["shared"],
    )  # fmt: skip
    print(f"{device.name}: {time.time() - start:.3f} s", file=sys.stderr)
    expect_equal(d.get(), (a_values @ b_values.T).astype(np.float32))
    print("right")


main()
