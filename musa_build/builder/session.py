"""One run of build_ext: collects the plans of its extensions and carries them out as one graph.

Between setuptools' face (extension.py) and the pure rooms: it knows no setuptools and no torch, only their records.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Optional

from ..errors import SettingError
from ..logger_util import LOGGER
from ..system import files
from . import (
    ninja_runner,
    ninja_writer,
    precompiled_headers,
    serial_runner,
)
from .context import BuildContext
from .fingerprint import step_environment
from .hints import pybind_advice
from .incremental import install_libraries, only_warning, run_graph
from .plan import BuildPlan, Toolchains, join, plan_extension, raised_standards
from .precompiled_headers import NEVER, with_precompiled_headers
from .recorder import Recording
from .requirements import ExtensionRequirements
from .spec import ExtensionSpec, is_musa
from .stamps import with_stamps
from .state import BuildState


class BuildSession:
    """Creating it looks for what `requests` need and raises what BuildContext.find raises; `jobs` is `build_ext -j`.

    With `keep_going` a failure does not keep other files from being compiled.
    """

    def __init__(self, requests: Sequence[ExtensionSpec], jobs: Optional[int], keep_going: bool = False) -> None:
        self._keep_going = keep_going
        names = [request.name for request in requests]
        for name in names:
            if names.count(name) > 1:
                raise SettingError("two extensions have the same name", found=name, wanted="a name for each")
        self._facts = BuildContext.find(requests)
        # Who builds torch_musa itself does not build against the one that it replaces.
        own = any(name.startswith("torch_musa.") for name in names)
        self._packages = ("torch",) if own else ("torch", "torch_musa")
        self._jobs = jobs
        self._plans: list[tuple[BuildPlan, bool]] = []
        self._forced: set[str] = set()  # outputs that were removed, to be made anew

    def needs(self, request: ExtensionSpec) -> ExtensionRequirements:
        """What to add to a MUSAExtension's own lists."""
        return self._facts.needs(request)

    def add(self, request: ExtensionSpec, recording: Recording, directory: str) -> None:
        """Plans one recorded extension, whose objects go below `directory`."""
        for note in request.flags.notes:
            LOGGER.info("%s: nvcc's flag %s", request.name, note)
        for asked, used in raised_standards(recording):
            LOGGER.info("%s: torch %s needs -std=%s, not %s", request.name, self._facts.torch.version, used, asked)
        toolchains = self._facts.toolchains(request)
        self._advise(request, toolchains)
        plan = plan_extension(
            request.name,
            recording,
            toolchains,
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

    @property
    def plans(self) -> tuple[BuildPlan, ...]:
        """One for each extension that was added."""
        return tuple(plan for plan, _ in self._plans)

    def set_plans(self, plans: Sequence[BuildPlan]) -> None:
        """Puts others in the place of `plans`, one for each."""
        self._plans = [(plan, optional) for plan, (_, optional) in zip(plans, self._plans)]

    def _advise(self, request: ExtensionSpec, toolchains: Toolchains) -> None:
        if toolchains.mcc is not None:
            sources = [source for source in request.sources if is_musa(source) or request.forced(source)]
            texts = {source: Path(source).read_text(encoding="utf-8", errors="replace") for source in sources}
            advice = pybind_advice(texts, front_ends=1 + len(toolchains.mcc.archs))
            if advice:
                LOGGER.info("%s: %s", request.name, advice)

    def build_with_ninja(self, directory: Path, key: str = "", *, whole: bool = True, force: bool = False) -> None:
        """Builds what was planned so far, in one graph below `directory`. Raises CompileFailedError.

        `key` stands for everything that decided the plans, for try_incremental_build(); `whole` is whether these are
        all. With `force`, what earlier builds left does not count.
        """
        ninja_runner.find_ninja()
        plan = join(self.plans)
        # Where extensions are built one by one, nobody knows yet how many sources there will be.
        wanted = self._facts.precompiling() if whole else NEVER
        plan = with_precompiled_headers(plan, str(directory), wanted)
        with files.locked(directory / "build.lock"):
            if force:
                self._remove_outputs(plan)
            state = self._write_graph(plan, key, directory)
            # Before the build: sources that do not compile are no reason to ask torch again.
            state.save(directory)
            run_graph(state, directory, self._facts.jobs(self._jobs), self._facts.verbose, self._keep_going)

    def _write_graph(self, plan: BuildPlan, key: str, directory: Path) -> BuildState:
        precompiled_headers.prepare(plan, directory)
        stamped = with_stamps(plan, str(directory), step_environment(self._facts.sdk, self._packages))
        stamped.write()
        in_root = self._facts.compile_commands_in_root
        ninja_writer.write(stamped.plan, directory, self._facts.mcc_jobs(), commands_in_root=in_root)
        written = {str(path): files.identity(path) for path in ninja_writer.written_files(directory, in_root)}
        return BuildState.of(stamped.plan, key, {**stamped.searched, **written})

    def _remove_outputs(self, plan: BuildPlan) -> None:
        """Once each: where extensions are built one by one, those that were built a moment ago stay."""
        for step in plan.steps:
            if step.output not in self._forced:
                Path(step.output).unlink(missing_ok=True)
                self._forced.add(step.output)

    def build_in_order(self) -> None:
        """Builds what was planned since the last call, without ninja. Raises CompileFailedError."""
        for plan, optional in self._plans:
            with only_warning(optional):
                serial_runner.run(plan, verbose=self._facts.verbose)
                install_libraries(BuildState.of(plan, "", {}).deliveries)
        self._plans.clear()
