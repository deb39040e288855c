"""Checks the table of cubins in a library against its PTX and a cubin.

Usage: check-cubins.py LIBRARY CUBIN TARGET
"""

import ctypes
import os
import sys


class Entry(ctypes.Structure):
    _fields_ = [
        ("ptx_hash", ctypes.c_uint64),
        ("cubin", ctypes.c_void_p),
        ("bytes", ctypes.c_uint64),
        ("target", ctypes.c_char_p),
    ]


library = ctypes.CDLL(os.path.abspath(sys.argv[1]))
ptx = ctypes.string_at(ctypes.addressof(ctypes.c_char.in_dll(library, "bwgemm_ptx")))
entries = (Entry * 2).in_dll(library, "bwgemm_cubins")

# FNV-1a with 64 bits, as published by its authors.
fnv = 0xCBF29CE484222325
for byte in ptx:
    fnv = (fnv ^ byte) * 0x100000001B3 % 2**64

with open(sys.argv[2], "rb") as file:
    cubin = file.read()
assert entries[0].ptx_hash == fnv, "hash"
assert entries[0].target.decode() == sys.argv[3], "target"
assert ctypes.string_at(entries[0].cubin, entries[0].bytes) == cubin, "cubin"
assert entries[1].cubin is None, "end of the table"
print("the cubin is that of the PTX")
