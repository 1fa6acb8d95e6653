"""Compile the libraries in the SDK's lib/: libmusart and the libraries above it.

g++ compiles them from runtime/, libraries/ and include/ alone. So all roots whose mcc, clang or Python differ share one
folder of libraries, which is named by a digest of these sources and of g++. A wheel may bring them compiled.
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
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
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
# -O3 for those whose loops take the time of programs, less for those that are many forms of short functions: a newcomer
# waits for them.
_LEVELS = {"mublas": "-O3", "mublasLt": "-O3", "mufft": "-O3", "murand": "-O3", "musolver": "-O1", "musparse": "-O1"}
_NO_ARCHIVE = ("mtml", "mudnn", "musa", "omp")  # in the real SDK; mtml and musa belong to the driver
_SECOND_NAMES = {"mudnn": "mudnncxx"}  # of a library that is one file here and two in the real SDK
_SONAME = f"libmusart.so.{SDK_VERSION.split('.')[0]}"
#: Of a wheel that has the libraries: lib/, bin/, and the digest of the sources that they were compiled from.
COMPILED = _PACKAGE / "compiled"
_DIGEST = "sources"


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
    """Return a folder with lib/ and bin/: the wheel's, else one below `cache`. Compile what is in them only once.

    Raises DriverError when they do not compile, OSError when the cache cannot be written.
    """
    if _is_compiled(COMPILED):
        return COMPILED
    key = _sources_digest(compiler_facts(host_cxx))
    folder = cache / f"libraries-{SDK_VERSION}-{key}"
    mark_used(folder)
    return build_once(folder, lambda building: compile_libraries(building, host_cxx))


def compile_libraries(folder: Path, host_cxx: str) -> None:
    """Compile the libraries and programs to folder/lib and folder/bin; print progress. Raises DriverError."""
    lib = folder / "lib"
    lib.mkdir()
    (folder / "bin").mkdir()
    libraries = _libraries(lib)
    with tempfile.TemporaryDirectory(prefix="musa-sim-") as made:
        _run_all(
            {name: command for library in libraries for name, command in _compilations(library, Path(made), host_cxx)}
        )
        for library in libraries:
            _link(library, Path(made), lib, host_cxx)
            _add_names(library, lib)
    for name in program_names():
        _build_program(name, folder, host_cxx)
    (folder / _DIGEST).write_text(_sources_digest())


def add_second_names(lib: Path) -> None:
    """Link the names without numbers, and those of libraries that are two in the real SDK, to the files in `lib`."""
    for library in _libraries(lib):
        _add_names(library, lib)


def _is_compiled(folder: Path) -> bool:
    digest = folder / _DIGEST
    return digest.is_file() and digest.read_text() == _sources_digest()


def _sources_digest(facts: Iterable[str] = ()) -> str:
    return content_digest("\0".join(facts), [*files_of(_SOURCES), Path(__file__)])


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


def _libraries(lib: Path) -> list[_Library]:
    """Return all libraries, each after those that it needs."""
    return [_runtime(), *(_library(name, lib) for name in library_names())]


def _runtime() -> _Library:
    """libmusart: everything in runtime/."""
    runtime = _PACKAGE / "runtime"
    sources = [path for path in runtime.rglob("*") if path.suffix in (".cpp", ".S")]
    return _Library("musart", _SONAME, sources, [f"-I{runtime}"], ["-lpthread", "-ldl"])


def _library(name: str, lib: Path) -> _Library:
    """Return a library above the runtime: libraries/<name>/*.cpp, linked to the libmusart that lies beside it."""
    sources = list((_PACKAGE / "libraries" / name).glob("*.cpp"))
    compile_flags = [_LEVELS.get(name, "-O2"), f"-I{_PACKAGE / 'runtime'}"]  # for base/device_abi.h
    link_flags = [f"-L{lib}", *_NEEDS.get(name, []), "-lmusart", "-ldl", "-Wl,-rpath,$ORIGIN"]
    return _Library(name, f"lib{name}.so.{_RELEASES.get(name, 1)}", sources, compile_flags, link_flags)


def _compilations(library: _Library, folder: Path, host_cxx: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each object of a library and its command; ccache, where there is one, spares unchanged folders."""
    ccache = shutil.which("ccache")
    compiler = [*([ccache] if ccache else []), host_cxx, "-std=c++17", "-O2", "-fPIC", "-fvisibility=hidden"]
    compiler += [f"-I{_PACKAGE / 'include'}", *library.compile_flags, "-c"]
    for name, sources in library.objects().items():
        yield name, [*compiler, *_as_one(sources), "-o", str(folder / name)]


def _as_one(sources: list[Path]) -> list[str]:
    if len(sources) == 1:
        return [str(sources[0])]
    return [*(word for source in sources for word in ("-include", str(source))), "-x", "c++", os.devnull]


def _link(library: _Library, folder: Path, lib: Path, host_cxx: str) -> None:
    """Link a library from its objects."""
    objects = [str(folder / name) for name in library.objects()]
    # never unloaded: the runtime's threads run as long as the process does
    link = [host_cxx, "-shared", f"-Wl,-soname,{library.file},-z,nodelete", *objects]
    _run_compiler([*link, "-o", str(lib / library.file), *library.link_flags])


def _add_names(library: _Library, lib: Path) -> None:
    names = [f"lib{library.name}.so"]
    if library.name in _SECOND_NAMES:
        second = _SECOND_NAMES[library.name]
        names += [f"lib{second}.so", f"lib{second}.{library.file.partition('.')[2]}"]
    for name in names:
        if not (lib / name).is_symlink():
            (lib / name).symlink_to(library.file)
    if library.name not in _NO_ARCHIVE:
        # A script of the linker: what asks for the archive gets the shared library, of which a process has one.
        (lib / f"lib{library.name}_static.a").write_text(f"/* GNU ld script */\nINPUT(lib{library.name}.so)\n")


def _build_program(name: str, folder: Path, host_cxx: str) -> None:
    """Build programs/<name>.cpp, which finds the libraries in ../lib."""
    compile_flags = ["-std=c++17", "-O2", f"-I{_PACKAGE / 'include'}", str(_PACKAGE / "programs" / f"{name}.cpp")]
    link_flags = [f"-L{folder / 'lib'}", "-lmtml", "-lmusart", "-Wl,-rpath,$ORIGIN/../lib"]
    _run_compiler([host_cxx, *compile_flags, "-o", str(folder / "bin" / name), *link_flags])


def _run_all(commands: Mapping[str, list[str]]) -> None:
    """Run commands on all cores, and print a line for each that has ended."""
    notice = "compiling the libraries of the simulated MUSA SDK, once: some two minutes on two cores"
    print(f"[0/{len(commands)}] {notice}", file=sys.stderr, flush=True)
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        running = {pool.submit(_run_compiler, command): Path(name).stem for name, command in commands.items()}
        try:
            for at, done in enumerate(as_completed(running), 1):
                done.result()
                print(f"[{at}/{len(commands)}] {running[done]}", file=sys.stderr, flush=True)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _run_compiler(command: list[str]) -> None:
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        raise DriverError(f"the simulated SDK does not compile:\n{shlex.join(command)}\n{run.stderr}")
