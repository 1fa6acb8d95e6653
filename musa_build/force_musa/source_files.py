"""The C++ and CUDA files of a project, and the files that their #include lines name."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path

from ..porting.tree.source_tree import PORTED_SUFFIXES
from ..system import files

# (A .def is a source only where another one includes it.)
_SUFFIXES = frozenset({*PORTED_SUFFIXES, ".mu", ".muh", ".s", ".sx"}) - {".def"}
_INCLUDE = re.compile(rb"""^[ \t]*#[ \t]*(?:include|include_next|embed)[ \t]*["<]([^">\n]+)[">]""", re.MULTILINE)
_IGNORED_DIRECTORIES = frozenset({"build", "dist", "node_modules", "__pycache__"})


def needed_files(root: Path, sources: Iterable[Path], excluded: AbstractSet[Path]) -> dict[Path, bytes]:
    """Return the files below `root` that a build needs, with their contents.

    These are `sources`, all other C++ and CUDA files that are not `excluded`, and the files that they include.
    """
    found = dict.fromkeys(_walk(root, excluded))
    listed = [path for path in sources if path.is_file()]  # even in a directory that the walk ignores
    waiting = [*listed, *(path for path in found if _is_source(path))]
    others: dict[str, list[Path]] = {}
    for path in found:
        if not _is_source(path):
            others.setdefault(path.name, []).append(path)
    needed: dict[Path, bytes] = {}
    while waiting:
        path = waiting.pop()
        if path not in needed:
            needed[path] = path.read_bytes()
            waiting += [other for name in _included_paths(needed[path]) for other in _matching(name, others)]
    return needed


def digest_of_sources(directory: Path) -> str:
    """Return a digest of the names and contents of all C++ and CUDA files below `directory`."""
    found = (path for path in _walk(directory, frozenset()) if _is_source(path))
    return files.digest(*(part for path in found for part in (str(path.relative_to(directory)), path.read_bytes())))


def _included_paths(content: bytes) -> Iterator[str]:
    """Yield the paths in the #include lines of a file, without leading "../"."""
    for found in _INCLUDE.findall(content):
        yield os.path.normpath(found.decode("utf-8", "surrogateescape")).lstrip("./")


def _matching(include: str, files_by_name: Mapping[str, Sequence[Path]]) -> Iterator[Path]:
    candidates = files_by_name.get(include.rpartition("/")[2], ())
    return (path for path in candidates if path.as_posix().endswith(f"/{include}"))


def _is_source(path: Path) -> bool:
    return path.suffix.lower() in _SUFFIXES


def _walk(directory: Path, excluded: AbstractSet[Path]) -> Iterator[Path]:
    for path in sorted(directory.iterdir()):
        if path in excluded or path.name.startswith("."):
            continue
        if path.is_dir():
            if not _is_ignored(path):
                yield from _walk(path, excluded)
        elif path.is_file():
            yield path


def _is_ignored(directory: Path) -> bool:
    is_environment = (directory / "pyvenv.cfg").exists()
    is_generated = directory.name in _IGNORED_DIRECTORIES or directory.name.endswith(".egg-info")
    return is_environment or is_generated or directory.is_symlink()
