#!/usr/bin/env python3
"""Times the wgmma kernels beside cuBLAS on a Hopper GPU.

Part of bwgemm, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: hopper.py compile FOLDER [SHAPE...] [--schedules=SPEC;SPEC...]
       hopper.py run FOLDER [SHAPE...] [--json=FILE]

`compile` needs bwgemm-compile on the PATH and writes the PTX of D = A * B^T
(bf16, B stored N x K, sums in fp32) for each shape MxNxK and schedule; `run`
needs a GPU, CUDA's driver and PyTorch, so that the two may be different
machines.

How it is measured: inputs are normally distributed. Three sets of buffers take
turns. Each kernel is first compared with the product in fp32 (norm of the
difference below 0.4 %, results poisoned with NaN before). Launches of each
contender are captured in a graph; the graphs of all contenders are replayed in
random order, with a pause of 8 ms before each, since the chip throttles; the
median of seven counts. cuBLAS is what torch.matmul calls.
"""

import ctypes
import json
import os
import random
import re
import statistics
import subprocess
import sys
import time

SHAPES = ["4096x4096x4096", "8192x8192x8192", "2048x2048x2048", "16384x4096x4096",
          "8192x1024x8192", "4096x4096x512"]
# One kernel each: auto, which takes a persistent one, without parts of K.
SCHEDULES = ["auto,split_k=1", "persistent", "warp_specialized"]
SETS, ROUNDS, PAUSE_S = 3, 7, 0.008
SHARED_BYTES = 232448


def source(m, n, k):
    maps = ", ".join(f"affine_map<(m, n, k) -> ({at})>" for at in ("m, k", "n, k", "m, n"))
    a, b, d = (f"memref<{rows}x{columns}xbf16>"
               for rows, columns in ((m, k), (n, k), (m, n)))
    return (f"func.func @matmul(%a: {a}, %b: {b}, %d: {d}) {{\n"
            "  %zero = arith.constant 0.0 : bf16\n"
            f"  linalg.fill ins(%zero : bf16) outs(%d : {d})\n"
            f"  linalg.matmul indexing_maps = [{maps}]\n"
            f"    ins(%a, %b : {a}, {b}) outs(%d : {d})\n  return\n}}\n")


def parse(shape):
    return tuple(map(int, shape.split("x")))


def compile_all(folder, shapes, schedules):
    os.makedirs(folder, exist_ok=True)
    for shape in shapes:
        for index, schedule in enumerate(schedules):
            base = os.path.join(folder, f"{shape}.{index}")
            subprocess.run(
                ["bwgemm-compile", "-", "--target=sm_90a", f"--schedule={schedule}",
                 "--emit=ptx", "-o", base + ".ptx"],
                input=source(*parse(shape)), text=True, check=True)
            with open(base + ".txt", "w", encoding="utf-8") as file:
                file.write(schedule)


class Gpu:
    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")

    def call(self, name, *arguments):
        code = getattr(self.library, name)(*arguments)
        if code:
            text = ctypes.c_char_p()
            self.library.cuGetErrorName(code, ctypes.byref(text))
            sys.exit(f"{name}: {text.value.decode() if text.value else code}")

    def encode(self, tensor, box, swizzle):
        """A tensor map of a bf16 matrix; the box is rows x columns."""
        memory = ctypes.create_string_buffer(192)
        start = (ctypes.addressof(memory) + 63) // 64 * 64
        rows, columns = tensor.shape
        self.call("cuTensorMapEncodeTiled", ctypes.c_void_p(start), 9, 2,
                  ctypes.c_void_p(tensor.data_ptr()),
                  (ctypes.c_uint64 * 2)(columns, rows),
                  (ctypes.c_uint64 * 1)(2 * tensor.stride(0)),
                  (ctypes.c_uint32 * 2)(box[1], box[0]), (ctypes.c_uint32 * 2)(1, 1),
                  0, {128: 3, 64: 2, 32: 1, 16: 0}[swizzle], 3, 0)
        return ctypes.string_at(start, 128)


