"""Who computes an operator: a musa kernel, PyTorch's code out of other operators, or PyTorch's CPU kernel.

``MUSA_FALLBACK`` in the environment says what happens when the CPU has to compute one:

- ``allow`` (default): it does.
- ``report``: the same; a table of such calls is printed to standard error when the process ends.
- ``warn``: the same, with one warning per operator.
- ``error``: the call raises NotImplementedError.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

from torch_musa import _MUSAC

OperatorKind = Literal["native", "composite", "fallback", "missing"]


@dataclass(frozen=True)
class FallbackCount:
    """What one operator left to the CPU.

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
    """The operators that PyTorch's CPU kernels computed, those with most calls first."""

    operators: tuple[FallbackCount, ...]

    @property
    def calls(self) -> int:
        """Return the number of all calls."""
        return sum(count.calls for count in self.operators)

    def __str__(self) -> str:
        head = f"PyTorch's CPU kernels computed {self.calls} calls of {len(self.operators)} operators"
        return "\n".join(
            [head, *(f"{count.calls:10} calls {count.bytes:14} bytes  {count.name}" for count in self.operators)]
        )


def fallback_report() -> FallbackReport:
    """Return what PyTorch's CPU kernels computed since the process began, or since the last reset."""
    return FallbackReport(tuple(FallbackCount(*row) for row in _MUSAC.fallback_counts()))


def reset_fallback_report() -> None:
    """Forget what was counted."""
    _MUSAC.reset_fallback_counts()


def operator_kinds() -> dict[str, OperatorKind]:
    """Return who computes each of PyTorch's operators on a musa device, by name, as ``aten::add.out``.

    ``native``: a kernel of this backend. ``composite``: PyTorch's own code, which calls other operators. ``fallback``:
    PyTorch's CPU kernel. ``missing``: nobody; a call raises NotImplementedError.
    """
    return cast("dict[str, OperatorKind]", _MUSAC.operator_kinds())
