#!/usr/bin/env python3
"""What the loops of a warp-specialised kernel may consist of, by their PTX.

usage: main-loop.py FILE.mlir SCHEDULE...
       main-loop.py --print=load|mma|epilogue FILE.mlir SCHEDULE

Finds the loops of the roles in the kernel's control flow, and fails unless

- one elected thread goes through the loop that multiplies and through the loop
  that copies; neither meets other threads there but through mbarriers,
- the MMAs of one K tile follow each other with nothing between them but
  arithmetic on descriptors,
- the PTX has as many barriers of threads as the kernel's IR,
- the epilogue loads at least 32 registers of tensor memory at once, and writes
  the result by TMA or, for store=direct, with vectors of at least 16 bytes where
  the tile is inside of the matrix.

--print writes the innermost loop of a role, with registers and labels numbered
in the order in which they occur.
"""

import re
import subprocess
import sys

ARITHMETIC = re.compile(
    r"(add|sub|and|or|xor|not|shl|shr|mul|mad|div|rem|mov|selp|setp|cvt|cvta|bfe|min|max)\.")
SYNCHRONISATION = re.compile(
    r"(mbarrier\.(try_wait|arrive)|tcgen05\.(mma|commit|fence)|cp\.async\.bulk\."
    r"tensor|clusterlaunchcontrol|mapa|fence\.)")
# What else a role may do in its loop over tiles: read what it was told.
READS = re.compile(r"(ld\.shared|ld\.param)")


def opcode(instruction):
    """Without the guard."""
    return re.sub(r"^@!?%p\d+\s+", "", instruction)


class Kernel:
    """Basic blocks of the first entry of a PTX text."""

    def __init__(self, ptx):
        body = ptx[ptx.index("\n{"):]
        body = body[:body.index("\n\n}")]
        self.labels, self.blocks, self.names = {}, [[]], [None]
        for line in body.splitlines()[2:]:
            line = line.split("//")[0].strip()
            # Inline assembly may have registers of its own in braces.
            if not line or line.startswith(".") or line in "{}":
                continue
            if line.endswith(":"):
                self.start_block(line[:-1])
                continue
            self.blocks[-1].append(line)
            if opcode(line).startswith(("bra", "ret", "exit")):
                self.start_block(None)
        self.successors = [self.find_successors(i) for i in range(len(self.blocks))]

    def start_block(self, label):
        if self.blocks[-1] or self.names[-1]:
            self.blocks.append([])
            self.names.append(None)
        if label:
            self.labels[label] = len(self.blocks) - 1
            self.names[-1] = label

    def find_successors(self, index):
        block = self.blocks[index]
        last = block[-1] if block else ""
        following = [index + 1] if index + 1 < len(self.blocks) else []
        branch = re.match(r"bra(\.uni)?\s+(\$\w+);", opcode(last))
        if branch:
            target = [self.labels[branch.group(2)]]
            return target + following if last.startswith("@") else target
        return [] if opcode(last).startswith(("ret", "exit")) else following

    def loops(self, nodes):
        """Strongly connected parts of `nodes` that have a cycle (Tarjan)."""
        order, low, stack, found = {}, {}, [], []

        def visit(node):
            order[node] = low[node] = len(order)
            stack.append(node)
            for other in self.successors[node]:
                if other not in nodes:
                    continue
                if other not in order:
                    visit(other)
                    low[node] = min(low[node], low[other])
                elif other in stack:
                    low[node] = min(low[node], order[other])
            if low[node] == order[node]:
                part = set(stack[stack.index(node):])
                del stack[stack.index(node):]
                if len(part) > 1 or node in self.successors[node]:
                    found.append(part)

        for node in sorted(nodes):
            if node not in order:
                visit(node)
        return found

    def entries(self, part):
        return {other for node in range(len(self.blocks)) if node not in part
                for other in self.successors[node] if other in part}

    def nest(self, pattern):
        """The loops round an instruction, outermost first."""
        nodes, loops = set(range(len(self.blocks))), []
        while True:
            inner = [part for part in self.loops(nodes)
                     if any(re.search(pattern, opcode(i)) for n in part
                            for i in self.blocks[n])]
            if not inner:
                return loops
            assert len(inner) == 1, f"several loops with {pattern}"
            loops.append(inner[0])
            nodes = inner[0] - self.entries(inner[0])

    def instructions(self, part):
        return [i for node in sorted(part) for i in self.blocks[node]]

    def reaches(self, start, part, avoid):
        """Whether a way leads from a block into a loop past another block."""
        seen, todo = set(), [start]
        while todo:
            node = todo.pop()
            if node in seen or node == avoid:
                continue
            seen.add(node)
            todo += self.successors[node]
        return bool(seen & part)

    def is_elected(self, part):
        """Whether a branch behind an elect.sync decides who enters a loop."""
        for node, block in enumerate(self.blocks):
            if node in part or not any("elect.sync" in i for i in block):
                continue
            enters = [s for s in self.successors[node] if self.reaches(s, part, node)]
            if (len(self.successors[node]) == 2 and len(enters) == 1 and
                    not self.reaches(0, part, node)):
                return True
        return False


