#!/usr/bin/env python3
"""Draws schedules, types and shapes, and holds the compiler and the emulator's
result to what must come out.

usage: generate.py [--seed=N] [--count=N] [--only=I[-J],...|WORD] [--jobs=N]
                   [--orders=N] [--hazards=on|off] [--list]

Configuration I of a seed is always the same one, whatever else is asked for.
Each is compiled and run on the emulator with small integers as inputs and with
the hazard checker: the result must equal the double-precision reference, and
nothing may be reported. About one in twelve breaks a rule on purpose: there
bwgemm-compile must end with status 2 and name the rule.

What is legal is decided here, from the PTX ISA's tables and from sums of bytes
and columns, and not by asking the compiler: one that refuses a schedule which
fits is as wrong as one that takes one which does not.

--only takes numbers, or a word that the configuration's text contains. With
--orders=N each is also run with normally distributed inputs, first in the fair
order and then in N random orders of warps and landings: the bits must be the
same. --list prints the configurations and runs nothing.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import os
import random
import re
import sys
import tempfile
import time

import sweep

# Of sm_100a: shared memory of a CTA, in bytes.
SHARED_BYTES = 227 * 1024
# More than barriers and the tensor-memory slot take: what fits with this margin
# is legal, and what does not fit even without is illegal. Nothing in between is
# drawn, so that their exact size is the compiler's own business.
MARGIN_BYTES = 1024
# Of f16 and bf16 operands.
OPERAND_BYTES = 2

PRESETS = ("tma", "swizzle", "tma_store", "pipelined", "warp_specialized",
           "two_cta", "persistent")
WEIGHTS = (1, 2, 3, 4, 4, 4, 8)
RINGS = PRESETS[PRESETS.index("pipelined"):]
STORES = PRESETS[PRESETS.index("tma_store"):]
PAIRS = PRESETS[PRESETS.index("two_cta"):]
# CTAs of a cluster along M and N.
CLUSTERS = ((2, 1), (1, 2), (2, 2), (4, 1), (1, 4))
# A run of the emulator is to take a fraction of a second.
MOST_PRODUCTS = 40_000_000
MOST_RESULTS = 400_000
# CTAs that run at one time: a persistent kernel with more tiles goes round.
MULTIPROCESSORS = 148


@dataclasses.dataclass
class Configuration:
    index: int
    preset: str
    fields: dict
    operand: str
    result: str
    layout: str
    accumulate: bool
    static: bool
    shape: tuple
    # What bwgemm-compile must say, if it must refuse.
    refusal: str = ""

    @property
    def schedule(self):
        return ",".join([self.preset] + [f"{k}={v}" for k, v in self.fields.items()])

    @property
    def case(self):
        accumulate = "+C" if self.accumulate else ""
        return f"{self.operand}-{self.result}-{self.layout}{accumulate}"

    def arguments(self):
        """Arguments for sweep.py that run it alone."""
        static = " --static" if self.static else ""
        return (f"{self.schedule} {self.case} "
                f"--shapes={'x'.join(map(str, self.shape))}{static}")

    def __str__(self):
        refusal = f"   must be refused: {self.refusal}" if self.refusal else ""
        return f"{self.index}: {self.arguments()}{refusal}"


def staging_bytes(m, n, result):
    """Shared memory for the result on its way to TMA: slices of at most 128
    bytes of each row, and two of them if the tile has more than one."""
    row = n * {"f32": 4, "bf16": 2, "f16": 2}[result]
    span = next(s for s in (128, 64, 32, 16) if row % s == 0)
    return m * span * min(2, row // span)


def contiguous_bytes(tile, layout):
    """Bytes of a tile's rows as they are stored, for A and for B."""
    m, n, k = tile
    return ((k if layout[0] == "n" else m) * OPERAND_BYTES,
            (n if layout[1] == "n" else k) * OPERAND_BYTES)


def swizzles(tile, layout):
    """Spans that fit, widest first."""
    rows = contiguous_bytes(tile, layout)
    return [s for s in (128, 64, 32) if all(row % s == 0 for row in rows)]


