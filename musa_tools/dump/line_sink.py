"""Calls as lines: one per tensor, named by the number of the call in the whole run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Callable, NamedTuple, Optional

import torch

from musa_tools.dump.line_forms import Form, Item
from musa_tools.dump.line_store import LineStore
from musa_tools.dump.switch import Wanted
from musa_tools.observe.process import Stack, Stacks, is_capturing, written
from musa_tools.tensors.nests import listed, placed

if TYPE_CHECKING:
    from musa_tools.dump.calls import Call


class Target(NamedTuple):
    """Where lines go, and in what form; a form without lines needs no store."""

    form: Form
    store: Optional[LineStore]


class _Note:
    """What is known of a call that runs."""

    __slots__ = ("lines", "stack")

    def __init__(self) -> None:
        self.lines: list[Any] = []
        self.stack: Stack = ()


class LineSink:
    """Writes lines.

    Args:
        target: Says where they go now; None where nothing is to be written.
        wanted: Says what is wanted of a call, by its name, number, and whether it is the backward pass.
    """

    def __init__(self, target: Callable[[], Optional[Target]], wanted: Callable[[str, int, bool], Wanted]) -> None:
        self._target = target
        self._wanted = wanted
        self._stacks = Stacks()

    def begin(self, call: Call, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Take what a call is given."""
        name = call.indexed_name("forward")
        wanted = self._wanted(name, call.index, False)
        note = call.note = _Note()
        note.stack = self._stacks.here()
        if wanted.stack:
            note.lines.append([f"{name}_stack_info", written(note.stack)])
        target = self._target()
        if wanted.values and target is not None:
            note.lines += self._lines(target, call, "forward", "input", placed(args, kwargs))
        return True

    def end(self, call: Call, args: tuple[Any, ...], kwargs: dict[str, Any], outputs: Any) -> None:
        """Write what a call was given and has returned."""
        lines, target = call.note.lines, self._target()
        if target is not None and self._wanted(call.indexed_name("forward"), call.index, False).values:
            lines = lines + self._lines(target, call, "forward", "output", placed(listed(outputs), {}))
        self._write(target, lines)

    def fail(self, call: Call) -> None:
        """Write what the call was given."""
        self._write(self._target(), call.note.lines)

    def gradient(self, call: Call, comes_in: bool, position: str, gradient: Any) -> Any:
        """Make the line of a gradient."""
        target = self._target()
        if gradient is None or target is None:
            return []
        if not self._wanted(call.indexed_name("backward"), call.index, True).values:
            return []
        return self._lines(target, call, "backward", "input" if comes_in else "output", [(position, gradient)])

    def gradients(self, call: Call, incoming: dict[str, Any], outgoing: dict[str, Any]) -> None:
        """Write the lines of a call's gradients."""
        name = call.indexed_name("backward")
        lines = [line for part in (incoming, outgoing) for place in sorted(part, key=_in_order) for line in part[place]]
        if self._wanted(name, call.index, True).stack:
            lines.insert(0, [f"{name}_stack_info", written(call.note.stack)])
        self._write(self._target(), lines)

    def _lines(
        self, target: Target, call: Call, direction: str, part: str, tensors: Iterable[tuple[str, torch.Tensor]]
    ) -> list[Any]:
        name = call.indexed_name(direction)
        layer = call.name.rpartition(".")[0] if call.module is not None else ""
        items = [
            Item(name, part, place, tensor, layer) for place, tensor in tensors if not is_capturing(tensor.device.type)
        ]
        return target.form.lines(items)

    def _write(self, target: Optional[Target], lines: list[Any]) -> None:
        if lines and target is not None and target.store is not None:
            target.store.add(lines)


def _in_order(position: str) -> list[Any]:
    """Return what sorts positions as a reader expects: 2 before 10, and keywords last."""
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in position.split(".")]
