#!/usr/bin/env python3
"""Assembles the PTX of every preset with ptxas.

usage: assembles.py FILE.mlir...
       assembles.py --registers FILE.mlir...
       assembles.py --epilogues FILE.mlir...

Fails on a warning, a spill, a stack frame, more registers than the bound, or a
library that carries another text than --emit=ptx prints. Takes every preset's
default for every target that it is for; with --registers its default, its smallest and its
largest tile with both fragments and both ways to store, for sm_100a and sm_103a,
and prints how many registers each takes. With --epilogues the largest tiles, each
way to store and the kernels that add partial sums, which may use all registers
that there are, but none on the stack.
"""

import os
import re
import subprocess
import sys
import tempfile

SCHEDULES = ["naive", "tma", "swizzle", "swizzle,tile=128x256x64",
             "tma_store", "warp_specialized,cluster=2x2", "two_cta", "persistent",
             "persistent,tile=128x256x64", "persistent,tile=256x256x64",
             "swizzle,split_k=3", "persistent,split_k=4", "two_cta,split_k=2",
             "auto",
             "persistent,tile=128x256x64,scheduler=clc,pdl=on",
             "persistent,tile=256x256x64,scheduler=clc,order=hilbert",
             "persistent,tile=128x256x64,scheduler=stream_k"]
TARGETS = ["sm_100a", "sm_100f", "sm_103a"]
HOPPER_SCHEDULES = ["warp_specialized", "persistent", "persistent,tile=64x256x64",
                    "persistent,store=direct", "persistent,split_k=4",
                    "persistent,tile=128x128x64,split_k=2,staging=4",
                    "persistent,tile=128x256x64,cluster=2x1",
                    "persistent,tile=64x16x128,swap_ab=on",
                    "persistent,promote=512", "persistent,tile=64x128x64,promote=512",
                    "persistent,promote=512,compensated=on,split_k=2",
                    "persistent,tile=64x256x64,pingpong=on",
                    "persistent,pingpong=on,cluster=2x1",
                    "persistent,tile=128x192x64,pingpong=on",
                    "persistent,tile=128x192x64,pingpong=on,store=direct",
                    "persistent,tile=256x128x64",
                    "persistent,tile=256x192x64",
                    "persistent,tile=256x192x64,cluster=2x1",
                    "persistent,scheduler=stream_k",
                    "persistent,tile=256x128x64,scheduler=stream_k"]
EPILOGUE_SCHEDULES = ["naive", "swizzle,tile=128x256x64", "persistent",
                      "persistent,tile=128x256x64,store=direct",
                      "persistent,tile=128x256x64,tmem_load=32x32b",
                      "persistent,tile=256x256x64", "persistent,split_k=4",
                      "persistent,tile=128x256x64,scheduler=stream_k"]
HOPPER_EPILOGUES = ["warp_specialized,tile=128x256x64", "persistent,tile=128x256x64",
                    "persistent,tile=64x256x64", "persistent,split_k=4",
                    "persistent,tile=128x256x64,store=direct",
                    "persistent,tile=256x128x64",
                    "persistent,pingpong=on",
                    "persistent,scheduler=stream_k"]
# On every target: its threads need no TMA.
WARP_SCHEDULES = ["microkernel", "tiled", "double_buffered", "multistage",
                  "multistage,tile=128x256x32,stages=4",
                  "multistage,tile=64x64x64,split_k=3",
                  "multistage,promote=512,compensated=on"]
# Where operands are of f16.
HALF_SCHEDULES = ["microkernel,accumulator=f16", "tiled,accumulator=f16",
                  "double_buffered,accumulator=f16",
                  "multistage,accumulator=f16",
                  "multistage,tile=128x256x32,stages=4,accumulator=f16",
                  "multistage,tile=64x64x64,split_k=3,accumulator=f16",
                  "multistage,accumulator=f16,promote=128"]
WARP_TARGETS = ["sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100a", "sm_120"]
REGISTER_TARGETS = ["sm_100a", "sm_103a"]

# Of one thread. A fragment of the epilogue is 64 registers at most; with what
# addresses and masks take, twice that is plenty, and leaves a CTA of six warps
# less than half of the register file.
MOST_REGISTERS = 128
# With wgmma, 128 are the accumulators of 64 rows of 256 columns.
MOST_REGISTERS_OF_WARPGROUPS = 192
MOST_REGISTERS_OF_ANY = 255
# Of mma.sync, 128 are the accumulators of 64 x 64 and 64 are two sets of
# operands; up to 255 leave room for two CTAs of four warps.
MOST_REGISTERS_OF_WARPS = 255
REGISTER_FILE = 65536


