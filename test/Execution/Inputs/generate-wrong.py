"""Runs generate.py with two configurations that it is mistaken about."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import generate


def draw(seed, index):
    drawn = generate.Configuration(
        index, "tma", {"tile": "64x64x64"}, "bf16", "f32", "nt", accumulate=False,
        static=False, shape=(8, 8, 8))
    if index == 0:
        drawn.fields["tile"] = "32x64x64"
    else:
        drawn.refusal = "no such words"
    return drawn


generate.draw = draw
sys.argv[1:] = ["--count=2"]
sys.exit(generate.main())
