#!/usr/bin/env python3
"""Assembles kernels for operands of 8 bits and of f32 with ptxas.

usage: assemble-types.py

Fails on a warning, a spill, a stack frame or more registers than assembles.py
allows for the same instructions.
"""

import os
import sys
import tempfile

import assembles
import sweep

SHAPE = (4096, 4096, 4096)
CASES = [(schedule, case, target)
         for case in ("i8-i32-nt", "e4m3-bf16-nt", "e5m2xe4m3-f32-nt")
         for schedule, target in (
             ("persistent", "sm_90a"), ("persistent,split_k=2", "sm_90a"),
             ("warp_specialized,tile=64x256x128", "sm_90a"),
             ("persistent", "sm_100a"), ("two_cta", "sm_100a"),
             ("persistent,scheduler=stream_k", "sm_100a"),
             ("multistage", "sm_89"), ("multistage", "sm_90"),
             ("multistage", "sm_120"), ("naive", "sm_80"))]
CASES += [(schedule + ",precision=tf32", "f32-f32-nt", target) for schedule, target in (
    ("persistent", "sm_90a"), ("persistent", "sm_100a"), ("two_cta", "sm_103a"),
    ("multistage", "sm_80"), ("multistage", "sm_120"))]
CASES += [("persistent", "e4m3-bf16-nn", "sm_103a"), ("persistent", "u8-i32-tn", "sm_100a"),
          ("persistent", "e5m2-f32-nt", "sm_100f"),
          ("multistage", "i8-i32-nn", "sm_80"), ("multistage", "u8xi8-i32-tt", "sm_90a"),
          ("multistage", "e4m3-bf16-nn", "sm_89"),
          ("multistage,precision=tf32", "f32-f32-nn", "sm_80"),
          ("naive", "f32-f32-nn", "sm_80")]


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "matmul.mlir")
        for schedule, case, target in CASES:
            operand, result, layout = case.split("-")
            with open(path, "w") as file:
                file.write(sweep.source(operand, result, layout, False, SHAPE))
            try:
                assembles.assemble(assembles.compile_ptx(path, schedule, target), target,
                                   folder)
            except AssertionError as error:
                sys.exit(f"{schedule} {case} {target}: {error}")
    print(f"{len(CASES)} kernels assembled")


if __name__ == "__main__":
    main()
