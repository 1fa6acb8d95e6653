"""How many files a command enters: Python files of which a function, a lambda or a class body runs.

    python benchmarks/files_entered.py [--list] [TRIP ...]

Who follows a command has to read them. A trip is one command with a small input: a process of its own, from its first
import to its end. The body of a module does not count, as an import alone leads no reader into a file; nor do the
processes that a command starts, such as ninja and mcc in a build. --list names the files of each trip. `port` needs
musa_build alone, `mcc` the simulator, the others torch too.
"""

from __future__ import annotations

import argparse
import os
import re
import runpy
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import NamedTuple

# Comprehensions have frames of their own before Python 3.12. They belong to the function or the module around them.
_OF_OTHERS = frozenset({"<module>", "<genexpr>", "<listcomp>", "<setcomp>", "<dictcomp>"})

CUDA = """
#include <cublas_v2.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdio.h>
__global__ void scale(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = __ldg(x + i) * 2;
}
int launch(float* x, int n, cudaStream_t stream) {
    scale<<<(n + 255) / 256, 256, 0, stream>>>(x, n);
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) printf("launch failed: %s", cudaGetErrorString(error));
    return error == cudaSuccess;
}
"""
KERNELS = """
#include <musa_runtime.h>
__global__ void scale(const float* in, float* out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) out[i] = in[i] * 2;
}
__global__ void sum(const float* in, float* out, int n) {
    __shared__ float sums[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = i < n ? in[i] : 0;
    for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffff, value, distance);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(out, sums[0] + sums[1]);
}
void launch(const float* in, float* out, int n) {
    scale<<<4, 64>>>(in, out, n);
    sum<<<(n + 63) / 64, 64>>>(in, out, n);
}
"""
MODULE = """
#include <Python.h>
static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "demo"};
PyMODINIT_FUNC PyInit_demo() { return PyModule_Create(&definition); }
"""
SETUP = """
from setuptools import setup
from musa_build import BuildExtension, MUSAExtension
extension = MUSAExtension("demo", ["kernels.mu", "module.cpp"], extra_compile_args={"cxx": ["-O1"], "mcc": ["-O1"]})
setup(name="demo", packages=[], ext_modules=[extension], cmdclass={"build_ext": BuildExtension})
"""
DUMP = """
import sys
import torch
from torch import nn
from musa_tools.other_tools.msprobe import PrecisionDebugger
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
debugger = PrecisionDebugger(dump_path=sys.argv[1], level="mix", task="statistics", model=net)
debugger.start()
net(torch.ones(3, 4)).square().mean().backward()
debugger.stop()
debugger.step()
"""
COMPARE = """
import contextlib
from musa_tools.cli import main
with contextlib.suppress(SystemExit):  # 1: the runs differ
    main()
"""

FILES = {
    "source/scale.cu": CUDA,
    "kernels.mu": KERNELS,
    "module.cpp": MODULE,
    "setup.py": SETUP,
    "dump.py": DUMP,
    "musa_tools_command.py": COMPARE,
}


class Trip(NamedTuple):
    """A command of Python's (`script.py ...` or `-m module ...`) in the folder with FILES, and those before it."""

    command: Sequence[str]
    before: Sequence[Sequence[str]] = ()


_BUILD = ("setup.py", "build_ext", "--inplace")
_MCC = ("mcc", "-O2", "-c", "kernels.mu", "-o", "kernels.o")  # `mcc` means the script of the SDK's
_COMPARE = ("musa_tools_command.py", "compare", "one", "other", "--output", "out", "--format", "csv,json,html")
TRIPS: Mapping[str, Trip] = {
    "port": Trip(("-m", "musa_build.porting", "source")),
    "cold-build": Trip(_BUILD),
    "nothing-to-do": Trip(_BUILD, before=[_BUILD]),
    "mcc": Trip(_MCC, before=[_MCC]),  # the first of a kind precompiles a header
    "dump": Trip(("dump.py", "dump")),
    "compare": Trip(_COMPARE, before=[("dump.py", "one"), ("dump.py", "other")]),
}


def entered(trip: Trip) -> list[str]:
    """Return the files that a trip enters, in the order in which it does."""
    with tempfile.TemporaryDirectory(prefix="trip-") as folder:
        for name, text in FILES.items():
            path = Path(folder, name)
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        for command in trip.before:
            _run(_of_python(command), folder)
        _run([__file__, "--trace", f"{folder}/trace", *_of_python(trip.command)], folder)
        return Path(folder, "trace").read_text(encoding="utf-8").splitlines()


def _of_python(command: Sequence[str]) -> Sequence[str]:
    if command[0] != "mcc":
        return command
    root = subprocess.run([sys.executable, "-m", "musa_sim", "root"], check=True, stdout=subprocess.PIPE, text=True)
    return [f"{root.stdout.strip()}/share/musa_sim/mcc_main.py", *command[1:]]


def _run(arguments: Sequence[str], folder: str) -> None:
    settings = {"TORCH_MUSA_ARCH_LIST": "22", "MUSA_BUILD_LAUNCHER": "none", "MUSA_BUILD_SIMULATOR": "1"}
    settings |= {"TORCH_DEVICE_BACKEND_AUTOLOAD": "0", "TORCH_NO_COMPILER_WRAPPER": "1"}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=os.environ | settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"python {' '.join(arguments)} failed:\n{done.stdout}")


def _trace(output: str, command: Sequence[str]) -> None:
    """Run a command of Python's in this process. Write each file to `output` when it is entered first."""
    written = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)  # a command may end in os._exit
    names: dict[str, str] = {}  # path -> name from its package on, empty for the files of others

    def on_event(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename not in names and code.co_name not in _OF_OTHERS:
            names[code.co_filename] = name = _name_of(code.co_filename)
            if name:
                os.write(written, f"{name}\n".encode())

    threading.setprofile(on_event)
    if command[0] == "-m":
        sys.argv, sys.path[0] = list(command[1:]), os.getcwd()  # noqa: PTH109
        sys.setprofile(on_event)
        runpy.run_module(command[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv, sys.path[0] = list(command), os.path.dirname(command[0])  # noqa: PTH120
        sys.setprofile(on_event)
        runpy.run_path(command[0], run_name="__main__")


def _name_of(path: str) -> str:
    """Return the path of a file from its package on. The root of an SDK has musa_sim's mcc below share/musa_sim."""
    found = re.fullmatch(r".*/((?:musa_build|musa_sim|musa_tools)/.+\.py)", path)
    return "" if found is None else found[1]


def main() -> None:
    """Print how many files each trip enters."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("trips", nargs="*", metavar="TRIP", help=f"{', '.join(TRIPS)}; without one, all of them")
    parser.add_argument("--list", action="store_true", help="name the files, in the order in which they are entered")
    options = parser.parse_args()
    for unknown in set(options.trips) - TRIPS.keys():
        parser.error(f"no trip is called {unknown}")
    for name in options.trips or TRIPS:
        files = entered(TRIPS[name])
        print(f"{name}: {len(files)}", *(files if options.list else ()), sep="\n    ")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--trace"]:
        _trace(sys.argv[2], sys.argv[3:])
    else:
        main()
