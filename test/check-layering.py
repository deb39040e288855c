#!/usr/bin/env python3
"""Checks which folder includes which.

Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: check-layering.py PROJECT

    IR <- Transforms <- Conversion <- Target <- tools         the compiler
    runtime                                                   stands apart

A layer includes itself and what stands before it. The runtime, and the tools
that use it alone, include nothing of the compiler, of MLIR or of LLVM; the
compiler includes nothing of the emulator. Within the runtime, the emulator,
the reference and the driver table do not include each other: the reference is
the oracle for the emulator, and the tools know the emulator only through the
driver API.
"""

import os
import re
import sys

LAYERS = ["IR", "Transforms", "Conversion", "Target"]
RUNTIME_TOOLS = [
    "bwgemm-bench",
    "bwgemm-ptx-run",
    "bwgemm-runner",
    "bwgemm-tune",
    "common",
]
SOURCES = (".h", ".c", ".cpp", ".td", ".inc", ".def")
INCLUDE = re.compile(r'^\s*#?\s*include\s+["<]([^">]+)[">]')

# What each part of the runtime may not include, by the folder's name: headers
# that are named relative to the other parts' include folders.
RUNTIME_PARTS = {
    "reference": ["bwgemm-runtime/Driver", "bwgemm-runtime/CudaAbi"],
    "driver": ["bwgemm-runtime/Reference", "bwgemm-runtime/Fill"],
}
EMULATOR_FOLDERS = (
    "Emulator.h",
    "parser/",
    "machine/",
    "instructions/",
    "scheduler/",
    "hazards/",
    "driver_api/",
)


def forbidden(part, include):
    """Why a file in `part` may not include `include`, or None.

    `part` is the path of the file's folder, as a list of names."""
    compiler = include.startswith(("mlir/", "llvm/", "mlir-c/", "llvm-c/", "bwgemm/"))
    emulator = include.startswith(EMULATOR_FOLDERS) or "emulator/" in include
    top = part[0]
    if top == "runtime" or (top == "tools" and part[1:2] and part[1] in RUNTIME_TOOLS):
        if compiler:
            return "the runtime includes nothing of the compiler, MLIR or LLVM"
        area = part[1] if len(part) > 1 else ""
        if area != "emulator" and emulator:
            return "only the emulator includes the emulator's headers"
        if include.startswith(tuple(RUNTIME_PARTS.get(area, ()))):
            return f"runtime/{area} stands apart from it"
        if area == "emulator" and include.startswith(
            ("bwgemm-runtime/Reference", "bwgemm-runtime/Fill")
        ):
            return "the reference is the emulator's oracle"
        return None
    if emulator:
        return "the compiler includes nothing of the emulator"
    # lib/LAYER and include/bwgemm/LAYER
    layer = None
    if top == "lib" and len(part) > 1:
        layer = part[1]
    elif part[:2] == ["include", "bwgemm"] and len(part) > 2:
        layer = part[2]
    if layer is None:
        return None
    if layer not in LAYERS:
        return f"no layer of that name; layers are {', '.join(LAYERS)}"
    if include.startswith("bwgemm-runtime/"):
        return "only PTX text and the description cross from the compiler to the runtime"
    match = re.match(r"bwgemm/(\w+)/", include)
    if match and (
        match[1] not in LAYERS or LAYERS.index(match[1]) > LAYERS.index(layer)
    ):
        return f"{layer} comes before {match[1]}"
    return None


def check(project):
    """Yields one line for each include that points the wrong way."""
    for top in ("include", "lib", "runtime", "tools"):
        for folder, folders, names in os.walk(os.path.join(project, top)):
            folders.sort()
            part = os.path.relpath(folder, project).split(os.sep)
            for name in sorted(names):
                if not name.endswith(SOURCES):
                    continue
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as lines:
                    for number, line in enumerate(lines, 1):
                        match = INCLUDE.match(line)
                        why = match and forbidden(part, match[1])
                        if why:
                            where = os.path.relpath(path, project)
                            yield f"{where}:{number}: includes {match[1]}, but {why}"


def main(arguments):
    if len(arguments) != 1 or not os.path.isdir(os.path.join(arguments[0], "lib")):
        sys.exit(__doc__)
    lines = list(check(arguments[0]))
    for line in lines:
        print(line)
    print(f"{len(lines)} includes point the wrong way")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
