"""Flags for results that may hold NaN or Inf. They cost little to set, and are read many at a time."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import compress
from typing import Any, Optional

import torch

from musa_tools.judge.nonfinite import State, state_of, values_of
from musa_tools.observe.modules import OpContext
from musa_tools.observe.op_facts import OpFacts
from musa_tools.tensors.operands import why_unreadable

_SMALL = 1 << 16  # elements: a result of so many is held, and reduced together with others
_MOST_HELD = 64
_MOST_HELD_ELEMENTS = 1 << 22


class Record:
    """An operator that has run."""

    __slots__ = ("facts", "inputs", "where")

    def __init__(self, facts: OpFacts, where: OpContext, inputs: tuple[Any, ...]) -> None:
        self.facts = facts
        self.where = where
        self.inputs = inputs  # (weak reference, version) of the tensors that it read


@dataclass(frozen=True, eq=False)
class Finding:
    """An operator whose result holds NaN or Inf."""

    record: Record
    state: State
    tensor: Optional[torch.Tensor]  # the result, if it is still alive


class Flags:
    """Results and whether they are suspicious, in the order of the operators.

    Results on the CPU are checked at once, which costs nothing there. Other devices keep numbers that tell the same;
    ``findings`` waits for them.
    """

    def __init__(self) -> None:
        self._held: list[torch.Tensor] = []
        self._held_addresses: list[int] = []
        self._held_records: list[Record] = []
        self._held_storages: set[int] = set()
        self._held_elements = 0
        self._numbers: list[torch.Tensor] = []
        self._number_records: list[Record] = []
        self._found: list[Finding] = []

    def __len__(self) -> int:
        return len(self._held) + len(self._numbers) + len(self._found)

    def add(self, record: Record, tensor: torch.Tensor) -> None:
        """Add a floating point result."""
        values = tensor if _reducible(tensor) else values_of(tensor)
        if values is None:
            return
        size = values.numel()
        if size <= _SMALL:
            self._held.append(values)
            self._held_addresses.append(values.data_ptr())
            self._held_records.append(record)
            self._held_storages.add(values.untyped_storage()._cdata)
            self._held_elements += size
            if len(self._held) >= _MOST_HELD or self._held_elements > _MOST_HELD_ELEMENTS:
                self.reduce()
        elif values.is_cpu:
            if _suspicious(values):
                self.reduce()  # earlier results come first
                self._found.append(Finding(record, state_of(values), values))
        else:
            self._numbers += torch.aminmax(values)
            self._number_records += (record, record)

    @property
    def known_bad(self) -> bool:
        """Return whether there is a finding already."""
        return bool(self._found)

    def before_write(self, written: list[int]) -> None:
        """Reduce the results that are held, if an operator is about to write to their memory."""
        if not self._held_storages.isdisjoint(written):
            self.reduce()

    def reduce(self) -> None:
        """Turn the results that are held into numbers, and let go of them."""
        held, records = self._held, self._held_records
        if any(tensor.data_ptr() != address for tensor, address in zip(held, self._held_addresses)):
            # The program has freed the memory below a tensor, as FullyShardedDataParallel does.
            there = [tensor.data_ptr() == address for tensor, address in zip(held, self._held_addresses)]
            held, records = list(compress(held, there)), list(compress(records, there))
        self._held, self._held_addresses, self._held_records = [], [], []
        self._held_storages, self._held_elements = set(), 0
        if not held:
            return
        if held[0].is_cpu and all(tensor.is_cpu for tensor in held):
            if not _all_finite(torch._foreach_norm(held, 2)):  # the square of a finite number may overflow
                pairs = [(record, tensor, state_of(tensor)) for record, tensor in zip(records, held)]
                self._found += [Finding(record, state, tensor) for record, tensor, state in pairs if state.bad]
            return
        for record, tensor in zip(records, held):
            self._numbers += torch.aminmax(tensor)
            self._number_records += (record, record)

    def findings(self) -> list[Finding]:
        """Return the operators whose results hold NaN or Inf, in order, and forget everything."""
        self.reduce()
        found = self._found
        if self._numbers and not _all_finite(self._numbers):
            states: dict[Record, State] = {}
            for record, number in zip(self._number_records, self._numbers):
                value = number.item()
                if not math.isfinite(value):
                    states[record] = states.get(record, State()) | State(math.isnan(value), math.isinf(value))
            found = found + [Finding(record, state, None) for record, state in states.items()]
        self._numbers, self._number_records, self._found = [], [], []
        return found


def _reducible(tensor: torch.Tensor) -> bool:
    return (
        tensor.dtype in (torch.float32, torch.bfloat16, torch.float16, torch.float64)
        and not why_unreadable(tensor)
        and tensor.numel() > 0
    )


def _suspicious(values: torch.Tensor) -> bool:
    """Return whether a tensor of the CPU holds NaN or Inf."""
    if values.dtype == torch.float16:
        return not _finite(values)
    # The fastest reduction of all; finite numbers may overflow in it.
    return not math.isfinite(torch.linalg.vector_norm(values).item()) and not _finite(values)


def _finite(values: torch.Tensor) -> bool:
    low, high = torch.aminmax(values)
    return math.isfinite(low.item()) and math.isfinite(high.item())


def _all_finite(numbers: Iterable[torch.Tensor]) -> bool:
    groups: dict[tuple[torch.device, torch.dtype], list[torch.Tensor]] = {}
    for number in numbers:
        groups.setdefault((number.device, number.dtype), []).append(number)
    return all(bool(torch.isfinite(torch.stack(group)).all()) for group in groups.values())
