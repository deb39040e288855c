"""mgpu_names.py LLVM_LIB LIBRARY: the names beginning with mgpu that are strings
in libMLIR, and whether LIBRARY has them."""
import ctypes
import glob
import re
import sys

names = set()
for path in glob.glob(f"{sys.argv[1]}/libMLIR.so*"):
    with open(path, "rb") as file:
        found = re.findall(rb"\0(mgpu[A-Z][A-Za-z0-9]+)(?=\0)", file.read())
    names.update(name.decode() for name in found)
if len(names) < 20:
    sys.exit(f"libMLIR has {len(names)} names only: is it the right library?")
library = ctypes.CDLL(sys.argv[2])
missing = [name for name in sorted(names) if not hasattr(library, name)]
if missing:
    sys.exit("missing: " + ", ".join(missing))
