#!/usr/bin/env python3
"""Measures how far sums are from those in double precision, as tensor cores
accumulate them, in blocks of K, and in blocks with the errors carried on; or,
with --half, as they do in f32, in f16, and in f16 in blocks of K.

usage: accuracy.py [--schedule=SPEC] [--target=sm_90a] [--blocks=K] [--check=PAGE]
                   [--half] [--libraries=FOLDER] [--device=emulator] K...

Of products of 32 x 32 elements of bf16 (of f16 with --half) with results in f32, with normally
distributed inputs and with uniform ones of [0, 1), drawn by numpy from a fixed
seed: the largest and the root mean square of the errors, over the root mean
square of the results. The emulator's numerics=exact is bit for bit that of an
H200. With --check each line must stand in the page. Fails where blocks are less
accurate than none, errors that are carried on make it worse, or sums in f16 are
as accurate as those in f32.
"""

import argparse
import os
import subprocess
import sys
import tempfile

import numpy

import sweep

SIDE = 32
KINDS = ("plain", "blocked", "compensated")
HALF_KINDS = ("f32", "f16", "f16-blocked")


def get_fields(kind, blocks):
    """What a kind's schedule names beside all others'."""
    fields = ",accumulator=f16" if kind in ("f16", "f16-blocked") else ""
    if kind in ("blocked", "compensated", "f16-blocked"):
        fields += f",promote={blocks}"
    return fields + (",compensated=on" if kind == "compensated" else "")


def to_bf16(values):
    """The bits of the nearest bf16, ties to even, and what they stand for."""
    bits = values.astype(numpy.float32).view(numpy.uint32)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(numpy.uint16)
    return rounded, (rounded.astype(numpy.uint32) << 16).view(numpy.float32)


def to_f16(values):
    half = values.astype(numpy.float16)
    return half, half.astype(numpy.float32)


def draw(data, depth, side, convert):
    random = numpy.random.default_rng([depth, side])
    shape = (SIDE, depth)
    return convert(random.standard_normal(shape) if data == "normal"
                   else random.random(shape))


def measure(library, folder, data, depth, device, convert):
    """The largest and the root mean square error, of the results' own."""
    inputs, wide = [], []
    for side in range(2):
        bits, values = draw(data, depth, side, convert)
        inputs.append(os.path.join(folder, f"{side}.npy"))
        numpy.save(inputs[-1], bits)
        wide.append(values.astype(numpy.float64))
    output = os.path.join(folder, "out")
    environment = dict(os.environ, BWGEMM_EMULATOR="numerics=exact,arch=sm_90a")
    process = subprocess.run(
        ["bwgemm-runner", library, f"--device={device}", f"--input={','.join(inputs)}",
         f"--shapes={SIDE}x{depth},{SIDE}x{depth},{SIDE}x{SIDE}",
         f"--output={output}"], capture_output=True, text=True, env=environment)
    if process.returncode != 0:
        sys.exit(f"{library} K={depth}: {process.stdout}{process.stderr}")
    (name,) = [n for n in os.listdir(output) if n.endswith(".npy")]
    result = numpy.load(os.path.join(output, name)).astype(numpy.float64)
    exact = wide[0] @ wide[1].T
    scale = numpy.sqrt(numpy.mean(exact ** 2))
    error = numpy.abs(result - exact) / scale
    return error.max(), numpy.sqrt(numpy.mean(error ** 2))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--schedule", default="multistage,tile=32x32x64")
    parser.add_argument("--target", default="sm_80")
    parser.add_argument("--blocks", type=int, default=512)
    parser.add_argument("--check")
    parser.add_argument("--half", action="store_true")
    parser.add_argument("--libraries")
    parser.add_argument("--device", default="emulator")
    parser.add_argument("depths", type=int, nargs="+")
    arguments = parser.parse_args()
    page = open(arguments.check, encoding="utf-8").read() if arguments.check else ""
    wrong = []
    kinds, case, convert = KINDS, "bf16-f32-nt", to_bf16
    if arguments.half:
        kinds, case, convert = HALF_KINDS, "f16-f32-nt", to_f16
    with tempfile.TemporaryDirectory() as folder:
        libraries = []
        for kind in kinds:
            if arguments.libraries:
                libraries.append(os.path.join(arguments.libraries, f"{kind}.so"))
                continue
            spec = arguments.schedule + get_fields(kind, arguments.blocks)
            os.makedirs(os.path.join(folder, kind))
            libraries.append(sweep.build(os.path.join(folder, kind), spec, case,
                                         None, [f"--target={arguments.target}"]))
        print("| K | inputs | " + " | ".join(f"{k}: max | rms" for k in kinds) + " |")
        for depth in arguments.depths:
            for data in ("normal", "uniform"):
                errors = []
                for library in libraries:
                    with tempfile.TemporaryDirectory() as place:
                        errors.append(measure(library, place, data, depth,
                                              arguments.device, convert))
                line = (f"| {depth} | {data} | "
                        + " | ".join(f"{most:.1e} | {rms:.1e}" for most, rms in errors) + " |")
                print(line, flush=True)
                if page and line not in page:
                    wrong.append(f"{arguments.check} has no line {line}")
                if arguments.half:
                    single, half, blocked = (rms for most, rms in errors)
                    if not single < half:
                        wrong.append(f"K={depth} {data}: f16 is as accurate as f32")
                    if depth >= 4 * arguments.blocks and not blocked < half:
                        wrong.append(f"K={depth} {data}: blocks are not more accurate")
                    continue
                plain, blocked, compensated = (rms for most, rms in errors)
                if depth >= 4 * arguments.blocks and not blocked < plain / 1.5:
                    wrong.append(f"K={depth} {data}: blocks are not more accurate")
                if compensated > 1.05 * blocked:
                    wrong.append(f"K={depth} {data}: carrying errors on makes it worse")
    print("\n".join(wrong) if wrong else "as it must be")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
