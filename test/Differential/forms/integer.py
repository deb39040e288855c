"""Integer arithmetic, logic, bit fields, comparison and selection."""

from .base import lane_form

INT = ["u16", "s16", "u32", "s32", "u64", "s64"]
BITS = ["b16", "b32", "b64"]
COMPARE = {
    "s": ["eq", "ne", "lt", "le", "gt", "ge"],
    "u": ["eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"],
    "b": ["eq", "ne"],
    "f": ["eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu",
          "gtu", "geu", "num", "nan"],
}


def bits(type_):
    return "b" + type_[1:]


def twice(type_):
    return "b" + str(2 * int(type_[1:]))


def simple(mnemonic, arity, type_, result=None):
    operands = ", ".join("{d}" if n < 0 else "{" + "abc"[n] + "}"
                         for n in range(-1, arity))
    return lane_form(mnemonic, f"{mnemonic} {operands};", [bits(type_)] * arity,
                     [result or bits(type_)])


def arithmetic():
    for t in INT:
        for op in ["add", "sub", "mul.lo", "mul.hi", "min", "max", "div", "rem",
                   "sad"]:
            yield simple(f"{op}.{t}", 3 if op == "sad" else 2, t)
        for op in ["mad.lo", "mad.hi"]:
            yield simple(f"{op}.{t}", 3, t)
        if t[0] == "s":
            yield simple(f"neg.{t}", 1, t)
            yield simple(f"abs.{t}", 1, t)
        if t[1:] != "64":
            yield simple(f"mul.wide.{t}", 2, t, twice(t))
            yield lane_form(f"mad.wide.{t}", f"mad.wide.{t} {{d}}, {{a}}, {{b}}, {{c}};",
                            [bits(t), bits(t), twice(t)], [twice(t)])
    for op, arity in [("add.sat", 2), ("sub.sat", 2), ("mad.hi.sat", 3)]:
        yield simple(f"{op}.s32", arity, "s32")
    for t in ["u32", "s32"]:
        for part in ["lo", "hi"]:
            yield simple(f"mul24.{part}.{t}", 2, t)
            yield simple(f"mad24.{part}.{t}", 3, t)
    yield simple("mad24.hi.sat.s32", 3, "s32")
    for a in ["u32", "s32"]:
        for b in ["u32", "s32"]:
            yield simple(f"dp4a.{a}.{b}", 3, a)
            for part in ["lo", "hi"]:
                yield simple(f"dp2a.{part}.{a}.{b}", 3, a)
    for t in ["u16x2", "s16x2"]:
        for op in ["add", "min", "max"]:
            yield lane_form(f"{op}.{t}", f"{op}.{t} {{d}}, {{a}}, {{b}};",
                            ["b16x2", "b16x2"], ["b32"])
    for op in ["min", "max"]:
        yield lane_form(f"{op}.relu.s16x2", f"{op}.relu.s16x2 {{d}}, {{a}}, {{b}};",
                        ["b16x2", "b16x2"], ["b32"])
        yield simple(f"{op}.relu.s32", 2, "s32")
    for t in ["u32", "s32", "u64", "s64"]:
        w = bits(t)
        for first, second in [("add.cc", "addc"), ("sub.cc", "subc"),
                              ("add.cc", "addc.cc")]:
            third = f"\naddc.{t} {{f}}, 0, 0;" if second == "addc.cc" else ""
            yield lane_form(
                f"{first}.{second}.{t}",
                f"{first}.{t} {{d}}, {{a}}, {{b}};\n{second}.{t} {{e}}, {{i2}}, {{i3}};"
                + third,
                [w] * 4, [w] * (3 if third else 2))
        for part in ["lo", "hi"]:
            yield lane_form(
                f"mad.{part}.cc.{t}",
                f"mad.{part}.cc.{t} {{d}}, {{a}}, {{b}}, {{i2}};\n"
                f"madc.{part}.{t} {{e}}, {{a}}, {{b}}, {{i3}};",
                [w] * 4, [w] * 2)


