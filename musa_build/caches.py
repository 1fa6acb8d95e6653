"""The caches of musa_build and the simulator: where they are, how large, and how to empty them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .system import cache_directory, process


@dataclass(frozen=True)
class Cache:
    """A cache: folders, each of which is used and removed as one.

    `patterns` match the folders' names relative to `path`. `stamp` is the file in a folder whose time is that of the
    last use, if that is not the folder's own. `note` describes the cost of removing them.
    """

    name: str
    holds: str
    path: Path
    patterns: tuple[str, ...]
    stamp: str = "."
    note: str = ""

    def folders(self) -> Iterator[Path]:
        """Yield the folders, in the order of their names."""
        for pattern in self.patterns:
            yield from sorted(path for path in self.path.glob(pattern) if path.is_dir() and not path.is_symlink())


@dataclass(frozen=True)
class Folder:
    """A folder of a cache. `size` is in bytes, `last_use` in seconds since the epoch."""

    path: Path
    size: int
    last_use: float


def all_caches() -> tuple[Cache, ...]:
    """Return all caches, also those that do not exist yet."""
    answer = process.run([sys.executable, "-m", "musa_sim", "cache"])
    sdk = (
        Cache(
            "sdk",
            "simulated SDKs and their libraries",
            Path(answer.stdout.strip()),
            ("musa-*", "libraries-*"),
            stamp="share/musa_sim/last_used",  # simulator/musa_sim/mcc/sdk.py
            note="torch-musa-sim, and programs that were linked with such an SDK, need it: build them again.",
        ),
    )
    return (
        *(sdk if answer.returncode == 0 else ()),
        Cache("force", "builds with FORCE_MUSA=1", cache_directory.forced_builds(), ("*-*-*", "load/*")),
        Cache("cuda", "CUDA toolkits that compile for MUSA", cache_directory.cuda_toolkits(), ("cuda-*",), ".in-use"),
        Cache("jit", "extensions of load and load_inline", cache_directory.jit_builds(), ("py*_musa/*/*",)),
    )


def measure(cache: Cache) -> tuple[Folder, ...]:
    """Return the folders of a cache with their sizes."""
    return tuple(Folder(path, _size(path), _last_use(path, cache.stamp)) for path in cache.folders())


def clear(cache: Cache) -> tuple[tuple[Folder, ...], tuple[Folder, ...]]:
    """Remove the folders of a cache that no process uses. Return the removed and the remaining folders."""
    gone: list[Folder] = []
    kept: list[Folder] = []
    for folder in measure(cache):
        (gone if cache_directory.remove_unused(folder.path) else kept).append(folder)
        if not folder.path.exists():
            Path(f"{folder.path}.lock").unlink(missing_ok=True)
    return tuple(gone), tuple(kept)


def _last_use(folder: Path, stamp: str) -> float:
    file = folder / stamp
    return max(cache_directory.last_use(folder), file.stat().st_mtime if file.exists() else 0.0)


def _size(folder: Path) -> int:
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(f"{parent}/{name}").st_size
            except FileNotFoundError:  # removed meanwhile
                continue
    return total
