"""Pure: what mcc is told for one source, and what nvcc's flags mean to mcc.

Moore Threads publishes no manual of mcc's options. What is known comes from their own build files: mcc is clang 14 with
MUSA defaults, takes `--offload-arch=mp_XX` once per architecture, `-x musa` for files not named .mu, `-MD -MF` for
dependencies, and should be given at most one `-std=`. Not verified on MUSA hardware.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Optional

from .arch import MusaArch

_ARCH_FLAG = re.compile(r"--?(?:offload-arch|cuda-gpu-arch)(?:=|$)")
_OPTIMISATION_FLAG = re.compile(r"-O(?:\d|s|z|g|fast)?")  # not -Od3, which is for device code alone


@dataclass(frozen=True)
class MccToolchain:
    """The MUSA compiler, the architectures to compile for, and what goes before the compiler (ccache)."""

    command: tuple[str, ...]
    archs: tuple[MusaArch, ...]
    launcher: tuple[str, ...] = ()

    def compile_command(
        self,
        *,
        source: str,
        output: str,
        depfile: str,
        preprocessor: Sequence[str],
        flags: Sequence[str],
        standard: Optional[str],
    ) -> tuple[str, ...]:
        """The command that compiles one source as MUSA, whatever its suffix.

        `-x musa` always: a .mu needs none, but .MU, .cu and .cpp do, and one rule for all is easier to trust.
        `-U__CUDA__`: mcc defines it as clang does for CUDA, and headers would take it for NVIDIA's compiler.
        """
        return (
            *self.launcher,
            *self.command,
            *("-MD", "-MF", depfile),
            *("-fPIC", "-U__CUDA__"),
            *preprocessor,
            *("-x", "musa"),
            *(source, "-o", output),
            *without_language(flags),
            *default_optimisation(flags),
            *([f"-std={standard}"] if standard else []),
            *self._arch_flags(flags),
        )

    def device_link_command(self, objects: Sequence[str], output: str, flags: Sequence[str]) -> tuple[str, ...]:
        """mcc's link of relocatable device code, as torch_musa's mcc_dlink rule runs it. Not verified on hardware: that
        mcc understands -dlink is all that is known."""
        dlink = () if "-dlink" in flags else ("-dlink",)
        return (*self.command, *objects, "-o", output, "-fPIC", *self._arch_flags(flags), *dlink, *flags)

    def _arch_flags(self, flags: Sequence[str]) -> tuple[str, ...]:
        """One --offload-arch per architecture; none where the user's own flags name some. Never none at all: mcc's
        own default has been the oldest architecture there is."""
        if names_arch(flags):
            return ()
        return tuple(f"--offload-arch={arch.name}" for arch in self.archs)


def names_arch(flags: Sequence[str]) -> bool:
    """Whether the flags choose architectures themselves, in either of clang's spellings."""
    return any(_ARCH_FLAG.match(flag) for flag in flags)


def default_optimisation(flags: Sequence[str]) -> tuple[str, ...]:
    """-O2 where nobody chose: clang's own default is no optimisation at all."""
    return () if any(_OPTIMISATION_FLAG.fullmatch(flag) for flag in flags) else ("-O2",)


def without_language(flags: Sequence[str]) -> tuple[str, ...]:
    """`flags` without `-x musa`: after the source it would have no effect but a warning."""
    kept: list[str] = []
    words = iter(flags)
    for word in words:
        if word == "-x":
            next(words, None)
        else:
            kept.append(word)
    return tuple(kept)


@dataclass(frozen=True)
class NvccFlag:
    """One flag of nvcc: how it is spelled, whether a value follows, what mcc gets instead, and why.

    In `becomes`, "{value}" stands for the flag's value, split at commas into one flag each, without the quotation marks
    that nvcc's shell takes off (torch itself writes "'-fPIC'"); "{whole}" for the value as it is.
    """

    spellings: tuple[str, ...]
    takes_value: bool
    becomes: tuple[str, ...]
    reason: str


