"""Calls as lines: one per tensor, named by the number of the call in the whole run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Callable, NamedTuple, Optional

import torch

from musa_tools.dump.line_forms import Form, Item
from musa_tools.dump.line_store import LineStore
from musa_tools.dump.switch import DumpSelection
from musa_tools.observe.process import Stack, Stacks, is_capturing, written
from musa_tools.tensors.operands import as_tuple, tensors_by_position

if TYPE_CHECKING:
    from musa_tools.dump.calls import Call


class Target(NamedTuple):
    """The destination and the form of lines; a form without lines needs no store."""

    form: Form
    store: Optional[LineStore]


class _Note:
    """The state of a call that runs."""

    __slots__ = ("lines", "stack")

    def __init__(self) -> None:
        self.lines: list[Any] = []
        self.stack: Stack = ()


class LineSink:
    """Writes lines.

    Args:
        target: Returns the current destination; None writes nothing.
        select: Returns what to dump of a call, by its name, number, and whether it is the backward pass.
    """

    def __init__(
        self, target: Callable[[], Optional[Target]], select: Callable[[str, int, bool], DumpSelection]
    ) -> None:
        self._target = target
        self._select = select
        self._stacks = Stacks()

    def begin(self, call: Call, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Record the arguments of a call."""
        name = call.indexed_name("forward")
        selection = self._select(name, call.index, False)
        note = call.note = _Note()
        note.stack = self._stacks.here()
        if selection.stack:
            note.lines.append([f"{name}_stack_info", written(note.stack)])
        target = self._target()
        if selection.values and target is not None:
            note.lines += self._lines(target, call, "forward", "input", tensors_by_position(args, kwargs))
        return True

    def end(self, call: Call, args: tuple[Any, ...], kwargs: dict[str, Any], outputs: Any) -> None:
        """Write the arguments and the results of a call."""
        lines, target = call.note.lines, self._target()
        if target is not None and self._select(call.indexed_name("forward"), call.index, False).values:
            lines = lines + self._lines(target, call, "forward", "output", tensors_by_position(as_tuple(outputs), {}))
        self._write(target, lines)

    def fail(self, call: Call) -> None:
        """Write the arguments of the call."""
        self._write(self._target(), call.note.lines)

    def gradient(self, call: Call, is_incoming: bool, position: str, gradient: Any) -> Any:
        """Make the line of a gradient."""
        target = self._target()
        if gradient is None or target is None:
            return []
        if not self._select(call.indexed_name("backward"), call.index, True).values:
            return []
        return self._lines(target, call, "backward", "input" if is_incoming else "output", [(position, gradient)])

    def gradients(self, call: Call, incoming: dict[str, Any], outgoing: dict[str, Any]) -> None:
        """Write the lines of a call's gradients."""
        name = call.indexed_name("backward")
        lines = [
            line for part in (incoming, outgoing) for position in sorted(part, key=_in_order) for line in part[position]
        ]
        if self._select(name, call.index, True).stack:
            lines.insert(0, [f"{name}_stack_info", written(call.note.stack)])
        self._write(self._target(), lines)

    def _lines(
        self, target: Target, call: Call, direction: str, part: str, tensors: Iterable[tuple[str, torch.Tensor]]
    ) -> list[Any]:
        name = call.indexed_name(direction)
        layer = call.name.rpartition(".")[0] if call.module is not None else ""
        items = [
            Item(name, part, position, tensor, layer)
            for position, tensor in tensors
            if not is_capturing(tensor.device.type)
        ]
        return target.form.lines(items)

    def _write(self, target: Optional[Target], lines: list[Any]) -> None:
        if lines and target is not None and target.store is not None:
            target.store.add(lines)


def _in_order(position: str) -> list[Any]:
    """Return the sort key of a position: 2 comes before 10, and keywords come last."""
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in position.split(".")]
