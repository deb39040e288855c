#!/usr/bin/env python3
"""The same PTX on two devices, bit by bit.

    differential.py run --driver LIBRARY --out RESULTS.json [--save DIR]
    differential.py compare RESULTS.json RESULTS.json [--save DIR --save-other DIR]
    differential.py record RESULTS.json RECORD.txt --about TEXT
    differential.py check --driver LIBRARY --record RECORD.txt
    differential.py write DIR

`run` executes every form (or those that --only names) and writes the hash of
its result. `check` runs and compares with a record, such as h200.txt, which
is what an H200 answered; `record` makes one. `write` leaves the PTX files.
--save keeps the beginning of each result, for `compare` to show where two
differ.

Inputs are made, not stored: inputs.py gives the same bits everywhere.
"""

import argparse
import ctypes
import fnmatch
import hashlib
import importlib
import json
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "..", "Kernels"))

FAMILIES = ["integer", "floating", "warp", "wmma", "memory", "wgmma", "tma", "traps"]
SAVED_BYTES = 1 << 15
POISON = 0xA5
# The exit status of a worker that wants to be started again.
RESTART = 3


def all_forms(patterns=None, families=None):
    forms = []
    for family in families or FAMILIES:
        for form in importlib.import_module("forms." + family).forms():
            if not patterns or any(fnmatch.fnmatch(form.name, p) for p in patterns):
                form.family = family
                forms.append(form)
    names = [form.name for form in forms]
    assert len(set(names)) == len(names), "two forms have one name"
    return forms


def encode_map(device, spec, base):
    """A 64-byte aligned CUtensorMap; returns the buffer and its address."""
    from ctypes import c_int, c_uint, c_uint64, c_void_p

    memory = ctypes.create_string_buffer(192)
    start = (ctypes.addressof(memory) + 63) // 64 * 64
    rank = spec["rank"]
    device.call(
        "cuTensorMapEncodeTiled", c_void_p(start), c_int(spec["type"]), c_uint(rank),
        base.pointer, (c_uint64 * rank)(*spec["dims"]),
        (c_uint64 * max(rank - 1, 1))(*spec["strides"]), (c_uint * rank)(*spec["box"]),
        (c_uint * rank)(*spec["element_strides"]), c_int(0), c_int(spec["swizzle"]),
        c_int(spec["promotion"]), c_int(spec["fill"]))
    return memory, start


def run_form(device, form):
    """(CUresult, result bytes)."""
    import numpy as np
    from harness import DriverError

    result = np.full(form.slots * 8, POISON, dtype=np.uint8)
    inputs_, out = None, None
    try:
        kernel = device.load(form.ptx)["k"]
        inputs_ = device.array(form.make())
        out = device.array(result)
        arguments = [inputs_, out]
        for spec in form.maps:
            memory, start = encode_map(device, spec,
                                       inputs_ if spec["at"] == "in" else out)
            arguments.append(ctypes.string_at(start, 128))
            del memory
        kernel((form.grid, 1, 1), (form.block, 1, 1), *arguments, shared=form.smem,
               cluster=(form.cluster, 1, 1) if form.cluster > 1 else None)
        result = out.get()
    except DriverError as error:
        return error.code, b"", str(error)
    finally:
        for array in (inputs_, out):
            if array is not None:
                try:
                    array.free()
                except DriverError:
                    pass
    return 0, result.tobytes(), ""


def worker(arguments):
    """Runs the forms whose names come on standard input; one JSON line each."""
    from harness import Device

    forms = {form.name: form for form in all_forms(families=arguments.families)}
    names = [line.strip() for line in sys.stdin if line.strip()]
    device = Device(arguments.driver, arch=arguments.arch, numerics="exact")
    for name in names:
        started = time.monotonic()
        code, result, message = run_form(device, forms[name])
        if code == 0 and arguments.save:
            with open(os.path.join(arguments.save, name + ".bin"), "wb") as file:
                file.write(result[:SAVED_BYTES])
        print(json.dumps({
            "name": name, "outcome": code, "message": message,
            "hash": hashlib.blake2b(result, digest_size=8).hexdigest() if code == 0
            else "", "seconds": round(time.monotonic() - started, 3)}), flush=True)
        # A fault stays with the context, and may be reported late: what comes
        # next needs a new process.
        if code in (700, 702, 715, 716, 717, 718, 719) or "trap." in name:
            os._exit(RESTART)


class Worker:
    """A process that runs forms one after the other."""

    def __init__(self, arguments, forms):
        self.pending = [form.name for form in forms]
        families = sorted({form.family for form in forms})
        self.command = [sys.executable, os.path.abspath(__file__), "worker", "--driver",
                        arguments.driver, "--arch", arguments.arch, "--families",
                        *families]
        if arguments.save:
            self.command += ["--save", arguments.save]
        self.timeout = arguments.timeout

    def run(self, results):
        import threading

        while self.pending:
            process = subprocess.Popen(self.command, stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True)
            errors = []
            reader = threading.Thread(
                target=lambda stream=process.stderr: errors.append(stream.read()))
            reader.start()
            process.stdin.write("\n".join(self.pending) + "\n")
            process.stdin.close()
            timer = threading.Timer(self.timeout, process.kill)
            timer.start()
            done = 0
            for line in process.stdout:
                timer.cancel()
                timer = threading.Timer(self.timeout, process.kill)
                timer.start()
                if not line.startswith("{"):
                    continue
                entry = json.loads(line)
                assert entry["name"] == self.pending[done]
                results[entry.pop("name")] = entry
                done += 1
            timer.cancel()
            process.wait()
            reader.join()
            entry = results.get(self.pending[done - 1]) if done else None
            if entry is not None and entry["outcome"] != 0:
                entry["message"] += "\n" + errors[0][-2000:]
            if done < len(self.pending) and process.returncode != RESTART:
                # It died or hung within this one.
                results[self.pending[done]] = {
                    "outcome": -1, "hash": "", "seconds": self.timeout,
                    "message": f"exit status {process.returncode}\n"
                    + errors[0][-2000:]}
                done += 1
            self.pending = self.pending[done:]


