"""The implementation of an operator: a musa kernel, PyTorch's code out of other operators, or PyTorch's CPU kernel.

``MUSA_FALLBACK`` in the environment says what happens when the CPU has to compute one:

- ``allow`` (default): it does.
- ``report``: the same; a table of such calls is printed to standard error when the process ends.
- ``warn``: the same, with one warning per operator.
- ``error``: the call raises NotImplementedError.
- ``prefer``: the kernel library is not loaded, so the CPU computes all that it can, which is faster for some programs.

Operators of the kind ``declared`` run on the CPU on purpose; they are counted apart, and no policy refuses them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

from torch_musa import _MUSAC

OperatorKind = Literal["native", "composite", "declared", "fallback", "missing"]


@dataclass(frozen=True)
class FallbackCount:
    """The calls of one operator that the CPU computed.

    Attributes:
        name: The operator, as ``aten::sort.stable``.
        calls: How often it was called.
        bytes: The size of all tensors on the device that these calls were given.
    """

    name: str
    calls: int
    bytes: int


@dataclass(frozen=True)
class FallbackReport:
    """The operators that PyTorch's CPU kernels computed, those with most calls first.

    Attributes:
        operators: The operators that have no musa kernel yet.
        declared: The operators that run on the CPU on purpose.
    """

    operators: tuple[FallbackCount, ...]
    declared: tuple[FallbackCount, ...] = ()

    @property
    def calls(self) -> int:
        """Return the number of calls of operators that lack a musa kernel."""
        return sum(count.calls for count in self.operators)

    def __str__(self) -> str:
        head = f"PyTorch's CPU kernels computed {self.calls} calls of {len(self.operators)} operators"
        parts = [head, *(_row(count) for count in self.operators)]
        if self.declared:
            calls = sum(count.calls for count in self.declared)
            parts += [
                f"and, on purpose, {calls} calls of {len(self.declared)}",
                *(_row(count) for count in self.declared),
            ]
        return "\n".join(parts)


def _row(count: FallbackCount) -> str:
    return f"{count.calls:10} calls {count.bytes:14} bytes  {count.name}"


def fallback_report() -> FallbackReport:
    """Return the calls that PyTorch's CPU kernels computed since the process began, or since the last reset."""
    rows = _MUSAC.fallback_counts()
    lacking, declared = (
        tuple(FallbackCount(name, calls, size) for name, calls, size, declared in rows if declared is wanted)
        for wanted in (False, True)
    )
    return FallbackReport(lacking, declared)


def reset_fallback_report() -> None:
    """Reset the counts."""
    _MUSAC.reset_fallback_counts()


def operator_kinds() -> dict[str, OperatorKind]:
    """Return the implementation of each of PyTorch's operators on a musa device, by name, as ``aten::add.out``.

    ``native``: a kernel of this backend. ``composite``: PyTorch's own code, which calls other operators. ``declared``:
    PyTorch's CPU kernel, on purpose. ``fallback``: PyTorch's CPU kernel. ``missing``: none; a call raises
    NotImplementedError.
    """
    return cast("dict[str, OperatorKind]", _MUSAC.operator_kinds())
