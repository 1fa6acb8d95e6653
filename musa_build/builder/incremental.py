"""Bringing a graph that stands in a build directory up to date, and handing its libraries over.

All that a build does when nothing but sources may have changed: it imports neither torch nor what plans a graph.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Optional

from ..environment import job_limits
from ..environment.settings import MAX_JOBS, VERBOSE, Settings
from ..errors import MusaBuildError
from ..logger_util import LOGGER
from ..system import files
from . import ninja_runner
from .state import FILE_NAME, BuildState, Delivery


def try_incremental_build(directory: Path, key: str, settings: Settings, jobs: Optional[int], keep_going: bool) -> bool:
    """Brings the graph that stands in `directory` up to date, if it was made from what `key` stands for.

    Returns whether it was. `jobs` is `build_ext -j`; with `keep_going` a failure does not keep other files from being
    compiled. Raises CompileFailedError.
    """
    if not key or not (directory / FILE_NAME).exists():
        return False
    count = job_limits.job_count(settings.value(MAX_JOBS), jobs, job_limits.usable_cores(), job_limits.free_memory())
    with files.locked(directory / "build.lock"):
        state = BuildState.load(directory, key)  # while this waited, another build may have made another graph
        if state is not None:
            run_graph(state, directory, count, settings.flag(VERBOSE), keep_going)
    return state is not None


def run_graph(state: BuildState, directory: Path, jobs: int, verbose: bool, keep_going: bool) -> None:
    """Runs ninja, first for what is required, then for what is optional; the caller holds the directory's lock.

    Where nothing is delivered, objects alone were planned, and all of them are made.
    """

    def make(deliveries: Sequence[Delivery], whatever_fails: bool) -> None:
        targets = [delivery.output for delivery in deliveries]
        file = directory / ninja_runner.FILE_NAME
        ninja_runner.run(state.descriptions, file, targets, jobs=jobs, verbose=verbose, keep_going=whatever_fails)

    required = [delivery for delivery in state.deliveries if not delivery.optional]
    optional = [delivery for delivery in state.deliveries if delivery.optional]
    if required or not optional:
        make(required, keep_going)
    install_libraries(required)
    try:
        if optional:
            make(optional, True)
        install_libraries(optional)
    except MusaBuildError:
        # Which of them failed? What an earlier build made of those must not be taken for the new one.
        for delivery in optional:
            Path(delivery.destination).unlink(missing_ok=True)
            with only_warning(True):
                make([delivery], True)
                install_libraries([delivery])


def install_libraries(deliveries: Sequence[Delivery]) -> None:
    """Copies finished libraries to where setuptools expects them; atomically, for a running program may have the old
    one mapped."""
    for delivery in deliveries:
        built, destination = Path(delivery.output), Path(delivery.destination)
        before = destination.stat().st_mtime if destination.exists() else 0.0
        if built.exists() and files.write_if_changed(destination, built.read_bytes()):
            shutil.copymode(built, destination)
            # setuptools copies it on where it is newer, in whole seconds: two builds may be closer than that.
            stamp = max(destination.stat().st_mtime, int(before) + 1.0)
            os.utime(destination, (stamp, stamp))


@contextmanager
def only_warning(optional: bool) -> Iterator[None]:
    """`Extension(optional=True)`: a failure is told and the build goes on."""
    try:
        yield
    except MusaBuildError as error:
        if not optional:
            raise
        LOGGER.warning("an optional extension was not built: %s", error)
