"""`__CUDA_ARCH__` and CUDA version macros: numbers that mean something else on MUSA.

Renaming `__CUDA_ARCH__ >= 530` to `__MUSA_ARCH__ >= 530` would silently switch the code off, because MUSA counts 100,
210, 220, 310. So a threshold is translated as a number, or the guard is left alone and reported; it is never renamed
blindly.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Optional

# (a, b): what code asks of CUDA architectures up to a, MUSA architectures have from b on.
# 80 -> 220 (bf16, tensor cores) and 90 -> 310 are torchada's thresholds, 89 -> 310 because both mean fp8; that every
# MUSA GPU does what sm_75 does (half arithmetic, shuffles) is this project's assumption. Not verified on MUSA hardware.
_MUSA_ARCH_UP_TO = ((750, 100), (880, 220))
_NEWEST_MUSA_ARCH = 310

VERSION_MACROS = frozenset(
    {"CUDA_VERSION", "CUDART_VERSION", "__CUDACC_VER_MAJOR__", "__CUDACC_VER_MINOR__", "__CUDACC_VER_BUILD__"}
)

_ARCH = re.compile(r"\b__CUDA_ARCH__\b")
_THRESHOLD = re.compile(r"(\s*(?:>=|<(?![<=]))\s*)(\d+)\b(?!\s*[-+*/%])")
_ARITHMETIC_AFTER = re.compile(r"\s*(?:[<>*/%+-]|[=!]=)")
_ARITHMETIC_BEFORE = re.compile(r"(?:[<>*/%+-]|[<>=!]=)\s*\Z")


@dataclass(frozen=True)
class ArchGuard:
    """A use of `__CUDA_ARCH__` at `text[start:end]`; `replacement` is None where its meaning on MUSA is not known."""

    start: int
    end: int
    replacement: Optional[str]


def musa_threshold(cuda_arch: int) -> int:
    """The value of `__MUSA_ARCH__` from which a MUSA GPU has what CUDA has from `cuda_arch` (a number such as 530)."""
    return next((musa for limit, musa in _MUSA_ARCH_UP_TO if cuda_arch <= limit), _NEWEST_MUSA_ARCH)


def arch_guards(text: str) -> Iterator[ArchGuard]:
    """Every use of `__CUDA_ARCH__` in `text`, with its translation where there is one."""
    for match in _ARCH.finditer(text):
        start, end = match.span()
        threshold = _THRESHOLD.match(text, end)
        if _ARITHMETIC_BEFORE.search(text, max(0, start - 16), start):
            yield ArchGuard(start, end, None)
        elif threshold is not None:
            operator, number = threshold.groups()
            yield ArchGuard(start, threshold.end(), f"__MUSA_ARCH__{operator}{musa_threshold(int(number))}")
        elif _ARITHMETIC_AFTER.match(text, end):
            yield ArchGuard(start, end, None)
        else:
            yield ArchGuard(start, end, "__MUSA_ARCH__")