class Drawer:
    """Draws the configuration of one index."""

    def __init__(self, seed, index):
        self.random = random.Random(f"{seed}:{index}")
        self.index = index

    def chance(self, probability):
        return self.random.random() < probability

    def draw(self):
        pick = self.random.choice
        while True:
            self.preset = self.random.choices(PRESETS, WEIGHTS)[0]
            self.fields = {}
            self.operand = pick(("bf16", "f16"))
            self.result = pick(("f32", self.operand))
            self.layout = pick(("nt", "nt", "nn", "tn", "tt"))
            self.static = self.chance(0.6)
            self.accumulate = self.chance(0.2)
            self.draw_cluster()
            self.draw_tile()
            self.stages = 1
            if self.preset in RINGS and self.chance(0.8):
                self.stages = self.random.randint(1, 8)
                self.fields["stages"] = self.stages
            if self.chance(0.5):
                self.fields["raster"] = pick((1, 2, 3, 4, 8, 16))
            if self.chance(0.4):
                self.draw_order()
            if self.chance(0.4):
                self.fields["tmem_load"] = pick(("32x32b", "16x256b"))
            if self.preset == "persistent" and self.chance(0.4):
                # Stream-K shares steps out to single CTAs.
                alone = self.cluster == (1, 1)
                self.fields["scheduler"] = pick(
                    ("static", "clc", "clc", "stream_k", "stream_k") if alone
                    else ("static", "clc", "clc"))
            if self.chance(0.2):
                self.fields["pdl"] = pick(("on", "on", "off"))
            store = pick(("", "", "direct", "tma"))
            if store == "direct" or (store and self.preset in STORES):
                self.fields["store"] = store
            if self.preset != "tma" and not self.draw_swizzle():
                continue
            if self.preset == "tma" and self.chance(0.3):
                self.fields["swizzle"] = "none"
            if not self.draw_shape():
                continue
            streams = self.fields.get("scheduler") == "stream_k"
            if streams and self.fields.get("store") == "tma":
                continue
            # Stream-K shares K out by itself.
            if not streams and self.chance(0.25) and not self.draw_split():
                continue
            if self.fields.get("store") == "tma" and self.why_not_tma_store():
                continue
            if self.room() < MARGIN_BYTES:
                continue
            break
        refusal = self.break_a_rule() if self.chance(1 / 12) else ""
        return Configuration(self.index, self.preset, self.fields, self.operand,
                             self.result, self.layout, self.accumulate,
                             self.static, self.shape, refusal)

    def draw_cluster(self):
        """Which CTAs share operands, and whether they multiply in pairs."""
        self.group, self.cluster = 1, (1, 1)
        pair = self.preset == "two_cta" or (self.preset in PAIRS and self.chance(0.4))
        if pair:
            self.group = 2
            if self.preset != "two_cta" or self.chance(0.2):
                self.fields["cta_group"] = 2
            self.cluster = (2, 1)
        if self.preset in RINGS and self.chance(0.5):
            # A pair lies along M.
            self.cluster = self.random.choice(
                [c for c in CLUSTERS if c[0] % self.group == 0])
            self.fields["cluster"] = "x".join(map(str, self.cluster))

    def draw_tile(self):
        if self.chance(0.15):
            self.tile = (256, 256, 64) if self.group == 2 else (
                (128, 128, 64) if self.preset in RINGS else (64, 64, 64))
            return
        m = self.random.choice((64, 128)) * self.group
        step = self.step_of_n(m)
        wide = self.random.choice((64, 128, 256))
        n = self.random.randrange(max(step, 16), wide + 1, step)
        k = self.random.choice((16, 32, 48, 64, 64, 96, 128, 144, 192, 256))
        self.tile = (m, n, k)
        self.fields["tile"] = f"{m}x{n}x{k}"
        if m == 256 and self.chance(0.2):
            # Only a pair has that many rows.
            self.fields.pop("cta_group", None)

    def step_of_n(self, m):
        """PTX ISA, tcgen05.mma shapes of kind::f16: what N is a multiple of."""
        return 32 if self.group == 2 else 16 if m == 128 else 8

    def tile_of_cta(self):
        """Of a pair each CTA has half of the rows of A and of B."""
        m, n, k = self.tile
        return m // self.group, n // self.group, k

    def draw_swizzle(self):
        spans = swizzles(self.tile_of_cta(), self.layout)
        if spans and self.chance(0.4):
            self.fields["swizzle"] = f"{self.random.choice(spans)}B"
        return bool(spans)

    def draw_order(self):
        order = self.random.choice(("straight", "serpentine", "serpentine", "hilbert",
                                    "hilbert"))
        self.fields["order"] = order
        if order == "hilbert" and "raster" in self.fields:
            self.fields["raster"] = self.random.choice((2, 2, 4, 8, 16))

    def draw_split(self):
        """Parts of K, each of at least one tile where K is known."""
        steps = -(-self.shape[2] // self.tile[2])
        parts = self.random.choice((2, 2, 3, 4, 5, 8))
        if self.static and parts > max(steps, 1) and self.shape[2]:
            return False
        self.fields["split_k"] = parts
        return True

    def stored_type(self):
        """Partial sums are stored as they are."""
        return "f32" if self.fields.get("split_k", 1) > 1 else self.result

    def room(self):
        """Bytes of shared memory that the operands leave, and the result where
        it must go through shared memory."""
        m, n, k = self.tile_of_cta()
        bytes_ = (m + n) * k * OPERAND_BYTES * self.stages
        if self.fields.get("store") == "tma":
            # A CTA of a pair has up to 128 rows of all columns.
            rows = 128 if self.group == 2 else m
            bytes_ += staging_bytes(rows, self.tile[1], self.stored_type())
        return SHARED_BYTES - bytes_

    def units(self):
        """What M, N and K must be multiples of for TMA: rows of operands, as
        they are stored, are multiples of 16 bytes."""
        unit = 16 // OPERAND_BYTES
        return (unit if self.layout[0] == "t" else 1,
                unit if self.layout[1] == "n" else 1,
                unit if self.layout != "tn" else 1)

    def draw_extent(self, tile, unit, most):
        """One, odd, a few tiles or one element more or less."""
        kind = self.random.randrange(5)
        if kind == 0:
            extent = self.random.choice((1, 2, 3, 7, 8, 13))
        elif kind == 1:
            extent = self.random.randint(1, most * tile)
        else:
            extent = tile * self.random.randint(1, most)
            extent += self.random.choice((-1, 0, 0, 1))
        return -(-extent // unit) * unit

    def draw_shape(self):
        unit_m, unit_n, unit_k = self.units()
        tile_m, tile_n, tile_k = self.tile
        count = self.random.choice((0, 1, 2, self.stages - 1, self.stages,
                                    self.stages + 1, 2 * self.stages,
                                    2 * self.stages + 1))
        if count == 0 and self.chance(0.7):
            # Without terms there is no kernel: a few of these are enough.
            count = 3 * self.stages
        k = count * tile_k
        if count and self.chance(0.5):
            k -= self.random.randint(0, tile_k - 1) // unit_k * unit_k
        if k % unit_k != 0:
            k = -(-k // unit_k) * unit_k
        if self.preset == "persistent" and self.chance(0.5):
            # More tiles than multiprocessors, and not a multiple.
            rows = self.random.randint(2, 24)
            columns = -(-self.random.randint(MULTIPROCESSORS + 1, 400) // rows)
            m = rows * tile_m - self.random.randint(0, tile_m - 1)
            n = columns * tile_n - self.random.randint(0, tile_n - 1)
            m, n = -(-m // unit_m) * unit_m, -(-n // unit_n) * unit_n
        else:
            m = self.draw_extent(tile_m, unit_m, 3)
            n = self.draw_extent(tile_n, unit_n, 3)
        if self.chance(0.02):
            m = 0
        if self.chance(0.02):
            n = 0
        self.shape = (m, n, k)
        # What runs are whole tiles.
        whole = 1
        for extent, tile in zip(self.shape, self.tile):
            whole *= max(-(-extent // tile), 1) * tile
        return whole <= MOST_PRODUCTS and m * n <= MOST_RESULTS

    def why_not_tma_store(self):
        """Why TMA cannot write the result, in the compiler's words."""
        element = 4 if self.result == "f32" else 2
        # A workspace is made for TMA.
        if self.fields.get("split_k", 1) > 1:
            return ""
        if self.accumulate:
            return "expects store=direct, which adds to the result"
        if not self.static:
            return "operand D has strides or an offset that are not known"
        m, n, _ = self.shape
        # One row has no pitch.
        if m > 1 and n * element % 16 != 0:
            return (f"operand D has a row pitch of {n * element} bytes; TMA needs "
                    "a multiple of 16")
        return ""

    # Rules to break -------------------------------------------------------

    def break_a_rule(self):
        """Changes one field so that it must be refused; the reason's pattern."""
        ways = [self.break_m, self.break_n, self.break_k, self.break_room]
        if self.preset == "tma":
            ways.append(self.break_no_swizzle)
        else:
            ways.append(self.break_swizzle)
        if self.preset not in RINGS:
            ways.append(self.break_stages)
        streams = self.fields.get("scheduler") == "stream_k"
        if not streams:
            ways.append(self.break_store)
        if self.static and self.shape[2] and not streams:
            ways.append(self.break_split)
        ways += [self.break_cluster, self.break_order]
        # One rule at a time: this one has a rule of its own about tiles.
        self.fields.pop("split_k", None)
        if self.fields.get("store") == "tma" and self.why_not_tma_store():
            del self.fields["store"]
        fields = dict(self.fields)
        while True:
            self.fields = dict(fields)
            refusal = self.random.choice(ways)()
            if refusal:
                return refusal

    def set_tile(self, m, n, k):
        self.fields["tile"] = f"{m}x{n}x{k}"

    def break_m(self):
        m = self.random.choice((8, 32, 96, 192, 512))
        if self.group == 2:
            # Another M than 256 names no pair.
            self.fields["cta_group"] = 2
        self.set_tile(m, 64, 64)
        least = 64 * self.group
        return f"expects a tile of M {least} or {2 * least}.*, but got {m}$"

    def break_n(self):
        m = self.random.choice((64, 128)) * self.group
        step = self.step_of_n(m)
        n = self.random.choice((self.random.randrange(1, 256) // step * step
                                + self.random.randint(1, step - 1), 256 + step))
        if self.group == 2:
            # 128 rows may be those of a single CTA.
            self.fields["cta_group"] = 2
        self.set_tile(m, n, 64)
        return (f"expects a tile of N that is a multiple of {step} up to 256 "
                f".*, but got {n}$")

    def break_cluster(self):
        if self.fields.get("scheduler") == "stream_k":
            m, n = self.random.choice(CLUSTERS)
            self.fields["cluster"] = f"{m}x{n}"
            return (f"expects cluster=1x1 with scheduler=stream_k, but got {m}x{n}; "
                    "scheduler=static and scheduler=clc walk by clusters")
        self.fields.pop("cta_group", None)
        if self.preset not in RINGS:
            self.fields["cluster"] = "2x1"
            return "expects cluster=1x1, but got 2x1; clusters are for preset pipelined"
        if self.preset not in PAIRS:
            self.fields.update(cta_group=2, cluster="2x1")
            return "expects cta_group=1, but got 2; cta_group=2 is for preset two_cta"
        self.fields.update(cta_group=2, cluster=self.random.choice(("1x1", "1x2", "3x1")))
        return ("expects a cluster with an even number of CTAs along M for "
                "cta_group=2, but got")

    def break_k(self):
        k = self.random.choice((1, 8, 24, 40, 72, 100))
        self.set_tile(self.tile[0], self.tile[1], k)
        return f"expects a tile of K that is a multiple of 16, but got {k}$"

    def break_room(self):
        """Operand tiles, or a ring of them, that no shared memory holds."""
        m, n, k = self.tile_of_cta()
        whole_m, whole_n, _ = self.tile
        each = "( in each CTA)?"
        slot = (m + n) * k * OPERAND_BYTES
        most = SHARED_BYTES // slot
        if self.preset in RINGS:
            self.fields["stages"] = most + 1
            if slot <= SHARED_BYTES // 2:
                return (f"stages={most + 1} of tile {whole_m}x{whole_n}x{k} need "
                        rf"\d+ bytes of shared memory{each}, but sm_100a has "
                        rf"{SHARED_BYTES}; at most \d+ stages fit")
        self.fields.pop("stages", None)
        k = (SHARED_BYTES // ((m + n) * OPERAND_BYTES) // 16 + 1) * 16
        self.set_tile(whole_m, whole_n, k)
        return (rf"tile {whole_m}x{whole_n}x{k} needs \d+ bytes of shared memory"
                rf"{each}, but sm_100a has {SHARED_BYTES}; the largest K that fits "
                rf"is \d+")

    def break_swizzle(self):
        if "swizzle" in self.fields and self.chance(0.3):
            self.fields["swizzle"] = "none"
            return r"expects swizzle=32B\|64B\|128B"
        fitting = swizzles(self.tile_of_cta(), self.layout)
        wrong = [s for s in (32, 64, 128) if s not in fitting]
        if not wrong:
            return ""
        span = self.random.choice(wrong)
        self.fields["swizzle"] = f"{span}B"
        return (rf"expects (half of )?[MNK] of the tile, contiguous in [AB], to be a "
                rf"multiple of {span} bytes \(the swizzle\), but got \d+")

    def break_no_swizzle(self):
        self.fields["swizzle"] = self.random.choice(("32B", "64B", "128B"))
        return "has no swizzle; expects swizzle=none"

    def break_stages(self):
        stages = self.random.randint(2, 8)
        self.fields["stages"] = stages
        return f"expects stages=1, but got {stages}; .*pipelined has a ring"

    def break_split(self):
        steps = -(-self.shape[2] // self.tile[2])
        parts = steps + self.random.choice((1, 2, 10))
        self.fields["split_k"] = parts
        return (f"split_k={parts} needs that many tiles of K, but K of "
                f"{self.shape[2]} has {steps} of {self.tile[2]}; at most "
                f"split_k={steps} fits")

    def break_order(self):
        raster = self.random.choice((1, 3, 6, 12, 100))
        self.fields.update(order="hilbert", raster=raster)
        return ("expects a raster that is a power of two, 2 at least, for "
                f"order=hilbert, but got raster={raster}; ")

    def break_store(self):
        self.fields["store"] = "tma"
        if self.preset not in STORES:
            return "store=tma is for preset tma_store and those above"
        return self.why_not_tma_store()


def draw(seed, index):
    return Drawer(seed, index).draw()


def run(configuration, folder, orders, hazards):
    """What is wrong with one configuration; None if nothing is. And how often
    it ran."""
    shape = configuration.shape
    options = ["--ptxas=none"]
    library, process = sweep.compile_case(
        folder, configuration.schedule, configuration.case,
        shape if configuration.static else None, options)
    if configuration.refusal:
        if process.returncode == 2 and re.search(configuration.refusal, process.stderr,
                                                 re.MULTILINE):
            return None, 0
        return (f"expected a refusal with '{configuration.refusal}', got status "
                f"{process.returncode}\n{process.stderr}"), 0
    if process.returncode != 0:
        return (f"refused, or failed, with status {process.returncode}, though "
                f"it is legal\n{process.stderr}"), 0

    def execute(init, emulator, output=None):
        return sweep.run(library, shape, configuration.layout, init,
                         f"hazards={hazards},{emulator}", output)

    wrong = execute("int", "schedule=fair")
    if wrong or not orders:
        return wrong, 1
    return compare_orders(configuration, execute, folder, orders)


def compare_orders(configuration, execute, folder, orders):
    """Runs in random orders, and compares bits with those of the fair one."""

    def bits(name, emulator):
        output = os.path.join(folder, name)
        os.makedirs(output, exist_ok=True)
        wrong = execute("normal", emulator, output)
        data = {}
        for file in sorted(os.listdir(output)):
            with open(os.path.join(output, file), "rb") as contents:
                data[file] = contents.read()
            os.remove(os.path.join(output, file))
        return wrong, data

    wrong, fair = bits("fair", "schedule=fair")
    if wrong:
        return wrong, 2
    assert fair, "the runner has written no result"
    for seed in range(1, orders + 1):
        # By index too: twenty orders of many configurations are not the same
        # twenty.
        emulator = f"schedule=random,seed={1000 * configuration.index + seed}"
        wrong, random_order = bits("random", emulator)
        if wrong:
            return f"with {emulator}: {wrong}", 2 + seed
        if random_order != fair:
            return f"with {emulator}: other bits than in the fair order", 2 + seed
    return None, 2 + orders


def parse_only(text):
    """Numbers and ranges, or None if it is a word."""
    if not re.fullmatch(r"\d+(-\d+)?(,\d+(-\d+)?)*", text):
        return None
    indices = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        indices += range(int(first), int(last or first) + 1)
    return indices


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--orders", type=int, default=0)
    parser.add_argument("--hazards", choices=("on", "off"), default="on")
    parser.add_argument("--list", action="store_true")
    return parser.parse_args()


def choose(arguments):
    """The configurations that were asked for, without copies."""
    chosen = parse_only(arguments.only) if arguments.only else None
    drawn = [draw(arguments.seed, index)
             for index in (chosen or range(arguments.count))]
    if arguments.only and chosen is None:
        drawn = [c for c in drawn if arguments.only in str(c)]
    unique = {}
    for configuration in drawn:
        unique.setdefault((configuration.arguments(), configuration.refusal),
                          configuration)
    return list(unique.values())


def report(configurations):
    """What was covered, by preset and by field."""
    legal = [c for c in configurations if not c.refusal]
    presets = collections.Counter(c.preset for c in legal)
    fields = collections.Counter(f for c in legal for f in c.fields)
    print("  " + ", ".join(f"{p} {presets[p]}" for p in PRESETS if presets[p]))
    print("  " + ", ".join(f"{f} {n}" for f, n in sorted(fields.items())))


def main():
    arguments = parse_arguments()
    configurations = choose(arguments)
    if arguments.list:
        print("\n".join(map(str, configurations)))
        return 0
    failures, runs, slowest = 0, 0, (0, None)
    started = time.monotonic()

    def attempt(configuration):
        begin = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            wrong, count = run(configuration, folder, arguments.orders,
                               arguments.hazards)
        return configuration, wrong, count, time.monotonic() - begin

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for configuration, wrong, count, seconds in pool.map(attempt, configurations):
            runs += count
            slowest = max(slowest, (seconds, configuration.index))
            if wrong:
                failures += 1
                print(f"{configuration}\n{wrong}"
                      f"  again: sweep.py {configuration.arguments()} "
                      f"--emulator=hazards={arguments.hazards}\n"
                      f"  or:    generate.py --seed={arguments.seed} "
                      f"--only={configuration.index}"
                      + (f" --orders={arguments.orders}" if arguments.orders else ""),
                      flush=True)
    refused = sum(bool(c.refusal) for c in configurations)
    print(f"seed {arguments.seed}: {len(configurations)} configurations, {refused} to "
          f"be refused, {runs} runs, {failures} wrong")
    report(configurations)
    print(f"  {time.monotonic() - started:.0f} s; the slowest took {slowest[0]:.1f} s "
          f"(number {slowest[1]})")
    return 1 if failures or not configurations else 0


if __name__ == "__main__":
    sys.exit(main())
