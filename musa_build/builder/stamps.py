"""Stamp files: inputs of a step that neither its command nor the time stamps of its files show.

ninja runs a step again if its command changed, or if a file that it depends on became newer than its output. A replaced
compiler, library or torch need not be newer: package managers keep the time stamps of the files they install. A stamp
file lists the identities of such files (path, size, time). It is written only when the list changes. It is then newer
than every output that depends on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TypeVar

from ..system.files import digest, identity, write_if_changed
from .fingerprint import program_identities, programs
from .plan import BuildPlan, CompileStep, DeviceLinkStep, LinkStep, PrecompileStep

FOLDER = "stamps"

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
            write_if_changed(Path(path), text)


def with_stamps(plan: BuildPlan, directory: str, environment: Sequence[str]) -> StampedPlan:
    """Add stamp files below `directory` to `plan`.

    They are for `environment`, which affects every step, for the programs that each step runs, and for the files that
    each link looks for.
    """
    common = f"{directory}/{FOLDER}/environment.txt"
    texts = {common: _lines(environment)}
    outputs = {step.output for step in plan.steps}
    searched: dict[str, str] = {}

    def stamped(step: _Step) -> _Step:
        stamps: dict[str, None] = {common: None}
        for program in programs(step.command):
            path = f"{directory}/{FOLDER}/{PurePosixPath(program).name}-{digest(program)[:10]}.txt"
            texts[path] = _lines(program_identities(program))
            stamps[path] = None
        if isinstance(step, (DeviceLinkStep, LinkStep)):
            candidates = {path: identity(Path(path)) for path in step.candidates if path not in outputs}
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
