"""MooreThreads/kineto, PyTorch's profiler for MUSA: its library, its sample, and a program that calls the driver.

    KINETO=CHECKOUT python -m tests.programs.kineto     # builds and runs it, and writes docs/moore-threads-programs.md

The checkout has its submodules fmt and dynolog. The library is built by its CMakeLists.txt, the sample as its build.sh
says. What the traces hold is compared with what the programs do.
"""

from __future__ import annotations

import datetime
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # sdists.py, which pytest finds by itself

from sdists import CACHE

from .record import Record, Tests, keep

VERSION = "fb1e740"
DRIVER_PROGRAM = Path(__file__).with_name("kineto_driver.mu")
COMMAND = "cmake -S libkineto -B build -DMUSA_SOURCE_DIR=... -DMUPTI_INCLUDE_DIR=... -DMUSA_mupti_LIBRARY=..."
LEFT = (
    "The range profiler is off, as in its own build without the library nvperf_host. Its tests are CUPTI's, unported.",
    "For launches by the driver it warns that CPU and GPU are out of order: it compares the times of a kernel and its "
    "call the wrong way round if the call is the driver's and comes first in the buffer (MuptiActivityProfiler.cpp, "
    "checkTimestampOrder). The times in the trace are right.",
)

CALLS, WORK = ("privateuse1_runtime", "privateuse1_driver"), ("kernel", "gpu_memcpy", "gpu_memset")
_COPIES = {
    ("gpu_memcpy", "Memcpy1 HtoD (Pageable -> Device)"): 1,
    ("gpu_memcpy", "Memcpy1 DtoH (Device -> Pageable)"): 1,
}
# The events that the programs lead to. Of the driver's calls, kineto keeps launches alone.
OF_SAMPLE = Counter(
    {
        ("kernel", "kineto::square(float*, int)"): 10,
        ("privateuse1_runtime", "musaLaunchKernel"): 10,
        ("privateuse1_runtime", "musaMemcpy"): 2,
        **_COPIES,
    }
)
OF_DRIVER = Counter(
    {
        ("kernel", "twice(float*)"): 4,
        ("privateuse1_driver", "muLaunchKernel"): 3,
        ("privateuse1_runtime", "musaLaunchKernel"): 1,
        ("privateuse1_runtime", "musaMemcpy"): 1,
        ("gpu_memset", "Memset (Device)"): 1,
        ("cuda_sync", "Context Sync"): 1,
        **_COPIES,
    }
)

Event = dict[str, Any]


class Folders(NamedTuple):
    """Where things are: libkineto, the SDK, and what is built."""

    kineto: Path
    sdk: Path
    build: Path

    def library(self) -> Path:
        return self.build / "libkineto.a"

    def include(self) -> tuple[str, ...]:
        folders = ("include", "sample_programs", "third_party/fmt/include")
        return (*(f"-I{self.kineto / folder}" for folder in folders), f"-I{self.sdk / 'include'}")


def build_library(folders: Folders) -> int:
    """Build the library, and return how many files it has."""
    mupti = folders.sdk / "extras/MUPTI"
    definitions = {
        "MUSA_SOURCE_DIR": folders.sdk,
        "MUPTI_INCLUDE_DIR": mupti / "include",
        "MUSA_mupti_LIBRARY": mupti / "lib64/libmupti.so",
        "KINETO_BUILD_TESTS": "OFF",
        "CMAKE_BUILD_TYPE": "Debug",  # less work for the compiler
    }
    words = [f"-D{name}={value}" for name, value in definitions.items()]
    environment = {**os.environ, "PATH": f"{folders.sdk}/bin:{os.environ['PATH']}"}
    configure = ["cmake", "-S", str(folders.kineto), "-B", str(folders.build), "-G", "Ninja", "-Wno-dev", *words]
    subprocess.run(configure, check=True, env=environment)
    subprocess.run(["cmake", "--build", str(folders.build), "-j", os.environ.get("MAX_JOBS", "1")], check=True)
    commands = json.loads((folders.build / "compile_commands.json").read_text(encoding="utf-8"))
    return sum("/libkineto/src/" in command["file"] for command in commands)


