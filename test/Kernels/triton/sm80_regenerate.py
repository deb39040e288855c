"""Compiles the Triton kernels ahead of time and keeps their PTX.

sm80_regenerate.py [PATTERN]: needs triton (3.9 was used), no GPU. One file for each
variant, NAME.ptx, whose first lines say how to launch it. Line numbers and
paths are left out, so that a file changes only if the code does.
"""

import json
import os
import re
import sys

from sm80_variants import VARIANTS


def compile_variant(variant):
    import triton
    import triton.language as tl
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    import sm80_matmul

    kinds = {"f16": "fp16", "bf16": "bf16", "tf32": "fp32", "s8": "i8",
             "e4m3": "fp8e4nv", "f32": "fp32", "s32": "i32"}  # fmt: skip
    signature = {
        "a_pointer": "*" + kinds[variant["a"]],
        "b_pointer": "*" + kinds[variant["a"]],
        "d_pointer": "*" + kinds[variant["d"]],
    }
    for name in ("m", "n", "k", "a_pitch", "b_pitch", "d_pitch"):
        signature[name] = "i32"
    block_m, block_n, block_k = variant["block"]
    constants = {
        "block_m": block_m,
        "block_n": block_n,
        "block_k": block_k,
        "group": 4,
        "b_columns": variant["b_columns"],
        "accumulator": tl.int32 if variant["a"] == "s8" else tl.float32,
    }
    names = list(signature) + list(constants)
    for name in constants:
        signature[name] = "constexpr"
    # Pointers and the pitches of A and B are multiples of 16 elements.
    aligned = ("a_pointer", "b_pointer", "d_pointer", "a_pitch", "b_pitch")
    attributes = {
        (names.index(name),): [["tt.divisibility", 16]] for name in aligned
    }
    source = ASTSource(
        fn=sm80_matmul.matmul,
        signature=signature,
        constexprs=constants,
        attrs=attributes,
    )
    capability = variant["arch"]
    compiled = triton.compile(
        source,
        target=GPUTarget("cuda", capability, 32),
        options={
            "num_warps": variant["warps"],
            "num_stages": variant["stages"],
        },
    )
    ptx = compiled.asm["ptx"]
    ptx = re.sub(r"(?m)^\s*\.(loc|file)\b.*\n", "", ptx)
    ptx = re.sub(r"(?ms)^\s*\.section\s+\.debug.*?^\s*}\n", "", ptx)
    ptx = re.sub(r"(?m)^\$L__(func|tmp|debug)\w*:\n", "", ptx)
    ptx = re.sub(r"(?m)\s*//.*$", "", ptx)
    ptx = re.sub(r"(?m)^[ \t]*\n", "", ptx)
    # Debug information is gone, and so must be the word for it.
    ptx = re.sub(r"(\.target sm_\w+), debug", r"\1", ptx)
    metadata = {
        "shared": compiled.metadata.shared,
        "threads": 32 * variant["warps"],
    }
    return f"// {json.dumps(metadata)}\n{ptx}"


def main():
    pattern = sys.argv[1] if len(sys.argv) > 1 else ""
    folder = os.path.dirname(os.path.abspath(__file__))
    for name, variant in VARIANTS.items():
        if pattern not in name:
            continue
        with open(os.path.join(folder, name + ".ptx"), "w") as file:
            file.write(compile_variant(variant))
        print(name)


if __name__ == "__main__":
    main()
