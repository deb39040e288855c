"""A form: one PTX file, its launch, its inputs.

Every kernel is `k(in, out, sets)`: `in` points at the inputs, `out` at 64-bit
slots of the result, poisoned before the launch.
"""

import inputs

HEADER = """.version {version}
.target {target}
.address_size 64

"""


class Form:
    """A PTX text and how it is run.

    name: unique, also the name of its file.
    ptx: the text.
    grid, block, cluster: in CTAs and threads.
    sets: the number of input sets.
    slots: 64-bit slots of the result.
    smem: dynamic shared memory in bytes.
    make: returns the array of input bytes (numpy, uint8).
    maps: tensor maps, passed behind the other parameters; each a dictionary
        for cuTensorMapEncodeTiled whose address is an offset in the inputs or
        (`out`) in the result.
    outcome: the CUresult that the launch ends with; 0 if it ends well.
    exact: False if the hardware's bits are its own (approximations); `reason`
        says why.
    """

    def __init__(self, name, ptx, sets, slots, make, block=128, grid=None,
                 cluster=1, smem=0, maps=(), outcome=0, reason=None,
                 fill=0xA5):
        self.name = name
        self.ptx = ptx
        self.sets = sets
        self.slots = slots
        self.make = make
        self.block = block
        self.grid = grid if grid is not None else sets // block
        self.cluster = cluster
        self.smem = smem
        self.maps = maps
        self.outcome = outcome
        self.reason = reason
        self.fill = fill


WIDTH_CLASS = {1: "pred", 8: "b16", 16: "b16", 32: "b32", 64: "b64"}


def width_of(kind):
    if kind == "pred":
        return 1
    if kind in ("lane", "shift"):
        return 32
    if "x" in kind:
        base, packed = kind.rsplit("x", 1)
        return inputs.element_width(base) * int(packed)
    return inputs.element_width(kind)


def register_type(kind):
    """f32 and f64 registers for floats, untyped ones for the rest."""
    if kind in ("f32", "f64"):
        return kind
    return WIDTH_CLASS[width_of(kind)]


def load(kind, register, index):
    """Slot `index` of this thread into `register`."""
    width = width_of(kind)
    lines = [f"ld.global.b64 %slot, [%in+{8 * index}];"]
    if width == 1:
        lines.append(f"setp.ne.u64 {register}, %slot, 0;")
    elif width <= 16:
        lines.append(f"cvt.u16.u64 {register}, %slot;")
    elif width == 32:
        kind32 = register_type(kind)
        if kind32 == "f32":
            lines += ["cvt.u32.u64 %word, %slot;", f"mov.b32 {register}, %word;"]
        else:
            lines.append(f"cvt.u32.u64 {register}, %slot;")
    else:
        lines.append(f"mov.b64 {register}, %slot;")
    return lines


def store(kind, register, index):
    width = width_of(kind)
    if width == 1:
        lines = [f"selp.b64 %slot, 1, 0, {register};"]
    elif width <= 16:
        lines = [f"cvt.u64.u16 %slot, {register};"]
    elif width == 32:
        lines = [f"mov.b32 %word, {register};", "cvt.u64.u32 %slot, %word;"]
    else:
        lines = [f"mov.b64 %slot, {register};"]
    return lines + [f"st.global.b64 [%out+{8 * index}], %slot;"]


def lane_form(name, text, ins, outs, sets=8192, per_set=1, target="sm_90a",
              version="8.6", declare="", stream=None, **more):
    """A form in which every thread has inputs and results of its own.

    text: the instruction, with {a}, {b}, … for inputs and {d}, {e}, … (or
        {d0}, {d1} …) for results, in the order of `ins` and `outs`; several
        lines are allowed.
    per_set: threads that make up one input set (32 where the warp does).
    """
    in_names = [f"%i{n}" for n in range(len(ins))]
    out_names = [f"%o{n}" for n in range(len(outs))]
    names = {}
    for n, register in enumerate(in_names):
        names[f"i{n}"] = register
        if n < 3:
            names["abc"[n]] = register
    for n, register in enumerate(out_names):
        names[f"o{n}"] = register
        if n < 3:
            names["def"[n]] = register
    body = []
    for register, kind in zip(in_names, ins):
        body.append(f".reg .{register_type(kind)} {register};")
    for register, kind in zip(out_names, outs):
        body.append(f".reg .{register_type(kind)} {register};")
    for n, (register, kind) in enumerate(zip(in_names, ins)):
        body += load(kind, register, n)
    for line in text.format(**names).strip().split("\n"):
        body.append(line.strip())
    for n, (register, kind) in enumerate(zip(out_names, outs)):
        body += store(kind, register, n)
    threads = sets * per_set
    ptx = HEADER.format(version=version, target=target) + declare + f"""\
.visible .entry k(.param .u64 in, .param .u64 out)
{{
    .reg .b32 %thread, %cta, %size, %word;
    .reg .b64 %in, %out, %slot, %index;
    mov.u32 %thread, %tid.x;
    mov.u32 %cta, %ctaid.x;
    mov.u32 %size, %ntid.x;
    mad.lo.u32 %thread, %cta, %size, %thread;
    ld.param.u64 %in, [in];
    ld.param.u64 %out, [out];
    mul.wide.u32 %index, %thread, {8 * max(len(ins), 1)};
    add.u64 %in, %in, %index;
    mul.wide.u32 %index, %thread, {8 * len(outs)};
    add.u64 %out, %out, %index;
    """ + "\n    ".join(body) + "\n    ret;\n}\n"
    seed = stream if stream is not None else stream_of(name)

    def make():
        import numpy as np

        table = np.zeros((threads, max(len(ins), 1)), dtype=np.uint64)
        for n, kind in enumerate(ins):
            table[:, n] = inputs.values(kind, threads, seed + n, per_set)
        return table.reshape(-1).view(np.uint8)

    return Form(name, ptx, sets, threads * len(outs), make,
                grid=threads // 128, **more)


def stream_of(name):
    """A number for a name, the same everywhere (FNV-1a)."""
    value = 2166136261
    for byte in name.encode():
        value = (value ^ byte) * 16777619 & 0xFFFFFFFF
    return value >> 4 << 4
