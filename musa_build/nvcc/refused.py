"""Refuse what nvcc refuses: flags that it does not have, and values that a flag does not take. This module is pure.

Build systems and configure scripts ask a compiler for a flag by using it. The texts are those of nvcc 13.0.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..toolchain.nvcc_flags import ParsedFlag

_FORWARDING = frozenset(("forward-unknown-to-host-compiler", "forward-unknown-to-host-linker", "forward-unknown-opts"))
#: The linker's flags pass, unlike in nvcc: `musa-build cuda-env` puts one into LDFLAGS, which makefiles hand to nvcc.
_PASSES = "-Wl,"
_NUMBERS = frozenset(
    (
        *("optimize", "maxrregcount", "threads", "split-compile", "split-compile-extended", "jump-table-density"),
        *("ftemplate-depth", "ftemplate-backtrace-limit", "diag-error", "diag-suppress", "diag-warn"),
    )
)
_NOT_NEGATIVE = frozenset(("threads", "split-compile", "split-compile-extended", "jump-table-density"))
_TRUE_OR_FALSE = frozenset(
    (
        *("relocatable-device-code", "brief-diagnostics", "static-global-template-stub"),
        *("device-entity-has-hidden-visibility", "device-stack-protector"),
    )
)
_ARCHITECTURES = frozenset(("gpu-architecture", "gpu-code", "generate-code"))
_NUMBER = re.compile(r"[+-]?(?:0[xX][0-9a-fA-F]+|\d+)")
#: Numbers that CUDA 12.4 lacks pass, as those of newer and older releases: the code is compiled for MUSA.
_ARCHITECTURE = re.compile(r"(?:sm|compute|lto)_\d{2,3}[af]?|native|all|all-major")
#: Key of a flag -> its values. The other flags with few values have them in toolchain/nvcc_translations.py.
_CHOICES: Mapping[str, Sequence[str]] = {
    "std": ("c++03", "c++11", "c++14", "c++17", "c++20"),
    "-x": ("c", "c++", "cu"),
    "dopt": ("on",),
    "Ofast-compile": ("0", "min", "mid", "max"),
    "cudadevrt": ("none", "static"),
    "optimization-info": ("inline",),
    "host-linker-script": ("use-lcs", "gen-lcs"),
    "Werror": (
        *("all-warnings", "cross-execution-space-call", "reorder", "default-stream-launch"),
        *("missing-launch-bounds", "ext-lambda-captures-this", "deprecated-declarations"),
    ),
}


class NvccError(Exception):
    """A command line that nvcc refuses, too; the text is nvcc's where it has one.

    It is no MusaBuildError: those have codes and hints, which tools that read nvcc's messages do not expect.
    """

    def __init__(self, what: str, *, found: str = "", wanted: str = "") -> None:
        parts = [what, f"found: {found}" if found else "", f"wanted: {wanted}" if wanted else ""]
        super().__init__("; ".join(part for part in parts if part))


def check(flags: Sequence[ParsedFlag]) -> None:
    """Raise NvccError for the first flag that nvcc refuses."""
    forwards = any(flag.key in _FORWARDING for flag in flags)
    for flag in flags:
        word = flag.arguments[0]
        if flag.key in _ARCHITECTURES:
            _check_architecture(flag)
        elif flag.key in _NUMBERS:
            _check_numbers(flag)
        elif flag.key in _CHOICES:
            _check_choice(flag)
        elif flag.key in _TRUE_OR_FALSE:
            _check_truth(flag)
        elif not flag.key and word in ("-Werror", "--Werror"):
            raise NvccError(f"argument expected after '{word}'")
        elif not flag.key and not forwards and len(word) > 1 and word[0] == "-" and not word.startswith(_PASSES):
            raise NvccError(
                f"Unknown option '{word}'",
                wanted=f"-Xcompiler={word} for the host compiler, or NVCC_APPEND_FLAGS for a flag of mcc's",
            )


def check_spelling(flags: Sequence[ParsedFlag]) -> None:
    """Raise NvccError for the first flag with the wrong number of dashes, or with _ for -: nvcc does not know it."""
    if any(flag.key in _FORWARDING for flag in flags):
        return
    for flag in flags:
        if flag.key and not flag.is_spelled_as_in_nvcc:
            raise NvccError(f"Unknown option '{flag.name}'", wanted=f"--{flag.key.lstrip('-')}")


def _check_architecture(flag: ParsedFlag) -> None:
    if flag.key == "generate-code" and not ("arch=" in flag.value and "code=" in flag.value):
        raise NvccError(f"Option '{flag.text}' is incomplete", wanted="arch=compute_NN,code=sm_NN")
    for word in _values(re.sub(r"\b(?:arch|code)=|[\[\]\\\"']", "", flag.value)):
        if not _ARCHITECTURE.fullmatch(word):
            raise NvccError(f"Value '{word}' is not defined for option '{flag.key}'", wanted="sm_NN or compute_NN")


def _check_numbers(flag: ParsedFlag) -> None:
    for value in _values(flag.value):
        if not _NUMBER.fullmatch(value) or (flag.key in _NOT_NEGATIVE and value.startswith("-")):
            raise NvccError(f"'{value}': expected a number", found=flag.text)


def _check_choice(flag: ParsedFlag) -> None:
    for value in _values(flag.value):
        if value not in _CHOICES[flag.key]:
            name = flag.key.lstrip("-")
            raise NvccError(f"Value '{value}' is not defined for option '{name}'", wanted=", ".join(_CHOICES[flag.key]))


def _check_truth(flag: ParsedFlag) -> None:
    if flag.value not in ("true", "false"):
        raise NvccError(f"'{flag.value}': expected true or false", found=flag.text)


def _values(text: str) -> list[str]:
    """Return the values of a list. nvcc ignores blanks around them, and a comma at the end."""
    return [value.strip() for value in text.split(",") if value.strip()]
