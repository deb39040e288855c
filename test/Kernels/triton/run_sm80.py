"""Runs the kept PTX of sm80_matmul.py on integers, whose products sum exactly.

run_sm80.py DRIVER [PATTERN [KEY=VALUE...]] (options of the emulator)
"""

import json
import os
import re
import sys

import numpy as np

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(FOLDER))
from harness import Device, decode, encode, expect_equal, integers  # noqa: E402
from sm80_variants import VARIANTS  # noqa: E402

# Whole blocks, blocks in part, less than one block, K beyond and below the
# depth of the pipeline.
SHAPES = [
    (128, 128, 128),
    (100, 72, 200),
    (33, 17, 48),
    (1, 1, 1),
    (70, 130, 33),
]


def padded(values, kind, pitch, fill):
    """A matrix in rows of `pitch` elements, `fill` behind the columns."""
    host = np.full((values.shape[0], pitch), fill)
    host[:, : values.shape[1]] = values
    if kind == "s8":
        return host.astype(np.int8)
    if kind in ("tf32", "f32"):
        return host.astype(np.float32)
    if kind == "s32":
        return host.astype(np.int32)
    return encode(kind, host)


def run(device, name, variant, kernels, shape):
    m, n, k = shape
    rng = np.random.default_rng(m * n + k)
    low, high = (-128, 127) if variant["a"] == "s8" else (-4, 4)
    if variant["d"] in ("f16", "bf16"):
        low, high = -1, 1  # Sums stay small enough for the result's type.
    a, b = integers(rng, (m, k), low, high), integers(rng, (k, n), low, high)
    want = a @ b
    a_pitch = (k + 31) // 16 * 16
    b_rows = b.T if variant["b_columns"] else b
    b_pitch = (b_rows.shape[1] + 31) // 16 * 16
    d_pitch = n + 5
    a_array = device.array(padded(a, variant["a"], a_pitch, 7))
    b_array = device.array(padded(b_rows, variant["a"], b_pitch, 7))
    d_array = device.array(padded(np.zeros((m, n)), variant["d"], d_pitch, 9))
    kernel = kernels["matmul"]
    block_m, block_n, _ = variant["block"]
    grid = -(-m // block_m) * -(-n // block_n)
    scalars = [np.int32(v) for v in (m, n, k, a_pitch, b_pitch, d_pitch)]
    # Two pointers to scratch memory, which these kernels do not use.
    scratch = [np.uint64(0)] * 2
    kernel(
        (grid, 1, 1),
        (kernel.metadata["threads"], 1, 1),
        a_array,
        b_array,
        d_array,
        *scalars,
        *scratch,
        shared=kernel.metadata["shared"],
    )
    d = d_array.get()
    if variant["d"] in ("f16", "bf16"):
        d = decode(variant["d"], d)
    expect_equal(d[:, :n], want, f"{name}, {m}x{n}x{k}")
    expect_equal(d[:, n:], np.full((m, 5), 9), f"{name}, behind the columns")
    for array in (a_array, b_array, d_array):
        array.free()


def main():
    library = sys.argv[1]
    pattern = sys.argv[2] if len(sys.argv) > 2 else ""
    options = dict(word.split("=") for word in sys.argv[3:])
    device = Device(library, **options)
    for name, variant in VARIANTS.items():
        if not re.search(pattern, name) or device.capability < variant["arch"]:
            continue
        path = os.path.join(FOLDER, name + ".ptx")
        with open(path) as file:
            metadata = json.loads(file.readline().removeprefix("// "))
        kernels = device.load(path)
        kernels["matmul"].metadata = metadata
        for shape in SHAPES:
            run(device, name, variant, kernels, shape)
        print(f"{name}: right")


if __name__ == "__main__":
    main()
