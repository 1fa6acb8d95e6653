"""The check that a package asks for something to build for MUSA. If not: the next level, or an error."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..errors import ForceMusaError
from ..logger_util import LOGGER
from .levels import LAST, Level, LevelSearch, has_cuda_sources
from .package_name import Package


def require_device_code(
    package: Package, search: LevelSearch, names: Sequence[str], *, has_device_code: bool, is_build: bool
) -> bool:
    """Return whether there is something to build for MUSA: not in a package without extensions and CUDA sources.

    `names` are the package's extensions, and `has_device_code` is whether one of them is for MUSA. If only a higher
    level can help, this process ends and is started again.

    Raises:
        ForceMusaError: In a build that would become one for the CPU alone, after the last level or at the user's.
    """
    attempt = search.attempt
    if has_device_code:
        if attempt.reason and not search.is_over:
            LOGGER.info("%s: %s", package.name, attempt.reason)
        search.end()
        return True
    asked = ", ".join(names) or "no extension at all"
    has_sources = has_cuda_sources(Path.cwd())
    if has_sources and attempt.can_go_up:
        search.give_up(f"it asks for no CUDA extension ({asked})")
    search.end()
    if not is_build:
        return False
    if not names and not has_sources:
        LOGGER.info("%s has neither extensions nor CUDA sources: built as without FORCE_MUSA=1", package.name)
        return False
    tried = [*(attempt.tried or ()), f"{attempt.level.label} it asks for no CUDA extension ({asked})"]
    raise ForceMusaError(
        f"FORCE_MUSA=1, but {package.name or 'this package'} asked for no CUDA extension",
        found=f"at {'; at '.join(tried)}",
        wanted="a CUDAExtension, or sources named .cu",
        hint=_hint(attempt.level, has_sources),
    )


def _hint(level: Level, has_sources: bool) -> str:
    if not has_sources:
        return "there is no .cu file in it: install it without FORCE_MUSA=1"
    if level < LAST:
        higher = " or ".join(f"{each.value} ({each.name})" for each in Level if each > level)
        return f"set MUSA_BUILD_FORCE_LEVEL to {higher}"
    return (
        "look in its setup.py for a variable that asks for CUDA; a package that compiles when it is imported is "
        "installed without FORCE_MUSA=1 and run with it"
    )
