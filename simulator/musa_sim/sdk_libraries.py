"""Compile what lies in the SDK's lib/: libmusart and the libraries above it.

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

from . import SDK_VERSION
from .kept_folders import made_once
from .mcc.errors import DriverError
from .mcc.last_use import mark_used

_PACKAGE = Path(__file__).resolve().parent
_SOURCES = ("include", "libraries", "programs", "runtime")
_NEEDS = {"musolver": ["-lmublas"]}  # libraries that come before it in the alphabet
# The number in a file's name, where it is not 1 (docs/known.md).
_RELEASES = {"mccl": 2, "mtml": 2, "mtrtc": 5, "mudnn": 3}
_SECOND_NAMES = {"mudnn": "mudnncxx"}  # of a library that is one file here and two in the real SDK
_SONAME = f"libmusart.so.{SDK_VERSION.split('.')[0]}"


def files_of(folders: Iterable[str]) -> list[Path]:
    """Return the files of these folders of the package in a stable order, without bytecode and documentation."""
    paths = (path for folder in folders for path in sorted((_PACKAGE / folder).rglob("*")))
    return [path for path in paths if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".md"]


def content_digest(facts: str, files: Iterable[Path]) -> str:
    """Return what names a folder that is made of these facts and files of the package."""
    digest = hashlib.sha256(facts.encode())
    for path in files:
        digest.update(f"{path.relative_to(_PACKAGE)}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def library_names() -> list[str]:
    """Return the names of the libraries above the runtime: mublas ..."""
    return sorted(path.name for path in (_PACKAGE / "libraries").iterdir() if path.is_dir())


def program_names() -> list[str]:
    """Return the names of the programs of bin/ that are compiled: musaInfo ..."""
    return sorted(path.stem for path in (_PACKAGE / "programs").glob("*.cpp"))


def compiler_facts(host_cxx: str) -> list[str]:
    """Return what a host compiler is known by."""
    version = subprocess.run([host_cxx, "--version"], capture_output=True, text=True, check=False).stdout
    return [host_cxx, version, platform.machine()]


def sdk_libraries(cache: Path, host_cxx: str) -> Path:
    """Return a folder below `cache` with lib/ and bin/; compile what is in them if this content was never compiled.

    Raises DriverError when they do not compile, OSError when the cache cannot be written.
    """
    key = content_digest("\0".join(compiler_facts(host_cxx)), [*files_of(_SOURCES), Path(__file__)])
    folder = cache / f"libraries-{SDK_VERSION}-{key}"
    mark_used(folder)
    return made_once(folder, lambda building: _compile_all(building, host_cxx))


def _compile_all(folder: Path, host_cxx: str) -> None:
    notice = "compiling the libraries of the simulated MUSA SDK (once, some 20 s) ..."
    print(f"musa_sim: {notice}", file=sys.stderr, flush=True)
    lib = folder / "lib"
    lib.mkdir()
    (folder / "bin").mkdir()
    _build_runtime(lib / _SONAME, host_cxx)
    (lib / "libmusart.so").symlink_to(_SONAME)
    for name in library_names():
        _build_library(name, lib, host_cxx)
    for name in program_names():
        _build_program(name, folder, host_cxx)


def _build_runtime(output: Path, host_cxx: str) -> None:
    """libmusart: everything in runtime/."""
    runtime = _PACKAGE / "runtime"
    sources = [path for path in runtime.rglob("*") if path.suffix in (".cpp", ".S")]
    _build_shared(output, sources, [f"-I{runtime}"], ["-lpthread", "-ldl"], host_cxx)


def _build_library(name: str, lib: Path, host_cxx: str) -> None:
    """Build a library above the runtime: libraries/<name>/*.cpp, linked to the libmusart that lies beside it."""
    release = _RELEASES.get(name, 1)
    soname = f"lib{name}.so.{release}"
    sources = list((_PACKAGE / "libraries" / name).glob("*.cpp"))
    compile_flags = ["-O3", f"-I{_PACKAGE / 'runtime'}"]  # for base/device_abi.h
    _build_shared(
        lib / soname,
        sources,
        compile_flags,
        [f"-L{lib}", *_NEEDS.get(name, []), "-lmusart", "-ldl", "-Wl,-rpath,$ORIGIN"],
        host_cxx,
    )
    (lib / f"lib{name}.so").symlink_to(soname)
    if name in _SECOND_NAMES:
        for suffix in ("so", f"so.{release}"):
            (lib / f"lib{_SECOND_NAMES[name]}.{suffix}").symlink_to(soname)


def _build_program(name: str, folder: Path, host_cxx: str) -> None:
    """Build programs/<name>.cpp, which finds the libraries in ../lib."""
    compile_flags = ["-std=c++17", "-O2", f"-I{_PACKAGE / 'include'}", str(_PACKAGE / "programs" / f"{name}.cpp")]
    link_flags = [f"-L{folder / 'lib'}", "-lmtml", "-lmusart", "-Wl,-rpath,$ORIGIN/../lib"]
    _run_compiler([host_cxx, *compile_flags, "-o", str(folder / "bin" / name), *link_flags])


def _build_shared(
    output: Path, sources: list[Path], compile_flags: list[str], link_flags: list[str], host_cxx: str
) -> None:
    """Compile file by file on all cores; ccache, where there is one, spares the unchanged files."""
    ccache = shutil.which("ccache")
    compiler = [*([ccache] if ccache else []), host_cxx]
    flags = ["-std=c++17", "-O2", "-fPIC", "-fvisibility=hidden", f"-I{_PACKAGE / 'include'}", *compile_flags]
    with tempfile.TemporaryDirectory(prefix="musa-sim-") as made:
        objects = {source: str(Path(made) / f"{source.name}.o") for source in sorted(sources)}
        commands = [[*compiler, *flags, "-c", str(source), "-o", out] for source, out in objects.items()]
        with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
            for _ in pool.map(_run_compiler, commands):
                pass
        # never unloaded: the runtime's threads run as long as the process does
        link = [host_cxx, "-shared", f"-Wl,-soname,{output.name},-z,nodelete", *objects.values()]
        _run_compiler([*link, "-o", str(output), *link_flags])


def _run_compiler(command: list[str]) -> None:
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        raise DriverError(f"the simulated SDK does not compile:\n{shlex.join(command)}\n{run.stderr}")
