"""A graph on disk: write build.ninja, its stamp files and compile_commands.json, run it, install its libraries.

A stamp file lists inputs of a step that neither its command nor the time stamps of its files show. ninja runs a step
again if its command changed, or if a file that it depends on became newer than its output. A replaced compiler, library
or torch need not be newer: package managers keep the time stamps of the files they install. So a stamp file lists the
identities of such files (path, size, time). It is written only when the list changes, and is then newer than every
output that depends on it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Optional, TypeVar

from ..system import files
from ..system.process import locked
from . import ninja_writer, precompiled_headers, runner
from .incremental import (
    BuildState,
    install_libraries,
    program_identities,
    programs,
    run_graph,
    step_environment,
    warn_if_optional,
)
from .plan import BuildPlan, CompileStep, DeviceLinkStep, LinkStep, PrecompileStep
from .reasons import ENVIRONMENT_STAMP, STAMPS, log_changed_flags, save_facts

if TYPE_CHECKING:
    from .context import BuildContext
    from .incremental import Fingerprint

_Step = TypeVar("_Step", PrecompileStep, CompileStep, DeviceLinkStep, LinkStep)


@dataclass(frozen=True)
class StampedPlan:
    """A plan whose steps depend on stamp files.

    `texts` are the contents of the stamp files, by path. `searched` are the files that linkers look for, with their
    identities.
    """

    plan: BuildPlan
    texts: Mapping[str, str]
    searched: Mapping[str, str]

    def write(self) -> None:
        """Write the stamp files whose lists have changed."""
        for path, text in self.texts.items():
            files.write_if_changed(Path(path), text)


def with_stamps(plan: BuildPlan, directory: str, environment: Sequence[str]) -> StampedPlan:
    """Add stamp files below `directory` to `plan`.

    They are for `environment`, which affects every step, for the programs that each step runs, and for the files that
    each link looks for.
    """
    common = f"{directory}/{STAMPS}/{ENVIRONMENT_STAMP}"
    texts = {common: _lines(environment)}
    outputs = {step.output for step in plan.steps}
    searched: dict[str, str] = {}

    def stamped(step: _Step) -> _Step:
        stamps: dict[str, None] = {common: None}
        for program in programs(step.command):
            path = f"{directory}/{STAMPS}/{PurePosixPath(program).name}-{files.digest(program)[:10]}.txt"
            texts[path] = _lines(program_identities(program))
            stamps[path] = None
        if isinstance(step, (DeviceLinkStep, LinkStep)):
            candidates = {path: files.identity(Path(path)) for path in step.candidates if path not in outputs}
            searched.update(candidates)
            path = f"{step.output}.libraries.txt"
            texts[path] = _lines(list(candidates.values()))
            stamps[path] = None
        return replace(step, depends=(*step.depends, *stamps))

    new = replace(
        plan,
        precompiles=tuple(map(stamped, plan.precompiles)),
        compiles=tuple(map(stamped, plan.compiles)),
        device_links=tuple(map(stamped, plan.device_links)),
        links=tuple(map(stamped, plan.links)),
    )
    return StampedPlan(new, texts, searched)


def _lines(entries: Sequence[str]) -> str:
    return "".join(f"{entry}\n" for entry in entries)


PACKAGES = ("torch", "torch_musa")


@dataclass(frozen=True)
class WrittenGraph:
    """A graph that was written to a build directory. `watched` are the files that decide it, with their identities."""

    plan: BuildPlan
    build_ninja: Path
    watched: Mapping[str, str]

    def run(self, jobs: int, *, verbose: bool, on_line: Callable[[str], None]) -> None:
        """Build every library of the plan; `on_line` gets ninja's progress.

        Raises:
            CompileFailedError: A step failed.
            ToolNotFoundError: ninja is not installed.
        """
        names, targets = self.plan.descriptions, [link.output for link in self.plan.links]
        runner.run_ninja(names, self.build_ninja, targets, jobs=jobs, verbose=verbose, on_line=on_line)


def write_graph(
    plan: BuildPlan,
    directory: Path,
    context: BuildContext,
    *,
    packages: Sequence[str] = PACKAGES,
    commands_in_root: bool = False,
) -> WrittenGraph:
    """Write the graph of `plan` into `directory`; the caller holds the directory's lock.

    `packages` are the Python packages whose headers and libraries the steps use. `commands_in_root` writes
    compile_commands.json into the current directory as well.
    """
    precompiled_headers.prepare(plan, directory)
    stamped = with_stamps(plan, str(directory), step_environment(context.sdk, packages))
    stamped.write()
    log_changed_flags(directory / ninja_writer.COMPILE_COMMANDS, stamped.plan)
    mcc_jobs = context.machine.mcc_jobs()
    path = ninja_writer.write(stamped.plan, directory, mcc_jobs, commands_in_root=commands_in_root)
    written = {str(file): files.identity(file) for file in ninja_writer.written_files(directory, commands_in_root)}
    return WrittenGraph(stamped.plan, path, {**stamped.searched, **written})


class ProjectGraph:
    """The graph of a project.

    `jobs` is `build_ext -j`. With `keep_going`, the other files are compiled after a failure.
    """

    def __init__(
        self, context: BuildContext, packages: Sequence[str], jobs: Optional[int] = None, keep_going: bool = False
    ) -> None:
        self._context = context
        self._packages = packages
        self._jobs = jobs
        self._keep_going = keep_going
        self._forced: set[str] = set()  # outputs that were removed, to be built again

    def build(
        self, plan: BuildPlan, directory: Path, fingerprint: Optional[Fingerprint], *, complete: bool, force: bool
    ) -> None:
        """Build `plan` below `directory`.

        Args:
            plan: The steps.
            directory: The build directory.
            fingerprint: Everything that decided the plan, for the next build; None if that must plan again.
            complete: Whether the plan has all extensions of the project.
            force: Ignore the results of earlier builds.

        Raises:
            CompileFailedError: A step failed.
        """
        runner.find_ninja()
        # With only some of the extensions, the number of sources is not known yet.
        policy = precompiled_headers.choose_policy(self._context.machine) if complete else precompiled_headers.NEVER
        plan = precompiled_headers.with_precompiled_headers(plan, str(directory), policy)
        with locked(directory / "build.lock"):
            if force:
                self._remove_outputs(plan)
            in_root = self._context.compile_commands_in_root
            graph = write_graph(plan, directory, self._context, packages=self._packages, commands_in_root=in_root)
            state = BuildState.of(graph.plan, fingerprint.key if fingerprint else "", graph.watched)
            # Before the build: if sources do not compile, the next build need not plan again.
            state.save(directory)
            if fingerprint:
                save_facts(fingerprint.facts, directory)
            jobs = self._context.machine.jobs(self._jobs)
            run_graph(state, directory, jobs, self._context.verbose, self._keep_going)

    def _remove_outputs(self, plan: BuildPlan) -> None:
        """Remove each output once: if extensions are built one by one, do not remove those that were just built."""
        for step in plan.steps:
            if step.output not in self._forced:
                Path(step.output).unlink(missing_ok=True)
                self._forced.add(step.output)


def build_without_ninja(plans: Sequence[tuple[BuildPlan, bool]], *, verbose: bool) -> None:
    """Run every step of `plans` in order, pairs of a plan and whether it is optional. Raises CompileFailedError."""
    for plan, optional in plans:
        with warn_if_optional(optional):
            runner.run_in_order(plan, verbose=verbose)
            install_libraries(BuildState.of(plan, "", {}).libraries)
