"""A graph on disk: write build.ninja and its companion files, run it, install its libraries."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Optional

from ..system import files
from ..system.lock import locked
from . import ninja_runner, ninja_writer, precompiled_headers, serial_runner
from .fingerprint import step_environment
from .incremental import BuildState, install_libraries, run_graph, warn_if_optional
from .stamps import with_stamps

if TYPE_CHECKING:
    from .context import BuildContext
    from .plan import BuildPlan

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
        ninja_runner.run(names, self.build_ninja, targets, jobs=jobs, verbose=verbose, on_line=on_line)


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

    def build(self, plan: BuildPlan, directory: Path, key: str, *, complete: bool, force: bool) -> None:
        """Build `plan` below `directory`.

        Args:
            plan: The steps.
            directory: The build directory.
            key: The key of everything that decided the plan, for try_incremental_build().
            complete: Whether the plan has all extensions of the project.
            force: Ignore the results of earlier builds.

        Raises:
            CompileFailedError: A step failed.
        """
        ninja_runner.find_ninja()
        # With only some of the extensions, the number of sources is not known yet.
        policy = precompiled_headers.choose_policy(self._context.machine) if complete else precompiled_headers.NEVER
        plan = precompiled_headers.with_precompiled_headers(plan, str(directory), policy)
        with locked(directory / "build.lock"):
            if force:
                self._remove_outputs(plan)
            in_root = self._context.compile_commands_in_root
            graph = write_graph(plan, directory, self._context, packages=self._packages, commands_in_root=in_root)
            state = BuildState.of(graph.plan, key, graph.watched)
            # Before the build: if sources do not compile, the next build need not plan again.
            state.save(directory)
            jobs = self._context.machine.jobs(self._jobs)
            run_graph(state, directory, jobs, self._context.verbose, self._keep_going)

    def _remove_outputs(self, plan: BuildPlan) -> None:
        """Remove each output once: if extensions are built one by one, do not remove those that were just built."""
        for step in plan.steps:
            if step.output not in self._forced:
                Path(step.output).unlink(missing_ok=True)
                self._forced.add(step.output)


def build_without_ninja(plans: Sequence[tuple[BuildPlan, bool]], *, verbose: bool) -> None:
    """Run every step of `plans` in order; each plan comes with whether it is optional. Raises CompileFailedError."""
    for plan, optional in plans:
        with warn_if_optional(optional):
            serial_runner.run(plan, verbose=verbose)
            install_libraries(BuildState.of(plan, "", {}).libraries)
