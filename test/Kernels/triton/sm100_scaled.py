"""Block-scaled matmuls in Triton for sm_100, compiled ahead of time.

sm100_scaled.py: writes sm100-KIND.ptx beside this file; needs triton (3.9 was
used), no GPU. The first line of each file says how to launch it. Line numbers
and paths are left out, so that a file changes only if the code does.
"""

import json
import os
import re

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def scaled_matmul(
    a_pointer, b_pointer, a_scales, b_scales, d_pointer, m, n, k,
    kind: tl.constexpr, per_scale: tl.constexpr, per_byte: tl.constexpr,
    block_m: tl.constexpr, block_n: tl.constexpr, block_k: tl.constexpr,
):  # fmt: skip
    """D = (A * its scales) * (B * its scales)^T: A is m x k, B is n x k, in
    rows; every `per_scale` elements along k share a scale."""
    rows = tl.program_id(0) * block_m + tl.arange(0, block_m)
    columns = tl.program_id(1) * block_n + tl.arange(0, block_n)
    bytes_k = tl.arange(0, block_k // per_byte)
    scales_k = tl.arange(0, block_k // per_scale)
    pitch = k // per_byte
    scale_pitch = k // per_scale
    sum = tl.zeros((block_m, block_n), tl.float32)
    for first in range(0, k, block_k):
        at = first // per_byte + bytes_k
        scale_at = first // per_scale + scales_k
        a = tl.load(a_pointer + rows[:, None] * pitch + at[None, :])
        b = tl.load(b_pointer + columns[None, :] * pitch + at[:, None])
        sa = tl.load(a_scales + rows[:, None] * scale_pitch + scale_at[None, :])
        sb = tl.load(
            b_scales + columns[:, None] * scale_pitch + scale_at[None, :]
        )
        sum = tl.dot_scaled(a, sa, kind, b, sb, kind, sum)
    tl.store(d_pointer + rows[:, None] * n + columns[None, :], sum)


# Element type, elements per scale and per byte, types in memory, block.
VARIANTS = {
    "mxf8-e4m3": ("e4m3", 32, 1, "fp8e4nv", "u8", (128, 64, 128)),
    "mxf8-e5m2": ("e5m2", 32, 1, "fp8e5", "u8", (128, 128, 64)),
    "mxf4": ("e2m1", 32, 2, "u8", "u8", (128, 64, 128)),
    "nvf4": ("e2m1", 16, 2, "u8", "fp8e4nv", (128, 128, 128)),
}


def compile_variant(kind, per_scale, per_byte, element, scale, block):
    pointers = ("a_pointer", "b_pointer", "a_scales", "b_scales", "d_pointer")
    types = ("*" + element, "*" + element, "*" + scale, "*" + scale, "*fp32")
    signature = dict(zip(pointers, types), m="i32", n="i32", k="i32")
    constants = dict(
        kind=kind, per_scale=per_scale, per_byte=per_byte,
        block_m=block[0], block_n=block[1], block_k=block[2],
    )  # fmt: skip
    aligned = {(i,): [["tt.divisibility", 16]] for i in range(len(signature))}
    signature.update({name: "constexpr" for name in constants})
    compiled = triton.compile(
        ASTSource(scaled_matmul, signature, constants, aligned),
        target=GPUTarget("cuda", 100, 32),
        options={"num_warps": 4, "num_stages": 2},
    )
    ptx = compiled.asm["ptx"]
    ptx = re.sub(r"(?m)^\s*\.(loc|file)\b.*\n", "", ptx)
    ptx = re.sub(r"(?ms)^\s*\.section\s+\.debug.*?^\s*}\n", "", ptx)
    ptx = re.sub(r"(?m)^\$L__(func|tmp|debug)\w*:\n", "", ptx)
    ptx = re.sub(r"(?m)\s*//.*$", "", ptx)
    ptx = re.sub(r"(?m)^[ \t]*\n", "", ptx)
    ptx = re.sub(r"(\.target sm_\w+), debug", r"\1", ptx)
    facts = dict(constants, shared=compiled.metadata.shared)
    return f"// {json.dumps(facts)}\n{ptx}"


def main():
    folder = os.path.dirname(os.path.abspath(__file__))
    for name, variant in VARIANTS.items():
        with open(os.path.join(folder, f"sm100-{name}.ptx"), "w") as file:
            file.write(compile_variant(*variant))


if __name__ == "__main__":
    main()
