"""The statistics of a dumped tensor: the one list that dumps, readers, comparisons and reports follow.

To add one, add it to ``STATISTICS``: dump.json, the comparison, the csv and JSON files and the page show it.
``unread_values`` tells tensors apart by all of them. tests/tools/test_dump_files.py, test_statistic_fields.py,
test_compare_dumps.py and docs/tools.md name them, too. No torch is imported here before a statistic is computed.
"""

from __future__ import annotations

import enum
from typing import Any, Callable, NamedTuple, Optional


class Scale(enum.Enum):
    """The value that a difference of two statistics is divided by."""

    ELEMENT = "the largest element; the difference is one of two elements"
    SIZE = "the largest element"
    OWN = "the larger of both"


class Reduced(NamedTuple):
    """A tensor to compute statistics of: real, and of a type that has the reductions."""

    low: Any
    high: Any
    values: Any


class Statistic(NamedTuple):
    """One statistic.

    Attributes:
        name: Its name in the JSON file of a comparison, on its page and in ``musa-tools parse``.
        key: Its key in dump.json, and its title in csv files.
        compute: Starts the computation on the tensor's device; returns a tensor of one element.
        scale: How two runs are compared.
        finish: Makes the statistic of the computed number and the number of elements.
        wide: Computes it again in float64, if its sum left the range of the type.
        of_bool: Computes it for a tensor of bool; None: a bool has none.
        csv_name: Its title in msprobe's csv files, if that is another.
        in_lines: Whether the lines of ptdbg_ascend and torch_npu.hooks have it, in this order.
    """

    name: str
    key: str
    compute: Callable[[Reduced], Any]
    scale: Scale
    finish: Callable[[Any, int], Any] = lambda number, count: number
    wide: Optional[Callable[[Any], float]] = None
    of_bool: Optional[Callable[[Any], Any]] = None
    csv_name: str = ""
    in_lines: bool = False

    @property
    def title(self) -> str:
        """Return the title in msprobe's csv files."""
        return self.csv_name or self.key


def _norm(values: Any) -> Any:
    import torch

    return torch.linalg.vector_norm(values)


def _wide_mean(values: Any) -> float:
    import torch

    return float(values.sum(dtype=torch.float64)) / int(values.numel())


STATISTICS = (
    Statistic("max", "Max", lambda of: of.high, Scale.ELEMENT, of_bool=lambda values: values.any(), in_lines=True),
    Statistic("min", "Min", lambda of: of.low, Scale.ELEMENT, of_bool=lambda values: values.all(), in_lines=True),
    Statistic(
        "mean",
        "Mean",
        lambda of: of.values.sum(),
        Scale.SIZE,
        finish=lambda total, count: total / count,
        wide=_wide_mean,
        in_lines=True,
    ),
    Statistic(
        "norm",
        "Norm",
        lambda of: _norm(of.values),
        Scale.OWN,
        wide=lambda values: float(_norm(values.double())),
        csv_name="L2norm",
    ),
)
#: The statistics in a line of ptdbg_ascend and torch_npu.hooks.
IN_LINES = tuple(each for each in STATISTICS if each.in_lines)
