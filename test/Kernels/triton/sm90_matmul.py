"""Triton matmuls for sm_90, compiled ahead of time to the PTX files beside this.

    pip install triton==3.9.0
    python sm90_matmul.py [FOLDER]

writes sm90-*.ptx. No GPU is needed. The tests run the PTX and do not need
Triton.
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
    a, b, c, m, n, k, stride_a, stride_b, stride_c,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """C (f16) = A (M x K) * B (K x N), pointers and masks."""
    row = tl.program_id(0) * BM + tl.arange(0, BM)
    col = tl.program_id(1) * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        left = k - start
        x = tl.load(
            a + row[:, None] * stride_a + (start + inner)[None, :],
            mask=(row[:, None] < m) & (inner[None, :] < left), other=0.0,
        )  # fmt: skip
        y = tl.load(
            b + (start + inner)[:, None] * stride_b + col[None, :],
            mask=(inner[:, None] < left) & (col[None, :] < n), other=0.0,
        )  # fmt: skip
        acc = tl.dot(x, y, acc)
    tl.store(
        c + row[:, None] * stride_c + col[None, :], acc.to(tl.float16),
        mask=(row[:, None] < m) & (col[None, :] < n),
    )  # fmt: skip


@triton.jit
def tile_of(tile, tiles_m, tiles_n, GROUP: tl.constexpr):
    """Tiles in groups of GROUP rows, so that neighbours share operands."""
    group = tile // (GROUP * tiles_n)
    first = group * GROUP
    height = min(tiles_m - first, GROUP)
    return first + tile % height, (tile % (GROUP * tiles_n)) // height


@triton.jit
def persistent_loop(
    a, b, c, m, n, k,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr,
):  # fmt: skip
    tiles_m, tiles_n = tl.cdiv(m, BM), tl.cdiv(n, BN)
    for tile in tl.range(tl.program_id(0), tiles_m * tiles_n, tl.num_programs(0)):
        i, j = tile_of(tile, tiles_m, tiles_n, GROUP)
        acc = tl.zeros((BM, BN), tl.float32)
        for step in range(tl.cdiv(k, BK)):
            x = a.load([i * BM, step * BK])
            y = b.load([j * BN, step * BK])
            acc = tl.dot(x, y.T, acc)
        c.store([i * BM, j * BN], acc.to(tl.bfloat16))


@triton.jit
def persistent_host(
    a, b, c, m, n, k,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr,
):  # fmt: skip
    """C (bf16) = A (M x K) * B (N x K)^T; the host makes the tensor maps."""
    persistent_loop(a, b, c, m, n, k, BM, BN, BK, GROUP)


@triton.jit
def persistent_device(
    a_pointer, b_pointer, c_pointer, m, n, k,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr,
):  # fmt: skip
    """The same, the kernel makes them (tensormap.replace)."""
    a = tl.make_tensor_descriptor(a_pointer, [m, k], [k, 1], [BM, BK])
    b = tl.make_tensor_descriptor(b_pointer, [n, k], [k, 1], [BN, BK])
    c = tl.make_tensor_descriptor(c_pointer, [m, n], [n, 1], [BM, BN])
    persistent_loop(a, b, c, m, n, k, BM, BN, BK, GROUP)


@triton.jit
def matmul_fp8(a, b, c, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """C (f32) = A (M x K) * B (N x K)^T in e4m3; whole tiles alone."""
    row = tl.program_id(0) * BM + tl.arange(0, BM)
    col = tl.program_id(1) * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for start in range(0, k, BK):
        x = tl.load(a + row[:, None] * k + (start + inner)[None, :])
        y = tl.load(b + col[None, :] * k + (start + inner)[:, None])
        acc = tl.dot(x, y, acc)
    n = tl.num_programs(1) * BN
    tl.store(c + row[:, None] * n + col[None, :], acc)


def emit(folder, name, function, signature, constants, divisible, **options):
    attributes = {(i,): [["tt.divisibility", 16]] for i in divisible}
    names = function.arg_names
    for key, value in constants.items():
        signature[key] = "constexpr"
    source = ASTSource(
        function, signature,
        {(names.index(key),): value for key, value in constants.items()},
        attributes,
    )  # fmt: skip
    # What drivers and assemblers since CUDA 12.8 understand.
    options["ptx_version"] = 87
    made = compile(source, target=GPUTarget("cuda", 90, 32), options=options)
    text = made.asm["ptx"]
    # No debug sections: they hold the paths of the machine that compiled.
    text = text.split("\t.section\t.debug")[0]
    text = re.sub(r"\n\t\.(loc|file)\t[^\n]*", "", text)
    text = re.sub(r"\.target (\w+), debug", r".target \1", text)
    text = re.sub(r"[ \t]*//[^\n]*", "", text)
    text = re.sub(r"\n\s*\n+", "\n", text)
    # A block: the warps of the program, and those that Triton added.
    shared = made.metadata.shared
    head = (
        f"// Made by sm90_matmul.py with Triton {triton.__version__}.\n"
        f"// shared={shared} warps={made.metadata.num_warps}"
        f" scratch={made.metadata.global_scratch_size}"
        f" constants={constants}\n"
    )
    with open(os.path.join(folder, name + ".ptx"), "w") as file:
        file.write(head + text.strip() + "\n")
    print(name, made.metadata)


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(__file__)
    pointers = {"a": "*fp16", "b": "*fp16", "c": "*fp16"}
    sizes = {"m": "i32", "n": "i32", "k": "i32"}
    strides = {"stride_a": "i32", "stride_b": "i32", "stride_c": "i32"}
    emit(
        folder, "sm90-matmul", matmul, {**pointers, **sizes, **strides},
        {"BM": 128, "BN": 128, "BK": 64}, [0, 1, 2, 3, 4, 5, 6, 7, 8],
        num_warps=4, num_stages=3,
    )  # fmt: skip
    tile = {"BM": 128, "BN": 128, "BK": 64, "GROUP": 4}
    emit(
        folder, "sm90-persistent-host", persistent_host,
        {
            "a": "tensordesc<bf16[128,64]>", "b": "tensordesc<bf16[128,64]>",
            "c": "tensordesc<bf16[128,128]>", **sizes,
        },
        tile, [], num_warps=8, num_stages=3,
    )  # fmt: skip
    emit(
        folder, "sm90-persistent-device", persistent_device,
        {
            "a_pointer": "*bf16", "b_pointer": "*bf16", "c_pointer": "*bf16",
            **sizes,
        },
        tile, [0, 1, 2, 4, 5], num_warps=8, num_stages=3,
    )  # fmt: skip
    emit(
        folder, "sm90-matmul-fp8", matmul_fp8,
        {"a": "*fp8e4nv", "b": "*fp8e4nv", "c": "*fp32", "k": "i32"},
        {"BM": 64, "BN": 64, "BK": 64}, [0, 1, 2, 3], num_warps=4, num_stages=2,
    )  # fmt: skip


main()
