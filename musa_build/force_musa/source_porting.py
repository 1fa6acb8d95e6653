"""A package's CUDA sources, copied and ported into the build directory.

The package's own folder is only read. Of what lies below the folder that holds all of its sources and headers, C++ and
CUDA files, and what their #include lines name, are copied below `<place>/cuda` and ported from there to `<place>/musa`;
nothing else is. The copy is what makes a second build cheap: pip unpacks a package into another folder every time, but
compilers see the same paths.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from ..errors import SourceError
from ..porting.api import port
from ..porting.engine.rule_files import rule_set
from ..porting.options import absolute, validate_options
from ..porting.report.summary import PortReport
from ..porting.tree.source_tree import PORTED_SUFFIXES
from ..system import files

# C++ and CUDA by their names; anything else is copied where an #include names it.
_SOURCES = frozenset({*PORTED_SUFFIXES, ".mu", ".muh", ".c++", ".h++", ".tcc", ".cp", ".s", ".sx"})
_INCLUDE = re.compile(rb"""^[ \t]*#[ \t]*(?:include|include_next|embed)[ \t]*["<]([^">\n]+)[">]""", re.MULTILINE)
_NO_FOLDERS = frozenset({"build", "dist", "node_modules", "__pycache__"})
_PACKAGES = frozenset({"site-packages", "dist-packages"})  # the folders of all packages are no package's own
# What a project's folder holds.
_PROJECT_FILES = (".git", ".hg", "pyproject.toml", "setup.py", "setup.cfg")
_RENAMED = {".cu": ".mu", ".cuh": ".muh"}


@dataclass(frozen=True)
class PortedSources:
    """Where a package's files are in the build directory. `root` is the folder that was copied."""

    root: Path
    copy: Path
    ported: Path
    report: PortReport

    def to_ported(self, path: str) -> str:
        """The ported counterpart of a source, header or folder; anything else as it is."""
        return self._below(path, self.ported, _RENAMED)

    def to_copy(self, path: str) -> str:
        """The unported counterpart."""
        return self._below(path, self.copy, {})

    def _below(self, path: str, place: Path, renamed: dict[str, str]) -> str:
        inside = absolute(path)
        if not inside.is_relative_to(self.root):
            return path
        target = place / inside.relative_to(self.root)
        target = target.with_suffix(renamed.get(target.suffix, target.suffix))
        return str(target) if target.exists() else path


def port_sources(
    place: Path,
    sources: Sequence[str],
    include_dirs: Iterable[str],
    project: Path,
    rules: Optional[Mapping[str, str]] = None,
    project_name: str = "",
) -> PortedSources:
    """Copy and port what `sources` need into `place`; `include_dirs` count where they lie in `project`. `rules` (text
    -> replacement) win over those that come with musa_build. `project_name` stands for the name of the project's
    folder where that is a temporary one.

    The caller makes sure that nobody else compiles what is in `place`. Raises SourceError where the sources have no
    folder in common, PortingError.
    """
    place, project = place.absolute(), project.absolute()
    root = _common_folder(sources, include_dirs, project)
    # Includes may begin with the name of that folder.
    name = project_name if project_name and root == project else root.name
    copy, ported = place / "cuda" / name, place / "musa" / name
    with files.locked(place / "port.lock"):
        _copy(root, map(absolute, sources), copy, {place})
        result = port(validate_options(copy, rule_set(rules), output=ported)).report
    return PortedSources(root, copy, ported, result)


def content_of(folder: Path) -> str:
    """A digest of all C++ and CUDA files below `folder`, their names included."""
    found = (path for path in _files(folder, set()) if _is_source(path))
    return files.digest(*(part for path in found for part in (str(path.relative_to(folder)), path.read_bytes())))


def _common_folder(sources: Sequence[str], include_dirs: Iterable[str], project: Path) -> Path:
    own = [absolute(source).parent for source in sources]
    own += [path for path in map(absolute, include_dirs) if path.is_relative_to(project) and path.is_dir()]
    if not own:
        raise SourceError("there is nothing to port", found="extensions without sources")
    root = Path(os.path.commonpath(own))
    projects = {project, *(found for found in map(_project_of, own) if found)} - _shared_folders()
    within = root in own or any(root.is_relative_to(folder) for folder in projects)
    if root in _shared_folders() or root.name in _PACKAGES or not within:
        raise SourceError(
            "the sources of this package have no folder in common within one project",
            found=", ".join(sorted({str(path) for path in own})[:4]),
            wanted=f"sources and headers below one folder, which is ported as a whole; {root} is not the project's own",
            hint="a project's folder is one with .git, pyproject.toml or setup.py",
        )
    return root


def _shared_folders() -> set[Path]:
    return {Path("/"), Path.home(), Path("/tmp"), Path(tempfile.gettempdir())}


def _project_of(folder: Path) -> Optional[Path]:
    """The nearest folder that holds a project, from `folder` upwards."""
    marked = (path for path in (folder, *folder.parents) if any((path / name).exists() for name in _PROJECT_FILES))
    return next(marked, None)


def _copy(root: Path, sources: Iterable[Path], target: Path, excluded: set[Path]) -> None:
    """Bring `target` to what is needed of `root`; unchanged files keep their time stamps."""
    wanted = _needed(root, sources, excluded)
    if not wanted:
        raise SourceError("there is nothing to port", found=f"no C++ or CUDA file below {root}")
    kept = {target / path.relative_to(root) for path in wanted}
    for path, content in wanted.items():
        files.write_if_changed(target / path.relative_to(root), content)
    for path in target.rglob("*"):
        if path.is_file() and path not in kept:
            path.unlink()


def _needed(root: Path, sources: Iterable[Path], excluded: set[Path]) -> dict[Path, bytes]:
    """The files to copy with their contents: sources, headers, and what an #include of these names."""
    found = dict.fromkeys(_files(root, excluded))
    listed = [path for path in sources if path.is_file()]  # wherever they lie, also in a folder that is left out
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
            waiting += [other for name in _included(needed[path]) for other in _named(name, others)]
    return needed


def _included(content: bytes) -> Iterator[str]:
    """The paths in the #include lines of a file, without the steps out of its folder that they begin with."""
    for found in _INCLUDE.findall(content):
        yield os.path.normpath(found.decode("utf-8", "surrogateescape")).lstrip("./")


def _named(include: str, files_by_name: Mapping[str, Sequence[Path]]) -> Iterator[Path]:
    candidates = files_by_name.get(include.rpartition("/")[2], ())
    return (path for path in candidates if path.as_posix().endswith(f"/{include}"))


def _is_source(path: Path) -> bool:
    return path.suffix.lower() in _SOURCES


def _files(folder: Path, excluded: set[Path]) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path in excluded or path.name.startswith("."):
            continue
        if path.is_dir():
            environment = (path / "pyvenv.cfg").exists()
            left_out = path.name in _NO_FOLDERS or path.name.endswith(".egg-info") or path.is_symlink()
            if not environment and not left_out:
                yield from _files(path, excluded)
        elif path.is_file():
            yield path
