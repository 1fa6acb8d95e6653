"""Compile the ported kernel files, each on its own: one that does not compile stops no other.

ninja decides what is out of date. It would compile a file that failed again in each run, so failures are remembered
with a key of the facts that decided them.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Optional

from ..builder import runner
from ..builder.context import BuildContext
from ..builder.graph import write_graph
from ..builder.jit_plan import JitJob, plan_job
from ..builder.machine import Machine
from ..errors import CompileFailedError
from ..system import files
from .options import NAME, Options

if TYPE_CHECKING:
    from ..builder.plan import BuildPlan, CompileStep

_FAILURES = "failures.json"
_ERROR = re.compile(r"^(?P<where>\S[^\n]*?): (?:fatal )?error: (?P<text>[^\n]+)", re.MULTILINE)
# PyTorch's own build passes these to each of its CUDA sources: no kernels that are compiled on first use, and the path
# of its CUB. With the others, a DispatchStub has the members that it has in PyTorch's own build.
_DEFINITIONS = (
    "AT_DISABLE_JITERATOR",
    "CUB_WRAPPED_NAMESPACE=at_cuda_detail",
    "HAVE_AVX2_CPU_DEFINITION",
    "HAVE_AVX512_CPU_DEFINITION",
)


@dataclass(frozen=True)
class Compiled:
    """The objects by source, the first error of each source that failed, and the sources that this run compiled."""

    objects: Mapping[Path, str]
    errors: Mapping[Path, str]
    now: tuple[Path, ...]


class Compiler:
    """The compilers and folders of one build."""

    def __init__(self, ported: Path, options: Options) -> None:
        self._options = options
        self._folder = options.folder / "objects"
        self._ported = ported
        machine = Machine.read()
        self._machine = machine
        flags = [f"-D{name}" for name in _DEFINITIONS] + ["-w", *options.mcc_flags]
        include = [ported / "include", ported / "aten/src", ported / "include/torch/csrc/api/include", ported]
        self._job = JitJob.of(
            NAME, (f"{ported}/any.mu",), {"mcc": flags}, [], include, standalone=False, mcc_version=machine.mcc_version
        )
        self.context = BuildContext.find(machine, [self._job.spec])

    def compile(self, sources: Sequence[Path]) -> Compiled:
        """Compile the sources that are out of date. Raises MusaBuildError if there is no compiler."""
        spec = replace(self._job.spec, sources=tuple(map(str, sources)))
        job = replace(self._job, spec=spec)
        plan = plan_job(job, self.context, self.context.toolchains(spec), str(self._folder))
        plan = replace(plan, links=())
        keys = self._keys(plan)
        known = self._known_failures(keys)
        wanted = [step for step in plan.compiles if step.source not in known]
        before = _times(plan)
        graph = write_graph(plan, self._folder, self.context)
        failed = self._run(graph.plan, graph.build_ninja, wanted)
        errors = {**{source: entry["error"] for source, entry in known.items()}, **failed}
        self._remember({source: {"key": keys[source], "error": error} for source, error in errors.items()})
        objects = {Path(step.source): step.output for step in plan.compiles if step.source not in errors}
        after = _times(plan)
        now = [step.source for step in wanted if before[step.output] != after[step.output] or step.source in failed]
        return Compiled(objects, {Path(key): value for key, value in errors.items()}, tuple(map(Path, now)))

    def _run(self, plan: BuildPlan, build_ninja: Path, steps: Sequence[CompileStep]) -> dict[str, str]:
        """Return the first error of each source that failed."""
        targets = [step.output for step in steps]
        if not targets:
            return {}
        jobs = self._machine.jobs(self._options.jobs)
        verbose = self.context.verbose
        try:
            runner.run_ninja(
                plan.descriptions, build_ninja, targets, jobs=jobs, verbose=verbose, keep_going=True, on_line=_progress
            )
        except CompileFailedError as error:
            sources = {step.output: step.source for step in steps}
            if not error.failed or any(output not in sources for output, _ in error.failed):
                raise
            for output, _ in error.failed:
                Path(output).unlink(missing_ok=True)  # that of an earlier run
            return {sources[output]: self._first_error(message) for output, message in error.failed}
        return {}

    def _first_error(self, message: str) -> str:
        match = _ERROR.search(message)
        if match is None:
            lines = [line.strip() for line in message.splitlines() if line.strip()]
            return lines[-1] if lines else "the compiler said nothing"
        return f"{match['where'].replace(f'{self._ported}/', '')}: {match['text']}"

    def _keys(self, plan: BuildPlan) -> dict[str, str]:
        """Return a key of the facts that decide whether a source compiles: itself, all headers, SDK and command."""
        headers = (path for path in sorted(self._ported.rglob("*")) if path.suffix in (".h", ".muh", ".hpp"))
        sdk = f"{self.context.sdk.version} {files.identity(self.context.sdk.mcc)}" if self.context.sdk else ""
        common = files.digest(sdk, self.context.torch.version, files.digest_files(headers))
        return {
            step.source: files.digest(common, Path(step.source).read_bytes(), *step.command) for step in plan.compiles
        }

    def _known_failures(self, keys: Mapping[str, str]) -> dict[str, dict[str, str]]:
        """Return the failures of earlier runs that would happen again."""
        try:
            known: dict[str, dict[str, str]] = json.loads((self._folder / _FAILURES).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return {source: entry for source, entry in known.items() if keys.get(source) == entry["key"]}

    def _remember(self, failures: Mapping[str, object]) -> None:
        files.write_if_changed(self._folder / _FAILURES, json.dumps(failures, indent=1, sort_keys=True) + "\n")


def _progress(line: str) -> None:
    """Print a line of ninja's. The report alone goes to standard output."""
    print(line, file=sys.stderr, flush=True)


def _times(plan: BuildPlan) -> dict[str, Optional[int]]:
    """Return when each object was written; None for those that are missing."""
    paths = {step.output: Path(step.output) for step in plan.compiles}
    return {output: path.stat().st_mtime_ns if path.exists() else None for output, path in paths.items()}
