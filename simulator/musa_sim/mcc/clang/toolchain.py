"""The compilers that mcc calls: clang with its resource directory, and the host's driver for links.

`find` looks them up when an SDK root is created, and `save` writes them into that root. Calls of mcc only `load` them.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

from ..errors import DriverError
from . import cpu

#: The device IR is rewritten as text, and only these releases' spelling was tested (19 and 22); 16 is the oldest with
#: opaque pointers throughout.
OLDEST_CLANG = 16

TARGET = "x86_64-unknown-linux-gnu"


class Toolchain(NamedTuple):
    """The compilers of one machine."""

    clang: tuple[str, ...]  # the words that start clang's driver; with "-cc1" after them, its front end
    clang_version: str
    resource_dir: str
    host_cxx: str  # links executables and shared objects
    linker: str  # links device images
    device_cpu: str  # that kernels are compiled for (cpu.py)

    @property
    def clang_major(self) -> int:
        """The first number of clang's version."""
        return int(self.clang_version.split(".")[0])

    def save(self, path: Path) -> None:
        """Write the found programs into an SDK root."""
        path.write_text(json.dumps(self._asdict(), indent=1) + "\n")

    @classmethod
    def load(cls, path: Path) -> Toolchain:
        """Read what save() wrote."""
        data = json.loads(path.read_text())
        return cls(**{**data, "clang": tuple(data["clang"])})


def _version(clang: tuple[str, ...]) -> str:
    try:
        run = subprocess.run([*clang, "--version"], capture_output=True, text=True, check=False)
    except OSError:
        return ""
    found = re.search(r"clang version (\d+[\d.]*)", run.stdout)
    return found.group(1) if run.returncode == 0 and found else ""


def _ziglang() -> tuple[tuple[str, ...], str]:
    """Find the clang inside the ziglang wheel: (driver words, resource directory), empty without the wheel."""
    import importlib.util  # mcc itself finds nothing and loads neither this nor shutil

    spec = importlib.util.find_spec("ziglang")
    if spec is None or not spec.submodule_search_locations:
        return (), ""
    home = Path(next(iter(spec.submodule_search_locations)))
    return (str(home / "zig"), "clang"), str(home / "lib")


def _candidates() -> list[tuple[tuple[str, ...], str]]:
    chosen = os.environ.get("MUSA_SIM_CLANG", "")
    if chosen:
        return [((chosen,), "")]
    import shutil

    names = ["clang", *(f"clang-{n}" for n in range(24, OLDEST_CLANG - 1, -1))]
    # the clang of a MUSA SDK, this one's or another, is not one to build with
    folders = [folder for folder in os.get_exec_path() if not (Path(folder) / "mcc").exists()]
    on_path = [shutil.which(name, path=os.pathsep.join(folders)) for name in names]
    return [_ziglang(), *(((path,), "") for path in on_path if path)]


def _device_cpu() -> str:
    named = os.environ.get("MUSA_SIM_CPU", "")
    if named and named not in cpu.NUMBERS:
        raise DriverError(f"MUSA_SIM_CPU is '{named}'", wanted=" or ".join(cpu.NUMBERS))
    return named or cpu.of_this_machine()


def find_program(name: str) -> str:
    """Return the path of a program that comes with g++. Raises DriverError when it is missing."""
    import shutil

    found = shutil.which(name)
    if not found:
        raise DriverError(f"{name} not found", hint="install it with 'apt-get install g++'")
    return found


def find_host_cxx() -> str:
    """Return g++; where there is none, the compiler that CXX names, as conda sets it. Raises DriverError."""
    import shlex
    import shutil

    named = [word for word in shlex.split(os.environ.get("CXX", "")) if not word.startswith("-")]
    found = shutil.which("g++") or (shutil.which(named[-1]) if named else None)
    return found or find_program("g++")


def find_linker(host_cxx: str) -> str:
    """Return ld; where PATH has none, that of the host compiler, whose name may have a prefix. Raises DriverError."""
    import shutil

    asked = [host_cxx, "-print-prog-name=ld"]
    found = shutil.which("ld")
    if not found:
        named = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
        found = shutil.which(named) if named else None
    return found or find_program("ld")


def find() -> Toolchain:
    """Find clang, g++ and ld on this machine, and what its CPU can do.

    MUSA_SIM_CLANG names a clang; otherwise the ziglang wheel's, otherwise one on PATH, 16 or newer.
    Raises DriverError with what to install when one of the three is missing, or if MUSA_SIM_CPU names no CPU.
    """
    host_cxx = find_host_cxx()
    linker = find_linker(host_cxx)
    seen: list[str] = []
    for clang, resource_dir in _candidates():
        version = _version(clang) if clang else ""
        if not version:
            continue
        if int(version.split(".")[0]) < OLDEST_CLANG:
            seen.append(f"{clang[0]} is {version}")
            continue
        if not resource_dir:
            run = subprocess.run([*clang, "-print-resource-dir"], capture_output=True, text=True, check=False)
            resource_dir = run.stdout.strip()
        return Toolchain(clang, version, resource_dir, host_cxx, linker, _device_cpu())
    found = ", ".join(seen)
    if os.environ.get("MUSA_SIM_CLANG"):
        named = os.environ["MUSA_SIM_CLANG"]
        raise DriverError(f"MUSA_SIM_CLANG={named} is not a clang >= {OLDEST_CLANG}", found=found)
    raise DriverError(
        f"no clang >= {OLDEST_CLANG} for the simulator",
        found=found,
        hint="'pip install ziglang' brings one, or 'apt-get install clang'",
    )
