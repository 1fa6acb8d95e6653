"""The gradients that one call receives and returns, seen at the nodes of autograd's graph.

The call's part of the graph lies between its results and its inputs. A hook on the node of a result sees the gradient
that comes in; hooks on the nodes next to the inputs see the gradient of this call alone, without other users of the
same input. No node is added, so autograd works as without a tool, in-place functions included. The gradients of a
call are gathered until all have arrived.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, Callable, Optional

import torch

from musa_tools.observe.modules import NO_NUMBER

#: (whether the gradient is incoming, position, gradient or None)
Report = Callable[[bool, str, Any], None]
Placed = Iterable[tuple[str, torch.Tensor]]

next_number: Callable[[], int] = vars(torch.autograd)["_get_sequence_nr"]


class Inputs:
    """The edges by which the graph enters a call: recorded before it runs, because it may write to its inputs."""

    __slots__ = ("_kept", "_leaves", "_nodes", "first_number")

    def __init__(self, placed: Placed) -> None:
        self.first_number = next_number()
        self._nodes: dict[tuple[int, int], str] = {}
        self._leaves: dict[int, str] = {}
        self._kept: list[Any] = []  # so that no other object gets the same id
        for position, tensor in placed:
            if not tensor.requires_grad:
                continue
            node = tensor.grad_fn
            if node is None:
                self._leaves.setdefault(id(tensor), position)
                self._kept.append(tensor)
            else:
                self._nodes.setdefault((id(node), tensor.output_nr), position)
                self._kept.append(node)

    def position(self, node: Any, number: int) -> Optional[str]:
        """Return the position of the input that an edge of the graph leads to."""
        found = self._nodes.get((id(node), number))
        if found is None and self._leaves and hasattr(node, "variable"):
            found = self._leaves.get(id(node.variable))
        return found


class _NodeHook:
    """Reports the gradients of a node when it has run."""

    __slots__ = ("incoming", "outgoing", "report")

    def __init__(self, report: Report) -> None:
        self.report = report
        self.incoming: list[tuple[int, str]] = []
        self.outgoing: list[tuple[int, str]] = []

    def __call__(self, given_back: Any, received: Any) -> None:
        for number, position in self.incoming:
            self.report(True, position, received[number])
        for number, position in self.outgoing:
            self.report(False, position, given_back[number])


def watch(inputs: Inputs, results: Placed, report: Report) -> tuple[list[str], list[str]]:
    """Report the gradients of a call when its backward pass runs.

    Args:
        inputs: Recorded before the call.
        results: The results of the call, with positions.
        report: Called in the thread of the backward pass. It must not hold a node of the graph.

    Returns:
        The positions of the results and of the inputs that will be reported; an input once for each of its uses.
    """
    hooks: dict[int, tuple[Any, _NodeHook]] = {}
    reached: list[Any] = []
    incoming: list[str] = []
    outgoing: list[str] = []

    def hook_of(node: Any) -> _NodeHook:
        known = hooks.get(id(node))
        if known is None:
            known = hooks[id(node)] = (node, _NodeHook(report))
        return known[1]

    for position, result in results:
        node: Any = result.grad_fn if result.requires_grad else None
        if node is not None and _made_by_call(node, inputs.first_number):
            hook_of(node).incoming.append((result.output_nr, position))
            incoming.append(position)
            reached.append(node)
    seen = {id(node) for node in reached}
    kept = list(reached)
    while reached:
        node = reached.pop()
        for number, (after, output) in enumerate(node.next_functions):
            if after is None:
                continue
            where = inputs.position(after, output)
            if where is not None:
                hook_of(node).outgoing.append((number, where))
                outgoing.append(where)
            elif id(after) not in seen and _made_by_call(after, inputs.first_number):
                seen.add(id(after))
                reached.append(after)
                kept.append(after)
    for node, hook in hooks.values():
        node.register_hook(hook)
    return incoming, outgoing


def _made_by_call(node: Any, first_number: int) -> bool:
    return bool(first_number <= node._sequence_nr() < NO_NUMBER)


#: (whether the gradient is incoming, position, gradient) -> an entry
Describe = Callable[[bool, str, Any], Any]


class PendingGradients:
    """Gathers the gradients of a call, in the order in which autograd computes them.

    Args:
        describe: Makes the entry of a gradient as soon as it is known.
        done: Called with the entries of the incoming and the outgoing gradients, by position.
    """

    __slots__ = ("_describe", "_done", "_incoming", "_outgoing", "_parts", "_uses")

    def __init__(self, describe: Describe, done: Callable[[dict[str, Any], dict[str, Any]], None]) -> None:
        self._describe = describe
        self._done: Any = done
        self._incoming: dict[str, Any] = {}
        self._outgoing: dict[str, Any] = {}
        self._uses: Counter[tuple[bool, str]] = Counter()
        self._parts: dict[tuple[bool, str], list[Any]] = {}

    @property
    def ended(self) -> bool:
        """Return whether the gradients were passed on."""
        return self._done is None

    def expect(self, incoming: Iterable[str], outgoing: Iterable[str]) -> None:
        """Set the expected gradients; an input that the call uses twice has two."""
        self._uses = Counter([(True, position) for position in incoming] + [(False, position) for position in outgoing])

    def report(self, is_incoming: bool, position: str, gradient: Any) -> None:
        """Record a gradient, which may be None; ignore a second backward pass."""
        key = (is_incoming, position)
        uses = self._uses.get(key, 0)
        if self._done is None or not uses:
            return
        if uses == 1:
            del self._uses[key]
            self._take(key, gradient)
        else:
            parts = self._parts.setdefault(key, [])
            parts.append(gradient)
            if len(parts) < uses:
                return
            del self._uses[key], self._parts[key]
            self._take(key, _sum(parts))
        if not self._uses:
            self.finish()

    def finish(self) -> None:
        """Pass on the gradients that have arrived, once."""
        done, self._done = self._done, None
        if done is None:
            return
        for key, parts in self._parts.items():
            self._take(key, _sum(parts))
        self._parts = {}
        if self._incoming or self._outgoing:
            done(self._incoming, self._outgoing)

    def _take(self, key: tuple[bool, str], gradient: Any) -> None:
        is_incoming, position = key
        (self._incoming if is_incoming else self._outgoing)[position] = self._describe(is_incoming, position, gradient)


def _sum(parts: list[Any]) -> Any:
    there = [part for part in parts if part is not None]
    if not there:
        return None
    total: torch.Tensor = there[0]
    for part in there[1:]:
        total = total + part
    return total
