"""How fast the build engine is: torch's BuildExtension, ours and the bare commands over the same sources, as ratios.

    python benchmarks/build.py [--sources 10] [--extensions 3] [--header torch/extension.h] [--jobs 2] [--runs 3]
                               [--parts cold nothing ccache] [--without-torch]

The sources are C++ alone, so that both build with the same compiler; ccache is off but where it is measured. Every run
builds with each of those that are compared, one after the other; medians are compared, in wall time, and in CPU time of
children, which says more on a machine that does other things. With torch/extension.h a run of "cold" takes a quarter of
an hour on two cores, one of "ccache" three minutes, one of "nothing" a minute.

Python hands its own -g to every compiler, and ours turns that off, as docs/building.md says. So there are two rows of
torch's: as it is, and with CFLAGS=-g0, which is the same work as ours. Ours has two as well: with the precompiled
header (its default for this many sources) and without.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from musa_build.builder.runner import find_ninja

SOURCE = """#include <{header}>
#include "common.h"
{extra}
int function_{number}() {{ return COMMON + {number}; }}
"""
MODULE = """
#include <Python.h>
static PyModuleDef definition = {{PyModuleDef_HEAD_INIT, "{name}"}};
PyMODINIT_FUNC PyInit_{name}() {{ return PyModule_Create(&definition); }}
"""
# setuptools' own Extension for all, so that reading setup.py takes no import of torch.
SETUP = """
from setuptools import Extension, setup
from {module} import {command}
setup(name="benchmark", packages=[], cmdclass={{"build_ext": {command}}}, ext_modules=[{extensions}])
"""
COMMANDS = {
    "torch": ("torch.utils.cpp_extension", "BuildExtension"),
    "ours": ("musa_build", "BuildExtension"),
    "setuptools": ("setuptools.command.build_ext", "build_ext"),
}


@dataclass(frozen=True)
class Time:
    wall: float
    cpu: float

    def __add__(self, other: Time) -> Time:
        return Time(self.wall + other.wall, self.cpu + other.cpu)


def timed(action: Callable[[], object]) -> Time:
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    action()
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Time(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


class Project:
    """The sources in a folder, with a setup.py for one of COMMANDS."""

    def __init__(self, root: Path, command: str, options: argparse.Namespace, **environment: str) -> None:
        from torch.utils.cpp_extension import include_paths, library_paths

        self.root = root
        self.environment = {
            **os.environ,
            "MAX_JOBS": str(options.jobs),
            "TORCH_NO_COMPILER_WRAPPER": "1",
            "MUSA_BUILD_LAUNCHER": "none",
            "TORCH_DEVICE_BACKEND_AUTOLOAD": "0",
            **environment,
        }
        (root / "csrc").mkdir(parents=True)
        (root / "csrc" / "common.h").write_text("#define COMMON 1\n")
        folders = f'include_dirs=["csrc", *{include_paths()!r}], library_dirs={library_paths()!r}'
        libraries = 'libraries=["c10", "torch", "torch_cpu", "torch_python"], language="c++"'
        extensions = []
        for index in range(options.extensions):
            name, sources = f"part{index}", []
            for number in range(index, options.sources, options.extensions):
                source = root / "csrc" / f"source{number}.cpp"
                extra = "" if sources else MODULE.format(name=name)
                source.write_text(SOURCE.format(header=options.header, number=number, extra=extra))
                sources.append(f"csrc/{source.name}")
            extensions.append(f'Extension("{name}", {sources!r}, {folders}, {libraries})')
        module, class_name = COMMANDS[command]
        text = SETUP.format(module=module, command=class_name, extensions=", ".join(extensions))
        (root / "setup.py").write_text(text)

    def run(self, *command: str) -> Time:
        def action() -> None:
            done = subprocess.run(
                command,
                cwd=self.root,
                env=self.environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            if done.returncode:
                sys.exit(f"{' '.join(command)} failed:\n{done.stdout}")

        return timed(action)

    def build(self) -> Time:
        return self.run(sys.executable, "setup.py", "build_ext", "--inplace")

    def cold(self) -> Time:
        shutil.rmtree(self.root / "build", ignore_errors=True)
        return self.build()

    @property
    def ninja(self) -> tuple[str, ...]:
        (file,) = (self.root / "build").glob("temp.*/build.ninja")
        return (str(find_ninja()), "-f", str(file.relative_to(self.root)))

    def bare_commands(self, jobs: int) -> Time:
        """Run the commands of our own build.ninja, `jobs` at a time: precompiled headers, objects, libraries."""
        listed = subprocess.run(
            [*self.ninja, "-t", "commands"], cwd=self.root, capture_output=True, text=True, check=True
        )
        lines = listed.stdout.splitlines()
        headers = [line for line in lines if " c++-header " in line]
        links = [line for line in lines if " -shared " in line]
        objects = [line for line in lines if line not in headers and line not in links]
        # A precompiled header of 800 MB is written faster over an old one than anew.
        subprocess.run([*self.ninja, "-t", "clean"], cwd=self.root, stdout=subprocess.DEVNULL, check=True)

        def action() -> None:
            with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
                for group in (headers, objects, links):
                    list(pool.map(lambda line: subprocess.run(line, cwd=self.root, check=True, shell=True), group))

        return timed(action)


class Table:
    """Measurements by name."""

    def __init__(self) -> None:
        self._times: dict[str, list[Time]] = {}

    def add(self, name: str, taken: Time) -> None:
        self._times.setdefault(name, []).append(taken)
        print(f"  {name:44}{taken.wall:9.2f} s wall{taken.cpu:9.2f} s CPU", flush=True)

    def median(self, name: str) -> Time:
        times = self._times[name]
        return Time(statistics.median(each.wall for each in times), statistics.median(each.cpu for each in times))

    def compare(self, name: str, other: str) -> None:
        """Print the median of `name` as a multiple of that of `other`, if both were measured."""
        if name in self._times and other in self._times:
            one, two = self.median(name), self.median(other)
            times = f"{one.wall:.2f} s to {two.wall:.2f} s"
            print(f"{one.wall / two.wall:7.3f} in wall, {one.cpu / two.cpu:7.3f} in CPU: {name} / {other} ({times})")


def measure_cold(folder: Path, options: argparse.Namespace, table: Table) -> None:
    ours = Project(folder / "ours", "ours", options)
    plain = Project(folder / "plain", "ours", options, MUSA_BUILD_PCH="0")
    peers = {"torch": {}, "torch -g0": {"CFLAGS": "-g0"}}
    torch = {name: Project(folder / name, "torch", options, **more) for name, more in peers.items()}
    for _ in range(options.runs):
        for name, project in {} if options.without_torch else torch.items():
            table.add(f"{name}, cold", project.cold())
        table.add("ours, cold", ours.cold())
        table.add("the bare commands of ours", ours.bare_commands(options.jobs))
        table.add("ours without precompiled header, cold", plain.cold())
        table.add("the bare commands without it", plain.bare_commands(options.jobs))
    table.compare("ours, cold", "torch, cold")
    table.compare("ours, cold", "torch -g0, cold")
    table.compare("ours without precompiled header, cold", "torch -g0, cold")
    table.compare("ours, cold", "the bare commands of ours")
    table.compare("ours without precompiled header, cold", "the bare commands without it")
    measure_overhead(folder, options, table)


def measure_overhead(folder: Path, options: argparse.Namespace, table: Table) -> None:
    """Measure the time that our build adds to its own commands.

    The sources are nearly empty, with as many commands and extensions and the same imports. Compiling for a minute
    varies more from run to run than the whole overhead.
    """
    options = argparse.Namespace(**{**vars(options), "header": "cstdint"})
    project = Project(folder / "overhead", "ours", options)
    for _ in range(5 * options.runs):
        table.add("ours, empty sources", project.cold())
        table.add("the bare commands, empty sources", project.bare_commands(options.jobs))
    ours, bare = table.median("ours, empty sources"), table.median("the bare commands, empty sources")
    real = table.median("the bare commands of ours")
    added = Time(ours.wall - bare.wall, ours.cpu - bare.cpu)
    shares = f"{added.wall / real.wall:7.3f} in wall, {added.cpu / real.cpu:7.3f} in CPU"
    print(f"{shares}: what our build adds / the bare commands of ours")


def measure_nothing(folder: Path, options: argparse.Namespace, table: Table) -> None:
    """Compare builds with nothing to do: ours, torch's, setuptools' own, and the least that Python and ninja take.

    That least is ninja with nothing to do and a setup.py without extensions. Installed setuptools plug-ins
    (scikit-build-core has one) are loaded in all of these. The header compiles in seconds, because the measured builds
    compile nothing.
    """
    options = argparse.Namespace(**{**vars(options), "header": "ATen/core/Tensor.h"})
    projects = {name: Project(folder / f"nothing-{name}", name, options) for name in COMMANDS}
    if options.without_torch:
        del projects["torch"]
    for project in projects.values():
        project.build()
    ours = projects["ours"]
    empty = Project(folder / "nothing-empty", "setuptools", argparse.Namespace(**{**vars(options), "extensions": 0}))
    for _ in range(5 * options.runs):
        for name, project in projects.items():
            table.add(f"{name}, nothing changed", project.build())
        ninja = ours.run(*ours.ninja)
        table.add("ninja and Python, nothing changed", ninja + ours.run(sys.executable, "-c", "pass"))
        table.add("ninja and a setup.py without extensions", ninja + empty.build())
    for _ in range(options.runs):
        (ours.root / "csrc" / "source0.cpp").touch()
        table.add("ours, one source touched", ours.build())
    for other in ("torch", "setuptools"):
        table.compare("ours, nothing changed", f"{other}, nothing changed")
    table.compare("ours, nothing changed", "ninja and a setup.py without extensions")
    table.compare("ours, nothing changed", "ninja and Python, nothing changed")


def measure_ccache(folder: Path, options: argparse.Namespace, table: Table) -> None:
    for number in range(options.runs):
        cache = {"MUSA_BUILD_LAUNCHER": "ccache", "CCACHE_DIR": str(folder / f"ccache{number}")}
        first, second = (Project(folder / f"{name}{number}", "ours", options, **cache) for name in ("here", "there/as"))
        table.add("ours, cold, filling ccache", first.build())
        table.add("ours, another folder, warm ccache", second.build())
    table.compare("ours, cold, filling ccache", "ours, another folder, warm ccache")


PARTS = {"cold": measure_cold, "nothing": measure_nothing, "ccache": measure_ccache}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", type=int, default=10)
    parser.add_argument("--extensions", type=int, default=3)
    parser.add_argument("--header", default="torch/extension.h")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--without-torch", action="store_true", help="leave the peer out, which is most of the time")
    options = parser.parse_args()
    for part in options.parts:
        if part == "ccache" and not shutil.which("ccache"):
            print("there is no ccache here")
            continue
        print(f"{part}:", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            PARTS[part](Path(folder), options, Table())


if __name__ == "__main__":
    main()
