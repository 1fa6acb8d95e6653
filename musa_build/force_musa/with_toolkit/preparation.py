"""The folder, the build directory and the variables of a build with the toolkit.

A project in a temporary directory, as pip unpacks it, is built in a copy in a folder that stays: so a second build
finds the objects of the first. A project that uses PyTorch is copied too, because its C++ and CUDA sources are ported;
the files keep their names, which its CMakeLists.txt has. So is one whose build system builds inside of it, where a
build for CUDA or the CPU may have left its results. Every other project is built where it is.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...environment.sdk import MusaSdk
from ...environment.settings import Settings
from ...system import cache_directory, files
from ..build_environment import cached_build_directory, environment_digest, is_temporary
from ..package_name import Package, identify
from ..project_files import torch_in_project
from ..report import Ported
from . import variables
from .project_copy import copy_project

#: Build systems that build outside of the project, in a directory that can be chosen.
OUTSIDE_OF_THE_PROJECT = ("scikit_build_core.build", "mesonpy")
NOTHING_PORTED = Ported(0, 0, 0, {})


@dataclass(frozen=True)
class Question:
    """A build, as the build system's process describes it.

    `wanted` is "wheel", "editable" or "metadata". `version` is the one in its metadata, "" if it is not known.
    `options` are the front end's for the build system.
    """

    build_system: str
    wanted: str
    is_isolated: bool
    version: str
    options: tuple[str, ...]

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Question:
        """Read the question that build_hooks.py writes."""
        return cls(**{**values, "options": tuple(values["options"])})


@dataclass(frozen=True)
class Preparation:
    """A build that is ready to begin.

    Attributes:
        source: The directory to build in.
        build: A build directory for build systems that have such an option.
        record: The file to which nvcc appends the outputs of its compiles.
        recorded: Its lines from earlier builds.
        ported: The report of porting.
    """

    package: Package
    source: Path
    build: Path
    record: Path
    recorded: int
    variables: Mapping[str, str]
    is_editable: bool
    ported: Ported

    @property
    def answer(self) -> dict[str, Any]:
        """The part that the build system's process needs."""
        return {"source": str(self.source), "build": str(self.build), "variables": dict(self.variables)}


@dataclass(frozen=True)
class Plan:
    """A build whose directory is known and not yet written to: the caller locks it first."""

    project: Path
    question: Question
    package: Package
    settings: Settings
    sdk: MusaSdk
    torch: str
    state: Path
    in_cache: bool

    def carry_out(self, environment: Mapping[str, str]) -> Preparation:
        """Write the toolkit, the copy of the project and PyTorch's CMake package. Return the preparation.

        Raises:
            SettingError: A setting, or the user's file of package rules, cannot be used.
            PortingError: The sources cannot be ported.
        """
        chosen = variables.of_build(self.package, self.settings, self.sdk, environment, with_torch=bool(self.torch))
        if self.question.version and (self.project / ".git").exists():
            # A version from git would see the ported files as changes.
            chosen.setdefault("SETUPTOOLS_SCM_PRETEND_VERSION", self.question.version)
        folder = self.state / f"toolkit-{self._digest({**environment, **chosen})}"
        build, record = folder / "build", folder / "compiled.txt"
        build.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        cache_directory.prune(self.state.glob("toolkit-*"))
        source, ported = self._source(folder)
        if self.torch:
            from . import torch_config

            chosen |= torch_config.variables(folder / "cmake" / "Torch", self.sdk, environment)
        chosen[variables.RECORD] = str(record)
        if "SKBUILD_BUILD_DIR" not in environment:  # an option of the front end wins over it
            chosen["SKBUILD_BUILD_DIR"] = str(build)
        recorded = len(record.read_text(encoding="utf-8").splitlines()) if record.exists() else 0
        is_editable = self.question.wanted == "editable"
        return Preparation(self.package, source, build, record, recorded, chosen, is_editable, ported)

    def _digest(self, environment: Mapping[str, str]) -> str:
        """Return a text that differs where a build directory cannot be used again."""
        inputs = sorted(f"{name}={value}" for name, value in environment.items() if name.startswith(variables.INPUTS))
        is_editable = str(self.question.wanted == "editable")  # its outputs are others than a wheel's
        question = (self.question.build_system, is_editable, *self.question.options)
        return files.digest(environment_digest(), *question, *inputs)[:12]

    def _source(self, folder: Path) -> tuple[Path, Ported]:
        """Copy the project, and port it if it uses PyTorch. Return the directory to build in.

        An editable install refers to the project's own directory, and metadata may have a version from its git.
        """
        has_own_build = self.question.build_system in OUTSIDE_OF_THE_PROJECT
        if self.question.wanted != "wheel" or (has_own_build and not self.torch and not is_temporary(self.project)):
            return self.project, NOTHING_PORTED
        name = self.package.name or self.project.name
        copy = folder / "cuda" / name
        copy_project(self.project, copy)
        if not self.torch:
            return copy, NOTHING_PORTED
        from . import torch_project

        source = folder / "musa" / name
        return source, torch_project.port_project(copy, source, self.package, self.settings)


def locate(project: Path, question: Question) -> Plan:
    """Find what a build needs, and the directory that holds what it leaves.

    Raises:
        ForceMusaError: The project cannot be built so.
        SdkNotFoundError: There is no SDK.
        TorchNotFoundError: The project uses PyTorch, and there is none, or no torch_musa.
    """
    settings = Settings.read()
    sdk, package, torch = MusaSdk.find(settings), identify(project), torch_in_project(project)
    if torch:
        from . import torch_project  # here and above: only some projects need its imports

        torch_project.require(torch, sdk, is_isolated=question.is_isolated, wanted=question.wanted)
    in_cache = is_temporary(project)
    state = cached_build_directory(package, project) if in_cache else project / "build" / "musa"
    return Plan(project, question, package, settings, sdk, torch, state, in_cache)
