#!/usr/bin/env python3
"""Counts bank conflicts of shared memory, by the emulator's statistics.

usage: bank-conflicts.py [--target=T] SCHEDULE CASE...

A CASE is as for sweep.py. Each is compiled for 256 x 192 x 256 and run on the
emulator; an access that takes more wavefronts than its bytes need is a failure.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

import sweep

SHAPE = (256, 192, 256)


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    target = next((a for a in sys.argv[1:] if a.startswith("--target=")),
                  "--target=sm_100a")
    schedule, cases = arguments[0], arguments[1:]
    wrong = 0
    for case in cases:
        with tempfile.TemporaryDirectory() as folder:
            library = sweep.build(folder, schedule, case, SHAPE,
                                  ["--ptxas=none", target])
            process = subprocess.run(
                ["bwgemm-runner", library, "--device=emulator", "--init=int", "--json"],
                capture_output=True, text=True,
                env=dict(os.environ, BWGEMM_EMULATOR=f"stats={library}.txt"))
            with open(library + ".txt") as file:
                statistics = file.read()
        report = json.loads(process.stdout)
        assert report["status"] == "right", process.stdout
        found = re.search(r"shared memory: (\d+) wavefronts, (\d+) of them bank conflicts",
                          statistics)
        assert found, statistics
        print(f"{schedule} {case} {target}: {found[0]}")
        wrong += int(found[2]) != 0 or int(found[1]) == 0
    print(f"{len(cases)} kernels, {wrong} with conflicts")
    return 1 if wrong or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
