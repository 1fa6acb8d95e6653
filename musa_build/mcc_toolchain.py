"""mcc's command line for one source. nvcc_flags.py translates the flags of nvcc. This module is pure.

Moore Threads publishes no manual of mcc's options. These facts come from their build files: mcc is clang 14 with MUSA
defaults. It takes `--offload-arch=mp_XX` once per architecture, `-x musa` for files not named .mu, `-MD -MF` for
dependencies, and at most one `-std=`. Not verified on MUSA hardware.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    from .environment.sdk import MusaArch

_ARCH_FLAG = re.compile(r"--?(?:offload-arch|cuda-gpu-arch)(?:=|$)")
_OPTIMISATION_FLAG = re.compile(r"-O(?:\d|s|z|g|fast)?")  # not -Od3, which is for device code alone


@dataclass(frozen=True)
class MccToolchain:
    """The MUSA compiler, the architectures to compile for, and the compiler launcher (ccache)."""

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
        """Return the command that compiles one source as MUSA, whatever its suffix.

        It always has `-x musa`. A .mu file does not need that, but .MU, .cu and .cpp do. `-U__CUDA__` is there because
        mcc defines that macro, as clang does for CUDA, and headers would take mcc for NVIDIA's compiler.
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
        """Return mcc's link command for relocatable device code, as torch_musa's mcc_dlink rule runs it.

        Not verified on hardware: it is only known that mcc accepts -dlink.
        """
        dlink = () if "-dlink" in flags else ("-dlink",)
        return (*self.command, *objects, "-o", output, "-fPIC", *self._arch_flags(flags), *dlink, *flags)

    def _arch_flags(self, flags: Sequence[str]) -> tuple[str, ...]:
        """Return one --offload-arch per architecture, or nothing if the user's flags name architectures.

        A command always names one: mcc's own default has been the oldest architecture.
        """
        if names_arch(flags):
            return ()
        return tuple(f"--offload-arch={arch.name}" for arch in self.archs)


def names_arch(flags: Sequence[str]) -> bool:
    """Return whether the flags choose architectures, in either of clang's spellings."""
    return any(_ARCH_FLAG.match(flag) for flag in flags)


def default_optimisation(flags: Sequence[str]) -> tuple[str, ...]:
    """Return -O2 unless `flags` set a level: clang's default is no optimisation."""
    return () if any(_OPTIMISATION_FLAG.fullmatch(flag) for flag in flags) else ("-O2",)


def without_language(flags: Sequence[str]) -> tuple[str, ...]:
    """Return `flags` without `-x LANGUAGE`: after the source it has no effect, and clang warns about it."""
    kept: list[str] = []
    arguments = iter(flags)
    for argument in arguments:
        if argument == "-x":
            next(arguments, None)
        else:
            kept.append(argument)
    return tuple(kept)
