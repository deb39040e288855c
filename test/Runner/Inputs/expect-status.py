"""Runs a command and succeeds if its exit status is the given one.

    expect-status.py STATUS COMMAND ARGUMENT...

Both output streams are passed on. `not` accepts any failure; the runner's exit
statuses mean different things.
"""

import subprocess
import sys

expected = int(sys.argv[1])
got = subprocess.run(sys.argv[2:]).returncode
if got != expected:
    sys.exit(f"{sys.argv[2]}: expected exit status {expected}, got {got}")
