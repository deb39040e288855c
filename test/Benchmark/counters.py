#!/usr/bin/env python3
"""What each rung of the ladder does, by the emulator's counters.

usage: counters.py [--size=MxNxK] [--check] [SCHEDULE...]
       counters.py --check-table FILE.md

Compiles D = A * B (A of M x K and B of N x K in bf16, D in f32; 4096x4096x4096)
at each schedule, runs it on the emulator and prints a table. --check compares
MMAs and bytes with what they must be, worked out below from the schedule alone.
--check-table does so with the table of a page, without running anything.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

RUNGS = ["tma", "swizzle", "tma_store", "pipelined", "warp_specialized",
         "warp_specialized,cluster=2x1", "warp_specialized,cluster=2x2", "two_cta",
         "two_cta,cluster=4x1", "persistent", "persistent,scheduler=clc",
         "persistent,tile=256x256x64"]
MIB = 1 << 20
COLUMNS = ["schedule", "MMAs", "TMA loads", "read, MiB", "received, MiB",
           "stored by TMA, MiB", "by threads, MiB", "waits on mbarriers",
           "at barriers", "instructions"]
SOURCE = """
func.func @matmul(%a: memref<{m}x{k}xbf16>, %b: memref<{n}x{k}xbf16>, %d: memref<{m}x{n}xf32>) {{
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%d : memref<{m}x{n}xf32>)
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : memref<{m}x{k}xbf16>, memref<{n}x{k}xbf16>) outs(%d : memref<{m}x{n}xf32>)
  return
}}
"""


def run(schedule, size):
    """The runner's report."""
    m, n, k = size
    with tempfile.TemporaryDirectory() as folder:
        library = os.path.join(folder, "matmul.so")
        subprocess.run(
            ["bwgemm-compile", "-", f"--schedule={schedule}", "--ptxas=none",
             "-o", library], input=SOURCE.format(m=m, n=n, k=k), text=True,
            check=True)
        process = subprocess.run(
            ["bwgemm-runner", library, "--device=emulator", "--init=int", "--json"],
            stdout=subprocess.PIPE, text=True)
    report = json.loads(process.stdout)
    assert report["status"] == "right" and report["max_rel_err"] == 0, process.stdout
    return report


def parse(schedule):
    """A complete SPEC as a dictionary."""
    preset, *fields = schedule.split(",")
    return {"preset": preset, **dict(field.split("=") for field in fields)}


def shorten(schedule):
    """The SPEC without the fields that have their usual value."""
    usual = ("cta_group=1", "cluster=1x1", "scheduler=static", "split_k=1",
             "pdl=off", "raster=1")
    return ",".join(field for field in schedule.split(",") if field not in usual)


def numbers(text):
    return tuple(map(int, text.split("x")))


def ceil_div(value, by):
    return -(-value // by)


def expect(schedule, size):
    """MMAs, bytes read, received and written that the schedule needs: as few as
    its tile and cluster allow."""
    spec = parse(schedule)
    m, n, k = size
    tile_m, tile_n, tile_k = numbers(spec["tile"])
    group = int(spec.get("cta_group", 1))
    cluster_m, cluster_n = numbers(spec.get("cluster", "1x1"))
    # A pair of CTAs lies along M, and each loads half of both operands.
    rows, columns = cluster_m * tile_m // group, cluster_n * tile_n
    clusters = ceil_div(m, rows) * ceil_div(n, columns)
    steps = ceil_div(k, tile_k)
    element = 2
    ctas = clusters * cluster_m * cluster_n
    return {
        # K 16 for each MMA.
        "mma_issued": ctas // group * steps * (tile_k // 16),
        # Each row of A and of B that a cluster needs, once.
        "tma_bytes_read": clusters * steps * (rows + columns) * tile_k * element,
        "tma_bytes_loaded":
            ctas * steps * (tile_m + tile_n) // group * tile_k * element,
        "bytes_stored": m * n * 4,
    }


def check(schedule, size, counters):
    """Compares counters with what they must be."""
    got = {**counters, "bytes_stored":
           counters["tma_bytes_stored"] + counters["global_bytes_stored"]}
    for name, value in expect(schedule, size).items():
        assert got[name] == value, (
            f"{schedule} at {size}: expected {name} = {value}, got {got[name]}")
    by_tma = parse(schedule).get("store") == "tma"
    kind = "global_bytes_stored" if by_tma else "tma_bytes_stored"
    assert counters[kind] == 0, f"{schedule}: {kind} = {counters[kind]}"
    assert counters["global_bytes_loaded"] == 0, f"{schedule} reads D"


def check_table(path):
    """Compares the table of a page, whose schedules are complete SPECs."""
    rows = 0
    with open(path) as file:
        for line in file:
            cells = [cell.strip(" `") for cell in line.strip().strip("|").split("|")]
            if len(cells) != len(COLUMNS) or not re.match(r"\w+,tile=", cells[0]):
                continue
            row = dict(zip(COLUMNS, cells))
            want = expect(row["schedule"], (4096, 4096, 4096))
            stored = int(row["stored by TMA, MiB"]) + int(row["by threads, MiB"])
            got = (int(row["MMAs"]), int(row["read, MiB"]) * MIB,
                   int(row["received, MiB"]) * MIB, stored * MIB)
            assert got == tuple(want.values()), f"{line}expected {want}"
            rows += 1
    assert rows >= len(RUNGS), f"only {rows} rows"
    print(f"{rows} rows are what they must be")


def main():
    options = dict(a.partition("=")[::2] for a in sys.argv[1:] if a.startswith("--"))
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    if "--check-table" in options:
        return check_table(arguments[0])
    size = numbers(options.get("--size", "4096x4096x4096"))
    print("| " + " | ".join(COLUMNS) + " |\n" + "|---" * len(COLUMNS) + "|")
    for rung in arguments or RUNGS:
        report = run(rung, size)
        counters, schedule = report["counters"], report["schedule"]
        if "--check" in options:
            check(schedule, size, counters)
        in_mib = [f"{counters[name] / MIB:.6g}" for name in (
            "tma_bytes_read", "tma_bytes_loaded", "tma_bytes_stored",
            "global_bytes_stored")]
        cells = [f"`{shorten(schedule)}`", counters["mma_issued"], counters["tma_loads"],
                 *in_mib, counters["mbarrier_waits"], counters["barrier_waits"],
                 counters["instructions"]]
        print("| " + " | ".join(map(str, cells)) + " |", flush=True)


if __name__ == "__main__":
    main()