NVCC_FLAGS: tuple[NvccFlag, ...] = (
    NvccFlag(("-gencode", "--generate-code"), True, (), "architectures come from TORCH_MUSA_ARCH_LIST"),
    NvccFlag(("-arch", "--gpu-architecture"), True, (), "architectures come from TORCH_MUSA_ARCH_LIST"),
    NvccFlag(("-code", "--gpu-code"), True, (), "architectures come from TORCH_MUSA_ARCH_LIST"),
    NvccFlag(("-Xcompiler", "--compiler-options"), True, ("{value}",), "mcc takes host flags directly"),
    NvccFlag(("-std", "--std"), True, ("-std={whole}",), "clang wants it in one word"),
    NvccFlag(("-ccbin", "--compiler-bindir"), True, (), "mcc is its own host compiler"),
    NvccFlag(("-Xcudafe", "-Xptxas", "--ptxas-options", "-Xnvlink", "-Xfatbin"), True, (), "a tool of NVIDIA's"),
    NvccFlag(("-diag-suppress", "--diag-suppress"), True, (), "numbers of NVIDIA's front end"),
    NvccFlag(("-t", "--threads", "-split-compile", "--split-compile"), True, (), "threads of nvcc"),
    NvccFlag(("-maxrregcount", "--maxrregcount"), True, (), "NVIDIA's register file"),
    NvccFlag(("--expt-relaxed-constexpr", "-expt-relaxed-constexpr"), False, (), "clang always allows it"),
    NvccFlag(("--expt-extended-lambda", "-expt-extended-lambda"), False, (), "clang always allows it"),
    NvccFlag(("--extended-lambda", "-extended-lambda"), False, (), "clang always allows it"),
    NvccFlag(("--use_fast_math", "-use_fast_math"), False, ("-ffast-math",), "clang's name for it"),
    NvccFlag(("-lineinfo", "--generate-line-info"), False, (), "no counterpart is known"),
    NvccFlag(("-Wno-deprecated-gpu-targets",), False, (), "about NVIDIA's architectures"),
)

_HALF_SWITCHES = ("HALF_OPERATORS", "HALF_CONVERSIONS", "HALF2_OPERATORS")
_BFLOAT16_SWITCHES = ("BFLOAT16_OPERATORS", "BFLOAT16_CONVERSIONS", "BFLOAT162_OPERATORS", "BFLOAT162_CONVERSIONS")
NVCC_FLAGS += tuple(
    NvccFlag((f"{action}__CUDA_NO_{name}__",), False, (f"{action}__MUSA_NO_{name}__",), "the name in MUSA's headers")
    for action in ("-D", "-U")
    for name in (*_HALF_SWITCHES, *_BFLOAT16_SWITCHES)
)

# What PyTorch tells nvcc before the extension's own flags. CUDA code relies on it: "a == b" of two c10::Half would be
# ambiguous if __half had operators too. Code that wants those passes the -U.
TORCH_NVCC_FLAGS = (
    "-D__MUSA_NO_HALF_OPERATORS__",
    "-D__MUSA_NO_HALF_CONVERSIONS__",
    "-D__MUSA_NO_BFLOAT16_CONVERSIONS__",
    "-D__MUSA_NO_HALF2_OPERATORS__",
)

_BY_SPELLING = {spelling: flag for flag in NVCC_FLAGS for spelling in flag.spellings}


def translate_nvcc_flags(flags: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """nvcc's flags as mcc's, and one line per flag that changed, saying what became of it and why."""
    translated: list[str] = []
    notes: list[str] = []
    words = iter(flags)
    for word in words:
        name, equals, value = word.partition("=")
        flag = _BY_SPELLING.get(word) or _BY_SPELLING.get(name)
        if flag is None:
            translated.append(word)
            continue
        if flag.takes_value and not equals:
            value = next(words, "")
        parts = [part for part in value.strip("'\"").split(",") if part]
        wanted = (parts if item == "{value}" else [item.replace("{whole}", value)] for item in flag.becomes)
        translation = [part for item in wanted for part in item]
        translated.extend(translation)
        written = f"{word} {value}" if flag.takes_value and not equals else word
        if translation != [word]:
            notes.append(f"{written}: {' '.join(translation) or 'dropped'} ({flag.reason})")
    return tuple(translated), tuple(notes)
