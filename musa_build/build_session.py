"""One run of build_ext: collects the plans of its extensions and carries them out as one graph.

Between setuptools' face (extension.py) and the pure rooms: it knows no setuptools and no torch, only their records.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Optional

from . import files, ninja_file, precompiled, resources, serial
from .build_facts import BuildFacts
from .build_state import BuildState, Delivery
from .errors import MusaBuildError, SettingError
from .extension_needs import ExtensionNeeds
from .extension_request import ExtensionRequest
from .logger_util import LOGGER
from .plan import BuildPlan, join, plan_extension, raised_standards
from .precompiled import NEVER, with_precompiled_headers
from .recorder import Recording
from .settings import MAX_JOBS, VERBOSE, Settings


class BuildSession:
    """Creating it looks for what `requests` need and raises what BuildFacts.find raises; `jobs` is `build_ext -j`.

    With `keep_going` a failure does not keep other files from being compiled.
    """

    def __init__(self, requests: Sequence[ExtensionRequest], jobs: Optional[int], keep_going: bool = False) -> None:
        names = [request.name for request in requests]
        for name in names:
            if names.count(name) > 1:
                raise SettingError("two extensions have the same name", found=name, wanted="a name for each")
        self._facts = BuildFacts.find(requests)
        self._jobs = jobs
        self._keep_going = keep_going
        self._plans: list[tuple[BuildPlan, bool]] = []

    def needs(self, request: ExtensionRequest) -> ExtensionNeeds:
        """What to add to a MUSAExtension's own lists."""
        return self._facts.needs(request)

    def add(self, request: ExtensionRequest, recording: Recording, directory: str) -> None:
        """Plans one recorded extension, whose objects go below `directory`."""
        for note in request.flags.notes:
            LOGGER.info("%s: nvcc's flag %s", request.name, note)
        for asked, used in raised_standards(recording):
            LOGGER.info("%s: torch %s needs -std=%s, not %s", request.name, self._facts.torch.version, used, asked)
        plan = plan_extension(
            request.name,
            recording,
            self._facts.toolchains(request),
            directory=directory,
            depends=request.depends,
            device_link=request.flags.device_link,
            optional=request.optional,
        )
        self._plans.append((plan, request.optional))

    @property
    def cxx(self) -> tuple[str, ...]:
        """The C++ compiler."""
        return self._facts.cxx.command

    def change_plans(self, change: Callable[[BuildPlan], BuildPlan]) -> None:
        """Has `change` make another plan of each that was added."""
        self._plans = [(change(plan), optional) for plan, optional in self._plans]

    def build_with_ninja(self, directory: Path, key: str = "", *, whole: bool = True) -> None:
        """Builds what was planned so far, in one graph below `directory`. Raises CompileFailedError.

        `key` stands for everything that decided the plans, for `build_again`; `whole` is whether these are all.
        """
        ninja_file.find_ninja()
        plan = join([plan for plan, _ in self._plans])
        # Where extensions are built one by one, nobody knows yet how many sources there will be.
        wanted = self._facts.precompiling() if whole else NEVER
        plan = with_precompiled_headers(plan, str(directory), wanted)
        with files.locked(directory / "build.lock"):
            precompiled.prepare(plan, directory)
            ninja_file.write(plan, directory, self._facts.mcc_jobs())
            state = BuildState.of(plan, key, directory)
            # Before the build: sources that do not compile are no reason to ask torch again.
            state.save(directory)
            _carry_out(state, directory, self._facts.jobs(self._jobs), self._facts.verbose, self._keep_going)

    def build_in_order(self) -> None:
        """Builds what was planned since the last call, without ninja. Raises CompileFailedError."""
        for plan, optional in self._plans:
            with _only_warning(optional):
                serial.run(plan, verbose=self._facts.verbose)
                _deliver(BuildState.of(plan, "", Path()).deliveries)
        self._plans.clear()


def build_again(directory: Path, key: str, settings: Settings, jobs: Optional[int]) -> bool:
    """Brings the graph that stands in `directory` up to date, if it was made from what `key` stands for.

    Returns whether it was. `jobs` is `build_ext -j`. Raises CompileFailedError.
    """
    state = BuildState.load(directory, key) if key else None
    if state is None:
        return False
    count = resources.job_count(settings.value(MAX_JOBS), jobs, resources.usable_cores(), resources.free_memory())
    with files.locked(directory / "build.lock"):
        _carry_out(state, directory, count, settings.flag(VERBOSE))
    return True


def _carry_out(state: BuildState, directory: Path, jobs: int, verbose: bool, keep_going: bool = False) -> None:
    """Runs ninja, first for what is required, then for what is optional; the caller holds the directory's lock."""
    file = directory / ninja_file.FILE_NAME
    for optional in (False, True):
        targets = [delivery.output for delivery in state.deliveries if delivery.optional is optional]
        if targets:
            with _only_warning(optional):
                all_of_them = keep_going or optional
                ninja_file.run(state.descriptions, file, targets, jobs=jobs, verbose=verbose, keep_going=all_of_them)
    _deliver(state.deliveries)


def _deliver(deliveries: Sequence[Delivery]) -> None:
    """Copies finished libraries to where setuptools expects them; atomically, for a running program may have the old
    one mapped."""
    for delivery in deliveries:
        built, destination = Path(delivery.output), Path(delivery.destination)
        if built.exists() and files.write_if_changed(destination, built.read_bytes()):
            shutil.copymode(built, destination)


@contextmanager
def _only_warning(optional: bool) -> Iterator[None]:
    """`Extension(optional=True)`: a failure is told and the build goes on."""
    try:
        yield
    except MusaBuildError as error:
        if not optional:
            raise
        LOGGER.warning("an optional extension was not built: %s", error)
