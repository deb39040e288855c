"""Floating-point arithmetic and conversion."""

from .base import lane_form

ROUND = ["rn", "rz", "rm", "rp"]


def arithmetic():
    for t in ["f32", "f64"]:
        extras = ["", ".ftz", ".sat", ".ftz.sat"] if t == "f32" else [""]
        for r in ROUND:
            for extra in extras:
                for op, arity in [("add", 2), ("sub", 2), ("mul", 2), ("fma", 3)]:
                    operands = ", ".join("{" + c + "}" for c in "dabc"[: arity + 1])
                    yield lane_form(f"{op}.{r}{extra}.{t}",
                                    f"{op}.{r}{extra}.{t} {operands};",
                                    [t] * arity, [t])
            for extra in ["", ".ftz"] if t == "f32" else [""]:
                yield lane_form(f"div.{r}{extra}.{t}",
                                f"div.{r}{extra}.{t} {{d}}, {{a}}, {{b}};",
                                [t] * 2, [t])
                for op in ["rcp", "sqrt"]:
                    yield lane_form(f"{op}.{r}{extra}.{t}",
                                    f"{op}.{r}{extra}.{t} {{d}}, {{a}};", [t], [t])
        for extra in ["", ".ftz"] if t == "f32" else [""]:
            for op in ["neg", "abs"]:
                yield lane_form(f"{op}{extra}.{t}", f"{op}{extra}.{t} {{d}}, {{a}};",
                                [t], [t])
        for op in ["min", "max"]:
            for extra in (["", ".ftz", ".NaN", ".ftz.NaN", ".xorsign.abs",
                           ".NaN.xorsign.abs"] if t == "f32" else [""]):
                yield lane_form(f"{op}{extra}.{t}",
                                f"{op}{extra}.{t} {{d}}, {{a}}, {{b}};", [t] * 2, [t])
        yield lane_form(f"copysign.{t}", f"copysign.{t} {{d}}, {{a}}, {{b}};",
                        [t] * 2, [t])
        for test in ["finite", "infinite", "number", "notanumber", "normal",
                     "subnormal"]:
            yield lane_form(f"testp.{test}.{t}", f"testp.{test}.{t} {{d}}, {{a}};",
                            [t], ["pred"])


def half():
    for t in ["f16", "f16x2", "bf16", "bf16x2"]:
        b = t.startswith("bf")
        for op, arity in [("add", 2), ("sub", 2), ("mul", 2), ("fma", 3)]:
            if op == "fma":
                extras = ["", ".relu"] if b else ["", ".ftz", ".sat", ".ftz.sat",
                                                 ".relu", ".ftz.relu"]
            else:
                extras = [""] if b else ["", ".ftz", ".sat", ".ftz.sat"]
            for extra in extras:
                operands = ", ".join("{" + c + "}" for c in "dabc"[: arity + 1])
                yield lane_form(f"{op}.rn{extra}.{t}",
                                f"{op}.rn{extra}.{t} {operands};", [t] * arity, [t])
        for op in ["neg", "abs"]:
            for extra in [""] if b else ["", ".ftz"]:
                yield lane_form(f"{op}{extra}.{t}", f"{op}{extra}.{t} {{d}}, {{a}};",
                                [t], [t])
        for op in ["min", "max"]:
            for extra in ["", ".NaN", ".xorsign.abs", ".NaN.xorsign.abs"] + (
                    [] if b else [".ftz", ".ftz.NaN"]):
                yield lane_form(f"{op}{extra}.{t}",
                                f"{op}{extra}.{t} {{d}}, {{a}}, {{b}};", [t] * 2, [t])


def holds(outer, inner):
    """Every value of `inner` is one of `outer`: .sat is then not allowed."""
    sign, size = inner[0] == "s", int(inner[1:])
    if outer[0] == "u":
        return not sign and int(outer[1:]) >= size
    return int(outer[1:]) >= size + (0 if sign else 1)


