"""Operators by which a graph enters a stream or a device and leaves it again.

Dynamo's own contexts of streams are notes for a code generator, and those of devices are Python calls that tracing
leaves out. With "eager" and "aot_eager" the work would run on the stream and the device that were current before. Each
thread that runs a graph keeps a stack of the streams and devices that it entered, as `with` blocks do.
"""

from __future__ import annotations

import threading
from typing import Union

import torch
from torch._dynamo.graph_bytecode_inputs import get_external_object_by_index
from torch._library.effects import EffectType

from torch_musa.core.device import device
from torch_musa.core.stream import StreamContext


class _Entered(threading.local):
    """The contexts that the calling thread is in, the innermost last."""

    def __init__(self) -> None:
        self.contexts: list[Union[StreamContext, device]] = []


_ENTERED = _Entered()


def _enter(context: Union[StreamContext, device]) -> None:
    context.__enter__()
    _ENTERED.contexts.append(context)


@torch.library.custom_op("torch_musa::enter_stream", mutates_args=())
def enter_stream(index: int) -> None:
    """Make a stream and its device current. The stream is given by its number among the graph's objects."""
    _enter(StreamContext(get_external_object_by_index(index)))


@torch.library.custom_op("torch_musa::enter_device", mutates_args=())
def enter_device(index: int) -> None:
    """Make a device current; a negative index changes nothing."""
    _enter(device(None if index < 0 else index))


@torch.library.custom_op("torch_musa::leave", mutates_args=())
def leave() -> None:
    """Restore the stream or device that was current before the thread's last enter_stream or enter_device."""
    _ENTERED.contexts.pop().__exit__(None, None, None)


@torch.library.custom_op("torch_musa::wait_stream", mutates_args=())
def wait_stream(waiting: int, awaited: int) -> None:
    """Make later work on a stream wait for the work that another has now. Both are numbers of the graph's objects."""
    get_external_object_by_index(waiting).wait_stream(get_external_object_by_index(awaited))


@enter_stream.register_fake
@enter_device.register_fake
def _(index: int) -> None:
    pass


@leave.register_fake
def _() -> None:
    pass


@wait_stream.register_fake
def _(waiting: int, awaited: int) -> None:
    pass


for _operator in (enter_stream, enter_device, leave, wait_stream):
    # In this order, none left out, and all in the forward graph, where AOTAutograd splits one into two.
    _operator.register_effect(EffectType.ORDERED)
