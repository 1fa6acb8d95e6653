"""The two trees on disk: the CUDA sources, which are only read, and the MUSA sources, of which we own what we wrote.

A manifest in the output folder names every file that porting made and what was in it. Only those files are ever
overwritten or removed, and only while they are still as porting left them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Optional

from musa_build.errors import PortingError
from musa_build.files import digest, replace_atomically, write_if_changed
from musa_build.porting.edits import Finding, Severity
from musa_build.porting.scanner import Include

MANIFEST = ".musa_build_porting.json"

# What is ported; everything else is copied byte for byte. Native .mu and .muh are right already.
PORTED_SUFFIXES = frozenset(
    {".cu", ".cuh", ".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".inc", ".inl", ".ipp", ".tpp"}
)
_RENAMED_SUFFIXES = {".cu": ".mu", ".cuh": ".muh"}
_SKIPPED_FOLDERS = frozenset({".git", ".hg", ".svn", "__pycache__"})


@dataclass(frozen=True)
class SourceFile:
    """A file of the source tree. `path` and `target` are relative to the two roots, with forward slashes."""

    path: str
    target: str
    location: Path

    @property
    def is_ported(self) -> bool:
        """Whether its text is translated (otherwise it is copied)."""
        return PurePosixPath(self.path).suffix in PORTED_SUFFIXES


@dataclass(frozen=True)
class OutputFile:
    """What porting wants to stand at `target`: `content`, with the permission bits `mode`."""

    target: str
    content: bytes
    mode: int


@dataclass(frozen=True)
class SourceTree:
    """All files to port, in the order of their names, and what there is to say about the walk."""

    root: Path
    files: tuple[SourceFile, ...]
    findings: tuple[Finding, ...] = ()

    def resolve(self, includer: SourceFile, include: Include) -> Optional[str]:
        """The path by which `includer` must include a file of this tree, or None when it is not one of this tree.

        A quoted path is looked for beside the includer first, as a compiler does; any path then as the end of some
        file's path, because the include directories are not known here.
        """
        target = None
        if include.quoted:
            beside = os.path.normpath(PurePosixPath(includer.path).parent / include.path)
            target = self._targets.get(Path(beside).as_posix())
        if target is None:
            target = self._targets_by_name.get(include.path)
        if target is None:
            return None
        return include.path[: -len(PurePosixPath(include.path).suffix)] + PurePosixPath(target).suffix

    @cached_property
    def _targets(self) -> Mapping[str, str]:
        return {file.path: file.target for file in self.files}

    @cached_property
    def _targets_by_name(self) -> Mapping[str, str]:
        """Every ending of a path that begins at a folder: root/a/b.cuh is b.cuh, a/b.cuh and root/a/b.cuh."""
        endings: dict[str, str] = {}
        for file in self.files:
            parts = [self.root.name, *file.path.split("/")]
            for first in range(len(parts)):
                endings.setdefault("/".join(parts[first:]), file.target)
        return endings


def read_tree(root: Path, ignored: Iterable[Path]) -> SourceTree:
    """Walk `root` (absolute), leaving out what lies in `ignored` (absolute) and what version control keeps.

    Raises:
        PortingError: a link that leads out of the tree, or two files that would become one.
    """
    skipped = frozenset(ignored)
    files: list[SourceFile] = []
    findings: list[Finding] = []
    for folder, subfolders, names in os.walk(root):
        here = Path(folder)
        subfolders[:] = sorted(n for n in subfolders if n not in _SKIPPED_FOLDERS and here / n not in skipped)
        for name in (n for n in subfolders if (here / n).is_symlink()):
            path = (here / name).relative_to(root).as_posix()
            findings.append(Finding("linked-folder", Severity.WARNING, path, 0, "a linked folder was not ported"))
        for name in sorted(names):
            location = here / name
            if location in skipped or name == MANIFEST:
                continue
            _refuse_outside(root, location)
            path = location.relative_to(root).as_posix()
            files.append(SourceFile(path, _target_of(path), location))
    tree = SourceTree(root, tuple(files), tuple(findings))
    _refuse_collisions(tree)
    return tree


def _target_of(path: str) -> str:
    suffix = PurePosixPath(path).suffix
    return path[: -len(suffix)] + _RENAMED_SUFFIXES[suffix] if suffix in _RENAMED_SUFFIXES else path


def _refuse_outside(root: Path, location: Path) -> None:
    if location.is_symlink() and root.resolve() not in location.resolve().parents:
        raise PortingError(
            "a link leads out of the source tree",
            found=f"{location} -> {location.resolve()}",
            wanted=f"files below {root}",
            hint="replace the link by the file, or ignore its folder",
        )


def _refuse_collisions(tree: SourceTree) -> None:
    owners: dict[str, str] = {}
    for file in tree.files:
        other = owners.setdefault(file.target, file.path)
        if other != file.path:
            raise PortingError(
                "two files would become one",
                found=f"{other} and {file.path} both become {file.target}",
                hint="rename one of them, or ignore one of them",
            )


@dataclass(frozen=True)
class Manifest:
    """What porting wrote the last time: target -> digest of its content."""

    digests: Mapping[str, str]

    @staticmethod
    def read(output: Path) -> Manifest:
        """The manifest in `output`; an empty one if there is none."""
        path = output / MANIFEST
        try:
            content = json.loads(path.read_bytes())
            digests = {str(target): str(value) for target, value in content["files"].items()}
            if any(target.startswith("/") or ".." in target.split("/") for target in digests):
                raise ValueError("a path leads out of the tree")  # what the manifest names may be removed
            return Manifest(digests)
        except FileNotFoundError:
            return Manifest({})
        except (ValueError, KeyError, AttributeError, TypeError) as error:
            raise PortingError(
                "the manifest of the ported tree is damaged",
                found=str(path),
                hint="remove the ported tree; it is made again",
            ) from error

    def write(self, output: Path) -> None:
        """Write the manifest into `output`, unless it is there already."""
        content = {"made_by": "musa_build.porting", "version": 1, "files": dict(sorted(self.digests.items()))}
        write_if_changed(output / MANIFEST, json.dumps(content, indent=1) + "\n")


@dataclass(frozen=True)
class WriteResult:
    """What `write_tree` did. `written` and `removed` are targets."""

    written: tuple[str, ...]
    removed: tuple[str, ...]
    findings: tuple[Finding, ...]


def write_tree(output: Path, files: Iterable[OutputFile]) -> WriteResult:
    """Make `output` hold `files`, touching only what changed; remove what an earlier run made and nobody wants now.

    A file that was edited by hand since is kept as long as porting would still write what it wrote before.

    Raises:
        PortingError: a file that porting did not make, or that was edited by hand, would be lost; nothing is written.
        OSError: the disk is full or the folder cannot be written.
    """
    old = Manifest.read(output)
    wanted = {file.target: file for file in files}
    digests = {target: digest(file.content) for target, file in wanted.items()}
    kept = {target for target in wanted if _keep(output, target, old.digests.get(target), digests[target])}

    written = tuple(file.target for file in wanted.values() if file.target not in kept and _write(output, file))
    removed, findings = _prune(output, old, wanted)
    findings += [
        Finding("edited-by-hand", Severity.WARNING, target, 0, "edited by hand since it was ported; the edit was kept")
        for target in sorted(kept)
    ]
    Manifest(digests).write(output)
    return WriteResult(written, tuple(removed), tuple(findings))


def _keep(output: Path, target: str, before: Optional[str], after: str) -> bool:
    """Whether the file at `target` must be left alone; raises when it must not be overwritten but would have to be."""
    path = output / target
    try:
        now = digest(path.read_bytes())
    except FileNotFoundError:
        return False
    if now in (before, after):
        return False
    if before is None:
        raise PortingError(
            "porting would overwrite a file that it did not make",
            found=str(path),
            hint="move the file away, or port into another folder",
        )
    if before != after:
        raise PortingError(
            "a ported file was edited by hand, and its source has changed too",
            found=str(path),
            hint="make the edit in the CUDA source (or as a rule), then remove this file",
        )
    return True


def _write(output: Path, file: OutputFile) -> bool:
    path = output / file.target
    changed = not path.exists() or path.read_bytes() != file.content
    if changed:
        replace_atomically(path, file.content)
    if path.stat().st_mode & 0o7777 != file.mode:
        path.chmod(file.mode)
    return changed


def _prune(output: Path, old: Manifest, wanted: Mapping[str, OutputFile]) -> tuple[list[str], list[Finding]]:
    removed: list[str] = []
    findings: list[Finding] = []
    for target in sorted(old.digests.keys() - wanted.keys()):
        path = output / target
        if not path.is_file():
            continue
        if digest(path.read_bytes()) == old.digests[target]:
            path.unlink()
            removed.append(target)
        else:
            message = "its source is gone, but it was edited by hand; it was kept"
            findings.append(Finding("edited-by-hand", Severity.WARNING, target, 0, message))
    return removed, findings
