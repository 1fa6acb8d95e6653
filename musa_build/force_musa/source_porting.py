"""A package's CUDA sources, copied and ported in the build directory.

The package's own directory is only read. The files that a build needs (source_files.py) are copied below
`<build directory>/cuda` and ported from there to `<build directory>/musa`. The copy makes a second build cheap: pip
unpacks a package into another directory every time, but compilers see the same paths.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from ..errors import SourceError
from ..porting.api import absolute, port, validate_options
from ..porting.engine.rules import rule_set
from ..porting.tree.session import PortReport
from ..system import files
from ..system.process import locked
from .source_files import needed_files

_SITE_DIRECTORIES = frozenset({"site-packages", "dist-packages"})  # they hold all packages, so they are no project
_PROJECT_FILES = (".git", ".hg", "pyproject.toml", "setup.py", "setup.cfg")
_RENAMED_SUFFIXES = {".cu": ".mu", ".cuh": ".muh"}


@dataclass(frozen=True)
class PortedSources:
    """Where a package's files are in the build directory. `root` is the directory that was copied."""

    root: Path
    copy: Path
    ported: Path
    report: PortReport

    def to_ported(self, path: str) -> str:
        """Return the ported counterpart of a source, header or directory; any other path as it is."""
        return self._counterpart(path, self.ported, _RENAMED_SUFFIXES)

    def to_copy(self, path: str) -> str:
        """Return the copy of a source, header or directory; any other path as it is."""
        return self._counterpart(path, self.copy, {})

    def _counterpart(self, path: str, directory: Path, renamed: Mapping[str, str]) -> str:
        inside = absolute(path)
        if not inside.is_relative_to(self.root):
            return path
        target = directory / inside.relative_to(self.root)
        target = target.with_suffix(renamed.get(target.suffix.lower(), target.suffix))
        return str(target) if target.exists() else path


def port_sources(
    directory: Path,
    sources: Sequence[str],
    include_dirs: Iterable[str],
    project: Path,
    rules: Optional[Mapping[str, str]] = None,
    project_name: str = "",
) -> PortedSources:
    """Copy and port `sources` and the files that they need into `directory`. The caller holds its lock.

    Args:
        directory: Where the copy and the ported files go.
        sources: The sources to build.
        include_dirs: Include directories; those outside of `project` do not count.
        project: The project's directory.
        rules: Porting rules (text -> replacement) that win over all others.
        project_name: A name to use instead of that of a temporary project directory.

    Raises:
        SourceError: The sources have no directory in common within one project.
        PortingError: They cannot be ported.
    """
    directory, project = directory.absolute(), project.absolute()
    root = _common_directory(sources, include_dirs, project)
    # Includes may begin with the name of that directory.
    name = project_name if project_name and root == project else root.name
    copy, ported = directory / "cuda" / name, directory / "musa" / name
    with locked(directory / "port.lock"):
        _copy(root, map(absolute, sources), copy, directory)
        result = port(validate_options(copy, rule_set(rules), output=ported)).report
    return PortedSources(root, copy, ported, result)


def _common_directory(sources: Sequence[str], include_dirs: Iterable[str], project: Path) -> Path:
    own = [absolute(source).parent for source in sources]
    own += [path for path in map(absolute, include_dirs) if path.is_relative_to(project) and path.is_dir()]
    if not own:
        raise SourceError("there is nothing to port", found="extensions without sources")
    root = Path(os.path.commonpath(own))
    projects = {project, *(found for found in map(_project_of, own) if found)} - _shared_directories()
    within = root in own or any(root.is_relative_to(directory) for directory in projects)
    if root in _shared_directories() or root.name in _SITE_DIRECTORIES or not within:
        raise SourceError(
            "the sources of this package have no directory in common within one project",
            found=", ".join(sorted({str(path) for path in own})[:4]),
            wanted=f"sources and headers below one directory of the project, to port it as a whole; {root} is outside",
            hint="a project directory has .git, pyproject.toml or setup.py",
        )
    return root


def _shared_directories() -> set[Path]:
    return {Path("/"), Path.home(), Path("/tmp"), Path(tempfile.gettempdir())}


def _project_of(directory: Path) -> Optional[Path]:
    """Return the nearest directory that holds a project, from `directory` upwards."""
    parents = (directory, *directory.parents)
    return next((path for path in parents if any((path / name).exists() for name in _PROJECT_FILES)), None)


def _copy(root: Path, sources: Iterable[Path], target: Path, excluded: Path) -> None:
    """Copy the needed files of `root` to `target`. Unchanged files keep their time stamps."""
    needed = needed_files(root, sources, {excluded})
    if not needed:
        raise SourceError("there is nothing to port", found=f"no C++ or CUDA file below {root}")
    kept = {target / path.relative_to(root) for path in needed}
    for path, content in needed.items():
        files.write_if_changed(target / path.relative_to(root), content)
    for path in target.rglob("*"):
        if path.is_file() and path not in kept:
            path.unlink()
