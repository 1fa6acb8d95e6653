"""What an #include of a file of the tree becomes."""

# (Paths are plain text here: there are thousands, and a Path object costs more than the calls made with it.)

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Final, Optional

if TYPE_CHECKING:
    from .scanner import Include


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