def logic():
    for t in BITS:
        for op in ["and", "or", "xor"]:
            yield simple(f"{op}.{t}", 2, t)
        yield simple(f"not.{t}", 1, t)
        yield simple(f"cnot.{t}", 1, t)
    for op in ["and", "or", "xor"]:
        yield lane_form(f"{op}.pred", f"{op}.pred {{d}}, {{a}}, {{b}};",
                        ["pred", "pred"], ["pred"])
    yield lane_form("not.pred", "not.pred {d}, {a};", ["pred"], ["pred"])
    for lut in [0x00, 0x1B, 0x80, 0x96, 0xAC, 0xE8, 0xFE]:
        yield lane_form(f"lop3.b32.{lut:02x}",
                        f"lop3.b32 {{d}}, {{a}}, {{b}}, {{c}}, {lut};",
                        ["b32"] * 3, ["b32"])
    for t in ["b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64"]:
        for op in ["shl", "shr"]:
            if op == "shl" and t[0] != "b":
                continue
            yield lane_form(f"{op}.{t}", f"{op}.{t} {{d}}, {{a}}, {{b}};",
                            [bits(t), "shift"], [bits(t)])
    for side in ["l", "r"]:
        for mode in ["wrap", "clamp"]:
            yield lane_form(f"shf.{side}.{mode}.b32",
                            f"shf.{side}.{mode}.b32 {{d}}, {{a}}, {{b}}, {{c}};",
                            ["b32", "b32", "shift"], ["b32"])
    for t in ["u32", "s32", "u64", "s64"]:
        w = bits(t)
        yield lane_form(f"bfe.{t}", f"bfe.{t} {{d}}, {{a}}, {{b}}, {{c}};",
                        [w, "shift", "shift"], [w])
        yield simple(f"bfind.{t}", 1, t, "b32")
        yield simple(f"bfind.shiftamt.{t}", 1, t, "b32")
    for t in ["b32", "b64"]:
        yield lane_form(f"bfi.{t}", f"bfi.{t} {{d}}, {{a}}, {{b}}, {{i2}}, {{i3}};",
                        [t, t, "shift", "shift"], [t])
        yield simple(f"brev.{t}", 1, t)
        yield simple(f"popc.{t}", 1, t, "b32")
        yield simple(f"clz.{t}", 1, t, "b32")
    for mode in ["", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"]:
        yield lane_form(f"prmt.b32{mode}",
                        f"prmt.b32{mode} {{d}}, {{a}}, {{b}}, {{c}};",
                        ["b32"] * 3, ["b32"])
    for mode in ["clamp", "wrap"]:
        for t in ["u32", "s32"]:
            yield lane_form(f"szext.{mode}.{t}",
                            f"szext.{mode}.{t} {{d}}, {{a}}, {{b}};",
                            ["b32", "shift"], ["b32"])
        yield lane_form(f"bmsk.{mode}.b32", f"bmsk.{mode}.b32 {{d}}, {{a}}, {{b}};",
                        ["shift", "shift"], ["b32"])
    yield lane_form("fns.b32", "fns.b32 {d}, {a}, {b}, {c};",
                    ["b32", "lane", "lane"], ["b32"])


def comparison():
    for t in INT + BITS + ["f32", "f64", "f16", "bf16"]:
        kind = "b" + t[1:] if t[0] in "us" else t
        group = "f" if "f" in t else t[0]
        operators = COMPARE[group]
        for op in operators:
            yield lane_form(f"setp.{op}.{t}",
                            f"setp.{op}.{t} {{d}}, {{a}}, {{b}};",
                            [kind] * 2, ["pred"])
    for boolean in ["and", "or", "xor"]:
        yield lane_form(f"setp.lt.{boolean}.s32",
                        f"setp.lt.{boolean}.s32 {{d}}|{{e}}, {{a}}, {{b}}, {{c}};",
                        ["b32", "b32", "pred"], ["pred", "pred"])
    for op in ["lt", "geu", "num"]:
        yield lane_form(f"setp.{op}.ftz.f32",
                        f"setp.{op}.ftz.f32 {{d}}, {{a}}, {{b}};",
                        ["f32"] * 2, ["pred"])
        for t in ["f16x2", "bf16x2"]:
            yield lane_form(f"setp.{op}.{t}",
                            f"setp.{op}.{t} {{d}}|{{e}}, {{a}}, {{b}};",
                            [t] * 2, ["pred", "pred"])
        for d in ["u32", "s32", "f32"]:
            kind = "f32" if d == "f32" else "b32"
            yield lane_form(f"set.{op}.{d}.f32",
                            f"set.{op}.{d}.f32 {{d}}, {{a}}, {{b}};",
                            ["f32"] * 2, [kind])
    for t in ["b16", "b32", "b64", "f32", "f64"]:
        yield lane_form(f"selp.{t}", f"selp.{t} {{d}}, {{a}}, {{b}}, {{c}};",
                        [t, t, "pred"], [t])
    for t in ["b32", "f32", "b64"]:
        yield lane_form(f"slct.{t}.s32", f"slct.{t}.s32 {{d}}, {{a}}, {{b}}, {{c}};",
                        [t, t, "b32"], [t])
        yield lane_form(f"slct.{t}.f32", f"slct.{t}.f32 {{d}}, {{a}}, {{b}}, {{c}};",
                        [t, t, "f32"], [t])


def forms():
    yield from arithmetic()
    yield from logic()
    yield from comparison()
