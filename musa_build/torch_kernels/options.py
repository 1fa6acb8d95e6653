"""The options of `musa-build torch-musa`, and the macros and flags that they set."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Optional

NAME = "musa_pytorch_kernels"
LIBRARY = f"lib{NAME}.so"
"""The library that torch_musa loads after its own kernels."""


@dataclass(frozen=True)
class Options:
    """The options of one build.

    Attributes:
        folder: The folder to build in.
        fp64: Compile double precision into kernels for cards.
        debug: As DEBUG=1.
        asan: As USE_ASAN=1.
        jobs: How many compilers run at once; None for as many as cores and memory allow.
        names: Shell patterns of the files to use; none for all.
        install: Put the library beside torch_musa's.
    """

    folder: Path
    fp64: bool = False
    debug: bool = False
    asan: bool = False
    jobs: Optional[int] = None
    names: tuple[str, ...] = ()
    install: bool = True

    @property
    def mcc_flags(self) -> tuple[str, ...]:
        level = ("-O0", "-g") if self.debug else ("-O2",)
        sanitize = ("-fsanitize=address",) if self.asan else ()
        return (*level, *sanitize, *(() if self.fp64 else ("-mathx-disable-fp64",)))

    @property
    def link_flags(self) -> tuple[str, ...]:
        return ("-fsanitize=address",) if self.asan else ()
