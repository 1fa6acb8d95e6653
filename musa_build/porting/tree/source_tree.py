"""The source tree: its files, their names in the output, and the includes of such files."""

# ruff: noqa: PTH112, PTH116, PTH119
# (Paths are plain text here: there are thousands, and a Path object costs more than the calls made with it.)

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple, Optional

from ...errors import PortingError
from ..engine.edits import Finding, Severity
from .output import MANIFEST, NOOP_CACHE, STAGING, Stamp, stamp_of

if TYPE_CHECKING:
    from ..engine.scanner import Include

# Files with these suffixes, in any case, are ported, all others are copied byte for byte. Native .mu and .muh need no
# porting.
PORTED_SUFFIXES = frozenset(
    {
        *(".cu", ".cuh", ".c", ".cc", ".cp", ".cpp", ".cxx", ".c++", ".cppm", ".ixx", ".mm"),
        *(".h", ".hh", ".hpp", ".hxx", ".h++", ".inc", ".inl", ".ipp", ".icc", ".tpp", ".txx", ".tcc", ".def"),
    }
)
# A template of such a file has one more suffix. It is ported and keeps its name, because the program that fills it in
# looks for that name.
_TEMPLATE_SUFFIXES = frozenset({".in", ".jinja", ".jinja2", ".j2", ".tmpl", ".tpl", ".template", ".mako"})
_RENAMED_SUFFIXES = {".cu": ".mu", ".cuh": ".muh"}
#: Folders that builds of the project write: setuptools', and those of FORCE_MUSA=1
_BUILT = re.compile(r"(?:.*/)?build/(?:musa|(?:temp|lib|bdist)\..*)|.*\.egg-info")
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
        suffix = suffix_of(self.path).lower()
        if suffix in _TEMPLATE_SUFFIXES:
            suffix = suffix_of(self.path[: -len(suffix)]).lower()
        return suffix in PORTED_SUFFIXES


