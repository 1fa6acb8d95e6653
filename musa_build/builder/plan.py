"""The one graph of a project, as values: which command makes which file from which files.

Records of what torch and setuptools meant go in, steps for ninja come out. Nothing is written or run; what is looked at
are the files that linkers would find.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Optional, Union

from ..errors import SourceError
from ..mcc_toolchain import MccToolchain
from ..system.files import digest
from ..toolchain.cxx import CxxToolchain, newest_standard
from ..toolchain.languages import Language
from ..toolchain.link_inputs import link_inputs, response_files

if TYPE_CHECKING:
    from .recorder import RecordedCompile, RecordedLink, Recording


@dataclass(frozen=True)
class CompileStep:
    """One source to one object. `depfile` is written by the compiler; `depends` are files it cannot know about,
    `after` files that must be there before it runs. `dialect` is what a precompiled header for it must
    be compiled with too (CxxToolchain.dialect); empty for other languages."""

    extension: str
    language: Language
    source: str
    output: str
    command: tuple[str, ...]
    depends: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    dialect: tuple[str, ...] = ()

    @property
    def depfile(self) -> str:
        return f"{self.output}.d"

    @property
    def description(self) -> str:
        return f"{self.extension}: {self.language.value} {self.source}"


@dataclass(frozen=True)
class PrecompileStep:
    """A header to a precompiled one; `source` is a file that includes it."""

    header: str
    source: str
    output: str
    command: tuple[str, ...]
    depends: tuple[str, ...] = ()

    @property
    def extension(self) -> str:
        return "all extensions"

    @property
    def depfile(self) -> str:
        return f"{self.output}.d"

    @property
    def description(self) -> str:
        return f"precompile {self.header}"


@dataclass(frozen=True)
class LinkStep:
    """Objects to one library, made as `output` in the build directory; `destination` is where it belongs.

    `depends` are files that the linker reads beside `inputs`; `candidates` are all that it looks for (link_inputs.py).
    """

    extension: str
    inputs: tuple[str, ...]
    output: str
    command: tuple[str, ...]
    destination: str
    optional: bool = False
    depends: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()

    @property
    def description(self) -> str:
        return f"{self.extension}: link {PurePosixPath(self.output).name}"


@dataclass(frozen=True)
class DeviceLinkStep:
    """mcc's link of relocatable device code: the MUSA objects of an extension to one more object."""

    extension: str
    inputs: tuple[str, ...]
    output: str
    command: tuple[str, ...]
    depends: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()

    @property
    def description(self) -> str:
        return f"{self.extension}: mcc device link"


Step = Union[PrecompileStep, CompileStep, DeviceLinkStep, LinkStep]


@dataclass(frozen=True)
class BuildPlan:
    """Everything that one build runs. Paths are as ninja sees them: absolute, or relative to the project's root."""

    compiles: tuple[CompileStep, ...]
    links: tuple[LinkStep, ...]
    device_links: tuple[DeviceLinkStep, ...] = ()
    precompiles: tuple[PrecompileStep, ...] = ()

    @property
    def steps(self) -> tuple[Step, ...]:
        """All of them in an order in which they could run."""
        return (*self.precompiles, *self.compiles, *self.device_links, *self.links)

    @property
    def descriptions(self) -> dict[str, str]:
        """What each output is, in words."""
        return {step.output: step.description for step in self.steps}


@dataclass(frozen=True)
class Toolchains:
    """The compilers of one extension. `mcc` is None where nothing needs it, so that no SDK has to be found.

    `library_dirs` are where the C++ compiler's linker looks for libraries by itself.
    """

    cxx: CxxToolchain
    mcc: Optional[MccToolchain]
    library_dirs: tuple[str, ...] = ()


def plan_extension(
    extension: str,
    recording: Recording,
    toolchains: Toolchains,
    *,
    directory: str,
    depends: Sequence[str] = (),
    device_link: Optional[Sequence[str]] = None,
    optional: bool = False,
) -> BuildPlan:
    """The steps of one extension.

    `directory` is its own place in the build directory, `depends` files that all its objects depend on, `device_link`
    the flags of mcc's own link step where there is one. Raises SourceError when a source is listed twice.
    """
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
    device_links = _device_links(extension, compiles, toolchains, directory, device_link)
    more = tuple(step.output for step in device_links)
    links = tuple(
        _link_step(extension, record, directory, optional, more, toolchains.library_dirs) for record in recording.links
    )
    return BuildPlan(compiles, links, device_links)


def join(plans: Sequence[BuildPlan]) -> BuildPlan:
    """One graph of several, so that their steps run side by side."""
    return BuildPlan(
        tuple(step for plan in plans for step in plan.compiles),
        tuple(step for plan in plans for step in plan.links),
        tuple(step for plan in plans for step in plan.device_links),
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
    dialect: tuple[str, ...] = ()
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
        dependencies = ("-MD", "-MF", depfile)
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
        dialect = toolchains.cxx.dialect(
            head=record.head, preprocessor=record.preprocessor, flags=record.flags, standard=chosen_standard(record)
        )
    depends = (*tools, *depends, *response_files(command))
    return CompileStep(extension, record.language, record.source, record.output, command, depends, dialect=dialect)


def _device_links(
    extension: str,
    compiles: Sequence[CompileStep],
    toolchains: Toolchains,
    directory: str,
    flags: Optional[Sequence[str]],
) -> tuple[DeviceLinkStep, ...]:
    inputs = tuple(step.output for step in compiles if step.language is Language.MUSA)
    if flags is None or not inputs or toolchains.mcc is None:
        return ()
    output = f"{directory}/dlink.o"
    command = toolchains.mcc.device_link_command(inputs, output, flags)
    read = link_inputs(command)
    depends = tuple(path for path in read.files if path not in inputs)
    return (DeviceLinkStep(extension, inputs, output, command, depends, read.candidates),)


def _link_step(
    extension: str,
    record: RecordedLink,
    directory: str,
    optional: bool,
    more_objects: Sequence[str],
    library_dirs: Sequence[str],
) -> LinkStep:
    output = f"{directory}/{PurePosixPath(record.output).name}"
    at = record.command.index("-o") + 1
    # Before -o, where the objects stand: libraries must come after what uses them.
    first = next((place for place, word in enumerate(record.command) if word.endswith(".o")), at - 1)
    head, between = record.command[:first], record.command[first : at - 1]
    command = (*head, *more_objects, *between, "-o", output, *record.command[at + 1 :])
    inputs = tuple(
        word for word in command if not word.startswith("-") and word != output and word.endswith((".o", ".a", ".so"))
    )
    read = link_inputs(command, library_dirs)
    depends = tuple(path for path in read.files if path not in inputs)
    return LinkStep(extension, inputs, output, command, record.output, optional, depends, read.candidates)
