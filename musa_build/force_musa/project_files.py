"""The CUDA files of a project: sources, libraries that are compiled for CUDA, and modules that compile on use.

Standard library only: the start-up hook imports this module.
"""

from __future__ import annotations

import mmap
import os
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

_LIBRARY = re.compile(r"\.(?:so(?:\.\d+)*|a|cubin|fatbin)$")
#: A library for CUDA has one of these: the runtime that it needs, or the device code that it holds.
MARKS_OF_CUDA = (b"libcudart.so", b".nv_fatbin")
_LOAD = re.compile(r"\bload(_inline)?\b")
# CuPy's classes, PyCUDA's, and NVRTC's function in CUDA's own bindings.
_AT_RUN_TIME = re.compile(r"\b(RawModule|RawKernel|SourceModule|DynamicSourceModule|nvrtcCreateProgram)\s*\(")
# nvcc, for a process of its own: `shutil.which("nvcc")`, `["nvcc", "-O3"]`, `"/bin/nvcc"`.
_NVCC = re.compile(r"[\"'](?:[^\"'\s]*/)?(nvcc)(?:\.exe)?[\"']")
_INLINE = re.compile(r"\bcuda_sources\b")
#: The advice for a package that `loads_with_torch`.
WITH_TORCH = "run it with FORCE_MUSA=1 too"
_CUDA_NAME = re.compile(r"[\"']([^\"'\n]+\.cuh?)[\"']")
_FINDS_TORCH = re.compile(rb"^[^#\n]*\bfind_package\s*\(\s*Torch\b", re.IGNORECASE | re.MULTILINE)
_INCLUDES_TORCH = re.compile(rb"^[ \t]*#[ \t]*include[ \t]*[<\"](?:torch|ATen|c10)/", re.MULTILINE)
_MAKEFILES = ("Makefile", "makefile", "GNUmakefile")
_SOURCES = (".cu", ".cuh", ".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".inl")
# Folders of other projects, and folders that are not installed: CUDA in its tests does not make a package a CUDA one.
_IGNORED_DIRECTORIES = frozenset(
    {"build", "dist", "node_modules", "__pycache__", "test", "tests", "examples", "docs", "benchmarks"}
)


def cuda_file(directory: Path) -> str:
    """Return the path of a file that makes a project CUDA's, "" if there is none."""
    return next(chain(cuda_sources(directory), cuda_libraries(directory), _modules_with_cuda(directory)), "")


def cuda_sources(directory: Path) -> Iterator[str]:
    """Yield the paths of the .cu and .cuh files of a project, relative to it: also examples that its setup.py names."""
    found = (_relative(path, directory) for path in _files(directory) if path.suffix in (".cu", ".cuh"))
    return chain(found, _named_in_examples(directory))


def _named_in_examples(directory: Path) -> Iterator[str]:
    """Yield the CUDA files in ignored directories that setup.py names: it may build them."""
    try:
        text = (directory / "setup.py").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return
    for name in dict.fromkeys(_CUDA_NAME.findall(text)):
        if not _IGNORED_DIRECTORIES.isdisjoint(Path(name).parts) and (directory / name).is_file():
            yield Path(name).as_posix()


def cuda_libraries(directory: Path) -> Iterator[str]:
    """Yield the paths of the libraries of a project that are compiled for CUDA, relative to it."""
    found = (path for path in _files(directory) if _LIBRARY.search(path.name))
    return (_relative(path, directory) for path in found if path.suffix in (".cubin", ".fatbin") or _names_cuda(path))


def cmake_file_with_musa(directory: Path) -> str:
    """Return the path of a CMakeLists.txt that uses our CMake package, "" if there is none."""
    found = (path for path in _files(directory) if path.name == "CMakeLists.txt")
    return next((_relative(path, directory) for path in found if b"MusaBuild" in path.read_bytes()), "")


def makefiles_with_nvcc(directory: Path) -> Iterator[str]:
    """Yield the paths of the Makefiles of a project that name nvcc."""
    found = (path for path in _files(directory) if path.name in _MAKEFILES or path.suffix == ".mk")
    return (_relative(path, directory) for path in found if b"nvcc" in path.read_bytes())


def torch_in_project(directory: Path) -> str:
    """Return the path of a build file or source that uses PyTorch's C++ libraries, "" if there is none.

    A project that has a choice counts, too: it may choose PyTorch.
    """
    for path in _files(directory):
        suffix = path.suffix.lower()
        is_cmake = suffix == ".cmake" or path.name == "CMakeLists.txt"
        pattern = _FINDS_TORCH if is_cmake else _INCLUDES_TORCH if suffix in _SOURCES else None
        if pattern and pattern.search(path.read_bytes()):
            return _relative(path, directory)
    return ""


def loads_with_torch(directory: Path) -> bool:
    """Return whether a module of a project asks PyTorch for `load` or `load_inline`, and there is CUDA to compile."""
    has_sources = next(cuda_sources(directory), "")
    return any(has_sources or _INLINE.search(text) for _, text in _modules_that_compile(directory))


def compiles_on_use(directory: Path, *, by_nvcc: bool = True) -> str:
    """Return how a project compiles its CUDA sources when they are used, "" if no module of it does.

    PyTorch's `load` and `load_inline` do it in a process with FORCE_MUSA=1. nvcc, CuPy, PyCUDA and NVRTC do it in one
    with the toolkit. `by_nvcc`: False where the build itself may still run nvcc: a module that starts it may be a
    helper of setup.py.
    """
    if loads_with_torch(directory):
        return WITH_TORCH
    if not next(cuda_sources(directory), ""):
        return ""
    texts = [text for _, text in _modules(directory)]
    patterns = (_AT_RUN_TIME, _NVCC) if by_nvcc else (_AT_RUN_TIME,)
    compilers = {name for text in texts for pattern in patterns for name in pattern.findall(text)}
    if compilers:
        return f"by {', '.join(sorted(compilers))}: run it by `musa-build run`, with libraries that were built for MUSA"
    return ""


def _modules_with_cuda(directory: Path) -> Iterator[str]:
    """Yield the paths of the modules that have CUDA sources as text, for `load_inline`."""
    return (_relative(path, directory) for path, text in _modules_that_compile(directory) if _INLINE.search(text))


def _modules_that_compile(directory: Path) -> Iterator[tuple[Path, str]]:
    for path, text in _modules(directory):
        if "cpp_extension" in text and _LOAD.search(text):  # imported under one of many spellings
            yield path, text


def _modules(directory: Path) -> Iterator[tuple[Path, str]]:
    """Yield the modules of a project, and their texts."""
    for path in _files(directory):
        if path.suffix == ".py" and path.name != "setup.py":
            yield path, path.read_text(encoding="utf-8", errors="replace")


def _names_cuda(library: Path) -> bool:
    if not library.is_file() or not library.stat().st_size:
        return False
    with library.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return any(content.find(mark) >= 0 for mark in MARKS_OF_CUDA)


def _relative(path: Path, directory: Path) -> str:
    return path.relative_to(directory).as_posix()


def _files(directory: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(directory):
        folders[:] = sorted(name for name in folders if name not in _IGNORED_DIRECTORIES and not name.startswith("."))
        if "pyvenv.cfg" in names:
            folders.clear()
        else:
            yield from (Path(folder, name) for name in sorted(names))
