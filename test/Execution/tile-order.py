#!/usr/bin/env python3
"""Holds every order of tiles to what it promises, on every grid up to 20 x 20.

usage: tile-order.py

Lowers one kernel for each order and raster, in which a thread asks
bwgemm.tile_coord for the place of one tile of one grid, and runs it on the
emulator: what is tested is the arithmetic that kernels execute. Sizes are no
multiples of the tile's.

- Each grid's tiles and numbers are in bijection.
- Those of a group of rows come before those of the next.
- straight and serpentine: sorted by number they are sorted as the order says.
- hilbert: tiles in succession are neighbours, or, from one group to the next, in
  one column; in a whole square of R x R tiles, each 4^j numbers from a multiple
  of that on are a square of 2^j x 2^j tiles.
"""

import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

import numpy

MOST = 20
TILE_M, TILE_N = 3, 5
RASTERS = {
    "straight": (1, 2, 3, 5, 8, 16, 32),
    "serpentine": (1, 2, 3, 5, 8, 16, 32),
    "hilbert": (2, 4, 8, 16, 32),
}
PIPELINE = ("builtin.module(gpu.module(convert-bwgemm-to-nvvm),"
            "bwgemm-serialize{ptxas=none})")
TILES = MOST * MOST


def kernel(order, raster):
    """Block (x, y) is a grid of x + 1 columns and y + 1 rows, and thread t its
    tile t. One number holds row and column of D."""
    # The last tile of a row or column has one row or column of D.
    return f"""
  gpu.func @{order}{raster}(%places: memref<{TILES * TILES}xi32>) kernel {{
    %c1 = arith.constant 1 : index
    %tile_m = arith.constant {TILE_M} : index
    %tile_n = arith.constant {TILE_N} : index
    %tiles = arith.constant {TILES} : index
    %most = arith.constant {MOST} : index
    %shift = arith.constant 65536 : index
    %x = gpu.block_id x
    %y = gpu.block_id y
    %tile = gpu.thread_id x
    %before_m = arith.muli %y, %tile_m : index
    %before_n = arith.muli %x, %tile_n : index
    %rows = arith.addi %before_m, %c1 : index
    %columns = arith.addi %before_n, %c1 : index
    %m, %n = bwgemm.tile_coord {TILE_M} x {TILE_N} of %columns at %tile raster {raster} of %rows order {order}
    %high = arith.muli %m, %shift : index
    %both = arith.addi %high, %n : index
    %place = arith.index_cast %both : index to i32
    %first = arith.muli %y, %most : index
    %grid = arith.addi %first, %x : index
    %start = arith.muli %grid, %tiles : index
    %at = arith.addi %start, %tile : index
    memref.store %place, %places[%at] : memref<{TILES * TILES}xi32>
    gpu.return
  }}"""


def lower(kernels):
    """PTX of all of them."""
    target = '#nvvm.target<O = 3, chip = "sm_100a", features = "+ptx88">'
    text = f"gpu.module @orders [{target}] {{" + "".join(kernels) + "\n}\n"
    process = subprocess.run(["bwgemm-opt", f"--pass-pipeline={PIPELINE}"], input=text,
                             stdout=subprocess.PIPE, text=True, check=True)
    quoted = re.search(r'"((?:[^"\\]|\\[0-9A-F]{2}|\\\\)*\.entry(?:[^"\\]|\\[0-9A-F]{2}'
                       r'|\\\\)*)"', process.stdout).group(1)
    return re.sub(r"\\([0-9A-F]{2}|\\)",
                  lambda m: "\\" if m[1] == "\\" else chr(int(m[1], 16)),
                  quoted).rstrip("\0")


def execute(folder, entry):
    """The place of each tile: by rows, columns and number."""
    dump = os.path.join(folder, f"{entry}.npy")
    process = subprocess.run(
        ["bwgemm-ptx-run", os.path.join(folder, "orders.ptx"), "--device=emulator",
         f"--entry={entry}", f"--grid={MOST},{MOST}", f"--block={TILES}",
         # A memref: pointers, offset, size and stride.
         f"--arg=P=buf:u32:{TILES * TILES}", "--arg=ptr:P", "--arg=u64:0",
         f"--arg=u64:{TILES * TILES}", "--arg=u64:1", f"--dump=P:{dump}"],
        capture_output=True, text=True)
    if process.returncode != 0:
        raise RuntimeError(f"{entry}: {process.stderr}")
    return numpy.load(dump).reshape(MOST, MOST, TILES)


def sorted_places(order, raster, rows, columns):
    """All places, as the definition of `order` says it."""

    def key(place):
        row, column = place
        group = row // raster
        sweep = column
        if order == "serpentine" and group % 2:
            sweep = columns - 1 - column
        upwards = order == "serpentine" and sweep % 2
        return group, sweep, -row if upwards else row

    # In a raster of 1 a group is one row.
    return sorted(((r, c) for r in range(rows) for c in range(columns)), key=key)


def check_curve(places, raster, rows, columns):
    """Whether the places are along Hilbert's curves."""
    for (r, c), (r2, c2) in zip(places, places[1:]):
        if r // raster == r2 // raster:
            assert abs(r - r2) + abs(c - c2) == 1, ((r, c), (r2, c2))
        else:
            assert c == c2, ((r, c), (r2, c2))
    for first_row in range(0, rows - raster + 1, raster):
        start = first_row * columns
        for square in range(columns // raster):
            numbers = start + square * raster * raster
            side = 1
            while side <= raster:
                for n in range(numbers, numbers + raster * raster, side * side):
                    run = places[n:n + side * side]
                    for axis in (0, 1):
                        extents = [place[axis] for place in run]
                        assert max(extents) - min(extents) == side - 1, run
                side *= 2


def check(order, raster, table):
    for rows in range(1, MOST + 1):
        for columns in range(1, MOST + 1):
            numbers = table[rows - 1, columns - 1, :rows * columns]
            m, n = numbers >> 16, numbers & 0xFFFF
            assert not (m % TILE_M).any() and not (n % TILE_N).any()
            places = list(zip((m // TILE_M).tolist(), (n // TILE_N).tolist()))
            everything = {(r, c) for r in range(rows) for c in range(columns)}
            grid = f"{order}, raster {raster}, {rows} x {columns}"
            assert set(places) == everything, f"{grid}: not a bijection"
            groups = [r // raster for r, _ in places]
            assert groups == sorted(groups), f"{grid}: groups are mixed"
            if order == "hilbert":
                check_curve(places, raster, rows, columns)
            else:
                expected = sorted_places(order, raster, rows, columns)
                assert places == expected, f"{grid}: {places}"


def main():
    kinds = [(order, raster) for order, rasters in RASTERS.items() for raster in rasters]
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(2) as pool:
        with open(os.path.join(folder, "orders.ptx"), "w") as file:
            file.write(lower([kernel(*kind) for kind in kinds]))
        tables = pool.map(lambda kind: execute(folder, "{}{}".format(*kind)), kinds)
        for (order, raster), table in zip(kinds, tables):
            check(order, raster, table)
    print(f"{len(kinds)} orders, each a bijection on {TILES} grids")
    return 0


if __name__ == "__main__":
    sys.exit(main())
