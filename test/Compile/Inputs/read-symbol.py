"""Prints the NUL-terminated text behind a symbol of a shared library.

Usage: read-symbol.py LIBRARY SYMBOL
"""

import ctypes
import os
import sys

library = ctypes.CDLL(os.path.abspath(sys.argv[1]))
text = ctypes.string_at(ctypes.addressof(ctypes.c_char.in_dll(library, sys.argv[2])))
sys.stdout.buffer.write(text)
