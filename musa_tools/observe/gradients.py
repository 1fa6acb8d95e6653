"""The gradients that one call receives and returns, seen at the nodes of autograd's graph.

The call's part of the graph lies between its results and its inputs. A hook on the node of a result sees the gradient
that comes in; hooks on the nodes next to the inputs see what this call gives back, and no other user of the same
input. No node is added, so autograd does what it does without us, in-place functions included.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Callable, Optional

import torch

from musa_tools.observe.timeline import NO_NUMBER

#: (True for what comes in, position, gradient or None)
Report = Callable[[bool, str, Any], None]
Placed = Iterable[tuple[str, torch.Tensor]]

next_number: Callable[[], int] = vars(torch.autograd)["_get_sequence_nr"]


class Inputs:
    """Where the graph enters a call: noted before it runs, because it may write to its inputs."""

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
    """What is to be reported when a node has run."""

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
        inputs: Noted before the call.
        results: What the call returned, with positions.
        report: Is called in the thread of the backward pass. It must not hold a node of the graph.

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
