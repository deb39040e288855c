"""A blocked matrix multiplication in Triton: D = A B, any M, N, K.

A is M x K in rows; B is K x N in rows, or in columns if `b_columns`. Rows of
loads beyond the matrices are masked.
"""

import triton
import triton.language as tl


@triton.jit
def matmul(
    a_pointer,
    b_pointer,
    d_pointer,
    m,
    n,
    k,
    a_pitch,
    b_pitch,
    d_pitch,
    block_m: tl.constexpr,
    block_n: tl.constexpr,
    block_k: tl.constexpr,
    group: tl.constexpr,
    b_columns: tl.constexpr,
    accumulator: tl.constexpr,
):
    # Blocks of D in groups of `group` rows of blocks.
    index = tl.program_id(0)
    rows = tl.cdiv(m, block_m)
    columns = tl.cdiv(n, block_n)
    first = index // (group * columns) * group
    height = min(rows - first, group)
    block_row = first + index % (group * columns) % height
    block_column = index % (group * columns) // height

    at_m = block_row * block_m + tl.arange(0, block_m)
    at_n = block_column * block_n + tl.arange(0, block_n)
    at_k = tl.arange(0, block_k)
    a_places = a_pointer + at_m[:, None] * a_pitch + at_k[None, :]
    if b_columns:
        b_places = b_pointer + at_k[:, None] + at_n[None, :] * b_pitch
    else:
        b_places = b_pointer + at_k[:, None] * b_pitch + at_n[None, :]

    total = tl.zeros((block_m, block_n), dtype=accumulator)
    for start in range(0, k, block_k):
        left = k - start
        a = tl.load(
            a_places,
            mask=(at_m[:, None] < m) & (at_k[None, :] < left),
            other=0.0,
        )
        b = tl.load(
            b_places,
            mask=(at_k[:, None] < left) & (at_n[None, :] < n),
            other=0.0,
        )
        total = tl.dot(a, b, total, out_dtype=accumulator)
        a_places += block_k
        b_places += block_k if b_columns else block_k * b_pitch

    d_places = d_pointer + at_m[:, None] * d_pitch + at_n[None, :]
    d = total.to(d_pointer.dtype.element_ty)
    tl.store(d_places, d, mask=(at_m[:, None] < m) & (at_n[None, :] < n))