def conversions():
    integers = ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"]
    for a in integers:
        for d in integers:
            # Registers of 8-bit values are 16 bits wide; the upper half of the
            # result is not the conversion's.
            kind_a = "b16" if a[1:] == "8" else "b" + a[1:]
            kind_d = "b16" if d[1:] == "8" else "b" + d[1:]
            for sat in ["", ".sat"]:
                if sat and holds(d, a):
                    continue
                text = f"cvt{sat}.{d}.{a} {{d}}, {{a}};"
                if d[1:] == "8":
                    text += "\nand.b16 {d}, {d}, 255;"
                yield lane_form(f"cvt{sat}.{d}.{a}", text, [kind_a], [kind_d])
    for f in ["f16", "bf16", "f32", "f64"]:
        for i in integers:
            kind = "b16" if i[1:] == "8" else "b" + i[1:]
            for r in ["rn", "rz", "rm", "rp"]:
                if f == "bf16" and i[1:] == "8" :
                    continue
                yield lane_form(f"cvt.{r}.{f}.{i}", f"cvt.{r}.{f}.{i} {{d}}, {{a}};",
                                [kind], [f])
                text = f"cvt.{r}i.{i}.{f} {{d}}, {{a}};"
                if i[1:] == "8":
                    text += "\nand.b16 {d}, {d}, 255;"
                yield lane_form(f"cvt.{r}i.{i}.{f}", text, [f], [kind])
    for t in ["f16", "bf16", "f32", "f64"]:
        for r in ["rni", "rzi", "rmi", "rpi"]:
            if t == "bf16":
                continue
            yield lane_form(f"cvt.{r}.{t}.{t}", f"cvt.{r}.{t}.{t} {{d}}, {{a}};", [t],
                            [t])
    for r in ROUND:
        for extra in ["", ".ftz", ".sat"]:
            yield lane_form(f"cvt.{r}{extra}.f16.f32",
                            f"cvt.{r}{extra}.f16.f32 {{d}}, {{a}};", ["f32"], ["f16"])
        yield lane_form(f"cvt.{r}.f16.f64", f"cvt.{r}.f16.f64 {{d}}, {{a}};", ["f64"],
                        ["f16"])
        yield lane_form(f"cvt.{r}.f32.f64", f"cvt.{r}.f32.f64 {{d}}, {{a}};", ["f64"],
                        ["f32"])
        yield lane_form(f"cvt.{r}.bf16.f64", f"cvt.{r}.bf16.f64 {{d}}, {{a}};",
                        ["f64"], ["bf16"])
    for a, d in [("f16", "f32"), ("f16", "f64"), ("bf16", "f32"), ("bf16", "f64"),
                 ("f32", "f64")]:
        yield lane_form(f"cvt.{d}.{a}", f"cvt.{d}.{a} {{d}}, {{a}};", [a], [d])
    yield lane_form("cvt.ftz.f32.f16", "cvt.ftz.f32.f16 {d}, {a};", ["f16"], ["f32"])
    yield lane_form("cvt.sat.f32.f16", "cvt.sat.f32.f16 {d}, {a};", ["f16"], ["f32"])
    for r in ["rn", "rz"]:
        for extra in ["", ".relu", ".satfinite", ".relu.satfinite"]:
            for d in ["f16", "bf16"]:
                if d == "bf16" or extra:
                    yield lane_form(f"cvt.{r}{extra}.{d}.f32",
                                    f"cvt.{r}{extra}.{d}.f32 {{d}}, {{a}};", ["f32"],
                                    [d])
                yield lane_form(f"cvt.{r}{extra}.{d}x2.f32",
                                f"cvt.{r}{extra}.{d}x2.f32 {{d}}, {{a}}, {{b}};",
                                ["f32"] * 2, ["b32"])
            if "satfinite" not in extra:
                yield lane_form(f"cvt.{r}{extra}.tf32.f32",
                                f"cvt.{r}{extra}.tf32.f32 {{d}}, {{a}};", ["f32"],
                                ["b32"])
    yield lane_form("cvt.rna.tf32.f32", "cvt.rna.tf32.f32 {d}, {a};", ["f32"], ["b32"])
    yield lane_form("cvt.rna.satfinite.tf32.f32", "cvt.rna.satfinite.tf32.f32 {d}, {a};",
                    ["f32"], ["b32"])
    for f8 in ["e4m3x2", "e5m2x2"]:
        for relu in ["", ".relu"]:
            yield lane_form(f"cvt.rn.satfinite{relu}.{f8}.f32",
                            f"cvt.rn.satfinite{relu}.{f8}.f32 {{d}}, {{a}}, {{b}};",
                            ["f32"] * 2, ["b16"])
            yield lane_form(f"cvt.rn.satfinite{relu}.{f8}.f16x2",
                            f"cvt.rn.satfinite{relu}.{f8}.f16x2 {{d}}, {{a}};",
                            ["f16x2"], ["b16"])
            yield lane_form(f"cvt.rn{relu}.f16x2.{f8}",
                            f"cvt.rn{relu}.f16x2.{f8} {{d}}, {{a}};", [f8], ["b32"])
    for d in ["u16", "s16"]:
        yield lane_form(f"cvt.pack.sat.{d}.s32", f"cvt.pack.sat.{d}.s32 {{d}}, {{a}}, {{b}};",
                        ["b32"] * 2, ["b32"])
    for d in ["u8", "s8", "u4", "s4", "u2", "s2"]:
        yield lane_form(f"cvt.pack.sat.{d}.s32.b32",
                        f"cvt.pack.sat.{d}.s32.b32 {{d}}, {{a}}, {{b}}, {{c}};",
                        ["b32"] * 3, ["b32"])


APPROXIMATION = "an approximation: the ISA bounds its error, the bits are the chip's"


def approximate():
    for op in ["rcp.approx.f32", "sqrt.approx.f32", "rsqrt.approx.f32",
               "sin.approx.f32", "cos.approx.f32", "lg2.approx.f32",
               "ex2.approx.f32", "tanh.approx.f32", "ex2.approx.f16",
               "tanh.approx.f16", "tanh.approx.bf16", "ex2.approx.ftz.bf16"]:
        t = op.rsplit(".", 1)[1]
        yield lane_form(op, f"{op} {{d}}, {{a}};", [t], [t], reason=APPROXIMATION)
    for op in ["div.approx.f32", "div.full.f32"]:
        yield lane_form(op, f"{op} {{d}}, {{a}}, {{b}};", ["f32"] * 2, ["f32"],
                        reason=APPROXIMATION)


def forms():
    yield from arithmetic()
    yield from half()
    yield from conversions()
    yield from approximate()
