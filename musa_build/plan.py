"""The one graph of a project, as values: which command makes which file from which files.

Pure: records of what torch and setuptools meant go in, steps for ninja come out. Nothing is read, written or run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Optional

from .cxx_toolchain import CxxToolchain, newest_standard
from .errors import SourceError
from .files import digest
from .mcc_toolchain import MccToolchain
from .recorder import Language, RecordedCompile, RecordedLink, Recording


@dataclass(frozen=True)
class CompileStep:
    """One source to one object. `depfile` is written by the compiler; `depends` are files it cannot know about."""

    extension: str
    language: Language
    source: str
    output: str
    command: tuple[str, ...]
    depends: tuple[str, ...] = ()

    @property
    def depfile(self) -> str:
        return f"{self.output}.d"

    @property
    def description(self) -> str:
        return f"{self.extension}: {self.language.value} {self.source}"


@dataclass(frozen=True)
class LinkStep:
    """Objects to one library, made as `output` in the build directory; `destination` is where it belongs."""

    extension: str
    inputs: tuple[str, ...]
    output: str
    command: tuple[str, ...]
    destination: str
    optional: bool = False

    @property
    def description(self) -> str:
        return f"{self.extension}: link {PurePosixPath(self.output).name}"


@dataclass(frozen=True)
class BuildPlan:
    """Everything that one build runs. Paths are as ninja sees them: absolute, or relative to the project's root."""

    compiles: tuple[CompileStep, ...]
    links: tuple[LinkStep, ...]


@dataclass(frozen=True)
class Toolchains:
    """The compilers of one extension. `mcc` is None where nothing needs it, so that no SDK has to be found."""

    cxx: CxxToolchain
    mcc: Optional[MccToolchain]


def plan_extension(
    extension: str,
    recording: Recording,
    toolchains: Toolchains,
    *,
    directory: str,
    depends: Sequence[str] = (),
    optional: bool = False,
) -> BuildPlan:
    """The steps of one extension. `directory` is its own place in the build directory, `depends` files that all its
    objects depend on. Raises SourceError when a source is listed twice."""
    outputs = [compile.output for compile in recording.compiles]
    for compile in recording.compiles:
        if outputs.count(compile.output) > 1:
            raise SourceError(
                f"a source of {extension} is listed twice",
                found=compile.source,
                wanted="each source once",
                hint="remove one of the two, or its symbols would be defined twice",
            )
    compiles = tuple(_compile_step(extension, record, toolchains, depends) for record in recording.compiles)
    links = tuple(_link_step(extension, record, directory, optional) for record in recording.links)
    return BuildPlan(compiles, links)


def join(plans: Sequence[BuildPlan]) -> BuildPlan:
    """One graph of several, so that their steps run side by side."""
    return BuildPlan(
        tuple(step for plan in plans for step in plan.compiles), tuple(step for plan in plans for step in plan.links)
    )


def object_path(source: str, directory: str, root: str) -> str:
    """The object of a source: its path and its whole name, so that a/k.mu, b/k.mu and a/k.cpp never meet.

    `root` is the project's absolute root. A source outside it gets a folder named after a digest of its own folder: a
    path with .. would leave the build directory.
    """
    path = PurePosixPath(root) / source
    inside = ".." not in path.parts and path.is_relative_to(root)
    place = str(path.relative_to(root)) if inside else f"outside-{digest(str(path.parent))[:10]}/{path.name}"
    return f"{directory}/{place}.o"


def chosen_standard(record: RecordedCompile) -> Optional[str]:
    """The -std= of a compile: the user's, unless torch's headers need a newer one; C sources get none from torch."""
    if record.language is Language.C:
        return record.asked_standard
    if record.asked_standard and record.torch_standard:
        return newest_standard(record.asked_standard, record.torch_standard)
    return record.asked_standard or record.torch_standard


def raised_standards(recording: Recording) -> tuple[tuple[str, str], ...]:
    """(asked, used) for each -std= that had to be raised, each pair once."""
    pairs = [(record.asked_standard, chosen_standard(record)) for record in recording.compiles]
    return tuple(dict.fromkeys((asked, used) for asked, used in pairs if asked and used and asked != used))


def _compile_step(
    extension: str, record: RecordedCompile, toolchains: Toolchains, depends: Sequence[str]
) -> CompileStep:
    depfile = f"{record.output}.d"
    tools: tuple[str, ...] = ()
    if record.language is Language.MUSA:
        assert toolchains.mcc is not None, "the caller finds the SDK before it records MUSA sources"
        # mcc itself is an input: objects of another SDK release must not survive in a build directory.
        tools = toolchains.mcc.command[:1]
        command = toolchains.mcc.compile_command(
            source=record.source,
            output=record.output,
            depfile=depfile,
            preprocessor=record.preprocessor,
            flags=record.flags,
            standard=chosen_standard(record),
        )
    elif record.language is Language.C:
        source_and_output = (record.source, "-o", record.output)
        dependencies = ("-MMD", "-MF", depfile)
        standard = (f"-std={record.asked_standard}",) if record.asked_standard else ()
        command = (*record.head, *dependencies, *record.preprocessor, *source_and_output, *record.flags, *standard)
    else:
        command = toolchains.cxx.compile_command(
            source=record.source,
            output=record.output,
            depfile=depfile,
            head=record.head,
            preprocessor=record.preprocessor,
            flags=record.flags,
            standard=chosen_standard(record),
        )
    return CompileStep(extension, record.language, record.source, record.output, command, (*tools, *depends))


def _link_step(extension: str, record: RecordedLink, directory: str, optional: bool) -> LinkStep:
    output = f"{directory}/{PurePosixPath(record.output).name}"
    at = record.command.index("-o") + 1
    command = (*record.command[:at], output, *record.command[at + 1 :])
    inputs = tuple(
        word for word in command if not word.startswith("-") and word != output and word.endswith((".o", ".a", ".so"))
    )
    return LinkStep(extension, inputs, output, command, record.output, optional)
