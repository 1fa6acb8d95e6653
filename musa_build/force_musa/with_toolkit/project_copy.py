"""A copy of a project in a folder that stays, so that a second build finds the results of the first one."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from ...errors import ForceMusaError
from ...system import files

_NEVER_COPIED = frozenset({".git", "node_modules", "__pycache__"})
_NOT_COPIED = _NEVER_COPIED | {"build", "dist"}


def copy_project(project: Path, copy: Path) -> None:
    """Make `copy` the same as `project`. Unchanged files keep their time stamps, and what builds made there stays."""
    listing = copy.with_name(f"{copy.name}.files")
    old = json.loads(listing.read_text(encoding="utf-8")) if listing.exists() else []
    new = [path.relative_to(project).as_posix() for path in _files(project)]
    for name in new:
        path, target = project / name, copy / name
        if path.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(project)):
            raise ForceMusaError("a link leads out of the project", found=f"{path} -> {path.readlink()}")
        files.write_if_changed(target, path.read_bytes())
        shutil.copymode(path, target)
    for name in {*old} - {*new}:
        (copy / name).unlink(missing_ok=True)
    files.write_if_changed(listing, json.dumps(new))


def _files(project: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(project):
        ignored = _NOT_COPIED if Path(folder) == project else _NEVER_COPIED
        folders[:] = sorted(name for name in folders if name not in ignored)
        if "pyvenv.cfg" in names:
            folders.clear()
            continue
        yield from (path for path in (Path(folder, name) for name in sorted(names)) if path.is_file())
