"""The source tree: its files and their names in the output."""

# ruff: noqa: PTH112, PTH116, PTH119
# (Paths are plain text here: there are thousands, and a Path object costs more than the calls made with it.)

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Final, NamedTuple, Optional

from ...errors import PortingError
from ..engine.edits import Finding, Severity
from ..engine.include_paths import IncludePaths
from .manifest import MANIFEST, NOOP_CACHE, STAGING, Stamp, stamp_of

# Files with these suffixes are ported, all others are copied byte for byte. Native .mu and .muh need no porting.
PORTED_SUFFIXES = frozenset(
    {".cu", ".cuh", ".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".inc", ".inl", ".ipp", ".tpp"}
)
_RENAMED_SUFFIXES = {".cu": ".mu", ".cuh": ".muh"}
_SKIPPED = frozenset({".git", ".hg", ".svn", "__pycache__", MANIFEST, NOOP_CACHE, STAGING})


class SourceFile(NamedTuple):
    """A file of the source tree. `path` and `target` are relative to the two roots, with forward slashes."""

    path: str
    target: str
    location: str
    stamp: Stamp
    mode: int

    @property
    def is_ported(self) -> bool:
        """Whether its text is translated (otherwise it is copied)."""
        return suffix_of(self.path) in PORTED_SUFFIXES


class SourceTree:
    """All files to port, in the order of their paths, all folders, and the findings of the walk.

    `root` and the keys of `folders` are absolute.
    """

    def __init__(
        self,
        root: str,
        files: Iterable[SourceFile],
        folders: Mapping[str, Stamp],
        findings: Iterable[Finding] = (),
    ) -> None:
        self.root: Final = root
        self.files: Final = tuple(files)
        self.folders: Final = folders
        self.findings: Final = tuple(findings)

    def with_files(self, files: Iterable[SourceFile]) -> SourceTree:
        """Return this tree with only `files` to be ported."""
        return SourceTree(self.root, files, self.folders, self.findings)

    @cached_property
    def include_paths(self) -> IncludePaths:
        """What an #include of a file of this tree becomes."""
        return IncludePaths(os.path.basename(self.root), {file.path: file.target for file in self.files})


def read_tree(
    root: str, ignored: Iterable[str] = (), patterns: Iterable[str] = (), top: Optional[Iterable[str]] = None
) -> SourceTree:
    """Walk `root` (absolute) without `ignored` (absolute), matches of `patterns`, and version control's own folders.

    A pattern is a shell's (`*.cpp`, `third_party/*`) and is matched against the path from `root` and against the bare
    name. With `top`, only those folders of `root` are walked that exist.

    Raises:
        PortingError: A link leads out of the tree, two files would become one, or a folder is unreadable.
    """
    walk = _Walk(root, frozenset(ignored), tuple(patterns))
    try:
        if top is None:
            files = tuple(sorted(walk.below(root, "")))
        else:
            folders = [name for name in top if os.path.isdir(f"{root}/{name}")]
            files = tuple(sorted(file for name in folders for file in walk.below(f"{root}/{name}", f"{name}/")))
    except OSError as error:
        raise PortingError("a folder cannot be read", found=f"{error.filename}: {error.strerror}") from error
    _refuse_collisions(files)
    return SourceTree(root, files, walk.folders, walk.findings)


def read(file: SourceFile) -> bytes:
    """Read the content of a source file.

    Raises:
        PortingError: The file cannot be read.
    """
    size = file.stamp.size
    try:
        descriptor = os.open(file.location, os.O_RDONLY)
        try:
            content = os.read(descriptor, size + 1)
            # Less than half the system calls of open() and read(), which dominate among thousands of small files.
            while len(content) != size and (more := os.read(descriptor, 1 << 20)):
                content += more
            return content
        finally:
            os.close(descriptor)
    except OSError as error:
        raise PortingError("a source file cannot be read", found=f"{file.location}: {error.strerror}") from error


def target_of(path: str) -> str:
    """Return the name that the file at `path` gets."""
    suffix = suffix_of(path)
    return path[: -len(suffix)] + _RENAMED_SUFFIXES[suffix] if suffix in _RENAMED_SUFFIXES else path


class _Walk:
    """One walk over a tree, which collects folders and findings."""

    def __init__(self, root: str, ignored: frozenset[str], patterns: tuple[str, ...]) -> None:
        self._root = root
        self._ignored = ignored
        self._patterns = patterns
        self.folders: dict[str, Stamp] = {}
        self.findings: list[Finding] = []

    def below(self, folder: str, prefix: str) -> Iterator[SourceFile]:
        self.folders[folder] = stamp_of(os.stat(folder))
        with os.scandir(folder) as entries:
            found = list(entries)
        for entry in found:
            path = prefix + entry.name
            if entry.name in _SKIPPED or entry.path in self._ignored or (self._patterns and self._matches(path)):
                continue
            is_link = entry.is_symlink()
            if entry.is_dir():
                if is_link:
                    message = "a linked folder was not ported"
                    self.findings.append(Finding("linked-folder", Severity.WARNING, path, 0, message))
                else:
                    yield from self.below(entry.path, path + "/")
                continue
            if is_link:
                self._refuse_outside(entry.path)
            status = entry.stat()
            yield SourceFile(path, target_of(path), entry.path, stamp_of(status), status.st_mode & 0o7777)

    def _matches(self, path: str) -> bool:
        name = path.rpartition("/")[2]
        return any(fnmatchcase(path, pattern) or fnmatchcase(name, pattern) for pattern in self._patterns)

    def _refuse_outside(self, location: str) -> None:
        real = os.path.realpath(location)
        if not real.startswith(os.path.realpath(self._root) + os.sep):
            raise PortingError(
                "a link leads out of the source tree",
                found=f"{location} -> {real}",
                wanted=f"files below {self._root}",
                hint="replace the link by the file, or ignore it",
            )


def suffix_of(path: str) -> str:
    """Return the suffix of `path`: `.cuh` for `a/b.cuh`, nothing for `.hidden`."""
    stem, dot, end = path[path.rfind("/") + 1 :].rpartition(".")
    return dot + end if stem.strip(".") else ""


def _refuse_collisions(files: Iterable[SourceFile]) -> None:
    owners: dict[str, str] = {}
    for file in files:
        other = owners.setdefault(file.target, file.path)
        if other != file.path:
            raise PortingError(
                "two files would become one",
                found=f"{other} and {file.path} both become {file.target}",
                hint="rename one of them, or ignore one of them",
            )
