#!/usr/bin/env python3
"""Assembles the PTX of every preset for every target with ptxas.

usage: assembles.py FILE.mlir...

Fails on a warning, a spill, a stack frame, or a library that carries another
text than --emit=ptx prints.
"""

import os
import re
import subprocess
import sys
import tempfile

SCHEDULES = ["naive", "tma", "swizzle", "swizzle,tile=128x256x64",
             "tma_store", "persistent", "persistent,tile=128x256x64"]
TARGETS = ["sm_100a", "sm_100f", "sm_103a"]


def check(source, schedule, target, folder):
    options = [source, f"--schedule={schedule}", f"--target={target}"]
    compiled = subprocess.run(
        ["bwgemm-compile", *options, "--emit=ptx"],
        capture_output=True, text=True, check=True,
    )
    ptx = compiled.stdout
    path = os.path.join(folder, "kernel.ptx")
    with open(path, "w") as file:
        file.write(ptx)
    log = subprocess.run(
        ["ptxas", f"-arch={target}", "-v", path, "-o", os.devnull],
        capture_output=True, text=True,
    )
    text = log.stdout + log.stderr
    assert log.returncode == 0, text
    assert f".target {target}" in ptx, ptx[:200]
    assert "warning" not in text.lower(), text
    clean = "0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads"
    assert clean in text, text
    # The tensor cores are used exactly where the schedule says so.
    assert ("tcgen05.mma" in ptx) == (not schedule.startswith("naive"))
    assert re.search(r"Used \d+ registers", text), text

    library = os.path.join(folder, "library.so")
    subprocess.run(["bwgemm-compile", *options, "-o", library], check=True,
                   capture_output=True)
    with open(library, "rb") as file:
        assert ptx.encode() in file.read(), "the library carries another text"


def main():
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        for source in sys.argv[1:]:
            for schedule in SCHEDULES:
                for target in TARGETS:
                    check(source, schedule, target, folder)
                    count += 1
    print(f"{count} kernels assembled")


if __name__ == "__main__":
    main()
