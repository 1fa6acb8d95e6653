"""Measure the cost of the profiler's hook while no profiler runs: calls of a libmusart that asks against one without.

    python benchmarks/profiler_off.py [--pairs 30] [--before RUNTIME_FOLDER]

Both are built here from the same sources; without the hook nothing asks whether somebody profiles. --before builds
simulator/musa_sim/runtime of another checkout instead. A process of each side: they take turns, 200 calls at a time,
and what counts is the time that 5 % of the turns stay below: a busy machine only adds. How a process happens to lie in
memory is worth some percent, so there are many pairs. Shown are the medians of all, and of the pairs' ratios, with the
quartiles. Exit status 1 if a launch costs more than 2 % more.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
RUNTIME = HERE.parent / "simulator" / "musa_sim" / "runtime"
SONAME = "libmusart.so.5"
ALLOWED = 1.02
KINDS = ("launch", "copy", "fill")
CHUNKS = 300


def build_runtime(runtime: Path, folder: Path, flags: list[str]) -> Path:
    """Build libmusart as simulator/musa_sim/sdk_root.py does, with more flags."""
    folder.mkdir()
    ccache = shutil.which("ccache")
    command = [*([ccache] if ccache else []), "g++", "-std=c++17", "-O2", "-fPIC", "-fvisibility=hidden"]
    command += [f"-I{runtime.parent / 'include'}", f"-I{runtime}"]
    sources = sorted([*runtime.rglob("*.cpp"), *runtime.rglob("*.S")])
    objects = [folder / f"{source.name}.o" for source in sources]

    def compile_one(source: Path, made: Path) -> None:
        subprocess.run([*command, *flags, "-c", source, "-o", made], check=True)

    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        list(pool.map(compile_one, sources, objects))
    library = folder / SONAME
    link = ["g++", "-shared", f"-Wl,-soname,{SONAME},-z,nodelete", *objects, "-o", library, "-lpthread", "-ldl"]
    subprocess.run(link, check=True)
    return library


def build_program(folder: Path) -> Path:
    root_command = [sys.executable, "-m", "musa_sim", "root"]
    root = Path(subprocess.run(root_command, capture_output=True, text=True, check=True).stdout.strip())
    program = folder / "launches"
    source = HERE / "profiler" / "launches.mu"
    command = [root / "bin/mcc", "-O2", source, "-o", program, f"-L{root}/lib", "-lmusart", f"-Wl,-rpath,{root}/lib"]
    subprocess.run(command, check=True)
    return program


class Contestant:
    """A process that measures on request."""

    def __init__(self, program: Path, library: Path) -> None:
        environment = {**os.environ, "LD_PRELOAD": str(library)}  # the program's own libmusart has the same SONAME
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([program], stdin=pipe, stdout=pipe, text=True, bufsize=1, env=environment)
        self.times: dict[str, list[float]] = {}

    def measure(self, kind: str) -> None:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(f"{kind}\n")
        self.times.setdefault(kind, []).append(float(self.process.stdout.readline()))

    def end(self) -> dict[str, float]:
        self.process.communicate()
        # other processes on the machine only add to times
        return {kind: statistics.quantiles(times, n=20)[0] for kind, times in self.times.items()}


def race(program: Path, libraries: tuple[Path, Path]) -> list[dict[str, float]]:
    contestants = [Contestant(program, library) for library in libraries]
    for turn in range(CHUNKS):
        for kind in KINDS:
            for contestant in contestants if turn % 2 else reversed(contestants):
                contestant.measure(kind)
    return [contestant.end() for contestant in contestants]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=30)
    parser.add_argument("--before", type=Path, help="simulator/musa_sim/runtime of another checkout")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = build_program(Path(folder))
        after = build_runtime(RUNTIME, Path(folder) / "after", [])
        without = [] if arguments.before else ["-DMUSA_SIM_WITHOUT_ACTIVITIES"]
        before = build_runtime(arguments.before or RUNTIME, Path(folder) / "before", without)
        pairs = [race(program, (before, after)) for _ in range(arguments.pairs)]
    limits = {}
    for kind in KINDS:
        old, new = (statistics.median(pair[side][kind] for pair in pairs) for side in (0, 1))
        low, middle, high = statistics.quantiles(pair[1][kind] / pair[0][kind] for pair in pairs)
        print(f"{kind:7} {old:6.1f} ns -> {new:6.1f} ns   ratio {middle:.4f} ({low:.4f} to {high:.4f})", flush=True)
        limits[kind] = middle
    return int(limits["launch"] > ALLOWED)


if __name__ == "__main__":
    sys.exit(main())
