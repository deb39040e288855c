#!/usr/bin/env python3
"""Checks that the dialect's ops and rules are tested.

Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: check-constraints.py PROJECT

Every label of a verifier rule in lib/IR, such as tcgen05_mma_c1, stands in a
test/IR/*-invalid.mlir, and every op is used in another test/IR/*.mlir.
"""

import glob
import os
import re
import sys

LABEL = re.compile(r"\b[a-z][a-z0-9_]*_c\d+\b")
# TableGen classes of op families whose mnemonics have a prefix.
PREFIXES = {"MBarrier": "mbarrier.", "RingSync": "ring."}
OP = re.compile(r'Bwgemm_(\w*)Op<"([\w.]+)"')


def read(project, pattern):
    text = ""
    for path in sorted(glob.glob(os.path.join(project, pattern))):
        with open(path, encoding="utf-8") as file:
            text += file.read()
    return text


project = sys.argv[1]
invalid = read(project, "test/IR/*-invalid.mlir")
every = read(project, "test/IR/*.mlir")

rules = set(LABEL.findall(read(project, "lib/IR/*.cpp")))
untested = sorted(rules - set(LABEL.findall(invalid)))
unknown = sorted(set(LABEL.findall(invalid)) - rules)

ops = set()
for family, mnemonic in OP.findall(read(project, "include/bwgemm/IR/*.td")):
    ops.add(PREFIXES.get(family, "") + mnemonic)
unused = sorted(op for op in ops if not re.search(rf"\bbwgemm\.{re.escape(op)}\b", every))

for label in untested:
    print(f"no test of rule {label}")
for label in unknown:
    print(f"test of rule {label}, which lib/IR does not have")
for op in unused:
    print(f"no test of bwgemm.{op}")
print(f"{len(rules)} rules and {len(ops)} ops, {len(untested) + len(unused)} untested")
sys.exit(1 if untested or unknown or unused or not rules or not ops else 0)
