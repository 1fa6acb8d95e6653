"""Stamp files: what decides a step's result, though neither its command nor its inputs' time stamps show it.

ninja runs a step again where its command changed, or where a file that it depends on became newer than its output. A
compiler, a library or a release of torch that is replaced need not be newer: package managers keep the time stamps of
the files they install. A stamp file lists what such files are now (path, size, time). It is written only when the list
changes, and is then newer than every output that depends on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import NamedTuple, TypeVar

from ..system.files import digest, identity, write_if_changed
from .fingerprint import program_identities, programs
from .plan import BuildPlan, CompileStep, DeviceLinkStep, LinkStep, PrecompileStep

FOLDER = "stamps"

_Step = TypeVar("_Step", PrecompileStep, CompileStep, DeviceLinkStep, LinkStep)


class Stamped(NamedTuple):
    """A plan whose steps depend on stamp files; `texts` are what these hold, by path. `searched` are the files that
    linkers look for, with what was found."""

    plan: BuildPlan
    texts: Mapping[str, str]
    searched: Mapping[str, str]

    def write(self) -> None:
        """Write the stamp files whose lists have changed."""
        for path, text in self.texts.items():
            write_if_changed(Path(path), text)


def with_stamps(plan: BuildPlan, directory: str, environment: Sequence[str]) -> Stamped:
    """`plan` with stamp files below `directory`: of `environment`, which decides every step, of the programs that each
    step runs, and of the files that each link looks for."""
    common = f"{directory}/{FOLDER}/environment.txt"
    texts = {common: _lines(environment)}
    made = {step.output for step in plan.steps}
    searched: dict[str, str] = {}

    def stamped(step: _Step) -> _Step:
        stamps: dict[str, None] = {common: None}
        for program in programs(step.command):
            path = f"{directory}/{FOLDER}/{PurePosixPath(program).name}-{digest(program)[:10]}.txt"
            texts[path] = _lines(program_identities(program))
            stamps[path] = None
        if isinstance(step, (DeviceLinkStep, LinkStep)):
            found = {path: identity(Path(path)) for path in step.candidates if path not in made}
            searched.update(found)
            path = f"{step.output}.libraries.txt"
            texts[path] = _lines(list(found.values()))
            stamps[path] = None
        return replace(step, depends=(*step.depends, *stamps))

    new = replace(
        plan,
        precompiles=tuple(map(stamped, plan.precompiles)),
        compiles=tuple(map(stamped, plan.compiles)),
        device_links=tuple(map(stamped, plan.device_links)),
        links=tuple(map(stamped, plan.links)),
    )
    return Stamped(new, texts, searched)


def _lines(entries: Sequence[str]) -> str:
    return "".join(f"{entry}\n" for entry in entries)
