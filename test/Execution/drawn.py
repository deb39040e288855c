"""Draws configurations of kernels, compiles each, and holds its result on the
emulator to what must come out; for generate-warps.py, generate-warpgroups.py
and generate-types.py.
"""

import argparse
import concurrent.futures
import os
import tempfile
import time

import sweep


def describe(configuration):
    schedule, case, shape, static, target = configuration
    return (f"{schedule} {case} --shapes={'x'.join(map(str, shape))} "
            f"--target={target}" + (" --static" if static else ""))


def compare_orders(execute, index, folder, orders):
    """Executes once with integers and, if there are `orders`, with normally
    distributed inputs in as many random ones and the fair one."""
    wrong = execute("int", "schedule=fair")
    if wrong or not orders:
        return wrong, 1
    expected = None
    for order in range(orders + 1):
        output = os.path.join(folder, f"out{order}")
        os.makedirs(output)
        emulator = (f"schedule=random,seed={1000 * index + order}" if order
                    else "schedule=fair")
        wrong = execute("normal", emulator, output)
        if wrong:
            return f"with {emulator}: {wrong}", order + 2
        data = {}
        for name in sorted(os.listdir(output)):
            with open(os.path.join(output, name), "rb") as file:
                data[name] = file.read()
        assert data, "the runner has written no result"
        if expected is None:
            expected = data
        elif data != expected:
            return f"with {emulator}: other bits than in the fair order", order + 2
    return None, orders + 2


def run(configuration, index, folder, orders):
    """What is wrong; None if nothing is. And how often it ran."""
    schedule, case, shape, static, target = configuration
    library, process = sweep.compile_case(folder, schedule, case,
                                          shape if static else None,
                                          ["--ptxas=none", f"--target={target}"])
    if process.returncode != 0:
        return f"status {process.returncode}, though it is legal\n{process.stderr}", 0
    layout = case.removesuffix("+C").split("-")[2]

    def execute(init, emulator, output=None):
        return sweep.run(library, shape, layout, init, f"hazards=on,{emulator}", output)

    return compare_orders(execute, index, folder, orders)


def main(description, draw, describe=describe, run=run):
    """`draw` makes a configuration of a seed and an index: schedule, case, shape,
    whether sizes are static, target, and, if some are to be refused, why, or
    nothing. `describe` says it in words, and `run` what is wrong with it."""
    parser = argparse.ArgumentParser(description=description,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--only", type=int)
    parser.add_argument("--orders", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    indices = range(arguments.count) if arguments.only is None else [arguments.only]
    drawn = [(index, draw(arguments.seed, index)) for index in indices]
    if arguments.list:
        print("\n".join(f"{index}: {describe(c)}" for index, c in drawn))
        return 0
    started, runs, failures = time.monotonic(), 0, 0

    def attempt(pair):
        with tempfile.TemporaryDirectory() as folder:
            return pair, run(pair[1], pair[0], folder, arguments.orders)

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for (index, configuration), (wrong, count) in pool.map(attempt, drawn):
            runs += count
            if wrong:
                failures += 1
                print(f"{index}: {describe(configuration)}\n{wrong}", flush=True)
    refused = [bool(reason) for _, (*_, reason) in drawn] if len(drawn[0][1]) > 5 else []
    told = f"{sum(refused)} to be refused, " if refused else ""
    print(f"seed {arguments.seed}: {len(drawn)} configurations, {told}{runs} runs, "
          f"{failures} wrong; {time.monotonic() - started:.0f} s")
    return 1 if failures or not runs else 0
