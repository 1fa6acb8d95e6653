"""A command line, parsed; the architectures and the checks that it can name."""

from __future__ import annotations

import enum
from collections.abc import Collection, Sequence
from typing import NamedTuple

from ..errors import DriverError


class Architecture(NamedTuple):
    """A target, as the compiler knows it."""

    number: int  # the value of __MUSA_ARCH__ in the device pass
    static_shared_limit: int  # bytes


#: mp_10's number is inferred, mp_22's limit a guess (the runtime's table says the same); the rest is documented.
ARCHITECTURES = {
    "mp_10": Architecture(100, 28672),
    "mp_21": Architecture(210, 28672),
    "mp_22": Architecture(220, 49152),
    "mp_31": Architecture(310, 196608),
    # Public build files name these; no simulated device is one of them. Number and limit are inferred.
    **{f"mp_{number}": Architecture(10 * number, 196608) for number in (32, 41, 42, 43)},
}

#: The architecture of a build that names none. Old SDKs took mp_10; what newer ones take is not known, and the
#: simulator's default device is an mp_22.
DEFAULT_ARCH = "mp_22"


def check_architecture(name: str) -> str:
    """Return a name that is known; raise DriverError for any other."""
    if name not in ARCHITECTURES:
        known = ", ".join(ARCHITECTURES)
        raise DriverError(f"unsupported MUSA gpu architecture: {name} (the simulator has {known})")
    return name


#: In the order of the bits in runtime/base/active_checks.h, whose comment says what a new check needs.
CHECKS = ("memory", "race", "init", "sync", "leaks", "host")


def parse_checks(text: str, origin: str) -> tuple[str, ...]:
    """Take `memory,race` apart; `all` is every check but `host`, `none` and the empty text are no check.

    Raises DriverError for anything else, naming `origin`, the flag or variable that it came from.
    """
    names = [name.strip() for name in text.split(",") if name.strip() not in ("", "none")]
    for name in names:
        if name not in (*CHECKS, "all"):
            raise DriverError(f"'{name}' in {origin} is no check of the simulator: it has {', '.join(CHECKS)} and all")
    return tuple(name for name in CHECKS if name in names or ("all" in names and name != "host"))


#: These need calls in the code; the others are the runtime's alone.
_INSTRUMENTED = frozenset({"memory", "race", "init", "sync"})


def needs_instrumentation(checks: Collection[str]) -> bool:
    """Return whether code must be compiled for these checks."""
    return not _INSTRUMENTED.isdisjoint(checks)


def check_bits(checks: Sequence[str]) -> int:
    """Return the checks as the fat binary's header has them (runtime/base/active_checks.h)."""
    return sum(1 << CHECKS.index(name) for name in checks)


class Language(enum.Enum):
    """The language that an input is compiled as."""

    MUSA = "musa"
    HOST = "host"
    LINK = "link"


class Stage(enum.Enum):
    """Where the compilation of each input ends."""

    PREPROCESS = "-E"
    DEPENDENCIES = "-M"
    SYNTAX = "-fsyntax-only"
    ASSEMBLY = "-S"
    OBJECT = "-c"
    LINK = "link"


class Input(NamedTuple):
    """One input."""

    path: str
    language: Language
    #: the word after `-x` when the user gave one, for clang's benefit
    explicit: str = ""


class Invocation(NamedTuple):
    """One mcc command line, understood."""

    stage: Stage
    inputs: tuple[Input, ...]
    output: str
    archs: tuple[str, ...]
    compile_args: tuple[str, ...]  # for clang's driver, in the order given
    link_args: tuple[str, ...]  # for the host linker, inputs included, in the order given
    device_only: bool = False
    device_opt: str = ""  # "3" of -Od3
    checks: tuple[str, ...] = ()  # --sim-check: what the simulator watches for while kernels run
    show_version: bool = False
    dry_run: bool = False
    verbose: bool = False
    warnings: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()  # inputs that are not there
    device_link: bool = False  # -dlink
    is_relocatable: bool = False  # -fgpu-rdc: device code may use device code of other files
    named_archs: tuple[str, ...] = ()  # the architectures that the user named, if any
    questions: tuple[str, ...] = ()  # options that clang only answers: -dumpmachine, -print-..., --help

    @property
    def is_instrumented(self) -> bool:
        """Whether code is compiled for checks."""
        return needs_instrumentation(self.checks)

    @property
    def check_bits(self) -> int:
        """The checks that the fat binary names: none, if the images are not instrumented."""
        return check_bits(self.checks) if self.is_instrumented else 0
