#!/usr/bin/env python3
"""Wall time of `bwgemm-compile --emit=ptx`, from start of the process to its end.

usage: compile-time.py FILE.mlir [RUNS [LIMIT_MS]]

Prints the median and the range over RUNS (20) after one run that is not
counted, for each preset. With a limit, fails if a median exceeds it.
"""

import statistics
import subprocess
import sys
import time


def measure(source, schedule):
    command = ["bwgemm-compile", source, f"--schedule={schedule}", "--emit=ptx"]
    start = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return 1000 * (time.monotonic() - start)


def main():
    source = sys.argv[1]
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    limit = float(sys.argv[3]) if len(sys.argv) > 3 else None
    slow = 0
    for schedule in ("naive", "tma", "swizzle"):
        measure(source, schedule)
        times = [measure(source, schedule) for _ in range(runs)]
        median = statistics.median(times)
        print(f"{schedule:8} {median:6.0f} ms  ({min(times):.0f} to {max(times):.0f}, {runs} runs)")
        slow += limit is not None and median > limit
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
