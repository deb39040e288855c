"""The kernels that are kept as PTX: types, blocks, layouts, pipeline depth."""


def variant(a, d, block, warps, stages, b_columns=False, arch=80):
    return dict(
        a=a, d=d, block=block, warps=warps, stages=stages,
        b_columns=b_columns, arch=arch,
    )  # fmt: skip


VARIANTS = {
    "sm80-f16-stages1": variant("f16", "f32", (64, 64, 32), 4, 1),
    "sm80-f16-stages2": variant("f16", "f16", (64, 128, 32), 4, 2),
    "sm80-f16-stages3-columns": variant(
        "f16", "f32", (128, 64, 32), 4, 3, b_columns=True
    ),
    "sm80-bf16-stages4": variant("bf16", "f32", (64, 64, 64), 8, 4),
    "sm80-bf16-stages3-columns": variant(
        "bf16", "bf16", (32, 64, 64), 4, 3, b_columns=True
    ),
    "sm80-tf32-stages3": variant("tf32", "f32", (64, 64, 32), 4, 3),
    "sm80-tf32-stages2-columns": variant(
        "tf32", "f32", (64, 32, 32), 4, 2, b_columns=True
    ),
    "sm80-s8-stages3-columns": variant(
        "s8", "s32", (64, 64, 64), 4, 3, b_columns=True
    ),
    "sm80-s8-stages2": variant("s8", "s32", (64, 64, 64), 4, 2),
    "sm89-e4m3-stages3-columns": variant(
        "e4m3", "f32", (64, 64, 64), 4, 3, b_columns=True, arch=89
    ),
    "sm89-e4m3-stages2": variant("e4m3", "f32", (64, 64, 64), 4, 2, arch=89),
}
