"""The files that a linker reads: those that a command names, and those that it finds for `-l`.

ninja links again if one of them changed. A library that appears in a directory searched earlier replaces the one that
was found before, so the paths without a library matter too.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..system import process

# Options of GNU ld and lld that name a file to read: with one dash or two, as `=FILE` or as the next argument.
_READ = frozenset(
    (
        *("T", "dT", "script", "default-script", "version-script", "dynamic-list", "export-dynamic-symbol-list"),
        *("R", "just-symbols", "retain-symbols-file", "symbol-ordering-file", "section-ordering-file"),
    )
)
# Options whose next argument is not a file to read.
_OTHER_VALUE = frozenset(("o", "output", "soname", "h", "rpath", "rpath-link", "Map", "u", "z", "e", "m"))
_STATIC = frozenset(("Bstatic", "static", "dn", "non_shared"))
_DYNAMIC = frozenset(("Bdynamic", "dy", "call_shared"))


@dataclass(frozen=True)
class LinkInputs:
    """The files that the linker reads, and the candidates that it looks for.

    `candidates` are in the linker's order: for each library the missing files, and then the one that it takes.
    """

    files: tuple[str, ...]
    candidates: tuple[str, ...]


@dataclass(frozen=True)
class _Library:
    name: str
    static: bool


@dataclass(frozen=True)
class _Arguments:
    files: list[str]
    library_dirs: list[str]
    libraries: list[_Library]


def response_files(command: Sequence[str]) -> tuple[str, ...]:
    """Return the files from which `command` reads more arguments (`@FILE`)."""
    return tuple(argument[1:] for argument in command if argument.startswith("@") and Path(argument[1:]).is_file())


def link_inputs(command: Sequence[str], library_dirs: Sequence[str] = ()) -> LinkInputs:
    """Return the files that `command` reads. The linker searches `library_dirs` after the command's own directories."""
    arguments = _parse(_linker_arguments(command[1:]))
    searches = [_search(library, (*arguments.library_dirs, *library_dirs)) for library in arguments.libraries]
    found = [paths[-1] for paths in searches if paths and Path(paths[-1]).is_file()]
    named = [path for path in (*response_files(command), *arguments.files) if Path(path).is_file()]
    searched = (path for paths in searches for path in paths)
    return LinkInputs(tuple(dict.fromkeys([*named, *found])), tuple(dict.fromkeys([*named, *searched])))


def default_library_dirs(cxx: Sequence[str]) -> tuple[str, ...]:
    """Return the default library directories of the linker of g++ or clang, with those of LIBRARY_PATH."""
    for line in process.run([*cxx, "-print-search-dirs"]).stdout.splitlines():
        name, _, directories = line.partition(": =")
        if name == "libraries":
            return tuple(dict.fromkeys(os.path.normpath(path) for path in directories.split(":") if path))
    return ()


def _linker_arguments(arguments: Sequence[str], depth: int = 0) -> Iterator[str]:
    """Yield the arguments that the linker gets: without `-Wl,` and `-Xlinker`, and with the content of each `@FILE`."""
    for argument in arguments:
        if argument.startswith("-Wl,"):
            yield from argument.split(",")[1:]
        elif argument.startswith("@") and Path(argument[1:]).is_file() and depth < 5:
            yield from _linker_arguments(_arguments_in(Path(argument[1:])), depth + 1)
        elif argument != "-Xlinker":
            yield argument


def _arguments_in(path: Path) -> list[str]:
    try:
        return shlex.split(path.read_text(encoding="utf-8", errors="replace"))
    except (OSError, ValueError):
        return []  # the linker will report it


def _parse(arguments: Iterator[str]) -> _Arguments:
    parsed = _Arguments([], [], [])
    static = False
    for argument in arguments:
        option, separator, value = argument.lstrip("-").partition("=")
        if not argument.startswith("-"):
            parsed.files.append(argument)
        elif option in _READ:
            parsed.files.append(value if separator else next(arguments, ""))
        elif option in _STATIC or option in _DYNAMIC:
            static = option in _STATIC
        elif option in _OTHER_VALUE:
            _ = separator or next(arguments, "")
        elif argument.startswith("-L") or option == "library-path":
            parsed.library_dirs.append((value if option == "library-path" else argument[2:]) or next(arguments, ""))
        elif argument.startswith("-l") or option == "library":
            name = (value if option == "library" else argument[2:]) or next(arguments, "")
            parsed.libraries.append(_Library(name, static))
    return parsed


def _search(library: _Library, directories: Sequence[str]) -> list[str]:
    """Return the files that the linker looks for, up to the one that it takes."""
    name = library.name
    shared = [] if library.static else [f"lib{name}.so"]
    names = [name[1:]] if name.startswith(":") else [*shared, f"lib{name}.a"]
    paths: list[str] = []
    for directory in directories:
        for file in names:
            paths.append(os.path.normpath(f"{directory}/{file}"))
            if Path(paths[-1]).is_file():
                return paths
    return paths
