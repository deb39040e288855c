#!/usr/bin/env python3
"""Calls compiled functions on a stream of the program's, on the emulator.

usage: streams.py EMULATOR
"""

import ctypes
import os
import sys
import tempfile
import threading

import numpy

import emulated

SOURCE = """
func.func @matmul(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf32>) {
  linalg.matmul ins(%a, %b : memref<?x?xf16>, memref<?x?xf16>) outs(%d : memref<?x?xf32>)
  return
}
"""

HANDLER = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_int, ctypes.c_void_p)
NON_BLOCKING = 1


class Problem:
    """D += A B in device memory, with small integers."""

    def __init__(self, driver, m, n, k, seed=0):
        random = numpy.random.default_rng(seed)
        self.shape = m, n, k
        self.draw = lambda rows, columns: random.integers(-2, 3, (rows, columns)).astype("f2")
        self.host = self.draw(m, k), self.draw(k, n), numpy.zeros((m, n), "f4")
        self.device = [driver.buffer(x) for x in self.host]

    def call(self, library):
        library._mlir_ciface_matmul(*map(emulated.matrix, self.device))

    def product(self):
        return self.host[0].astype("f8") @ self.host[1]

    def result(self):
        return self.device[2].read()


def set_stream(library, stream):
    library.bwgemm_set_stream(ctypes.c_void_p(stream))


def nothing_waits(driver, library):
    """The emulator keeps a kernel that another one may overlap with until
    somebody waits."""
    stream = driver.made("cuStreamCreate", NON_BLOCKING)
    problem = Problem(driver, 70, 40, 64)
    set_stream(library, stream.value)
    problem.call(library)
    assert (problem.device[2].peek() == 0).all()
    problem.call(library)
    driver("cuStreamSynchronize", stream)
    assert (problem.device[2].peek() == 2 * problem.product()).all()
    # The default stream is a stream, too.
    set_stream(library, None)
    problem.call(library)
    assert (problem.device[2].peek() == 2 * problem.product()).all()
    driver("cuStreamSynchronize", None)
    assert (problem.device[2].peek() == 3 * problem.product()).all()
    library.bwgemm_unset_stream()
    problem.call(library)
    assert (problem.device[2].peek() == 4 * problem.product()).all()


def default_stream_first(driver, library):
    """A call that waits comes after what the default stream has been given: a
    program may have filled its buffers there."""
    problem = Problem(driver, 70, 40, 64)
    set_stream(library, None)
    problem.call(library)
    assert (problem.device[2].peek() == 0).all()
    library.bwgemm_unset_stream()
    problem.call(library)
    assert (problem.device[2].peek() == 2 * problem.product()).all()


def graph(driver, library):
    """Two calls, captured, compute again with what is in the buffers."""
    stream = driver.made("cuStreamCreate", NON_BLOCKING)
    problem = Problem(driver, 100, 72, 264)
    set_stream(library, stream.value)
    # Modules load inside of the capture: nothing has been called yet.
    driver("cuStreamBeginCapture_v2", stream, 0)
    problem.call(library)
    problem.call(library)
    graph = ctypes.c_void_p()
    driver("cuStreamEndCapture", stream, ctypes.byref(graph))
    library.bwgemm_unset_stream()
    assert (problem.result() == 0).all()
    executable = driver.made("cuGraphInstantiateWithFlags", graph,
                             ctypes.c_ulonglong(0))
    expected = 0
    for _ in range(3):
        driver("cuGraphLaunch", executable, stream)
        driver("cuStreamSynchronize", stream)
        expected = expected + 2 * problem.product()
        assert (problem.result() == expected).all()
        m, n, k = problem.shape
        problem.host = problem.draw(m, k), *problem.host[1:]
        problem.device[0].write(problem.host[0])
    driver("cuGraphExecDestroy", executable)
    driver("cuGraphDestroy", graph)


def host_memory_is_refused(driver, library):
    messages = []
    handler = HANDLER(lambda text, status, user: messages.append((text, status)))
    library.bwgemm_set_error_handler(handler, None)
    set_stream(library, None)
    problem = Problem(driver, 8, 8, 8)
    host = numpy.zeros((8, 8), "f2")
    library._mlir_ciface_matmul(emulated.matrix(host), *map(emulated.matrix, problem.device[1:]))
    # The error state ends; the thread's own stream comes back.
    problem.call(library)
    library.bwgemm_clear_error()
    library.bwgemm_unset_stream()
    problem.call(library)
    assert (problem.result() == problem.product()).all()
    library.bwgemm_set_error_handler(HANDLER(), None)
    (text, status), = messages
    print(f"{status}: {text.decode()}")


def many_threads(driver, libraries):
    """Threads with streams of their own and of the library's."""
    def work(number):
        driver("cuCtxSetCurrent", driver.context)
        problem = Problem(driver, 40 + number, 32, 520, seed=number)
        if number % 2:
            stream = driver.made("cuStreamCreate", NON_BLOCKING)
            for library in libraries:
                set_stream(library, stream.value)
        for library in 3 * libraries:
            problem.call(library)
        if number % 2:
            driver("cuStreamSynchronize", stream)
        right[number] = (problem.result() == 3 * len(libraries) * problem.product()).all()

    right = [False] * 6
    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(right))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(right), right


def main():
    driver = emulated.Driver(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        libraries = []
        for index, schedule in enumerate((
                "pipelined,tile=128x64x32,pdl=on",
                "persistent,tile=64x32x16,split_k=4,pdl=on",
                "persistent,tile=64x32x16,scheduler=stream_k")):
            path = os.path.join(folder, f"{index}.so")
            emulated.compile(SOURCE, path, f"--schedule={schedule}")
            libraries.append(ctypes.CDLL(path))
        for library in libraries:
            graph(driver, library)
        default_stream_first(driver, libraries[0])
        nothing_waits(driver, libraries[0])
        host_memory_is_refused(driver, libraries[1])
        many_threads(driver, libraries)
    print("right")


if __name__ == "__main__":
    main()
