"""nvcc's command line: option files, environment, and the mode of a run. This module is pure but for option files."""

from __future__ import annotations

import enum
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Optional

from ..toolchain.nvcc_flags import ParsedFlag, of_variables, parse_nvcc_flags
from .refused import NvccError


class Mode(enum.Enum):
    """The product of a run; the value is nvcc's long option."""

    COMPILE = "compile"
    PREPROCESS = "preprocess"
    DEPENDENCIES = "generate-dependencies"
    USER_DEPENDENCIES = "generate-nonsystem-dependencies"
    PTX = "ptx"
    CUBIN = "cubin"
    FATBIN = "fatbin"
    DEVICE_LINK = "device-link"
    LIBRARY = "lib"
    LINK = "link"


class Language(enum.Enum):
    """How an input is treated."""

    CUDA = enum.auto()
    HOST = enum.auto()
    OBJECT = enum.auto()


#: Key of a flag -> its mode. The first that a command has decides, in this order.
_MODES = {
    "generate-dependencies": Mode.DEPENDENCIES,
    "generate-nonsystem-dependencies": Mode.USER_DEPENDENCIES,
    "preprocess": Mode.PREPROCESS,
    "device-link": Mode.DEVICE_LINK,
    "ptx": Mode.PTX,
    "cubin": Mode.CUBIN,
    "fatbin": Mode.FATBIN,
    "lib": Mode.LIBRARY,
    "compile": Mode.COMPILE,
    "device-c": Mode.COMPILE,
    "device-w": Mode.COMPILE,
    "link": Mode.LINK,
    "run": Mode.LINK,
}
_UNSUPPORTED = {
    "cuda": "the intermediate C++ file of NVIDIA's front end",
    "ltoir": "NVIDIA's intermediate code",
    "optix-ir": "an input of NVIDIA's OptiX",
}
#: The input that means what the process reads from its standard input; -x names its language.
STANDARD_INPUT = "-"
_CUDA_SUFFIXES = (".cu", ".cup")
_HOST_SUFFIXES = (".c", ".cc", ".cxx", ".cpp", ".c++", ".C", ".i", ".ii")
#: The inputs of a link. To -run, other inputs that are no sources are programs.
_LINKED = re.compile(r".+\.(?:o|obj|a|lib|so(?:\.\d+)*|ptx|cubin|fatbin)")


class Command(NamedTuple):
    """A command line of nvcc. Flags are named by their keys: their long names without dashes; that of --x is "-x".

    Attributes:
        flags: The flags in their order, without inputs.
        inputs: The input files in their order.
        arguments: Flags and inputs together, in their order, which linkers depend on.
        own: `arguments` without those of NVCC_PREPEND_FLAGS and NVCC_APPEND_FLAGS.
    """

    flags: tuple[ParsedFlag, ...]
    inputs: tuple[str, ...]
    arguments: tuple[ParsedFlag, ...]
    own: tuple[ParsedFlag, ...]

    def has(self, *keys: str) -> bool:
        """Return whether one of the flags is given."""
        return any(flag.key in keys for flag in self.flags)

    def value(self, key: str) -> Optional[str]:
        """Return the last value of a flag; None without it."""
        values = [flag.value for flag in self.flags if flag.key == key]
        return values[-1] if values else None

    @property
    def mode(self) -> Mode:
        """The product of the run. Raises NvccError if it has no counterpart."""
        for key, meaning in _UNSUPPORTED.items():
            if self.has(key):
                raise NvccError(f"nvcc's option --{key} has no counterpart for MUSA", found=meaning)
        return next((mode for key, mode in _MODES.items() if self.has(key)), Mode.LINK)

    @property
    def program(self) -> Optional[str]:
        """The command of the shell that -run starts, without a compile or a link: `nvcc --run '"./a program"'`.

        Raises NvccError if there are other inputs too.
        """
        if not self.has("run"):
            return None
        others = [path for path in self.inputs if self.language(path) is Language.OBJECT]
        programs = [path for path in others if not _LINKED.fullmatch(path) and path != STANDARD_INPUT]
        if programs and len(self.inputs) > 1:
            raise NvccError("Execute mode needs only one executable file", found=" ".join(self.inputs))
        return programs[0] if programs else None

    @property
    def is_relocatable(self) -> bool:
        """Whether device code may call device code of other files."""
        return self.has("device-c") or self.value("relocatable-device-code") == "true"

    def with_input(self, old: str, new: str) -> Command:
        """Return the command with another file in place of an input."""
        given = ParsedFlag((new,))
        arguments = tuple(given if _is_input(flag) and flag.arguments == (old,) else flag for flag in self.arguments)
        return self._replace(inputs=tuple(new if path == old else path for path in self.inputs), arguments=arguments)

    def language(self, path: str) -> Language:
        """Return how an input is treated: by -x, else by its suffix."""
        forced = self.value("-x")
        if forced is not None:
            return Language.CUDA if forced == "cu" else Language.HOST
        if path.endswith(_CUDA_SUFFIXES):
            return Language.CUDA
        return Language.HOST if path.endswith(_HOST_SUFFIXES) else Language.OBJECT


def read(arguments: Sequence[str], environment: Mapping[str, str]) -> Command:
    """Read a command line, with option files and NVCC_PREPEND_FLAGS and NVCC_APPEND_FLAGS.

    Raises:
        NvccError: An option file cannot be read.
        SettingError: A flag lacks its value, or a variable is not text of a shell.
    """
    before, after = of_variables(environment)
    own = tuple(_with_option_files(arguments))
    parsed = (*_with_option_files(before), *own, *_with_option_files(after))
    return Command(
        tuple(flag for flag in parsed if not _is_input(flag)),
        tuple(flag.arguments[0] for flag in parsed if _is_input(flag)),
        parsed,
        own,
    )


def _is_input(flag: ParsedFlag) -> bool:
    word = flag.arguments[0]
    return not flag.key and (word == STANDARD_INPUT or not word.startswith("-"))


def _with_option_files(words: Sequence[str]) -> Iterator[ParsedFlag]:
    """Yield the flags of a command and, where it names an option file, those of the file."""
    for flag in parse_nvcc_flags(words):
        if flag.key == "options-file":
            for path in flag.value.split(","):
                yield from _with_option_files(_read_options(path))
        else:
            yield flag


def _read_options(path: str) -> list[str]:
    try:
        with open(path, encoding="utf-8") as stream:
            return _split(stream.read(), path)
    except OSError as error:
        raise NvccError(f"the option file {path} cannot be read", found=error.strerror or str(error)) from error


def _split(text: str, origin: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise NvccError(f"{origin} is not text of a shell", found=f"{text!r}: {error}") from error
