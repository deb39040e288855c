"""Loads, stores, atomics, mbarriers: every thread at a place of its own."""

from .base import lane_form

SLOT = """.reg .b32 %place;
    mov.u32 %place, %tid.x;
    shl.b32 %place, %place, 4;
    .reg .b32 %window;
    mov.u32 %window, slots;
    add.u32 %place, %place, %window;
    """
DECLARE = ".shared .align 16 .b8 slots[2048];\n"


def accesses():
    for t in ["u8", "s8", "u16", "s16", "u32", "s32", "b64"]:
        for space in ["shared", "global"]:
            where = "%place" if space == "shared" else "%out"
            text = (SLOT if space == "shared" else "") + (
                f"st.{space}.v2.b64 [{where}], {{{{{{a}}, {{b}}}}}};\n")
            # Sign and zero extension into wider registers.
            result = "b64" if t[0] in "us" else "b64"
            wide = {"u": "u64", "s": "s64", "b": "b64"}[t[0]]
            text += f"ld.{space}.{t} {{d}}, [{where}+8];\nst.{space}.b64 [{where}], {{d}};\n"
            text += f"ld.{space}.{t} {{e}}, [{where}+0];"
            del wide
            yield lane_form(f"ld.{space}.{t}", text, ["b64", "b64"],
                            [result, result], declare=DECLARE)
    for t, n in [("b8", 4), ("b16", 4), ("b32", 4), ("b64", 2), ("b8", 2),
                 ("b16", 2), ("b32", 2)]:
        registers = [f"{{o{i}}}" for i in range(n)]
        outs = ["b64" if t == "b64" else "b32" if t == "b32" else "b16"] * n
        yield lane_form(
            f"ld.shared.v{n}.{t}",
            SLOT + "st.shared.v2.b64 [%place], {{{a}, {b}}};\n"
            f"ld.shared.v{n}.{t} {{{{{', '.join(registers)}}}}}, [%place];",
            ["b64", "b64"], outs, declare=DECLARE)
        sources = [f"{{o{i}}}" for i in range(n)]
        del sources
        names = [f"{{i{2 + i}}}" for i in range(n)]
        kind = {"b8": "b16", "b16": "b16", "b32": "b32", "b64": "b64"}[t]
        yield lane_form(
            f"st.shared.v{n}.{t}",
            SLOT + "st.shared.v2.b64 [%place], {{{a}, {b}}};\n"
            f"st.shared.v{n}.{t} [%place], {{{{{', '.join(names)}}}}};\n"
            "ld.shared.v2.b64 {{{d}, {e}}}, [%place];",
            ["b64", "b64"] + [kind] * n, ["b64", "b64"], declare=DECLARE)


ATOMICS = [
    ("add", ["u32", "s32", "u64", "f32", "f64", "noftz.f16", "noftz.f16x2",
             "noftz.bf16", "noftz.bf16x2"]),
    ("min", ["u32", "s32", "u64", "s64"]),
    ("max", ["u32", "s32", "u64", "s64"]),
    ("and", ["b32", "b64"]),
    ("or", ["b32", "b64"]),
    ("xor", ["b32", "b64"]),
    ("exch", ["b32", "b64"]),
    ("cas", ["b16", "b32", "b64"]),
    ("inc", ["u32"]),
    ("dec", ["u32"]),
]


def atomics():
    for op, types in ATOMICS:
        for t in types:
            bare = t.split(".")[-1]
            kind = bare if bare[0] in "fb" and bare not in ("b16", "b32", "b64") \
                else "b" + bare[1:]
            width = {"f16": 16, "bf16": 16, "b16": 16, "f16x2": 32, "bf16x2": 32,
                     "f32": 32, "b32": 32, "f64": 64, "b64": 64}[kind]
            move = {"f32": "f32", "f64": "f64"}.get(kind, f"b{width}")
            third = ", {c}" if op == "cas" else ""
            for space in ["shared", "global"]:
                packed = op == "add" and space == "shared" and t.endswith("16x2")
                where = "%place" if space == "shared" else "%out"
                ready = ""
                if op == "cas":
                    # Every other thread's comparison succeeds.
                    ready = (".reg .pred %equal;\n.reg .b32 %bit;\n"
                             "mov.u32 %bit, %laneid;\nand.b32 %bit, %bit, 1;\n"
                             "setp.ne.u32 %equal, %bit, 0;\n"
                             f"@%equal mov.{move} {{b}}, {{a}};\n")
                yield lane_form(
                    f"atom.{space}.{op}.{t}",
                    (SLOT if space == "shared" else "") + ready
                    + f"st.{space}.{move} [{where}], {{a}};\n"
                    f"atom.{space}.{op}.{t} {{d}}, [{where}], {{b}}{third};\n"
                    f"ld.{space}.{move} {{e}}, [{where}];",
                    [kind] * (3 if op == "cas" else 2), [kind] * 2, declare=DECLARE,
                    reason="the loop that the driver makes of it leaves the upper "
                    "half as it was (driver 580.159.04)" if packed else None)
            if op not in ("exch", "cas"):
                yield lane_form(
                    f"red.{op}.{t}",
                    f"st.global.{move} [%out], {{a}};\n"
                    f"red.global.{op}.{t} [%out], {{b}};\n"
                    f"ld.global.{move} {{d}}, [%out];", [kind] * 2, [kind],
                    declare=DECLARE)


