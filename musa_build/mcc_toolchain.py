"""Pure: what mcc is told for one source. What nvcc's flags mean to mcc is in nvcc_flags.py.

Moore Threads publishes no manual of mcc's options. What is known comes from their own build files: mcc is clang 14 with
MUSA defaults, takes `--offload-arch=mp_XX` once per architecture, `-x musa` for files not named .mu, `-MD -MF` for
dependencies, and should be given at most one `-std=`. Not verified on MUSA hardware.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Optional

from .environment.architectures import MusaArch

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