class SourceTree:
    """All files to port, in the order of their paths, all folders, and the findings of the walk.

    `root` and the keys of `folders` are absolute. `replaced` are the files that a native one in the tree replaces.
    """

    def __init__(
        self,
        root: str,
        files: Iterable[SourceFile],
        folders: Mapping[str, Stamp],
        findings: Iterable[Finding] = (),
        replaced: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.root: Final = root
        self.files: Final = tuple(files)
        self.folders: Final = folders
        self.findings: Final = tuple(findings)
        self.replaced: Final = replaced

    def with_files(self, files: Iterable[SourceFile]) -> SourceTree:
        """Return this tree with only `files` to be ported."""
        return SourceTree(self.root, files, self.folders, self.findings, self.replaced)

    @cached_property
    def new_names(self) -> Mapping[str, str]:
        """The names, without folders, of the files that have other names in the port."""
        names = ((os.path.basename(file.path), os.path.basename(file.target)) for file in self.files)
        return {name: new for name, new in names if name != new}

    @cached_property
    def include_paths(self) -> IncludePaths:
        """The new paths of includes of files of this tree."""
        targets = {file.path: file.target for file in self.files}
        return IncludePaths(os.path.basename(self.root), {**self.replaced, **targets})


def read_tree(
    root: str,
    ignored: Iterable[str] = (),
    patterns: Iterable[str] = (),
    top: Optional[Iterable[str]] = None,
    keep_names: bool = False,
) -> SourceTree:
    """Walk `root` (absolute) without `ignored` (absolute), matches of `patterns`, and version control's own folders.

    A pattern is a shell's (`*.cpp`, `third_party/*`) and is matched against the path from `root` and against the bare
    name. With `top`, walk only these folders of `root`, and skip those that do not exist. With `keep_names`, .cu and
    .cuh files keep their names.

    A `.muh` beside a `.cuh` of the same name is a port by hand, and is taken instead. Anything that is not a regular
    file (a pipe, a device, a dangling link) is passed over with a finding.

    Raises:
        PortingError: A link leads out of the tree, two files would become one, or a folder is unreadable.
    """
    walk = _Walk(root, frozenset(ignored), tuple(patterns), keep_names)
    try:
        if top is None:
            files = tuple(sorted(walk.below(root, "")))
        else:
            folders = [name for name in top if os.path.isdir(f"{root}/{name}")]
            files = tuple(sorted(file for name in folders for file in walk.below(f"{root}/{name}", f"{name}/")))
    except OSError as error:
        raise PortingError("a folder cannot be read", found=f"{error.filename}: {error.strerror}") from error
    native = {file.path for file in files if file.path == file.target}
    replaced = {file.path: file.target for file in files if file.target != file.path and file.target in native}
    for path, target in replaced.items():
        name = target.rpartition("/")[2]
        message = f"it was not ported, because {name} is beside it; to port it, say --ignore '{target}'"
        walk.findings.append(Finding("native-counterpart", Severity.WARNING, path, 0, message))
    files = tuple(file for file in files if file.path not in replaced)
    _refuse_collisions(files)
    return SourceTree(root, files, walk.folders, walk.findings, replaced)


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
            # This takes less than half the system calls of open() and read(), which dominate among many small files.
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
    new = _RENAMED_SUFFIXES.get(suffix.lower())
    return path if new is None else path[: -len(suffix)] + new


class _Walk:
    """One walk over a tree, which collects folders and findings."""

    def __init__(self, root: str, ignored: frozenset[str], patterns: tuple[str, ...], keep_names: bool) -> None:
        self._root = root
        self._keep_names = keep_names
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
            if entry.is_dir(follow_symlinks=False):
                if _BUILT.fullmatch(path):
                    continue
                yield from self.below(entry.path, path + "/")
                continue
            is_link = entry.is_symlink()
            try:
                status = entry.stat()
            except OSError as error:
                if not is_link:
                    raise
                self._report("skipped-entry", path, f"it is a link that leads to no file ({error.strerror})")
                continue
            if stat.S_ISDIR(status.st_mode):
                self._report("linked-folder", path, "a linked folder was not ported")
                continue
            if not stat.S_ISREG(status.st_mode):
                self._report("skipped-entry", path, f"it is {_kind_of(status.st_mode)}, not a file")
                continue
            if is_link:
                self._refuse_outside(entry.path)
            target = path if self._keep_names else target_of(path)
            if target != path and suffix_of(path) not in _RENAMED_SUFFIXES:
                message = f"compilers do not know the suffix {suffix_of(path)}; the port is {target}"
                self._report("unusual-source", path, message)
            yield SourceFile(path, target, entry.path, stamp_of(status), status.st_mode & 0o7777)

    def _report(self, code: str, path: str, message: str) -> None:
        self.findings.append(Finding(code, Severity.WARNING, path, 0, message))

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


def _kind_of(mode: int) -> str:
    kinds = ((stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"))
    return next((name for is_kind, name in kinds if is_kind(mode)), "a device")


def suffix_of(path: str) -> str:
    """Return the suffix of `path`: `.cuh` for `a/b.cuh`, nothing for `.hidden`."""
    stem, dot, end = path[path.rfind("/") + 1 :].rpartition(".")
    return dot + end if stem.strip(".") else ""


def _refuse_collisions(files: Sequence[SourceFile]) -> None:
    owners: dict[str, str] = {}
    for file in files:
        other = owners.setdefault(file.target, file.path)
        if other != file.path:
            raise PortingError(
                "two files would become one",
                found=f"{other} and {file.path} both become {file.target}",
                hint=f"rename one of them, or leave one out: --ignore '{other}'",
            )
    renamed = {file.target: file.path for file in files if file.target != file.path}
    for file in files if renamed else ():
        folder = file.target.rpartition("/")[0]
        while folder:
            if folder in renamed:
                raise PortingError(
                    "a file and a folder would become one",
                    found=f"{renamed[folder]} becomes {folder}, which is the folder of {file.path}",
                    hint=f"rename one of them, or leave one out: --ignore '{renamed[folder]}'",
                )
            folder = folder.rpartition("/")[0]


class IncludePaths:
    """Resolves includes of the files of one tree. `targets` maps their paths to their new paths.

    An include may begin with `root_name`, the name of the tree's folder.
    """

    def __init__(self, root_name: str, targets: Mapping[str, str]) -> None:
        self._root_name: Final = root_name
        self._targets: Final = targets

    def resolve(self, includer: str, include: Include) -> Optional[str]:
        """Return the path by which `includer` must include a file of the tree; None if the tree has no such file.

        A quoted path is searched beside the includer first, as a compiler does; then any path as the end of some file's
        path, because the include directories are not known here.
        """
        path = include.path
        if path.rpartition("/")[2] not in self._names:
            return None
        if include.quoted:
            folder, slash, _ = includer.rpartition("/")
            beside = os.path.normpath(folder + slash + path) if "./" in path or "//" in path else folder + slash + path
            target = self._targets.get(beside)
            if target is not None:
                return path if target == beside else _with_suffix_of(target, path)
        return self._endings.get(path)

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(map(os.path.basename, self._targets))

    @cached_property
    def _endings(self) -> Mapping[str, str]:
        """Every ending of a path that begins at a folder, and what it becomes.

        root/a/b.cuh has the endings b.cuh, a/b.cuh and root/a/b.cuh.
        """
        endings: dict[str, str] = {}
        for path, target in self._targets.items():
            ending = f"{self._root_name}/{path}"
            while ending:
                endings.setdefault(ending, ending if target == path else _with_suffix_of(target, ending))
                ending = ending.partition("/")[2]
        return endings


def _with_suffix_of(target: str, path: str) -> str:
    """Return `path` with the suffix of `target`. Both have one, because files are renamed by their suffixes."""
    return f"{path.rpartition('.')[0]}.{target.rpartition('.')[2]}"