def check_role(kernel, pattern, what):
    """The loops of a role that one thread goes through."""
    loops = kernel.nest(pattern)
    assert loops, f"no loop with {what}"
    for instruction in kernel.instructions(loops[0]):
        name = opcode(instruction)
        fine = (ARITHMETIC.match(name) or SYNCHRONISATION.match(name) or
                READS.match(name) or name.startswith("bra"))
        assert fine, f"the loop with {what} has: {instruction}"
    assert kernel.is_elected(loops[0]), f"no thread is elected for {what}"
    return loops


def check_mma(kernel, steps):
    loops = check_role(kernel, r"^tcgen05\.mma", "MMAs")
    blocks = [node for node in loops[-1]
              if any(opcode(i).startswith("tcgen05.mma") for i in kernel.blocks[node])]
    assert len(blocks) == 1, "the MMAs of a K tile are in several blocks"
    block = kernel.blocks[blocks[0]]
    at = [i for i, text in enumerate(block) if text.startswith("tcgen05.mma")]
    assert len(at) == steps, f"{len(at)} MMAs in a K tile, expected {steps}"
    between = block[at[0]:at[-1]]
    for instruction in between:
        assert (instruction.startswith("tcgen05.mma") or
                ARITHMETIC.match(instruction)), f"between two MMAs: {instruction}"
    return len(between) - len(at) + 1


def check_epilogue(kernel, direct):
    body = kernel.instructions(kernel.nest(r"^tcgen05\.ld")[-1])
    loads = [i for i in body if i.startswith("tcgen05.ld")]
    waits = [i for i in body if i.startswith("tcgen05.wait::ld")]
    registers = sum(load.split("{")[1].split("}")[0].count("%r") for load in loads)
    assert registers // len(waits) >= 32, f"{registers} registers in {len(waits)} loads"
    tma = [i for i in body if "cp.async.bulk.tensor" in i]
    vectors = [i for i in body if re.match(r"st\.global\.(v4|v8)\.b32", opcode(i))]
    assert vectors if direct else tma, "the result leaves in small pieces"
    return registers // len(waits)


def check_barriers(source, schedule, ptx):
    """No barrier was cloned into branches or merged."""
    process = subprocess.run(
        ["bwgemm-compile", source, f"--schedule={schedule}", "--emit=ptx",
         "--print-after=bwgemm-plan-resources"],
        capture_output=True, text=True, check=True)
    written = len(re.findall(r"gpu\.barrier|bwgemm\.warps_barrier", process.stderr))
    printed = len(re.findall(r"\b(?:bar|barrier)\.(?:cta\.)?sync", ptx))
    assert written == printed > 0, f"{written} barriers in IR, {printed} in PTX"


def compile_ptx(source, schedule):
    return subprocess.run(
        ["bwgemm-compile", source, f"--schedule={schedule}", "--emit=ptx"],
        capture_output=True, text=True, check=True).stdout


ROLES = {"load": r"^cp\.async\.bulk\.tensor.*shared::cluster",
         "mma": r"^tcgen05\.mma", "epilogue": r"^tcgen05\.ld"}


def print_loop(kernel, pattern):
    loop = kernel.nest(pattern)[-1]
    first = min(kernel.entries(loop))
    lines = []
    for node in sorted(loop, key=lambda node: (node < first, node)):
        if kernel.names[node]:
            lines.append(kernel.names[node] + ":")
        lines += kernel.blocks[node]
    names = {}

    def rename(match):
        kind = match.group(1) or "L"
        of_kind = [name for name in names.values() if re.sub(r"\d", "", name) == kind]
        return names.setdefault(match.group(0), f"{kind}{len(of_kind)}")

    for line in lines:
        line = re.sub(r"(%[a-z]+)\d+|\$L__\w+", rename, line)
        print(re.sub(r"\s+", " ", line))


def main():
    options = [a for a in sys.argv[1:] if a.startswith("--")]
    source, *schedules = [a for a in sys.argv[1:] if not a.startswith("--")]
    if options:
        kernel = Kernel(compile_ptx(source, schedules[0]))
        print_loop(kernel, ROLES[options[0].removeprefix("--print=")])
        return
    for schedule in schedules:
        tile = re.search(r"tile=\d+x\d+x(\d+)", schedule)
        ptx = compile_ptx(source, schedule)
        check_barriers(source, schedule, ptx)
        kernel = Kernel(ptx)
        between = check_mma(kernel, int(tile.group(1)) // 16 if tile else 4)
        check_role(kernel, ROLES["load"], "copies")
        registers = check_epilogue(kernel, "store=direct" in schedule)
        print(f"{schedule}: {between} instructions between the MMAs of a K tile, "
              f"{registers} registers in a load of the epilogue")


if __name__ == "__main__":
    main()
