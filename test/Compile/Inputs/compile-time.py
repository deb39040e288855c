"""Times bwgemm-compile from a file with linalg to PTX.

Usage: compile-time.py BWGEMM_COMPILE PROGRAM REPETITIONS LIMIT_MS [OPTION...]

Prints the best and the median wall time of a whole process, and fails if the
best is above the limit.
"""

import statistics
import subprocess
import sys
import time

program, source, repetitions, limit = sys.argv[1:5]
command = [program, source, "--emit=ptx", "--schedule=swizzle"] + sys.argv[5:]
times = []
for _ in range(int(repetitions)):
    begin = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    times.append((time.perf_counter() - begin) * 1e3)
best, median = min(times), statistics.median(times)
print(f"best of {repetitions}: {best:.0f} ms, median: {median:.0f} ms")
sys.exit(best > float(limit))
