"""How fast the build engine is: torch's BuildExtension, ours and the bare commands over the same sources, as ratios.

    python benchmarks/build.py [--sources 10] [--extensions 3] [--header torch/extension.h] [--jobs 2] [--without-torch]

The sources are C++ alone, so that both build with the same compiler; ccache is off but where it is measured. Wall time
of one run each, one after the other: nothing else should run on the machine. CPU time of children stands beside it.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from musa_build.ninja_file import find_ninja

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
SETUP = """
from setuptools import setup
from torch.utils.cpp_extension import CppExtension
{command}
setup(name="benchmark", packages=[], cmdclass={{"build_ext": BuildExtension}}, ext_modules=[{extensions}])
"""
# Ours is measured with setuptools' own Extension, for which torch need not be imported just to read setup.py.
OWN_SETUP = """
from setuptools import Extension, setup
from musa_build import BuildExtension
setup(name="benchmark", packages=[], cmdclass={{"build_ext": BuildExtension}}, ext_modules=[{extensions}])
"""


@dataclass(frozen=True)
class Time:
    wall: float
    cpu: float


def timed(action: Callable[[], object]) -> Time:
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    action()
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Time(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def write_project(root: Path, arguments: argparse.Namespace, ours: bool) -> None:
    from torch.utils.cpp_extension import include_paths, library_paths

    (root / "csrc").mkdir(parents=True)
    (root / "csrc" / "common.h").write_text("#define COMMON 1\n")
    listed = []
    for index in range(arguments.extensions):
        name, sources = f"part{index}", []
        for number in range(index, arguments.sources, arguments.extensions):
            source = root / "csrc" / f"source{number}.cpp"
            extra = MODULE.format(name=name) if not sources else ""
            source.write_text(SOURCE.format(header=arguments.header, number=number, extra=extra))
            sources.append(f"csrc/{source.name}")
        options = 'include_dirs=["csrc"]'
        if ours:
            places = f'include_dirs=["csrc", *{include_paths()!r}], library_dirs={library_paths()!r}'
            options = f'{places}, libraries=["c10", "torch", "torch_cpu", "torch_python"], language="c++"'
        kind = "Extension" if ours else "CppExtension"
        listed.append(f'{kind}("{name}", {sources!r}, {options})')
    text = OWN_SETUP if ours else SETUP
    command = "from torch.utils.cpp_extension import BuildExtension"
    (root / "setup.py").write_text(text.format(command=command, extensions=", ".join(listed)))


class Builder:
    """Runs setup.py in a folder and measures it."""

    def __init__(self, root: Path, jobs: int, **environment: str) -> None:
        self.root = root
        self.environment = {
            **os.environ,
            "MAX_JOBS": str(jobs),
            "TORCH_NO_COMPILER_WRAPPER": "1",
            "MUSA_BUILD_LAUNCHER": "none",
            "TORCH_DEVICE_BACKEND_AUTOLOAD": "0",
            **environment,
        }

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


def bare_commands(root: Path, jobs: int) -> Time:
    """The compile and link commands of our own build.ninja, run by hand `jobs` at a time."""
    (directory,) = (root / "build").glob("temp.*")
    compiles = [entry["arguments"] for entry in json.loads((directory / "compile_commands.json").read_text())]
    text = (directory / "build.ninja").read_text()
    links = [
        line.replace("$$", "$")
        for line in re.findall(r"^build \S+: link .*\n(?:  .*\n)*?  command_line = (.*)$", text, re.MULTILINE)
    ]

    def action() -> None:
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            list(pool.map(lambda words: subprocess.run(words, cwd=root, check=True), compiles))
            list(pool.map(lambda line: subprocess.run(line, cwd=root, check=True, shell=True), links))

    return timed(action)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", type=int, default=10)
    parser.add_argument("--extensions", type=int, default=3)
    parser.add_argument("--header", default="torch/extension.h")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--without-torch", action="store_true", help="leave the peer out, which is most of the time")
    arguments = parser.parse_args()

    rows: list[tuple[str, Time, str]] = []

    def add(name: str, taken: Time, compared: str = "") -> Time:
        rows.append((name, taken, compared))
        print(f"{name:44}{taken.wall:8.2f} s wall{taken.cpu:9.2f} s CPU   {compared}", flush=True)
        return taken

    with tempfile.TemporaryDirectory() as place:
        own, moved, peer = (Path(place) / name for name in ("own", "moved/elsewhere", "peer"))
        write_project(own, arguments, ours=True)
        builder = Builder(own, arguments.jobs)
        if not arguments.without_torch:
            write_project(peer, arguments, ours=False)
            torch = Builder(peer, arguments.jobs)
            theirs = add("torch, cold", torch.build())
        cold = builder.build()
        add("musa_build, cold", cold, "" if arguments.without_torch else f"{cold.wall / theirs.wall:.2f} of torch's")
        bare = add("the bare commands", bare_commands(own, arguments.jobs))
        over = [(ours / plain - 1) * 100 for ours, plain in ((cold.cpu, bare.cpu), (cold.wall, bare.wall))]
        print(f"{'':44}overhead {over[0]:+.1f} % of CPU, {over[1]:+.1f} % of wall")

        builder.build()  # the bare commands made everything newer
        if not arguments.without_torch:
            add("torch, nothing changed", torch.build())
        (directory,) = (own / "build").glob("temp.*")
        ninja = builder.run(str(find_ninja()), "-f", str(directory / "build.ninja"))
        start = builder.run(sys.executable, "-c", "import setuptools.command.build_ext")
        idle = add("ninja and a Python with setuptools", Time(ninja.wall + start.wall, ninja.cpu + start.cpu))
        noop = builder.build()
        add(
            "musa_build, nothing changed",
            noop,
            f"{noop.cpu / idle.cpu:.2f} of that in CPU, {noop.wall / idle.wall:.2f} in wall",
        )
        (own / "csrc" / "source0.cpp").touch()
        add("musa_build, one source touched", builder.build())

        if shutil.which("ccache"):
            cache = {"MUSA_BUILD_LAUNCHER": "ccache", "CCACHE_DIR": f"{place}/ccache"}
            shutil.rmtree(own / "build")
            first = add("musa_build, cold, filling ccache", Builder(own, arguments.jobs, **cache).build())
            write_project(moved, arguments, ours=True)
            second = Builder(moved, arguments.jobs, **cache).build()
            add("musa_build, another folder, warm ccache", second, f"{first.wall / second.wall:.1f} times faster")


if __name__ == "__main__":
    main()
