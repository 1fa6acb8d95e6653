"""The environment of a build: torch_musa, build directories in the user's cache, and their locks.

pip unpacks the same sources into another directory each time. Objects should outlive it, so that an interrupted build
continues and a second one has nothing to do.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from ..environment.torch_info import TorchMusa, installed_torch_version
from ..errors import TorchNotFoundError
from ..system import cache_directory, files
from ..system.install_hints import INSTALL_SIMULATED_DEVICE
from ..system.process import locked
from .package_name import Package
from .source_files import digest_of_sources

_LOADED = "load"


def require_torch_musa() -> None:
    """Look for torch_musa.

    Raises:
        TorchNotFoundError: This Python has none.
    """
    if TorchMusa.find() is None:
        raise TorchNotFoundError(
            "torch_musa is not installed",
            found=f"none in {sys.prefix}",
            wanted="the torch_musa that the package will run with",
            hint=f"install Moore Threads' torch_musa, or the simulated one: {INSTALL_SIMULATED_DEVICE}",
        )


def is_temporary(directory: Path) -> bool:
    """Return whether a package's directory is removed after the build, as pip's are."""
    return os.path.realpath(directory).startswith(os.path.realpath(tempfile.gettempdir()) + os.sep)


def cached_build_directory(package: Package, directory: Path) -> Path:
    """Return the directory in the user's cache in which to build the package in `directory`.

    Its name depends on everything that objects depend on: the content of the sources, Python, torch and torch_musa.
    """
    return (
        cache_directory.forced_builds()
        / f"{package.name}-{package.version}-{environment_digest()[:12]}-{digest_of_sources(directory)[:12]}"
    )


def environment_digest() -> str:
    """Return a digest of Python, torch and torch_musa."""
    torch_musa = TorchMusa.find()
    libraries = [torch_musa.library_dir / f"lib{name}.so" for name in torch_musa.libraries] if torch_musa else []
    with_musa = (f"{path} {path.stat().st_mtime_ns} {path.stat().st_size}" for path in libraries)
    return files.digest(sys.prefix, sys.version, installed_torch_version(), *with_musa)


def cached_load_directory(name: str, *sources: str) -> Path:
    """Return the directory in the user's cache for the build of one call of `load`."""
    return cache_directory.forced_builds() / _LOADED / f"{name}-{files.digest(*sources)[:12]}"


@contextmanager
def locked_build_directory(directory: Path, *, in_cache: bool) -> Iterator[None]:
    """Lock `directory` until the end of the block, and then remove old ones beside it if it is in the user's cache."""
    with ExitStack() as held:
        if in_cache:
            held.enter_context(cache_directory.use(directory))
        held.enter_context(locked(directory / "force.lock"))
        yield
    if in_cache:
        cache_directory.prune(path for path in directory.parent.iterdir() if path.name != _LOADED)
