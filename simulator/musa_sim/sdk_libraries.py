"""Compile the libraries in the SDK's lib/: libmusart and the libraries above it.

g++ compiles them from runtime/, libraries/ and include/ alone. So all roots whose mcc, clang or Python differ share one
folder of libraries, which is named by a digest of these sources and of g++.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from . import SDK_VERSION
from .content_cache import build_once
from .mcc.errors import DriverError
from .mcc.sdk import mark_used

_PACKAGE = Path(__file__).resolve().parent
_SOURCES = ("include", "libraries", "programs", "runtime")
_NEEDS = {"mupti": ["-lmusa"], "musolver": ["-lmublas"], "omp": ["-lgomp"]}  # of the SDK's, those without needs
# The number in a file's name, where it is not 1 (docs/known.md).
_RELEASES = {"mccl": 2, "mtml": 2, "mtrtc": 5, "mudnn": 3}
_SECOND_NAMES = {"mudnn": "mudnncxx"}  # of a library that is one file here and two in the real SDK
_SONAME = f"libmusart.so.{SDK_VERSION.split('.')[0]}"


def files_of(folders: Iterable[str]) -> list[Path]:
    """Return the files of these folders of the package in a stable order, without bytecode and documentation."""
    paths = (path for folder in folders for path in sorted((_PACKAGE / folder).rglob("*")))
    return [path for path in paths if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".md"]


def content_digest(facts: str, files: Iterable[Path]) -> str:
    """Return the name of a folder that is made of these facts and files of the package."""
    digest = hashlib.sha256(facts.encode())
    for path in files:
        digest.update(f"{path.relative_to(_PACKAGE)}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def library_names() -> list[str]:
    """Return the names of the libraries above the runtime, mublas ..., each after those that it needs."""
    names = (path.name for path in (_PACKAGE / "libraries").iterdir() if path.is_dir())
    return sorted(names, key=lambda name: (name in _NEEDS, name))


def program_names() -> list[str]:
    """Return the names of the programs of bin/ that are compiled: musaInfo ..."""
    return sorted(path.stem for path in (_PACKAGE / "programs").glob("*.cpp"))


def compiler_facts(host_cxx: str) -> list[str]:
    """Return the facts that identify a host compiler."""
    version = subprocess.run([host_cxx, "--version"], capture_output=True, text=True, check=False).stdout
    return [host_cxx, version, platform.machine()]


def sdk_libraries(cache: Path, host_cxx: str) -> Path:
    """Return a folder below `cache` with lib/ and bin/; compile what is in them if this content was never compiled.

    Raises DriverError when they do not compile, OSError when the cache cannot be written.
    """
    key = content_digest("\0".join(compiler_facts(host_cxx)), [*files_of(_SOURCES), Path(__file__)])
    folder = cache / f"libraries-{SDK_VERSION}-{key}"
    mark_used(folder)
    return build_once(folder, lambda building: _compile_all(building, host_cxx))


class _Library(NamedTuple):
    """A library of lib/, and how g++ makes it."""

    name: str
    file: str
    sources: list[Path]
    compile_flags: list[str]
    link_flags: list[str]

    def objects(self) -> dict[str, list[Path]]:
        """Return {object file: its sources}: those of a folder are compiled as one, which reads the headers once."""
        made: dict[str, list[Path]] = {}
        for source in sorted(self.sources):
            unit = source.parent.name if source.suffix == ".cpp" else source.name
            made.setdefault(f"{self.name}-{unit}.o", []).append(source)
        return made


def _compile_all(folder: Path, host_cxx: str) -> None:
    notice = "compiling the libraries of the simulated MUSA SDK (once, a minute of CPU time) ..."
    print(f"musa_sim: {notice}", file=sys.stderr, flush=True)
    lib = folder / "lib"
    lib.mkdir()
    (folder / "bin").mkdir()
    libraries = [_runtime(), *(_library(name, lib) for name in library_names())]
    with tempfile.TemporaryDirectory(prefix="musa-sim-") as made:
        commands = [command for library in libraries for command in _compilations(library, Path(made), host_cxx)]
        with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
            for _ in pool.map(_run_compiler, commands):
                pass
        for library in libraries:
            _link(library, Path(made), lib, host_cxx)
    for name in program_names():
        _build_program(name, folder, host_cxx)


def _runtime() -> _Library:
    """libmusart: everything in runtime/."""
    runtime = _PACKAGE / "runtime"
    sources = [path for path in runtime.rglob("*") if path.suffix in (".cpp", ".S")]
    return _Library("musart", _SONAME, sources, [f"-I{runtime}"], ["-lpthread", "-ldl"])


def _library(name: str, lib: Path) -> _Library:
    """Return a library above the runtime: libraries/<name>/*.cpp, linked to the libmusart that lies beside it."""
    sources = list((_PACKAGE / "libraries" / name).glob("*.cpp"))
    compile_flags = ["-O3", f"-I{_PACKAGE / 'runtime'}"]  # for base/device_abi.h
    link_flags = [f"-L{lib}", *_NEEDS.get(name, []), "-lmusart", "-ldl", "-Wl,-rpath,$ORIGIN"]
    return _Library(name, f"lib{name}.so.{_RELEASES.get(name, 1)}", sources, compile_flags, link_flags)


def _compilations(library: _Library, folder: Path, host_cxx: str) -> list[list[str]]:
    """Return the commands that write the objects of a library; ccache, where there is one, spares unchanged folders."""
    ccache = shutil.which("ccache")
    compiler = [*([ccache] if ccache else []), host_cxx, "-std=c++17", "-O2", "-fPIC", "-fvisibility=hidden"]
    compiler += [f"-I{_PACKAGE / 'include'}", *library.compile_flags, "-c"]
    return [[*compiler, *_as_one(sources), "-o", str(folder / name)] for name, sources in library.objects().items()]


def _as_one(sources: list[Path]) -> list[str]:
    if len(sources) == 1:
        return [str(sources[0])]
    return [*(word for source in sources for word in ("-include", str(source))), "-x", "c++", os.devnull]


def _link(library: _Library, folder: Path, lib: Path, host_cxx: str) -> None:
    """Link a library from its objects, and give it the names without its number."""
    objects = [str(folder / name) for name in library.objects()]
    # never unloaded: the runtime's threads run as long as the process does
    link = [host_cxx, "-shared", f"-Wl,-soname,{library.file},-z,nodelete", *objects]
    _run_compiler([*link, "-o", str(lib / library.file), *library.link_flags])
    (lib / f"lib{library.name}.so").symlink_to(library.file)
    if library.name in _SECOND_NAMES:
        for suffix in ("so", library.file.partition(".")[2]):
            (lib / f"lib{_SECOND_NAMES[library.name]}.{suffix}").symlink_to(library.file)


def _build_program(name: str, folder: Path, host_cxx: str) -> None:
    """Build programs/<name>.cpp, which finds the libraries in ../lib."""
    compile_flags = ["-std=c++17", "-O2", f"-I{_PACKAGE / 'include'}", str(_PACKAGE / "programs" / f"{name}.cpp")]
    link_flags = [f"-L{folder / 'lib'}", "-lmtml", "-lmusart", "-Wl,-rpath,$ORIGIN/../lib"]
    _run_compiler([host_cxx, *compile_flags, "-o", str(folder / "bin" / name), *link_flags])


def _run_compiler(command: list[str]) -> None:
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        raise DriverError(f"the simulated SDK does not compile:\n{shlex.join(command)}\n{run.stderr}")
