"""Incremental builds: bring the graph that the last build wrote up to date, without planning it again.

Asking torch and setuptools for every command means importing torch, which takes longer than all else that a build with
nothing to do does. If everything that decides the graph (fingerprint.py) is the same, the graph is too, and ninja alone
knows whether a source has changed. What cannot be compared is planned again. Neither torch nor the planning is imported
here.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Optional

from ..environment.settings import VERBOSE
from ..errors import MusaBuildError
from ..logger_util import LOGGER
from ..system import files
from . import ninja_runner

if TYPE_CHECKING:
    from .machine import Machine
    from .plan import BuildPlan  # a build with nothing to do does not load it

STATE_FILE = "graph.json"


class Delivery(NamedTuple):
    """A library: made as `output`, wanted as `destination`."""

    output: str
    destination: str
    optional: bool


class BuildState(NamedTuple):
    """A graph that was written as build.ninja: what to ask ninja for, and what to call its outputs.

    `key` stands for what decided the graph; `watched` are files that it stands or falls with, and what they were: those
    that were written with it, and those that linkers look for.
    """

    key: str
    watched: Mapping[str, str]
    descriptions: Mapping[str, str]
    deliveries: tuple[Delivery, ...]

    @classmethod
    def of(cls, plan: BuildPlan, key: str, watched: Mapping[str, str]) -> BuildState:
        deliveries = tuple(Delivery(link.output, link.destination, link.optional) for link in plan.links)
        return cls(key, watched, plan.descriptions, deliveries)

    @classmethod
    def load(cls, directory: Path, key: str) -> Optional[BuildState]:
        """The state that `directory` was left in, when it has this key and all watched files are as they were."""
        try:
            content = json.loads((directory / STATE_FILE).read_text(encoding="utf-8"))
            deliveries = tuple(Delivery(**delivery) for delivery in content["deliveries"])
            state = cls(content["key"], dict(content["watched"]), content["descriptions"], deliveries)
        except (OSError, ValueError, TypeError, KeyError):
            return None  # none, or of another release of ours
        fresh = all(files.identity(Path(path)) == was for path, was in state.watched.items())
        return state if fresh and state.key == key else None

    def save(self, directory: Path) -> None:
        content = {**self._asdict(), "deliveries": [delivery._asdict() for delivery in self.deliveries]}
        files.write_if_changed(directory / STATE_FILE, json.dumps(content, indent=1))


def try_incremental_build(directory: Path, key: str, machine: Machine, jobs: Optional[int], keep_going: bool) -> bool:
    """Brings the graph that stands in `directory` up to date, if it was made from what `key` stands for.

    Returns whether it was. `jobs` is `build_ext -j`; with `keep_going` a failure does not keep other files from being
    compiled. Raises CompileFailedError.
    """
    if not key or not (directory / STATE_FILE).exists():
        return False
    count = machine.jobs(jobs)
    with files.locked(directory / "build.lock"):
        state = BuildState.load(directory, key)  # while this waited, another build may have made another graph
        if state is not None:
            run_graph(state, directory, count, machine.settings.flag(VERBOSE), keep_going)
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
