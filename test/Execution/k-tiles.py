#!/usr/bin/env python3
"""Runs each preset that has stages over every number of K tiles from 0 to
2 S + 1, for each number of stages S from 1 to 8 (multistage: from 2 to 8,
double_buffered: 2).

usage: k-tiles.py [--target=sm_90a] [--case=bf16-f32-nt] SCHEDULE...

One kernel serves all counts of an S: the extent of K is dynamic, that of the
result is not, so that it may leave by TMA. Each count is run with K a whole
number of tiles, in the fair order of the emulator, and with half a tile less, in
a random one, with the hazard checker; the result must be equal. A kernel that
does not end is reported by the emulator as a hang.
"""

import concurrent.futures
import sys
import tempfile

import sweep

TILE_K = 16
STAGES = {"double_buffered": (2,), "multistage": range(2, 9)}


def main():
    runs, failures, schedules = 0, [], []
    target, case = "sm_100a", "bf16-f32-nt"
    for argument in sys.argv[1:]:
        key, _, value = argument.partition("=")
        if key == "--target":
            target = value
        elif key == "--case":
            case = value
        else:
            schedules.append(argument)
    layout = case.split("-")[2]
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(2) as pool:
        for schedule in schedules:
            preset, _, fields = schedule.partition(",")
            pair = preset == "two_cta" or "cta_group=2" in fields
            tile_m, tile_n = (128, 32) if pair else (64, 16)
            # Two tiles each way. Some for each CTA of a persistent kernel: 11 x
            # 15 of them.
            m, n = tile_m + 1, tile_n + 4
            if preset == "persistent":
                m, n = 11 * tile_m - 4, 15 * tile_n - 4
            for stages in STAGES.get(preset, range(1, 9)):
                spec = f"{preset},tile={tile_m}x{tile_n}x{TILE_K},stages={stages}"
                spec += "," + fields if fields else ""
                library = sweep.build(folder, spec, case, (m, n, "?"),
                                      [f"--target={target}"])
                jobs = []
                for count in range(2 * stages + 2):
                    whole, seed = TILE_K * count, 100 * stages + count
                    jobs.append(((m, n, whole), "hazards=on,schedule=fair"))
                    if count:
                        jobs.append(((m, n, whole - TILE_K // 2),
                                     f"hazards=on,schedule=random,seed={seed}"))
                results = pool.map(
                    lambda job: sweep.run(library, job[0], layout, "int", job[1]), jobs)
                runs += len(jobs)
                failures += [f"{spec} {job}: {wrong}"
                             for job, wrong in zip(jobs, results) if wrong]
    print(f"{runs} runs, {len(failures)} wrong")
    print("\n".join(failures[:5]))
    return 1 if failures or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
