"""Plan the graph of a project: the command that makes each file, and the files that it reads.

The input is a recording of the commands of torch and setuptools. The output is steps for ninja. Nothing is written or
run. The only files that are looked up are those that linkers would find.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Optional, Union

from ..errors import SourceError
from ..mcc_toolchain import MccToolchain
from ..system.files import digest
from ..toolchain.compilers import CxxToolchain, Language, newest_standard
from ..toolchain.link_inputs import link_inputs, response_files

if TYPE_CHECKING:
    from .recorder import RecordedCompile, RecordedLink, Recording


@dataclass(frozen=True)
class CompileStep:
    """Compile one source to one object.

    The compiler writes `depfile`. `depends` are inputs that it does not list there. `after` are files that must exist
    before it runs. `dialect` are the flags that a precompiled header for it needs too (CxxToolchain.dialect); empty for
    other languages than C++.
    """

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
    """Precompile a header; `source` is a file that includes it."""

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
    """Link objects to one library: `output` in the build directory, to be installed as `destination`.

    `depends` are the files that the linker reads besides `inputs`. `candidates` are all files that it looks for
    (link_inputs.py).
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
    """Link relocatable device code with mcc: from the MUSA objects of an extension to one more object."""

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
    """The steps of one build. Paths are absolute, or relative to the project's root, where ninja runs."""

    compiles: tuple[CompileStep, ...]
    links: tuple[LinkStep, ...]
    device_links: tuple[DeviceLinkStep, ...] = ()
    precompiles: tuple[PrecompileStep, ...] = ()

    @property
    def steps(self) -> tuple[Step, ...]:
        """All steps, in an order in which they can run."""
        return (*self.precompiles, *self.compiles, *self.device_links, *self.links)

    @property
    def descriptions(self) -> dict[str, str]:
        """The description of the step of each output."""
        return {step.output: step.description for step in self.steps}


@dataclass(frozen=True)
class Toolchains:
    """The compilers of one extension.

    `mcc` is None if the extension does not need it, so that no SDK is required. `library_dirs` are the default
    directories of the C++ compiler's linker.
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
    """Plan the steps of one extension.

    Args:
        extension: Its name.
        recording: Its commands.
        toolchains: Its compilers.
        directory: Its folder in the build directory.
        depends: Files that all its objects depend on.
        device_link: The flags of mcc's device link step; None without that step.
        optional: Whether the build continues if the extension fails.

    Raises:
        SourceError: A source is listed twice.
    """
    outputs = [compile.output for compile in recording.compiles]
    for compile in recording.compiles:
        if outputs.count(compile.output) > 1:
            raise SourceError(
                f"a source of {extension} is listed twice",
                found=compile.source,
                wanted="each source once",
                hint="remove one of them: its symbols would be defined twice",
            )
    compiles = tuple(_compile_step(extension, record, toolchains, depends) for record in recording.compiles)
    device_links = _device_links(extension, compiles, toolchains, directory, device_link)
    device_objects = tuple(step.output for step in device_links)
    links = tuple(
        _link_step(extension, record, directory, optional, device_objects, toolchains.library_dirs)
        for record in recording.links
    )
    return BuildPlan(compiles, links, device_links)


def join(plans: Sequence[BuildPlan]) -> BuildPlan:
    """Join several plans to one, so that their steps run in parallel."""
    return BuildPlan(
        tuple(step for plan in plans for step in plan.compiles),
        tuple(step for plan in plans for step in plan.links),
        tuple(step for plan in plans for step in plan.device_links),
    )


def object_path(source: str, directory: str, root: str) -> str:
    """Return the object of a source. It has the source's path and suffix, so a/k.mu, b/k.mu and a/k.cpp differ.

    `root` is the project's absolute root. The object of a source outside it is in a folder named after a digest: a path
    with .. would leave the build directory.
    """
    path = PurePosixPath(root) / source
    inside = ".." not in path.parts and path.is_relative_to(root)
    relative = str(path.relative_to(root)) if inside else f"outside-{digest(str(path.parent))[:10]}/{path.name}"
    return f"{directory}/{relative}.o"


def chosen_standard(record: RecordedCompile) -> Optional[str]:
    """Return the -std= of a compile: the user's, or torch's if that is newer. C sources get none from torch."""
    if record.language is Language.C:
        return record.requested_standard
    if record.requested_standard and record.torch_standard:
        return newest_standard(record.requested_standard, record.torch_standard)
    return record.requested_standard or record.torch_standard


def raised_standards(recording: Recording) -> tuple[tuple[str, str], ...]:
    """Return a pair (requested, used) for each -std= that had to be raised, each pair once."""
    pairs = [(record.requested_standard, chosen_standard(record)) for record in recording.compiles]
    return tuple(dict.fromkeys((old, new) for old, new in pairs if old and new and old != new))


def _compile_step(
    extension: str, record: RecordedCompile, toolchains: Toolchains, depends: Sequence[str]
) -> CompileStep:
    depfile = f"{record.output}.d"
    tools: tuple[str, ...] = ()
    dialect: tuple[str, ...] = ()
    if record.language is Language.MUSA:
        assert toolchains.mcc is not None, "the caller finds the SDK before it records MUSA sources"
        # mcc itself is an input: objects of another SDK release must be built again.
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
        standard = (f"-std={record.requested_standard}",) if record.requested_standard else ()
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
    device_objects: Sequence[str],
    library_dirs: Sequence[str],
) -> LinkStep:
    output = f"{directory}/{PurePosixPath(record.output).name}"
    at = record.command.index("-o") + 1
    # Before -o, beside the other objects: libraries must come after the objects that use them.
    first = next((index for index, argument in enumerate(record.command) if argument.endswith(".o")), at - 1)
    head, between = record.command[:first], record.command[first : at - 1]
    command = (*head, *device_objects, *between, "-o", output, *record.command[at + 1 :])
    files = (argument for argument in command if not argument.startswith("-") and argument != output)
    inputs = tuple(file for file in files if file.endswith((".o", ".a", ".so")))
    read = link_inputs(command, library_dirs)
    depends = tuple(path for path in read.files if path not in inputs)
    return LinkStep(extension, inputs, output, command, record.output, optional, depends, read.candidates)
