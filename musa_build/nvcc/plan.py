"""Turn a command line of nvcc into the commands that do its work. This module is pure.

A source in CUDA is compiled by mcc, host and device code in one run. Other sources go to the host compiler, and so does
the link. Flags of one compile are translated by the table of toolchain/nvcc_translations.py, as in a setup.py.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ..system.host_machine import word_size_flags
from ..toolchain.nvcc_flags import AS_NVCC_FLAGS, ParsedFlag, split_list, translate_parsed
from ..toolchain.nvcc_translations import PER_THREAD_STREAM
from . import answers, refused
from .command import Command, Language, Mode
from .refused import NvccError
from .toolkit import Toolkit

#: Environment variables that name MUSA architectures, as in musa_build.environment.settings.ARCH.
ARCHITECTURE_VARIABLES = ("TORCH_MUSA_ARCH_LIST", "MUSA_ARCH", "TORCH_MUSA_ARCH")

#: Flags that say what a run makes and where: they are read here and not translated.
_OF_THE_RUN = frozenset(
    (
        *("compile", "device-c", "device-w", "device-link", "cubin", "ptx", "fatbin", "lib", "link"),
        *("preprocess", "generate-dependencies", "generate-nonsystem-dependencies", "run", "run-args"),
        *("generate-dependencies-with-compile", "generate-nonsystem-dependencies-with-compile"),
        *("generate-dependency-targets", "dependency-output", "dependency-target-name"),
        *("output-file", "output-directory", "dryrun", "verbose", "keep", "keep-dir", "save-temps"),
        *("-x", "compiler-bindir", "relocatable-device-code", "options-file"),
        *("clean-targets", "help", "version", "list-gpu-arch", "list-gpu-code"),
    )
)
#: Key of a flag -> what the host compiler gets, once for each of its values
_HOST_FLAGS = {
    "define-macro": "-D{}",
    "undefine-macro": "-U{}",
    "include-path": "-I{}",
    "system-include": "-isystem {}",
    "pre-include": "-include {}",
    "optimize": "-O{}",
    "debug": "-g",
    "profile": "-pg",
    "disable-warnings": "-w",
    "std": "-std={}",
}
#: Flags of g++ that clang lacks, and that change no result. Warnings are not among them: a flag makes clang ignore
#: unknown ones.
_GCC_ONLY = re.compile(
    r"-f(?:no-)?(?:gnu-unique|tree-\w[\w-]*|ipa-\w[\w-]*|var-tracking[\w-]*|lto(?:=.*|-.*)?)|-mno-red-zone-unused"
)
_CXX_STANDARD = re.compile(r"-std=(?:c|gnu)\+\+\w+")
_QUIET = ("-Wno-unknown-warning-option", "-Wno-unused-command-line-argument", *AS_NVCC_FLAGS)


class Step(NamedTuple):
    """One command of a run.

    Attributes:
        argv: The command.
        is_cuda: Whether it compiles a source in CUDA: then its inline PTX may need a translation.
        source: The source that it compiles.
        report: The line that -v prints; empty for the command itself.
    """

    argv: tuple[str, ...]
    is_cuda: bool = False
    source: str = ""
    report: str = ""

    @property
    def makes_device_code(self) -> bool:
        """Whether it compiles a source in CUDA to an object or an image, and does not only preprocess it."""
        return self.is_cuda and "-c" in self.argv and "-o" in self.argv


def plan(
    command: Command, toolkit: Toolkit, environment: Mapping[str, str], temporary: str, *, has_relocatable: bool = False
) -> tuple[Step, ...]:
    """Return the commands of a run, in their order. `temporary` is a folder for objects that are only linked.

    `has_relocatable`: whether an object or library of a link has relocatable device code (relocatable.py).

    Raises:
        NvccError: nvcc refuses the command line, too, or a requested feature has no counterpart.
        SettingError: A flag has no translation.
    """
    if not command.inputs:
        raise NvccError("No input files specified; use option --help for more information")
    refused.check_spelling(command.own)
    refused.check(command.own)
    planner = _Planner(command, toolkit, environment, temporary, has_relocatable)
    return tuple(planner.steps())


def architectures(toolkit: Toolkit, environment: Mapping[str, str], default: str = "") -> tuple[str, ...]:
    """Return the MUSA architectures to compile for: "22". Raises NvccError for an unknown name.

    Without a variable it is `default`, else the toolkit's.
    """
    for variable in ARCHITECTURE_VARIABLES:
        text = environment.get(variable, "").strip().lower()
        if not text:
            continue
        names = [re.sub(r"^mp_|\.", "", name) for name in re.split(r"[;,\s]+", text) if name]
        if names == ["all"]:
            return toolkit.on_sale
        unknown = [name for name in names if name not in toolkit.architectures]
        if unknown or not names:
            raise NvccError(
                f"{variable} names an unknown MUSA architecture",
                found=" ".join(unknown) or repr(text),
                wanted=f"some of {' '.join(toolkit.architectures)}, or all",
            )
        return tuple(dict.fromkeys(names))
    return (default,) if default else toolkit.default_architectures


def first_flags(toolkit: Toolkit, flags: Sequence[str]) -> list[str]:
    """Return the flags before the translated `flags` of a compile of CUDA: the header of all, and nvcc's C++17."""
    standard = [] if any(flag.startswith("-std=") for flag in flags) else ["-std=c++17"]
    return [*toolkit.tags, "-include", toolkit.prelude, *standard]


