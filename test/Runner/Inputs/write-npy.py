"""Writes small .npy files to a folder, without numpy."""

import os
import struct
import sys


def write(name, descr, code, shape, values):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(os.path.join(sys.argv[1], name), "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)))
        file.write(header.encode() + struct.pack(f"<{len(values)}{code}", *values))


write("a.npy", "<f4", "f", (3, 2), [1, 2, 3, 4, 5, 6])
write("identity.npy", "<f4", "f", (2, 2), [1, 0, 0, 1])
write("wide.npy", "<f4", "f", (2, 3), [1, 0, 0, 0, 1, 0])
write("double.npy", "<f8", "d", (2, 2), [1, 0, 0, 1])
write("vector.npy", "<f4", "f", (2,), [1, 2])
