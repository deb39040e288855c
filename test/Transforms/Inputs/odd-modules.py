#!/usr/bin/env python3
"""Runs every pass of the pipeline alone on each module of a file.

usage: odd-modules.py FILE.mlir

Each pass must leave a module that verifies, or fail with an error that names a
place; it must not crash.
"""

import importlib
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
each_pass = importlib.import_module("each-pass")


def main():
    with open(sys.argv[1]) as file:
        modules = file.read().split("// -----")
    counts = {"fine": 0, "refused": 0, "wrong": 0}
    for name in each_pass.get_passes("persistent"):
        for number, module in enumerate(modules):
            process = subprocess.run(
                ["bwgemm-opt", f"--pass-pipeline=builtin.module({name})"],
                input=module, capture_output=True, text=True, timeout=60)
            refused = process.returncode == 1 and "error: " in process.stderr
            result = ("fine" if process.returncode == 0 else
                      "refused" if refused else "wrong")
            counts[result] += 1
            if result == "wrong" or "Stack dump" in process.stderr:
                print(f"{name}, module {number}: status {process.returncode}\n"
                      f"{process.stderr}")
    print(", ".join(f"{count} {result}" for result, count in counts.items()))
    return 1 if counts["wrong"] or not counts["fine"] else 0


if __name__ == "__main__":
    sys.exit(main())