def registers_schedules():
    """Presets with the fields that decide what the epilogue holds."""
    yield "naive"
    for preset in ("tma", "swizzle", "tma_store", "pipelined",
                   "warp_specialized", "persistent"):
        yield preset
        for tile in ("64x16x64", "128x256x64"):
            for load in ("32x32b", "16x256b"):
                fields = f"{preset},tile={tile},tmem_load={load}"
                yield fields
                if preset not in ("tma", "swizzle"):
                    yield fields + ",store=direct"
    yield "pipelined,cluster=2x2"
    yield "warp_specialized,cluster=4x2"
    for preset in ("two_cta", "persistent"):
        for tile in ("128x32x64", "128x256x64", "256x256x64"):
            for load in ("32x32b", "16x256b"):
                fields = f"{preset},tile={tile},cta_group=2,tmem_load={load}"
                yield fields
                yield fields + ",store=direct"


def compile_ptx(source, schedule, target):
    return subprocess.run(
        ["bwgemm-compile", source, f"--schedule={schedule}", f"--target={target}",
         "--emit=ptx"],
        capture_output=True, text=True, check=True,
    ).stdout


def assemble(ptx, target, folder, most=None):
    """Assembles it cleanly. Returns the number of registers."""
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
    # That it serialises wgmma or ignores setmaxnreg is no warning to ptxas.
    assert "performance loss" not in text.lower(), text
    clean = "0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads"
    frames = re.findall(r".*stack frame.*", text)
    assert frames and all(clean in frame for frame in frames), text
    # Of the largest kernel, if there are several.
    registers = max(map(int, re.findall(r"Used (\d+) registers", text)))
    threads = max(int(x) * int(y) * int(z) for x, y, z in
                  re.findall(r"\.maxntid (\d+), (\d+), (\d+)", ptx))
    if most is None:
        most = MOST_REGISTERS_OF_WARPGROUPS if "wgmma" in ptx else MOST_REGISTERS
        if "mma.sync" in ptx:
            most = MOST_REGISTERS_OF_WARPS
    assert registers <= most, text
    assert registers * threads <= REGISTER_FILE, text
    return registers


def check(source, schedule, target, folder):
    ptx = compile_ptx(source, schedule, target)
    assemble(ptx, target, folder)
    # The tensor cores are used exactly where the schedule says so.
    mma = "wgmma.mma_async" if target == "sm_90a" else "tcgen05.mma"
    if schedule in WARP_SCHEDULES + HALF_SCHEDULES:
        mma = "mma.sync"
    if schedule in HALF_SCHEDULES:
        mma += ".aligned.m16n8k16.row.col.f16.f16.f16.f16"
    assert (mma in ptx) == (not schedule.startswith("naive"))

    # ptxas has had this text already.
    library = os.path.join(folder, "library.so")
    subprocess.run(["bwgemm-compile", source, f"--schedule={schedule}",
                    f"--target={target}", "--ptxas=none", "-o", library], check=True,
                   capture_output=True)
    with open(library, "rb") as file:
        assert ptx.encode() in file.read(), "the library carries another text"


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        if "--registers" in sys.argv:
            for schedule in registers_schedules():
                used = []
                for source in arguments:
                    for target in REGISTER_TARGETS:
                        try:
                            used.append(assemble(compile_ptx(source, schedule, target),
                                                 target, folder))
                        except AssertionError as error:
                            sys.exit(f"{source} {schedule} {target}: {error}")
                        count += 1
                print(f"{schedule:60} {max(used):4} registers")
        elif "--epilogues" in sys.argv:
            cases = [(schedule, target) for schedule in EPILOGUE_SCHEDULES
                     for target in REGISTER_TARGETS]
            cases += [(schedule, "sm_90a") for schedule in HOPPER_EPILOGUES]
            for source in arguments:
                for schedule, target in cases:
                    try:
                        assemble(compile_ptx(source, schedule, target), target,
                                 folder, MOST_REGISTERS_OF_ANY)
                    except AssertionError as error:
                        sys.exit(f"{source} {schedule} {target}: {error}")
                    count += 1
        else:
            for source in arguments:
                cases = [(schedule, target) for schedule in SCHEDULES
                         for target in TARGETS]
                cases += [(schedule, "sm_90a") for schedule in HOPPER_SCHEDULES]
                cases += [(schedule, target) for schedule in WARP_SCHEDULES
                          for target in WARP_TARGETS]
                with open(source) as file:
                    if re.search(r"%a: memref<[0-9?x]*xf16", file.read()):
                        cases += [(schedule, target) for schedule in HALF_SCHEDULES
                                  for target in WARP_TARGETS]
                for schedule, target in cases:
                    check(source, schedule, target, folder)
                    count += 1
    print(f"{count} kernels assembled")


if __name__ == "__main__":
    main()