def linked(folders: Folders, name: str, kernels: Path, *mains: Path) -> Path:
    """Compile the kernels, and link them with a program's other files and with the library."""
    program, device = folders.build / name, folders.build / f"{name}-kernels.o"
    mcc = [str(folders.sdk / "bin/mcc"), "-x", "musa", "-fPIE", "-std=c++17", *folders.include(), "-c", str(kernels)]
    subprocess.run([*mcc, "-o", str(device)], check=True)
    libraries = [f"-L{folders.sdk}/lib", f"-Wl,-rpath,{folders.sdk}/lib", "-lpthread", "-lmusart", "-lmusa", "-lmupti"]
    gxx = ["g++", "-std=c++17", "-fPIC", *folders.include(), *map(str, mains), str(device), str(folders.library())]
    subprocess.run([*gxx, *libraries, "-o", str(program)], check=True)
    return program


def trace_of(program: Path, trace: Path) -> list[Event]:
    """Run a program; return the events of the trace that it writes."""
    trace.unlink(missing_ok=True)
    done = subprocess.run([program], cwd=program.parent, capture_output=True, text=True, check=False)
    print(done.stdout, done.stderr)
    if done.returncode or not trace.is_file():
        return []
    events: list[Event] = json.loads(trace.read_text(encoding="utf-8"))["traceEvents"]
    return [event for event in events if event.get("ph") == "X"]


def counted(events: Iterable[Event]) -> Counter[tuple[str, str]]:
    """Count the events by their categories and names."""
    return Counter((event["cat"], event["name"]) for event in events if event["cat"] != "Trace")


def work_before_its_call(events: Iterable[Event]) -> list[str]:
    """Return the names of the device's work that began before their call, and of kernels without one."""
    shown = [event for event in events if "correlation" in event.get("args", {})]
    calls = {event["args"]["correlation"]: event["ts"] for event in shown if event["cat"] in CALLS}
    work = [event for event in shown if event["cat"] in WORK]
    absent = {"kernel": inf}  # kineto keeps no other calls of the driver than launches
    begins = [calls.get(event["args"]["correlation"], absent.get(event["cat"], 0)) for event in work]
    return [event["name"] for event, begin in zip(work, begins) if begin > event["ts"]]


def judged(what: str, events: list[Event], expected: Counter[tuple[str, str]]) -> Tests:
    """Compare the events of a trace with those that its program leads to, case by case."""
    found, early = counted(events), work_before_its_call(events)
    wrong = sum(((found - expected) + (expected - found)).values()) + len(early)
    print(what, found, early)
    return Tests(what, sum((found & expected).values()), wrong)


def main() -> None:
    """Build the library and both programs, judge their traces, keep what was found, and write the page."""
    if "KINETO" not in os.environ:
        raise SystemExit(f"error: the variable KINETO must name a checkout; see the docstring of {__name__}")
    root = subprocess.run([sys.executable, "-m", "musa_sim", "root"], capture_output=True, text=True, check=True)
    folders = Folders(Path(os.environ["KINETO"], "libkineto"), Path(root.stdout.strip()), CACHE / "programs" / "kineto")
    files = build_library(folders)
    samples = folders.kineto / "sample_programs"
    sample = linked(folders, "sample", samples / "kineto_playground.mu", samples / "kineto_mupti_profiler.cpp")
    driver = linked(folders, "driver", DRIVER_PROGRAM)
    tests = (
        judged(
            "kineto_mupti_profiler, its sample: events of the trace",
            trace_of(sample, folders.build / "kineto_playground_trace.json"),
            OF_SAMPLE,
        ),
        judged(
            "a program that launches by the driver: events of the trace",
            trace_of(driver, folders.build / "driver_trace.json"),
            OF_DRIVER,
        ),
    )
    today = datetime.date.today().isoformat()
    keep(Record("kineto", VERSION, today, COMMAND, files, files, tests, LEFT))


if __name__ == "__main__":
    main()