class Kernel:
    """A kernel of bwgemm-compile: maps of A and B, the memref of D, K and, if
    results leave by TMA, the map of D."""

    def __init__(self, gpu, path):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.gpu = gpu
        module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        gpu.call("cuModuleLoadData", ctypes.byref(module), text.encode() + b"\0")
        gpu.call("cuModuleGetFunction", ctypes.byref(self.function), module,
                 b"matmul_kernel")
        gpu.call("cuFuncSetAttribute", self.function, 8, SHARED_BYTES)
        self.threads = int(re.search(r"\.maxntid (\d+)", text)[1])
        self.by_tma = "param_10[128]" in text
        n = int(re.search(r"wgmma\.mma_async\.sync\.aligned\.m64n(\d+)", text)[1])
        self.tile = (self.threads - 32) // 128 * 64, n

    def bind(self, a, b, d, persistent):
        import torch

        tile_m, tile_n = self.tile
        words = [d.data_ptr(), d.data_ptr(), 0, *d.shape, d.stride(0), 1, a.shape[1]]
        arguments = [self.gpu.encode(a, (tile_m, 64), 128),
                     self.gpu.encode(b, (tile_n, 64), 128)]
        arguments += [ctypes.string_at(ctypes.addressof(ctypes.c_uint64(word)), 8)
                      for word in words]
        if self.by_tma:
            span = 128
            while 2 * tile_n % span:
                span //= 2
            arguments.append(self.gpu.encode(d, (tile_m, span // 2), span))
        memory, pointers = [], []
        for argument in arguments:
            buffer = ctypes.create_string_buffer(len(argument) + 64)
            start = (ctypes.addressof(buffer) + 63) // 64 * 64
            ctypes.memmove(start, argument, len(argument))
            memory.append(buffer)
            pointers.append(start)
        array = (ctypes.c_void_p * len(pointers))(*pointers)
        tiles = -(-d.shape[0] // tile_m) * -(-d.shape[1] // tile_n)
        multiprocessors = torch.cuda.get_device_properties(0).multi_processor_count
        grid = min(tiles, multiprocessors) if persistent else tiles

        # The launch keeps what its arguments point at.
        def launch(_=memory):
            stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
            self.gpu.call("cuLaunchKernel", self.function, grid, 1, 1, self.threads, 1,
                          1, SHARED_BYTES, stream, array, None)

        return launch


def capture(launches, count):
    import torch

    for launch in launches:
        launch()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for index in range(count):
            launches[index % SETS]()
    return graph


def run_shape(gpu, folder, shape):
    """TFLOPS by schedule, those of cuBLAS among them."""
    import torch

    m, n, k = parse(shape)
    new = lambda rows, columns: torch.randn(rows, columns, device="cuda",
                                            dtype=torch.bfloat16)
    a = [new(m, k) for _ in range(SETS)]
    b = [new(n, k) for _ in range(SETS)]
    d = [new(m, n) for _ in range(SETS)]
    expected = a[0].float() @ b[0].float().t()
    contenders = {"cublas": [lambda i=i: torch.matmul(a[i], b[i].t(), out=d[i])
                             for i in range(SETS)]}
    for name in sorted(os.listdir(folder)):
        if not name.startswith(shape + ".") or not name.endswith(".ptx"):
            continue
        with open(os.path.join(folder, name[:-3] + "txt"), encoding="utf-8") as file:
            schedule = file.read()
        kernel = Kernel(gpu, os.path.join(folder, name))
        launches = [kernel.bind(a[i], b[i], d[i],
                                not schedule.startswith("warp_specialized"))
                    for i in range(SETS)]
        d[0].fill_(float("nan"))
        launches[0]()
        torch.cuda.synchronize()
        error = ((d[0].float() - expected).norm() / expected.norm()).item()
        if not error < 4e-3:
            sys.exit(f"{shape} {schedule}: wrong, relative error {error}")
        contenders[schedule] = launches
    flops = 2 * m * n * k
    count = max(1, min(10, int(2e-3 * 6e14 / flops / SETS))) * SETS
    graphs = {name: capture(launches, count) for name, launches in contenders.items()}
    times = {name: [] for name in graphs}
    for _ in range(ROUNDS):
        order = list(graphs)
        random.shuffle(order)
        for name in order:
            torch.cuda.synchronize()
            time.sleep(PAUSE_S)
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            graphs[name].replay()
            end.record()
            torch.cuda.synchronize()
            times[name].append(begin.elapsed_time(end) * 1e-3 / count)
    return {name: flops / statistics.median(values) / 1e12
            for name, values in times.items()}


def main():
    arguments = [text for text in sys.argv[1:] if not text.startswith("--")]
    options = dict(text[2:].split("=", 1) for text in sys.argv[1:]
                   if text.startswith("--") and "=" in text)
    if len(arguments) < 2 or arguments[0] not in ("compile", "run"):
        sys.exit(__doc__)
    command, folder, shapes = arguments[0], arguments[1], arguments[2:] or SHAPES
    if command == "compile":
        schedules = options.get("schedules", ";".join(SCHEDULES)).split(";")
        compile_all(folder, shapes, schedules)
        return
    gpu = Gpu()
    results = {}
    for shape in shapes:
        results[shape] = rates = run_shape(gpu, folder, shape)
        print(f"{shape}: " + ", ".join(
            f"{name} {rate:.1f} ({rate / rates['cublas']:.3f})"
            for name, rate in sorted(rates.items(), key=lambda item: -item[1])),
            flush=True)
    if "json" in options:
        with open(options["json"], "w", encoding="utf-8") as file:
            json.dump(results, file)


if __name__ == "__main__":
    main()