def run(arguments):
    import threading

    forms = all_forms(arguments.only, arguments.families)
    if arguments.save:
        os.makedirs(arguments.save, exist_ok=True)
    results = {}
    shares = [forms[i :: arguments.jobs] for i in range(arguments.jobs)]
    threads = [threading.Thread(target=Worker(arguments, share).run, args=(results,))
               for share in shares if share]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {form.name: results[form.name] for form in forms}


def differences(results, record):
    """Lines about forms whose results differ; and the number of equal ones."""
    approximate = {form.name: form.reason for form in all_forms() if form.reason}
    lines, equal = [], 0
    for name, entry in results.items():
        if name in approximate:
            continue
        if name not in record:
            lines.append(f"{name}: not in the record")
            continue
        expected = record[name]
        if entry["outcome"] != expected["outcome"]:
            lines.append(f"{name}: CUresult {entry['outcome']}, expected "
                         f"{expected['outcome']}: {entry['message'].strip()[-600:]}")
        elif entry["hash"] != expected["hash"]:
            lines.append(f"{name}: other bits")
        else:
            equal += 1
    return lines, equal


def write_record(results, record, about):
    """A line for each form: its name, and the hash or (`!719`) the CUresult."""
    with open(results) as file:
        entries = json.load(file)["forms"]
    with open(record, "w") as file:
        file.write(f"# {about}\n")
        for name, entry in sorted(entries.items()):
            answer = entry["hash"] if entry["outcome"] == 0 else f"!{entry['outcome']}"
            file.write(f"{name} {answer}\n")


def read_record(record):
    forms = {}
    with open(record) as file:
        for line in file:
            if line.startswith("#"):
                continue
            name, answer = line.split()
            failed = answer.startswith("!")
            forms[name] = {"outcome": int(answer[1:]) if failed else 0,
                           "hash": "" if failed else answer}
    return forms


def show_difference(name, first, second, limit=4):
    import numpy as np

    one = np.fromfile(os.path.join(first, name + ".bin"), dtype=np.uint8)
    two = np.fromfile(os.path.join(second, name + ".bin"), dtype=np.uint8)
    words = len(one) // 4 * 4
    a, b = one[:words].view(np.uint32), two[:words].view(np.uint32)
    where = np.nonzero(a != b)[0]
    print(f"    {len(where)} of {len(a)} words differ in what was kept")
    for index in where[:limit]:
        print(f"    word {index}: {a[index]:08x} against {b[index]:08x}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("command", choices=["run", "compare", "record", "check",
                                            "write", "worker"])
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--driver", default="libcuda.so.1")
    parser.add_argument("--arch", default="sm_90a")
    parser.add_argument("--out")
    parser.add_argument("--record")
    parser.add_argument("--save", help="folder")
    parser.add_argument("--save-other", help="folder of the second results")
    parser.add_argument("--about", help="device, driver and date")
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--families", nargs="*", choices=FAMILIES)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--timeout", type=float, default=60,
                        help="seconds that one form may take")
    arguments = parser.parse_args()
    if arguments.command == "worker":
        return worker(arguments)
    if arguments.command == "write":
        os.makedirs(arguments.paths[0], exist_ok=True)
        for form in all_forms(arguments.only, arguments.families):
            with open(os.path.join(arguments.paths[0], form.name + ".ptx"), "w") as file:
                file.write(form.ptx)
        return 0
    if arguments.command == "record":
        write_record(*arguments.paths, arguments.about)
        return 0
    if arguments.command == "compare":
        with open(arguments.paths[0]) as one, open(arguments.paths[1]) as two:
            results, record = json.load(one)["forms"], json.load(two)["forms"]
    else:
        results = run(arguments)
    if arguments.command == "run":
        record = {form.name: {"outcome": form.outcome} for form in all_forms()}
        bad = [f"{name}: CUresult {entry['outcome']}, expected "
               f"{record[name]['outcome']}: {entry['message'].strip()[-600:]}"
               for name, entry in results.items()
               if entry["outcome"] != record[name]["outcome"]]
        print("\n".join(bad))
        print(f"{len(results)} forms, {len(bad)} of unexpected outcome")
        if arguments.out:
            with open(arguments.out, "w") as file:
                json.dump({"forms": results}, file, indent=0)
        return 1 if bad else 0
    if arguments.command == "check":
        record = read_record(arguments.record)
    lines, equal = differences(results, record)
    for line in lines:
        print(line)
        if arguments.save and arguments.save_other and line.endswith("other bits"):
            show_difference(line.split(": ")[0], arguments.save, arguments.save_other)
    print(f"{equal} forms equal, {len(lines)} not")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
