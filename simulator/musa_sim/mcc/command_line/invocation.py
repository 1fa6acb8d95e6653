"""A command line, parsed."""

from __future__ import annotations

import enum
from typing import NamedTuple

from .checks import check_bits, needs_instrumentation


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
