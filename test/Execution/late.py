#!/usr/bin/env python3
"""Makes one CTA of a cluster late, at one instruction after the other.

usage: late.py [--list] SCHEDULE CASE MxNxK

Compiles a matmul for clusters, puts a long loop in front of one instruction of the
PTX in the library (the allocation of tensor memory, or one that synchronises,
copies or multiplies), for the CTAs of one rank alone, and runs it on the emulator
with the hazard checker: the result must be right, and nothing reported. So no CTA
counts on another one's being as far as it is itself: not at the allocation of
tensor memory, nor where a role begins or ends.

Every rank of the cluster is late in turn. --list prints each place.
"""

import concurrent.futures
import os
import re
import sys
import tempfile

import mutate
import sweep

PLACES = re.compile(
    r"(tcgen05\.(alloc|relinquish|mma|commit|ld|dealloc)|mbarrier\.|cp\.async\.bulk|"
    r"barrier\.|bar\.sync|fence\.|griddepcontrol\.|clusterlaunchcontrol\.try_cancel)")
# Turns of a loop of three instructions: many times as many as the others take for
# the whole kernel.
TURNS = 30_000


def delay(rank):
    """PTX that the CTAs of this rank need long for."""
    return ("{.reg .pred %late;.reg .b32 %left;mov.u32 %left,%cluster_ctarank;"
            f"setp.ne.u32 %late,%left,{rank};@%late bra IN_TIME;mov.u32 %left,{TURNS};"
            "LATE:sub.u32 %left,%left,1;setp.ne.u32 %late,%left,0;@%late bra LATE;"
            "IN_TIME:}")


def insert(library, into, number, text):
    """Puts `text` before line `number`; what indents the lines makes room."""
    data, begin, end = mutate.read_ptx(library)
    lines = [line.strip() for line in data[begin:end].decode().split("\n")]
    lines.insert(number, text)
    changed = "\n".join(lines).encode()
    assert len(changed) <= end - begin, "too few indented lines"
    with open(into, "wb") as file:
        file.write(data[:begin] + changed.ljust(end - begin) + data[end:])


def main():
    schedule, case, text = [a for a in sys.argv[1:] if not a.startswith("--")]
    shape = tuple(map(int, text.split("x")))
    layout = case.removesuffix("+C").split("-")[2]
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(2) as pool:
        library = sweep.build(folder, schedule, case, shape, ["--ptxas=none"])
        data, begin, end = mutate.read_ptx(library)
        ptx = data[begin:end].decode()
        ranks = int(re.search(r"\.reqnctapercluster (\d+)", ptx).group(1))
        places = [(number, line.strip()) for number, line in enumerate(ptx.split("\n"))
                  if PLACES.match(mutate.opcode(line))]
        assert any("tcgen05.alloc" in line for _, line in places)

        def attempt(job):
            (number, line), rank = job
            path = os.path.join(folder, f"{number}-{rank}.so")
            insert(library, path, number, delay(rank))
            wrong = sweep.run(path, shape, layout, "int", "hazards=on")
            os.remove(path)
            return f"line {number}, rank {rank} is late: {line}", wrong

        failures = 0
        jobs = [(place, rank) for place in places for rank in range(ranks)]
        for where, wrong in pool.map(attempt, jobs):
            if "--list" in sys.argv:
                print(where)
            if wrong:
                failures += 1
                print(f"{where}\n{wrong}")
    print(f"{schedule}: {len(places)} places in {ranks} CTAs, {failures} wrong")
    return 1 if failures or not places else 0


if __name__ == "__main__":
    sys.exit(main())
