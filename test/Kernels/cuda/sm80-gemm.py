"""Runs sm80-gemm.cu, compiled to PTX, on integers.

sm80-gemm.py DRIVER FILE.ptx [KEY=VALUE...] (options of the emulator)
"""

import os
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import Device, encode, expect_equal, integers  # noqa: E402

SHAPES = [
    (64, 64, 64),
    (128, 192, 160),
    (100, 72, 88),
    (1, 1, 1),
    (65, 63, 300),
]
# Kernel: type, bytes of an element, stages, B in rows of K.
KERNELS = {
    "gemm_f16": ("f16", 2, 3, False),
    "gemm_f16_nn": ("f16", 2, 4, True),
    "gemm_bf16": ("bf16", 2, 2, False),
    "gemm_tf32": ("tf32", 4, 3, False),
    "gemm_s8": ("s8", 1, 4, False),
}


def stored(values, kind, size):
    """Rows whose pitch is a multiple of 16 bytes, with 7 behind them."""
    pitch = (values.shape[1] * size + 31) // 16 * 16
    host = np.full((values.shape[0], pitch // size), 7.0)
    host[:, : values.shape[1]] = values
    if kind == "s8":
        return host.astype(np.int8), pitch
    if kind == "tf32":
        return host.astype(np.float32), pitch
    return encode(kind, host), pitch


def main():
    library, ptx, *words = sys.argv[1:]
    options = dict(word.split("=") for word in words)
    device = Device(library, **options)
    kernels = device.load(ptx)
    for name, (kind, size, stages, by_rows) in KERNELS.items():
        low, high = (-128, 127) if kind == "s8" else (-4, 4)
        for m, n, k in SHAPES:
            rng = np.random.default_rng(m + n + k)
            a = integers(rng, (m, k), low, high)
            b = integers(rng, (k, n), low, high)
            a_host, a_pitch = stored(a, kind, size)
            b_host, b_pitch = stored(b if by_rows else b.T, kind, size)
            d_type = np.int32 if kind == "s8" else np.float32
            arrays = [
                device.array(host)
                for host in (a_host, b_host, np.full((m, n + 3), 9, d_type))
            ]
            k_elements = 64 // size
            b_bytes = 64 * size * k_elements if by_rows else 64 * 64
            kernels[name](
                ((n + 63) // 64, (m + 63) // 64, 1),
                (128, 1, 1),
                *arrays,
                *(np.int32(v) for v in (m, n, k, a_pitch, b_pitch, n + 3)),
                shared=stages * (64 * 64 + b_bytes),
            )
            d = arrays[2].get()
            expect_equal(d[:, :n], a @ b, f"{name}, {m}x{n}x{k}")
            expect_equal(d[:, n:], np.full((m, 3), 9), f"{name}, beside D")
            for array in arrays:
                array.free()
        print(f"{name}: right")


if __name__ == "__main__":
    main()