def script(name, ins, lines, outs, states=()):
    """An mbarrier of each thread, its states and the answers of its waits. Of
    the state that an arrival returns (results `states`) only bits 43 to 63
    count: the hardware leaves what was in the register in the others."""
    lines = lines + [f"shr.u64 {{o{n}}}, {{o{n}}}, 43;" for n in states]
    return lane_form(f"mbarrier.{name}", SLOT + "\n".join(lines), ins, outs,
                     declare=DECLARE)


def mbarriers():
    answers = ["mbarrier.test_wait.parity.shared.b64 {p0}, [%place], 0;",
               "mbarrier.test_wait.parity.shared.b64 {p1}, [%place], 1;"]

    def answer(first):
        return [line.replace("{p0}", f"{{o{first}}}").replace("{p1}", f"{{o{first + 1}}}")
                for line in answers]

    # Counts of 1 to 256, arrivals below that.
    small = ["and.b32 {a}, {a}, 255;", "add.u32 {a}, {a}, 1;",
             "rem.u32 {b}, {b}, {a};"]
    begin = small + ["mbarrier.init.shared.b64 [%place], {a};"]
    yield script("init.inval", ["b32"],
                 ["and.b32 {a}, {a}, 1048575;", "max.u32 {a}, {a}, 1;",
                  "mbarrier.init.shared.b64 [%place], {a};"] + answer(0)
                 + ["mbarrier.inval.shared.b64 [%place];",
                    "ld.shared.b64 {o2}, [%place];"], ["pred", "pred", "b64"])
    yield script("arrive.count", ["b32", "b32"],
                 begin + ["add.u32 {b}, {b}, 1;",
                          "mbarrier.arrive.shared.b64 {o0}, [%place], {b};"]
                 + answer(1), ["b64", "pred", "pred"], [0])
    yield script("arrive.twice", ["b32", "b32"],
                 begin + [".reg .pred %go;", "setp.ne.u32 %go, {b}, 0;",
                          "mov.b64 {o0}, 0;",
                          "@%go mbarrier.arrive.shared.b64 {o0}, [%place], {b};"]
                 + answer(2)
                 + ["sub.u32 {b}, {a}, {b};",
                    "mbarrier.arrive.shared.b64 {o1}, [%place], {b};"] + answer(4)
                 + ["mbarrier.inval.shared.b64 [%place];",
                    "ld.shared.b64 {o6}, [%place];"],
                 ["b64", "b64", "pred", "pred", "pred", "pred", "b64"], [0, 1])
    yield script("arrive.drop", ["b32", "b32"],
                 begin + ["add.u32 {b}, {b}, 1;",
                          "mbarrier.arrive_drop.shared.b64 {o0}, [%place], {b};"]
                 + answer(1) + ["mbarrier.inval.shared.b64 [%place];",
                                "ld.shared.b64 {o3}, [%place];"],
                 ["b64", "pred", "pred", "b64"], [0])
    # A phase that misses bytes, then gets them.
    yield script("expect_tx", ["b32", "b32"],
                 ["and.b32 {b}, {b}, 65535;", "mbarrier.init.shared.b64 [%place], 1;",
                  "mbarrier.arrive.expect_tx.shared.b64 {o0}, [%place], {b};"]
                 + answer(1)
                 + ["mbarrier.complete_tx.relaxed.cta.shared.b64 [%place], {b};"]
                 + answer(3) + ["mbarrier.inval.shared.b64 [%place];",
                                "ld.shared.b64 {o5}, [%place];"],
                 ["b64", "pred", "pred", "pred", "pred", "b64"], [0])
    # Bytes before they are expected; expect_tx ends the phase.
    yield script("complete_tx.first", ["b32", "b32"],
                 ["and.b32 {b}, {b}, 65535;", "add.u32 {b}, {b}, 1;",
                  "mbarrier.init.shared.b64 [%place], 1;",
                  "mbarrier.complete_tx.relaxed.cta.shared.b64 [%place], {b};",
                  "mbarrier.arrive.shared.b64 {o0}, [%place];"]
                 + answer(1)
                 + ["mbarrier.expect_tx.relaxed.cta.shared.b64 [%place], {b};"]
                 + answer(3), ["b64", "pred", "pred", "pred", "pred"], [0])
    yield script("test_wait.state", ["b32", "b32"],
                 ["and.b32 {a}, {a}, 1;", "add.u32 {a}, {a}, 1;",
                  "mbarrier.init.shared.b64 [%place], {a};",
                  "mbarrier.arrive.shared.b64 {o0}, [%place];",
                  "mbarrier.test_wait.shared.b64 {o1}, [%place], {o0};"],
                 ["b64", "pred"], [0])
    yield script("no_complete", ["b32", "b32"],
                 ["and.b32 {a}, {a}, 255;", "add.u32 {a}, {a}, 2;",
                  "mbarrier.init.shared.b64 [%place], {a};",
                  "mbarrier.arrive.noComplete.shared.b64 {o0}, [%place], 1;"]
                 + answer(1), ["b64", "pred", "pred"], [0])
    yield script("pending_count", ["b32", "b32"],
                 begin + ["add.u32 {b}, {b}, 1;",
                          "mbarrier.arrive.shared.b64 {o0}, [%place], {b};",
                          "mbarrier.pending_count.b64 {o1}, {o0};"], ["b64", "b32"],
                 [0])


def forms():
    yield from accesses()
    yield from atomics()
    yield from mbarriers()
