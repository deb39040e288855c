"""Triton matmuls for sm_100, compiled ahead of time to PTX files beside this.

    pip install triton==3.9.0
    python sm100_matmul.py [FOLDER]

writes sm100-*matmul*.ptx. No GPU is needed. The tests run the PTX and do not
need Triton.
"""

import os
import re
import sys

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, compile


@triton.jit
def matmul(
    a, b, c, m, n, k,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
    SPECIALIZE: tl.constexpr,
):  # fmt: skip
    """C (bf16) = A (M x K) * B (N x K)^T through tensor maps of the host."""
    row, col = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), tl.float32)
    for step in tl.range(0, tl.cdiv(k, BK), warp_specialize=SPECIALIZE):
        x = a.load([row, step * BK])
        y = b.load([col, step * BK])
        acc = tl.dot(x, y.T, acc)
    c.store([row, col], acc.to(tl.bfloat16))


@triton.jit
def persistent(
    a, b, c, m, n, k,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
    SPECIALIZE: tl.constexpr,
):  # fmt: skip
    """The same; each program computes several tiles."""
    tiles_n = tl.cdiv(n, BN)
    tiles = tl.cdiv(m, BM) * tiles_n
    for tile in tl.range(
        tl.program_id(0), tiles, tl.num_programs(0),
        flatten=True, warp_specialize=SPECIALIZE,
    ):  # fmt: skip
        row, col = tile // tiles_n * BM, tile % tiles_n * BN
        acc = tl.zeros((BM, BN), tl.float32)
        for step in range(tl.cdiv(k, BK)):
            x = a.load([row, step * BK])
            y = b.load([col, step * BK])
            acc = tl.dot(x, y.T, acc)
        c.store([row, col], acc.to(tl.bfloat16))


def emit(folder, name, function, tile, specialize, **options):
    BM, BN, BK = tile
    constants = {"BM": BM, "BN": BN, "BK": BK, "SPECIALIZE": specialize}
    signature = {
        "a": f"tensordesc<bf16[{BM},{BK}]>", "b": f"tensordesc<bf16[{BN},{BK}]>",
        "c": f"tensordesc<bf16[{BM},{BN}]>", "m": "i32", "n": "i32", "k": "i32",
    }  # fmt: skip
    for key in constants:
        signature[key] = "constexpr"
    names = function.arg_names
    source = ASTSource(
        function, signature,
        {(names.index(key),): value for key, value in constants.items()}, {},
    )  # fmt: skip
    # What drivers and assemblers since CUDA 12.8 understand.
    options["ptx_version"] = 87
    made = compile(source, target=GPUTarget("cuda", 100, 32), options=options)
    text = made.asm["ptx"]
    # No debug sections: they hold the paths of the machine that compiled.
    text = text.split("\t.section\t.debug")[0]
    text = re.sub(r"\n\t\.(loc|file)\t[^\n]*", "", text)
    text = re.sub(r"\.target (\w+), debug", r".target \1", text)
    text = re.sub(r"[ \t]*//[^\n]*", "", text)
    text = re.sub(r"\n\s*\n+", "\n", text)
    head = (
        f"// Made by sm100_matmul.py with Triton {triton.__version__}.\n"
        f"// shared={made.metadata.shared} constants={constants}\n"
    )
    with open(os.path.join(folder, name + ".ptx"), "w") as file:
        file.write(head + text.strip() + "\n")
    print(name, made.metadata)


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(__file__)
    tile = (128, 128, 64)
    emit(folder, "sm100-matmul", matmul, tile, False, num_warps=4, num_stages=3)
    emit(
        folder, "sm100-matmul-specialized", matmul, tile, True,
        num_warps=4, num_stages=3,
    )  # fmt: skip
    emit(
        folder, "sm100-matmul-persistent", persistent, tile, True,
        num_warps=4, num_stages=3,
    )  # fmt: skip


main()
