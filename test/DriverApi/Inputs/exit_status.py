"""exit_status.py STATUS COMMAND...: succeeds if the command exits with STATUS."""
import subprocess
import sys

status = subprocess.call(sys.argv[2:])
if status != int(sys.argv[1]):
    sys.exit(f"expected exit status {sys.argv[1]}, got {status}")