class _Planner:
    """The steps of one command line."""

    def __init__(
        self,
        command: Command,
        toolkit: Toolkit,
        environment: Mapping[str, str],
        temporary: str,
        has_relocatable: bool,
    ) -> None:
        self.command = command
        self.toolkit = toolkit
        self.environment = environment
        self.temporary = temporary
        self.has_relocatable = has_relocatable
        self.output = command.value("output-file")
        self.sources = [path for path in command.inputs if command.language(path) is not Language.OBJECT]

    def steps(self) -> Iterator[Step]:
        """Yield the commands."""
        mode = self.command.mode
        if mode is Mode.LINK:
            yield from self.link()
        elif mode is Mode.DEVICE_LINK:
            yield from self.device_link()
        elif mode is Mode.LIBRARY:
            yield from self.library()
        else:
            yield from self.compiles(mode)

    def compiles(self, mode: Mode) -> Iterator[Step]:
        """Yield a compile of each source, with an output of its own."""
        objects = [path for path in self.command.inputs if path not in self.sources]
        if objects:
            raise NvccError(f"Don't know what to do with '{objects[0]}'")
        if (
            self.output
            and len(self.sources) > 1
            and mode not in (Mode.PREPROCESS, Mode.DEPENDENCIES, Mode.USER_DEPENDENCIES)
        ):
            raise NvccError("A single input file is required for a non-link phase when an outputfile is specified")
        suffixes = {Mode.COMPILE: ".o", Mode.PTX: ".ptx", Mode.CUBIN: ".cubin", Mode.FATBIN: ".fatbin"}
        for source in self.sources:
            named = self.output or (self.beside(source, suffixes[mode]) if mode in suffixes else None)
            yield self.compile(source, mode, named)

    def compile(self, source: str, mode: Mode, output: str | None) -> Step:
        """Return the compile of one source."""
        is_cuda = self.command.language(source) is Language.CUDA
        # g++ takes a .c file for C++; nvcc names the language.
        host_language = self.command.value("-x") or ("c" if source.endswith(".c") else "")
        start = self.mcc() if is_cuda else self.host_compiler(is_c=host_language == "c")
        argv = [*start, *self.stage(mode, is_cuda, source)]
        if mode is Mode.COMPILE:
            argv += self.dependencies(output or "")
        elif mode in (Mode.DEPENDENCIES, Mode.USER_DEPENDENCIES):
            target = self.command.value("dependency-target-name")
            target = target or (self.beside(source, ".o") if self.command.has("output-directory") else None)
            argv += ["-MT", target] if target else []
            output = output or self.command.value("dependency-output")
        if is_cuda:
            argv += ["-x", "musa"]
        elif host_language in ("c", "c++"):
            argv += ["-x", host_language]
        argv += [source, *(["-o", output] if output else [])]
        return Step(tuple(argv), is_cuda, source)

    def stage(self, mode: Mode, is_cuda: bool, source: str) -> list[str]:
        """Return the flags that say how far a compile goes."""
        if mode in (Mode.PTX, Mode.CUBIN, Mode.FATBIN):
            if not is_cuda:
                raise NvccError(f"{source} has no device code", wanted="a source in CUDA (.cu)")
            return ["--cuda-device-only", "-c"]
        stages = {Mode.PREPROCESS: "-E", Mode.DEPENDENCIES: "-M", Mode.USER_DEPENDENCIES: "-MM"}
        return [stages.get(mode, "-c")]

    def dependencies(self, output: str) -> list[str]:
        """Return the flags for the dependencies beside a compile."""
        system = self.command.has("generate-dependencies-with-compile")
        if not system and not self.command.has("generate-nonsystem-dependencies-with-compile"):
            return []
        file = self.command.value("dependency-output") or os.path.splitext(output)[0] + ".d"
        target = self.command.value("dependency-target-name") or output
        phony = ["-MP"] if self.command.has("generate-dependency-targets") else []
        return ["-MD" if system else "-MMD", "-MF", file, "-MT", target, *phony]

    def mcc(self) -> list[str]:
        """Return the beginning of a compile by mcc."""
        translated, _ = translate_parsed(self.translatable(), "", self.toolkit.mcc_version)
        flags = [flag for flag in translated if not _GCC_ONLY.fullmatch(flag)]
        # nvcc optimises device code at every -O.
        device = [] if self.command.has("device-debug") else ["-Od3"]
        relocatable = ["-D__CUDACC_RDC__", "-fgpu-rdc"] if self.command.is_relocatable else []
        return [
            self.toolkit.mcc,
            *(f"--offload-arch=mp_{name}" for name in architectures(self.toolkit, self.environment)),
            *first_flags(self.toolkit, flags),
            *device,
            *relocatable,
            *flags,
            *_QUIET,
            *("-isystem", f"{self.toolkit.root}/include"),
        ]

    def translatable(self) -> tuple[ParsedFlag, ...]:
        """Return the flags of one compile."""
        return tuple(flag for flag in self.command.flags if flag.key not in _OF_THE_RUN)

    def host_compiler(self, *, is_c: bool) -> list[str]:
        """Return the beginning of a compile by the host compiler. nvcc's -std is for C++ alone."""
        flags = self.host_flags()
        return [
            self.compiler(),
            "-D__NVCC__",
            *(flag for flag in flags if not (is_c and _CXX_STANDARD.fullmatch(flag))),
            *(f"-D__CUDACC_VER_{name}__={value}" for name, value in self.version_numbers()),
            *("-isystem", f"{self.toolkit.root}/include"),
        ]

    def version_numbers(self) -> tuple[tuple[str, str], ...]:
        """Return the parts of the version with the words of CUDA's macros."""
        major, minor = self.toolkit.version.split(".")
        return (("MAJOR", major), ("MINOR", minor), ("BUILD", self.toolkit.build))

    def host_flags(self) -> Iterator[str]:
        """Yield the flags that nvcc passes to the host compiler."""
        if self.command.value("default-stream") == "per-thread":
            yield f"{PER_THREAD_STREAM}=1"
        for flag in self.command.flags:
            if flag.key == "compiler-options":
                yield from options(flag.value)
            elif flag.key == "Werror":
                yield from (["-Werror"] if "all-warnings" in flag.value.split(",") else [])
            elif flag.key in ("machine", "m64"):
                yield from word_size_flags()
            elif flag.key in _HOST_FLAGS:
                template = _HOST_FLAGS[flag.key]
                for value in split_list(flag.value) if "{}" in template else ("",):
                    yield from (word.replace("{}", value) for word in template.split(" "))
            elif not flag.key and not flag.arguments[0].startswith("-Wl,"):
                yield from flag.arguments

    def compiler(self) -> str:
        """Return the host compiler: -ccbin's, a file or its folder."""
        named = self.command.value("compiler-bindir") or self.environment.get("NVCC_CCBIN") or "g++"
        return f"{named}/g++" if os.path.isdir(named) else named

    def linker(self) -> str:
        """Return the host compiler that links C++."""
        folder, name = os.path.split(self.compiler())
        renamed = re.sub(r"^(.*?)(gcc|clang|cc)(-[\d.]+)?$", _cxx_name, name)
        return os.path.join(folder, renamed)

    def link(self) -> Iterator[Step]:
        """Yield the compiles of the sources, the device link where there is something for it, and the link."""
        objects: dict[str, str] = {}
        yield from self.compiles_for_link(objects)
        first: tuple[str, ...] = ()
        if (self.has_relocatable or self.command.is_relocatable) and not self.command.has("no-device-link"):
            first = (os.path.join(self.temporary, "a_dlink.o"),)
            yield self.device_link_step(objects, first[0])
        yield self.link_step(objects, first)

    def compiles_for_link(self, objects: dict[str, str]) -> Iterator[Step]:
        """Yield the compiles of the sources; note their objects."""
        for index, source in enumerate(self.sources):
            stem = os.path.splitext(os.path.basename(source))[0]
            objects[source] = os.path.join(self.temporary, f"{index}_{stem}.o")
            yield self.compile(source, Mode.COMPILE, objects[source])

    def link_step(self, objects: Mapping[str, str], first: Sequence[str]) -> Step:
        """Return the link, with the objects `first` before the others.

        Its report has LIBRARIES as they are, because CMake looks for that text.
        """
        inputs = [*first, *(word for flag in self.command.arguments for word in self.for_linker(flag, objects))]
        runtime = {"static": ["-lcudart_static", "-lrt", "-lpthread", "-ldl"], "shared": ["-lcudart"], "none": []}
        chosen = self.command.value("cudart") or "static"
        if chosen not in runtime:
            raise NvccError(f"Value '{chosen}' is not defined for option 'cudart'", wanted="none, shared or static")
        libraries = [*([] if chosen == "none" else ["-lcudadevrt"]), *runtime[chosen]]
        start = [self.linker(), *word_size_flags(), "-Wl,--start-group", *inputs]
        end = [*libraries, "-Wl,--end-group", "-o", self.output or "a.out"]
        folders = [f"-L{self.toolkit.root}/lib64/stubs", f"-L{self.toolkit.root}/lib64"]
        # With CUDA's static runtime a program needs no library path. Here the runtime is shared.
        folders.append(f"-Wl,-rpath,{self.toolkit.sdk}/lib")
        report = f"{shlex.join(start)}   {answers.libraries(self.toolkit)}  {shlex.join(end)}"
        return Step((*start, *folders, *end), report=report)

    def for_linker(self, flag: ParsedFlag, objects: Mapping[str, str]) -> list[str]:
        """Return the linker's arguments for one of nvcc's."""
        word = flag.arguments[0]
        if not flag.key:
            return [objects.get(word, word)]
        if flag.key in ("library", "library-path"):
            letter = "-l" if flag.key == "library" else "-L"
            return [f"{letter}{value}" for value in split_list(flag.value)]
        if flag.key == "linker-options":
            return [part for option in options(flag.value) for part in ("-Xlinker", option)]
        if flag.key == "compiler-options":
            return options(flag.value)
        return {"shared": ["-shared"], "profile": ["-pg"], "debug": ["-g"]}.get(flag.key, [])

    def device_link(self) -> Iterator[Step]:
        """Yield the compiles of the sources, and the device link."""
        objects: dict[str, str] = {}
        yield from self.compiles_for_link(objects)
        kind = next((kind for kind in ("cubin", "fatbin") if self.command.has(kind)), "")
        yield self.device_link_step(objects, self.output or f"a_dlink.{kind or 'o'}", is_image=bool(kind))

    def device_link_step(self, objects: Mapping[str, str], output: str, *, is_image: bool = False) -> Step:
        """Return mcc's device link: of objects and static libraries to one more object, or to an image."""
        linked = ("", "library", "library-path")
        inputs = [
            word for flag in self.command.arguments if flag.key in linked for word in self.for_linker(flag, objects)
        ]
        inputs = [word for word in inputs if not word.startswith("-") or word.startswith(("-l", "-L"))]
        archs = [f"--offload-arch=mp_{name}" for name in architectures(self.toolkit, self.environment)]
        image = ["--cuda-device-only"] if is_image else []
        return Step((self.toolkit.mcc, *archs, "-fgpu-rdc", "-dlink", "-fPIC", *image, *inputs, "-o", output))

    def library(self) -> Iterator[Step]:
        """Yield the compiles of the sources, and the archive."""
        objects = []
        for index, path in enumerate(self.command.inputs):
            if path in self.sources:
                stem = os.path.splitext(os.path.basename(path))[0]
                objects.append(os.path.join(self.temporary, f"{index}_{stem}.o"))
                yield self.compile(path, Mode.COMPILE, objects[-1])
            else:
                objects.append(path)
        archiver = self.command.value("archiver-binary") or "ar"
        yield Step((archiver, "rcs", self.output or "a.a", *objects))

    def beside(self, source: str, suffix: str) -> str:
        """Return the default output of a source."""
        name = os.path.splitext(os.path.basename(source))[0] + suffix
        folder = self.command.value("output-directory")
        return os.path.join(folder, name) if folder else name


def options(text: str) -> list[str]:
    """Return the options for another program in the value of -Xcompiler and its like."""
    return [option for part in split_list(text) for option in shlex.split(part)]


def _cxx_name(match: re.Match[str]) -> str:
    prefix, name, suffix = match[1], match[2], match[3] or ""
    return prefix + {"gcc": "g++", "clang": "clang++", "cc": "c++"}[name] + suffix
