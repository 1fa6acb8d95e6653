"""Find the calls that make NaN or Inf, for dumps of their whole tensors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Callable, NamedTuple, Optional

import torch

from musa_tools.observe.process import Stack, Stacks, is_capturing
from musa_tools.tensors.operands import as_tuple, copy_if_possible, readable, tensors_by_position
from musa_tools.unread import is_uninitialised, moves_elements

if TYPE_CHECKING:
    from musa_tools.dump.calls import Call


class Overflow(NamedTuple):
    """A call, or the backward pass of one, whose results hold NaN or Inf."""

    call: Call
    backward: bool
    inputs: dict[str, torch.Tensor]
    outputs: dict[str, torch.Tensor]
    stack: Stack


class OverflowSink:
    """Checks the results of every call, and the gradients of its inputs.

    Args:
        found: Called with each overflow. An exception that it raises stops the run.
    """

    def __init__(self, found: Callable[[Overflow], None]) -> None:
        self._found = found
        self._stacks = Stacks()

    def begin(self, call: Call, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Copy the arguments that the call may write to."""
        writes = call.writes or kwargs.get("inplace") is True
        call.note = _copies(tensors_by_position(args, kwargs)) if writes else None
        return True

    def end(self, call: Call, args: tuple[Any, ...], kwargs: dict[str, Any], outputs: Any) -> None:
        """Report NaN or Inf in the results."""
        results = dict(tensors_by_position(as_tuple(outputs), {}))
        if any(holds_nonfinite(result) for result in results.values()):
            before: Optional[dict[str, torch.Tensor]] = call.note
            inputs = before if before is not None else dict(tensors_by_position(args, kwargs))
            if not _only_moves(call, inputs):
                self._found(Overflow(call, False, inputs, results, self._stacks.here()))
        call.note = None

    def fail(self, call: Call) -> None:
        """Do nothing: the call has made nothing."""

    def gradient(self, call: Call, is_incoming: bool, position: str, gradient: Any) -> Any:
        """Keep a gradient until all have arrived."""
        return gradient

    def gradients(self, call: Call, incoming: dict[str, Any], outgoing: dict[str, Any]) -> None:
        """Report NaN or Inf in the gradients of the inputs."""
        results = _there(outgoing)
        if any(holds_nonfinite(result) for result in results.values()):
            self._found(Overflow(call, True, _there(incoming), results, ()))


def holds_nonfinite(tensor: torch.Tensor) -> bool:
    """Return whether a tensor holds NaN or Inf."""
    if not (tensor.is_floating_point() or tensor.is_complex()):
        return False
    values = readable(tensor)
    if values is None or not values.numel() or is_capturing(values.device.type):
        return False
    try:
        if values.is_complex():
            values = torch.view_as_real(values.resolve_conj())
        if values.element_size() == 1:
            values = values.float()
        low, high = torch.aminmax(values)
    except RuntimeError:  # there is no kernel for the type, so it has no NaN that anything could compute with
        return False
    return not bool(torch.isfinite(low) & torch.isfinite(high))


def _only_moves(call: Call, inputs: dict[str, torch.Tensor]) -> bool:
    """Return whether NaN and Inf among the results may have been there before, in memory that was never written."""
    name = f"{call.kind}.{call.name}"
    return is_uninitialised(name) or (moves_elements(name) and "0" in inputs and holds_nonfinite(inputs["0"]))


def _copies(tensors: Iterable[tuple[str, torch.Tensor]]) -> dict[str, torch.Tensor]:
    copies = (
        (position, copy_if_possible(tensor)) for position, tensor in tensors if not is_capturing(tensor.device.type)
    )
    return {position: copy for position, copy in copies if copy is not None}


def _there(gradients: dict[str, Any]) -> dict[str, torch.Tensor]:
    return {position: gradient for position, gradient in gradients.items() if gradient is not None}
