"""Bringing a graph that stands in a build directory up to date, and handing its libraries over.

All that a build does when nothing but sources may have changed: it imports neither torch nor what plans a graph.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Optional

from . import files, ninja_run, resources
from .build_state import BuildState, Delivery
from .errors import MusaBuildError
from .logger_util import LOGGER
from .settings import MAX_JOBS, VERBOSE, Settings


def build_again(directory: Path, key: str, settings: Settings, jobs: Optional[int]) -> bool:
    """Brings the graph that stands in `directory` up to date, if it was made from what `key` stands for.

    Returns whether it was. `jobs` is `build_ext -j`. Raises CompileFailedError.
    """
    state = BuildState.load(directory, key) if key else None
    if state is None:
        return False
    count = resources.job_count(settings.value(MAX_JOBS), jobs, resources.usable_cores(), resources.free_memory())
    with files.locked(directory / "build.lock"):
        carry_out(state, directory, count, settings.flag(VERBOSE))
    return True


def carry_out(state: BuildState, directory: Path, jobs: int, verbose: bool, keep_going: bool = False) -> None:
    """Runs ninja, first for what is required, then for what is optional; the caller holds the directory's lock.

    Where nothing is delivered, objects alone were planned, and all of them are made.
    """
    file = directory / ninja_run.FILE_NAME
    for optional in (False, True):
        targets = [delivery.output for delivery in state.deliveries if delivery.optional is optional]
        if targets or not (state.deliveries or optional):
            with only_warning(optional):
                all_of_them = keep_going or optional
                ninja_run.run(state.descriptions, file, targets, jobs=jobs, verbose=verbose, keep_going=all_of_them)
    deliver(state.deliveries)


def deliver(deliveries: Sequence[Delivery]) -> None:
    """Copies finished libraries to where setuptools expects them; atomically, for a running program may have the old
    one mapped."""
    for delivery in deliveries:
        built, destination = Path(delivery.output), Path(delivery.destination)
        if built.exists() and files.write_if_changed(destination, built.read_bytes()):
            shutil.copymode(built, destination)


@contextmanager
def only_warning(optional: bool) -> Iterator[None]:
    """`Extension(optional=True)`: a failure is told and the build goes on."""
    try:
        yield
    except MusaBuildError as error:
        if not optional:
            raise
        LOGGER.warning("an optional extension was not built: %s", error)
