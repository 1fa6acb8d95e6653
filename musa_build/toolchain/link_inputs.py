"""The files that a linker reads: those that a command names, and those that it finds for `-l`.

ninja links again where one of them changed. A library that appears in a directory searched earlier takes the place of
the one that was found, so the places where none was found are worth knowing too.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ..system import process

# Options of GNU ld and lld that name a file to read. Either number of dashes, `=FILE` or the next word.
_READ = frozenset(
    (
        *("T", "dT", "script", "default-script", "version-script", "dynamic-list", "export-dynamic-symbol-list"),
        *("R", "just-symbols", "retain-symbols-file", "symbol-ordering-file", "section-ordering-file"),
    )
)
# Options whose next word is no file to read.
_OTHER_VALUE = frozenset(("o", "output", "soname", "h", "rpath", "rpath-link", "Map", "u", "z", "e", "m"))
_STATIC = frozenset(("Bstatic", "static", "dn", "non_shared"))
_DYNAMIC = frozenset(("Bdynamic", "dy", "call_shared"))


class LinkInputs(NamedTuple):
    """`files` are read by the linker. `candidates` are all the files that it looks for, in its order: for each library
    those that are missing, and then the one that it takes."""

    files: tuple[str, ...]
    candidates: tuple[str, ...]


class _Library(NamedTuple):
    name: str
    static: bool


class _Arguments(NamedTuple):
    files: list[str]
    library_dirs: list[str]
    libraries: list[_Library]


def response_files(command: Sequence[str]) -> tuple[str, ...]:
    """The files that `command` takes more arguments from (`@FILE`)."""
    return tuple(word[1:] for word in command if word.startswith("@") and Path(word[1:]).is_file())


def link_inputs(command: Sequence[str], library_dirs: Sequence[str] = ()) -> LinkInputs:
    """What the link `command` reads; the linker looks into `library_dirs` after those that the command names."""
    arguments = _parse(_linker_words(command[1:]))
    searches = [_search(library, (*arguments.library_dirs, *library_dirs)) for library in arguments.libraries]
    found = [paths[-1] for paths in searches if paths and Path(paths[-1]).is_file()]
    named = [path for path in (*response_files(command), *arguments.files) if Path(path).is_file()]
    looked_for = (path for paths in searches for path in paths)
    return LinkInputs(tuple(dict.fromkeys([*named, *found])), tuple(dict.fromkeys([*named, *looked_for])))


def default_library_dirs(cxx: Sequence[str]) -> tuple[str, ...]:
    """Return where the linker of g++ or clang looks for libraries without being told, LIBRARY_PATH included."""
    for line in process.run([*cxx, "-print-search-dirs"]).stdout.splitlines():
        name, _, directories = line.partition(": =")
        if name == "libraries":
            return tuple(dict.fromkeys(os.path.normpath(path) for path in directories.split(":") if path))
    return ()


def _linker_words(words: Sequence[str], depth: int = 0) -> Iterator[str]:
    """The words as the linker gets them: without the compiler's `-Wl,` and `-Xlinker`, `@FILE` replaced by its text."""
    for word in words:
        if word.startswith("-Wl,"):
            yield from word.split(",")[1:]
        elif word.startswith("@") and Path(word[1:]).is_file() and depth < 5:
            yield from _linker_words(_words_of(Path(word[1:])), depth + 1)
        elif word != "-Xlinker":
            yield word


def _words_of(path: Path) -> list[str]:
    try:
        return shlex.split(path.read_text(encoding="utf-8", errors="replace"))
    except (OSError, ValueError):
        return []  # the linker says what is wrong with it


def _parse(words: Iterator[str]) -> _Arguments:
    arguments = _Arguments([], [], [])
    static = False
    for word in words:
        option, separator, value = word.lstrip("-").partition("=")
        if not word.startswith("-"):
            arguments.files.append(word)
        elif option in _READ:
            arguments.files.append(value if separator else next(words, ""))
        elif option in _STATIC or option in _DYNAMIC:
            static = option in _STATIC
        elif option in _OTHER_VALUE:
            _ = separator or next(words, "")
        elif word.startswith("-L") or option == "library-path":
            arguments.library_dirs.append((value if option == "library-path" else word[2:]) or next(words, ""))
        elif word.startswith("-l") or option == "library":
            name = (value if option == "library" else word[2:]) or next(words, "")
            arguments.libraries.append(_Library(name, static))
    return arguments


def _search(library: _Library, directories: Sequence[str]) -> list[str]:
    """The files that the linker looks for, up to the one that it takes."""
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
