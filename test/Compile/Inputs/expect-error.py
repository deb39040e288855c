"""Runs bwgemm-compile on wrong uses.

Usage: expect-error.py CASES FOLDER PROGRAM

Every line "CASE: ARGUMENTS => TEXT" of CASES must end with status 2, with one
error on standard error that contains TEXT, with nothing on standard output, and
leave no file behind.
"""

import os
import subprocess
import sys

cases, folder, program = sys.argv[1:]
with open(program) as file:
    right = file.read()

PROGRAMS = {
    "CUT": right[: len(right) * 2 // 3],
    "EMPTY": "",
    "F64": right.replace("f32", "f64"),
    "MISMATCH": right.replace("memref<64x?xbf16>", "memref<65x?xbf16>"),
    "NOPUBLIC": "func.func private @f()",
    "NOMATMUL": "func.func @f() { return }",
    # A kernel by hand that LLVM has no instructions for on this target.
    "FATAL": """
gpu.module @kernels [#nvvm.target<chip = "sm_90a", features = "+ptx80", verifyTarget = false>] {
  llvm.func @kernel() attributes {gpu.kernel, nvvm.kernel} {
    nvvm.tcgen05.relinquish_alloc_permit
    llvm.return
  }
}
func.func @f() { return }
""",
    "RESERVED": right.replace("@matmul", "@bwgemm_ptx"),
}
sources = os.path.join(folder, "sources")
os.makedirs(sources)
words = {"IN": program}
for name, text in PROGRAMS.items():
    words[name] = os.path.join(sources, name.lower() + ".mlir")
    with open(words[name], "w") as file:
        file.write(text)


def listing():
    return sorted(
        os.path.join(place, name)
        for place, _, names in os.walk(folder)
        for name in names
    )


before = listing()
failures = count = 0
with open(cases) as file:
    lines = [line[6:].rstrip("\n") for line in file if line.startswith("CASE: ")]
for line in lines:
    arguments, text = line.split("=> ")
    command = ["bwgemm-compile"] + [
        words.get(word, word.replace("T/", folder + "/"))
        for word in arguments.split()
    ]
    run = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60
    )
    problems = []
    if run.returncode != 2:
        problems.append(f"status {run.returncode}, expected 2")
    if text not in run.stderr:
        problems.append(f"'{text}' is not in the error")
    if run.stderr.count("error: ") != 1:
        problems.append("expected one error")
    if run.stdout:
        problems.append("something on standard output")
    if listing() != before:
        problems.append(f"files left: {set(listing()) - set(before)}")
    for problem in problems:
        print(f"{' '.join(command)}: {problem}\n{run.stderr}")
    failures += bool(problems)
    count += 1
print(f"{count} wrong uses, {failures} not as expected")
sys.exit(failures != 0 or count == 0)
