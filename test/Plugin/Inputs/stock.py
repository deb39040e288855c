#!/usr/bin/env python3
"""Runs the stock mlir-opt with the plugin beside bwgemm-opt.

usage: stock.py PLUGIN PROJECT FILE.mlir

Every op of test/IR is parsed, and FILE goes through every pass, one at a time;
both programs have to print the same.
"""

import glob
import os
import subprocess
import sys

PASSES = [
    "convert-linalg-to-bwgemm", "bwgemm-assign-schedule", "bwgemm-describe",
    "bwgemm-dispatch", "bwgemm-lower-naive", "bwgemm-tile", "bwgemm-split-k",
    "bwgemm-swizzle", "bwgemm-tma-store", "bwgemm-insert-warps",
    "bwgemm-multistage", "bwgemm-lower-copies", "bwgemm-insert-rings",
    "bwgemm-pipeline", "bwgemm-warp-specialize", "bwgemm-persist",
    "bwgemm-lower-rings", "bwgemm-lower-roles", "bwgemm-insert-async",
    "bwgemm-lower-epilogue", "bwgemm-plan-resources",
    "gpu.module(convert-bwgemm-to-nvvm)", "bwgemm-serialize{ptxas=none}",
    "bwgemm-describe", "convert-bwgemm-host-to-llvm",
]


def run(program, text, *options):
    process = subprocess.run([program, *options], input=text,
                             capture_output=True, text=True)
    assert process.returncode == 0, f"{program} {options}: {process.stderr}"
    return process.stdout


def main():
    plugin, project, source = sys.argv[1:]
    load = [f"--load-dialect-plugin={plugin}", f"--load-pass-plugin={plugin}"]
    ops = set()
    for path in sorted(glob.glob(os.path.join(project, "test", "IR", "*.mlir"))):
        if path.endswith("-invalid.mlir"):
            continue
        with open(path) as file:
            text = file.read()
        if "split-input-file" in text:
            continue
        stock = run("mlir-opt", text, *load)
        assert stock == run("bwgemm-opt", text), path
        ops |= {word.strip("\"(") for word in stock.split()
                if word.startswith("bwgemm.")}
    with open(source) as file:
        text = file.read()
    for step in PASSES:
        pipeline = f"--pass-pipeline=builtin.module({step})"
        after = run("mlir-opt", text, *load, pipeline)
        assert after == run("bwgemm-opt", text, pipeline), step
        text = after
    print(f"{len(ops)} ops, {len(PASSES)} passes")


if __name__ == "__main__":
    main()
