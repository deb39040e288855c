#!/usr/bin/env python3
"""Prints the project's C and C++ sources, one path per line.

Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import sys

project = sys.argv[1]
for top in ("include", "lib", "runtime", "tools", "test", "examples"):
    for folder, _, names in os.walk(os.path.join(project, top)):
        for name in sorted(names):
            if name.endswith((".h", ".c", ".cpp")):
                print(os.path.join(folder, name))
