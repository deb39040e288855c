#!/usr/bin/env python3
"""Checks that what a page, README.md or another, shows is what is there.

Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: check-readme.py PROJECT [PAGE]

A fenced block behind the comment `<!-- file: PATH -->` holds exactly that file.
A block behind `<!-- from: COMMAND -->` holds lines that the command prints, in
this order; a line that ends in "..." is the beginning of one. Behind
`<!-- like: COMMAND -->` MLIR values may have other names. Commands run in the
project's folder. Every link to a file has its file.
"""

import os
import re
import subprocess
import sys

BLOCK = re.compile(r"<!-- (file|from|like): (.*?) -->\n+```\w*\n(.*?)```", re.DOTALL)
VALUE = re.compile(r"%\w+(#\d+)?")
LINK = re.compile(r"\]\(([^)#:]+)\)")


def missing_lines(block, output, any_names):
    """The lines of `block` that are not, in order, lines of `output`."""

    def read(text):
        lines = filter(None, map(str.strip, text.splitlines()))
        return [VALUE.sub("%", line) if any_names else line for line in lines]

    lines = iter(read(output))
    for wanted in read(block):
        if wanted.endswith("..."):
            found = any(line.startswith(wanted[:-3]) for line in lines)
        else:
            found = any(line == wanted for line in lines)
        if not found:
            yield wanted
            return


def main(project, page="README.md"):
    with open(os.path.join(project, page), encoding="utf-8") as file:
        text = file.read()
    folder = os.path.join(project, os.path.dirname(page))
    problems, counts = [], {"file": 0, "from": 0, "like": 0}
    for kind, source, block in BLOCK.findall(text):
        counts[kind] += 1
        if kind == "file":
            with open(os.path.join(project, source), encoding="utf-8") as file:
                if file.read() != block:
                    problems.append(f"the block of {source} is not that file")
            continue
        result = subprocess.run(
            source, shell=True, cwd=project, capture_output=True, text=True
        )
        if result.returncode:
            problems.append(f"'{source}' failed: {result.stderr}")
        for line in missing_lines(block, result.stdout, kind == "like"):
            problems.append(f"'{source}' does not print: {line}")
    for target in LINK.findall(text):
        if not os.path.exists(os.path.join(folder, target)):
            problems.append(f"no file {target}")
    for problem in problems:
        print(problem)
    outputs = counts["from"] + counts["like"]
    print(f"{counts['file']} files and {outputs} outputs, {len(problems)} wrong")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
