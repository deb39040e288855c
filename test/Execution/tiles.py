#!/usr/bin/env python3
"""Compiles the swizzle preset for small to large tiles, to PTX.

Fails if a tile takes more than 20 s, or if PTX grows faster than the work that
a step of the tile is: its MMAs and copies, and the columns of one epilogue step.
"""

import subprocess
import time

SOURCE = """
func.func @matmul(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}
"""


def compile_tile(m, n, k):
    start = time.monotonic()
    process = subprocess.run(
        ["bwgemm-compile", "-", f"--schedule=swizzle,tile={m}x{n}x{k}", "--emit=ptx"],
        input=SOURCE, capture_output=True, text=True, check=True, timeout=60,
    )
    return len(process.stdout.splitlines()), time.monotonic() - start


def main():
    count = 0
    for m in (64, 128):
        smallest, _ = compile_tile(m, 32, 16)
        for n in (32, 256):
            for k in (16, 64, 128, 256):
                lines, seconds = compile_tile(m, n, k)
                assert seconds < 20, f"{m}x{n}x{k}: {seconds:.1f} s"
                steps = k // 16
                # The epilogue is the same for all; a step of K adds two
                # descriptors and an MMA, every fourth two copies.
                limit = smallest + 40 * steps
                assert lines <= limit, f"{m}x{n}x{k}: {lines} lines, expected at most {limit}"
                count += 1
    print(f"{count} tiles")


if __name__ == "__main__":
    main()
