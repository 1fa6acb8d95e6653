"""Incremental builds: run the graph of the last build without planning it again.

Planning imports torch. That takes longer than the rest of a build with nothing to do. If the fingerprint
(fingerprint.py) is the same, the graph is too, and ninja detects changed sources. If no fingerprint can be taken, the
graph is planned again. This module imports neither torch nor the planning.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Optional

from ..environment.settings import VERBOSE
from ..errors import MusaBuildError
from ..logger_util import LOGGER
from ..system import files
from ..system.process import locked
from . import runner

if TYPE_CHECKING:
    from .machine import Machine
    from .plan import BuildPlan  # a build with nothing to do does not import it

STATE_FILE = "graph.json"


@dataclass(frozen=True)
class BuiltLibrary:
    """A library: built as `output`, installed as `destination`."""

    output: str
    destination: str
    optional: bool


@dataclass(frozen=True)
class BuildState:
    """The state of a build directory: the graph in build.ninja, and the libraries to build with it.

    Attributes:
        key: The key of everything that decided the graph.
        watched: Files that the graph depends on, with their identities: those that were written with it, and those that
            linkers look for.
        descriptions: The names of outputs in messages.
        libraries: The libraries to build and install.
    """

    key: str
    watched: Mapping[str, str]
    descriptions: Mapping[str, str]
    libraries: tuple[BuiltLibrary, ...]

    @classmethod
    def of(cls, plan: BuildPlan, key: str, watched: Mapping[str, str]) -> BuildState:
        libraries = tuple(BuiltLibrary(link.output, link.destination, link.optional) for link in plan.links)
        return cls(key, watched, plan.descriptions, libraries)

    @classmethod
    def load(cls, directory: Path, key: str) -> Optional[BuildState]:
        """Load the state of `directory`; None if it has another key or a watched file has changed."""
        try:
            content = json.loads((directory / STATE_FILE).read_text(encoding="utf-8"))
            libraries = tuple(BuiltLibrary(**library) for library in content["libraries"])
            state = cls(content["key"], dict(content["watched"]), content["descriptions"], libraries)
        except (OSError, ValueError, TypeError, KeyError):
            return None  # missing, or written by another release of musa_build
        unchanged = all(files.identity(Path(path)) == identity for path, identity in state.watched.items())
        return state if unchanged and state.key == key else None

    def save(self, directory: Path) -> None:
        files.write_if_changed(directory / STATE_FILE, json.dumps(asdict(self), indent=1))


def try_incremental_build(directory: Path, key: str, machine: Machine, jobs: Optional[int], keep_going: bool) -> bool:
    """Run the graph in `directory` if it was planned with the same `key`.

    Args:
        directory: The build directory.
        key: The key of everything that decides the graph; "" for a build that must be planned.
        machine: The machine that builds.
        jobs: The number after `build_ext -j`, if any.
        keep_going: Compile the other files after a failure.

    Returns:
        Whether the graph could be used. Otherwise the caller has to plan a new one.

    Raises:
        CompileFailedError: A step failed.
    """
    if not key or not (directory / STATE_FILE).exists():
        return False
    count = machine.jobs(jobs)
    with locked(directory / "build.lock"):
        state = BuildState.load(directory, key)  # after the wait: another build may have written another graph
        if state is not None:
            run_graph(state, directory, count, machine.settings.flag(VERBOSE), keep_going)
    return state is not None


def run_graph(state: BuildState, directory: Path, jobs: int, verbose: bool, keep_going: bool) -> None:
    """Run ninja for the required libraries and then for the optional ones. The caller holds the directory's lock.

    A graph without libraries has only objects. All of them are built.
    """

    def build(libraries: Sequence[BuiltLibrary], keep_going: bool) -> None:
        targets = [library.output for library in libraries]
        file = directory / runner.FILE_NAME
        runner.run_ninja(state.descriptions, file, targets, jobs=jobs, verbose=verbose, keep_going=keep_going)

    required = [library for library in state.libraries if not library.optional]
    optional = [library for library in state.libraries if library.optional]
    if required or not optional:
        build(required, keep_going)
    install_libraries(required)
    try:
        if optional:
            build(optional, True)
        install_libraries(optional)
    except MusaBuildError:
        # Find out which of them failed, and remove the libraries of an earlier build.
        for library in optional:
            Path(library.destination).unlink(missing_ok=True)
            with warn_if_optional(True):
                build([library], True)
                install_libraries([library])


def install_libraries(libraries: Sequence[BuiltLibrary]) -> None:
    """Copy finished libraries to their destinations, atomically: a running program may have mapped the old ones."""
    for library in libraries:
        built, destination = Path(library.output), Path(library.destination)
        before = destination.stat().st_mtime if destination.exists() else 0.0
        if built.exists() and files.write_if_changed(destination, built.read_bytes()):
            shutil.copymode(built, destination)
            # setuptools copies it further only if it is newer by a whole second. Two builds may be closer than that.
            stamp = max(destination.stat().st_mtime, int(before) + 1.0)
            os.utime(destination, (stamp, stamp))


@contextmanager
def warn_if_optional(optional: bool) -> Iterator[None]:
    """Log a failure of an optional extension as a warning, and continue the build."""
    try:
        yield
    except MusaBuildError as error:
        if not optional:
            raise
        LOGGER.warning("an optional extension was not built: %s", error)
