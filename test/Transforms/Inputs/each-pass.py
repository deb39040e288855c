#!/usr/bin/env python3
"""Walks the pipeline of bwgemm-opt --bwgemm-lower over a file, pass by pass.

usage: each-pass.py FILE.mlir SCHEDULE...

After each pass the same pass once more must change nothing, and the module must
come back from bytecode and from the generic form as the same text. Which passes
there are the pipeline says itself.
"""

import subprocess
import sys


def opt(text, *arguments):
    """What bwgemm-opt makes of a module."""
    process = subprocess.run(["bwgemm-opt", *arguments], input=text,
                             capture_output=True, timeout=60)
    if process.returncode != 0:
        sys.exit(f"{' '.join(arguments)}: status {process.returncode}\n"
                 f"{process.stderr.decode()}")
    return process.stdout


def get_passes(schedule):
    """The passes of the pipeline, as texts for --pass-pipeline."""
    process = subprocess.run(
        ["bwgemm-opt", "-", f"--bwgemm-lower=schedule={schedule} ptxas=none",
         "--dump-pass-pipeline"], input="module {}", capture_output=True, text=True)
    lines = process.stderr.splitlines()[1:]
    assert lines[0] == "builtin.module(", process.stderr
    passes, nested = [], None
    for line in (line.strip() for line in lines[1:]):
        if line.endswith("("):
            nested = line[:-1]
        elif line.startswith(")"):
            nested = None
        elif nested:
            passes.append(f"{nested}({line.rstrip(',')})")
        else:
            passes.append(line.rstrip(","))
    return passes


def main():
    failures = count = 0
    for schedule in sys.argv[2:]:
        with open(sys.argv[1], "rb") as file:
            text = opt(file.read())
        for name in get_passes(schedule):
            pipeline = f"--pass-pipeline=builtin.module({name})"
            text = opt(text, pipeline)
            again = {
                "a second run": opt(text, pipeline),
                "bytecode": opt(opt(text, "--emit-bytecode")),
                "the generic form": opt(opt(text, "--mlir-print-op-generic")),
            }
            for what, other in again.items():
                if other != text:
                    failures += 1
                    print(f"{schedule}: {name}: {what} gives another text")
            count += 1
    print(f"{count} passes, {failures} differences")
    return 1 if failures or not count else 0


if __name__ == "__main__":
    sys.exit(main())
