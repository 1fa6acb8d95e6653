"""NaN and Inf: find them in tensors, and decide whether an operator made them or passed them on."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import torch

from musa_tools.judge.numbers import has_arithmetic, is_float, plain
from musa_tools.tensors.operands import holds_values, leaves, readable

# Their results consist of their inputs' elements, so they make nothing.
CARRIERS = frozenset(
    """
    _to_copy copy_ copy clone lift_fresh lift_fresh_copy contiguous cat stack where gather index_select index index_put
    index_put_ embedding slice_scatter select_scatter scatter scatter_ masked_scatter triu tril triu_ tril_ flip roll
    repeat constant_pad_nd masked_select take view_as_real_copy _foreach_copy_ set_ index_copy index_copy_ sort topk
    max min amax amin maximum minimum unfold neg abs
    """.split()  # noqa: SIM905  a list of so many strings is hard to read
)
# They write numbers that the user gave.
CONSTANTS = frozenset(
    """
    full full_like new_full fill fill_ masked_fill masked_fill_ scalar_tensor constant_pad_nd index_fill index_fill_
    zero_ zeros zeros_like new_zeros ones ones_like new_ones
    """.split()  # noqa: SIM905
)
# Indices among the results may be others, sums are formed, norms are kept small: these do more than copy.
_COMPUTED = frozenset(
    ["abs", "embedding", "sort", "topk", "max", "min", "index_put", "index_put_", "scatter", "scatter_"]
)
_NARROW = frozenset(["_to_copy", "copy_", "copy"])  # a large number becomes Inf in a narrow dtype


_COMPRESSED = (torch.sparse_csr, torch.sparse_csc, torch.sparse_bsr, torch.sparse_bsc)


@dataclass(frozen=True)
class State:
    """Whether some values hold NaN or Inf."""

    nan: bool = False
    inf: bool = False

    @property
    def bad(self) -> bool:
        """Return whether they hold either."""
        return self.nan or self.inf

    def __or__(self, other: State) -> State:
        return State(self.nan or other.nan, self.inf or other.inf)

    @property
    def words(self) -> str:
        """Return the state in words, as `NaN and Inf`."""
        return " and ".join(word for word, here in (("NaN", self.nan), ("Inf", self.inf)) if here)


CLEAN = State()


def values_of(tensor: torch.Tensor) -> Any:
    """Return the floating point numbers of a tensor, such that they can be reduced, or None where it has none."""
    if not is_float(tensor.dtype) or not holds_values(tensor):
        return None
    if tensor.layout == torch.sparse_coo:
        tensor = tensor._values()
    elif tensor.layout in _COMPRESSED:
        tensor = tensor.values()
    values = readable(tensor)
    if values is None or not values.numel() or not has_arithmetic(values.dtype):
        return None
    values = plain(values)
    return torch.view_as_real(values.resolve_conj()) if values.dtype.is_complex else values


def state_of(tensor: torch.Tensor) -> State:
    """Return whether a tensor holds NaN or Inf. This waits for the device."""
    values = values_of(tensor)
    if values is None:
        return CLEAN
    low, high = (bound.item() for bound in torch.aminmax(values))
    if math.isfinite(low) and math.isfinite(high):
        return CLEAN
    if math.isnan(low) or math.isnan(high):  # a NaN hides whether there is an infinity
        return State(True, bool(values.isinf().any()))
    return State(False, True)


def state_of_all(value: Any) -> State:
    """Return whether any tensor or number of a nest is NaN or Inf."""
    state = CLEAN
    for _, leaf in leaves(value):
        if isinstance(leaf, torch.Tensor):
            state |= state_of(leaf)
        elif isinstance(leaf, float) and not math.isfinite(leaf):
            state |= State(math.isnan(leaf), math.isinf(leaf))
    return state


def made(base: str, inputs: State, output: State) -> State:
    """Return the NaN and Inf that an operator made itself, and did not get from its inputs.

    Args:
        base: The operator's name, as ``aten.log``.
        inputs: The state of its inputs, numbers included.
        output: The state of its result.
    """
    name = base.partition(".")[2] if base.startswith("aten.") else base
    if name in CARRIERS and name not in _NARROW:
        return CLEAN
    return State(output.nan and not inputs.nan, output.inf and not inputs.bad)


def only_moves(base: str) -> bool:
    """Return whether an operator copies elements and does nothing to them."""
    name = base.partition(".")[2] if base.startswith("aten.") else base
    return name in CARRIERS and name not in _NARROW and name not in _COMPUTED


def is_constant(base: str) -> bool:
    """Return whether an operator writes numbers that the user gave."""
    return base.startswith("aten.") and base[len("aten.") :] in CONSTANTS


def has_infinite_number(values: Iterable[Any]) -> bool:
    """Return whether a number among arguments is not finite."""
    return any(isinstance(value, float) and not math.isfinite(value) for value in values)
