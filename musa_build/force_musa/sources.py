"""A package's CUDA sources, copied and ported into the build directory.

The package's own folder is only read. Of what lies below the folder that holds all of its sources and headers, C++
and CUDA files are copied below `<place>/cuda`, and ported from there to `<place>/musa`. The copy is what makes a second
build cheap: pip unpacks a package into another folder every time, but compilers see the same paths.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from .. import files
from ..errors import SourceError
from ..porting.report import PortReport
from ..porting.request import absolute, request
from ..porting.rule_files import rule_set
from ..porting.run import port

# What C++ and CUDA code may include is nothing of this.
_NO_SOURCES = frozenset(
    (
        *(".py", ".pyc", ".pyi", ".pyx", ".so", ".o", ".a", ".d", ".whl", ".pt", ".pth", ".md", ".rst", ".ipynb"),
        *(".png", ".jpg", ".jpeg", ".gif", ".svg", ".pdf", ".gz", ".zip", ".toml", ".yml", ".yaml", ".cfg", ".lock"),
    )
)
_NO_FOLDERS = frozenset({"build", "dist", "node_modules", "__pycache__"})
_RENAMED = {".cu": ".mu", ".cuh": ".muh"}
_LARGEST = 8 << 20


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
    rules: Iterable[tuple[str, str]] = (),
) -> PortedSources:
    """Copy and port what `sources` need into `place`; `include_dirs` count where they lie in `project`. `rules` (text,
    replacement) win over those that come with musa_build.

    Raises SourceError where the sources have no folder in common, PortingError.
    """
    place = place.absolute()
    root = _common_folder(sources, include_dirs, project.absolute())
    # Includes may begin with the name of that folder.
    copy, ported = place / "cuda" / root.name, place / "musa" / root.name
    with files.locked(place / "port.lock"):
        _copy(root, copy, {place})
        result = port(request(copy, rule_set(dict(rules)), output=ported)).report
    return PortedSources(root, copy, ported, result)


def _common_folder(sources: Sequence[str], include_dirs: Iterable[str], project: Path) -> Path:
    own = [absolute(source).parent for source in sources]
    own += [path for path in map(absolute, include_dirs) if path.is_relative_to(project) and path.is_dir()]
    if not own:
        raise SourceError("there is nothing to port", found="extensions without sources")
    root = Path(os.path.commonpath(own))
    if root in (Path("/"), Path.home(), Path("/tmp")):
        raise SourceError(
            "the sources of this package have no folder in common",
            found=", ".join(sorted({str(path) for path in own})[:4]),
            wanted="sources and headers below one folder, which can be ported as a whole",
        )
    return root


def _copy(root: Path, target: Path, excluded: set[Path]) -> None:
    """Bring `target` to what `root` holds; unchanged files keep their time stamps."""
    kept = set()
    for path in _files(root, excluded):
        copied = target / path.relative_to(root)
        kept.add(copied)
        files.write_if_changed(copied, path.read_bytes())
    if not kept:
        raise SourceError("there is nothing to port", found=f"no C++ or CUDA file below {root}")
    for path in target.rglob("*"):
        if path.is_file() and path not in kept:
            path.unlink()


def _files(folder: Path, excluded: set[Path]) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path in excluded or path.name.startswith("."):
            continue
        if path.is_dir():
            environment = (path / "pyvenv.cfg").exists()
            left_out = path.name in _NO_FOLDERS or path.name.endswith(".egg-info") or path.is_symlink()
            if not environment and not left_out:
                yield from _files(path, excluded)
        elif path.suffix not in _NO_SOURCES and path.is_file() and path.stat().st_size <= _LARGEST:
            yield path
