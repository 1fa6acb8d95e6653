"""Streams and events, as subclasses of PyTorch's device-generic ones."""

from __future__ import annotations

import ctypes
from typing import Any, Optional

import torch

from torch_musa import _MUSAC
from torch_musa.core.device import DeviceLike, device_count, device_index

_DEVICE_TYPE = int(torch._C._autograd.DeviceType.PrivateUse1.value) if hasattr(torch._C, "_autograd") else 20


class Stream(torch.Stream):
    """A queue of work on one device. A `with` statement makes it current.

    Args:
        device: The device; None is the current one.
        priority: 0 is normal; streams with a negative priority run first. A value out of range becomes the nearest one.
    """

    def __new__(cls, device: DeviceLike = None, priority: int = 0, **kwargs: Any) -> Stream:
        """Take a stream from the device's pool, or wrap `stream_id` and `device_index` if they are given."""
        if "stream_id" not in kwargs:
            index = device_index(device)
            kwargs = {"stream_id": _MUSAC.pool_stream(priority, index), "device_index": index}
        return super().__new__(
            cls,
            stream_id=kwargs["stream_id"],
            device_index=kwargs["device_index"],
            device_type=kwargs.get("device_type", _DEVICE_TYPE),
        )

    @property
    def musa_stream(self) -> int:
        """The musaStream_t as an integer, for ctypes and the like; 0 is the default stream."""
        return _MUSAC.stream_handle(self.stream_id, self.device_index)

    @property
    def priority(self) -> int:
        """The priority: 0 is normal, negative runs first."""
        return _MUSAC.stream_priority(self.stream_id, self.device_index)

    def record_event(self, event: Optional[torch.Event] = None) -> torch.Event:
        """Record an event after the work that the stream has now, and return it.

        Args:
            event: The event; None makes a new one, without timing.
        """
        if event is None:
            event = Event()
        event.record(self)
        return event

    def wait_stream(self, stream: torch.Stream) -> None:
        """Make later work on this stream wait for the work that another stream has now.

        Args:
            stream: The stream to wait for.
        """
        self.wait_event(stream.record_event())

    @staticmethod
    def priority_range() -> tuple[int, int]:
        """Return the (least, greatest) priority of streams. The greatest priority is the lower number."""
        return _MUSAC.stream_priority_range()

    @property
    def _as_parameter_(self) -> ctypes.c_void_p:
        """The value that ctypes passes to functions of C."""
        return ctypes.c_void_p(self.musa_stream)

    def __repr__(self) -> str:
        return f"<torch_musa.Stream device=musa:{self.device_index} musa_stream={self.musa_stream:#x}>"


class ExternalStream(Stream):
    """A stream of a musaStream_t that was made elsewhere. That must exist as long as this object is used.

    Args:
        stream_ptr: The musaStream_t as an integer.
        device: The device of the stream; None is the current one.
    """

    def __new__(cls, stream_ptr: int, device: DeviceLike = None) -> ExternalStream:
        """Wrap the handle."""
        made = super().__new__(cls, stream_id=stream_ptr, device_index=_existing_index(device))
        assert isinstance(made, ExternalStream)
        return made


class Event(torch.Event):
    """A mark in a stream. Programs wait for it, or measure the time between two of them.

    Args:
        enable_timing: Whether elapsed_time may be called.
        blocking: Has no effect: waiting always sleeps.
        interprocess: Not supported: True raises NotImplementedError.
    """

    def __new__(cls, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False) -> Event:
        """Create the event. The device's own event is made when it is first recorded."""
        if interprocess:
            raise NotImplementedError("The simulated musa device has no interprocess events")
        return super().__new__(cls, torch.device("musa"), enable_timing=enable_timing)

    @property
    def device(self) -> Optional[torch.device]:  # type: ignore[override]
        """The device that the event was recorded on; None until then."""
        return super().device if self.event_id else None

    def elapsed_time(self, end_event: torch.Event) -> float:
        """Return the time from this event to another, in milliseconds.

        Args:
            end_event: The later event.

        Raises:
            RuntimeError: One of them was not recorded, was made without `enable_timing`, or is of another device.
        """
        here, there = self.device, end_event.device if end_event.event_id else None
        if here is not None and there is not None and here != there:
            raise RuntimeError(f"Expected two events of one device, but got one of {here} and one of {there}")
        # torch.Event.elapsed_time insists on exactly torch.Event, so it cannot be asked about subclasses.
        recorded_on = -1 if here is None else here.index
        return _MUSAC.elapsed_time(self.event_id, end_event.event_id, recorded_on)

    @property
    def musa_event(self) -> int:
        """The musaEvent_t as an integer; 0 until the event is first recorded."""
        return self.event_id

    @property
    def _as_parameter_(self) -> ctypes.c_void_p:
        """The value that ctypes passes to functions of C."""
        return ctypes.c_void_p(self.musa_event)

    def __repr__(self) -> str:
        return f"<torch_musa.Event {self.musa_event:#x}>" if self.musa_event else "<torch_musa.Event uninitialized>"


def _existing_index(device: DeviceLike) -> int:
    """Return the index of a device. Raises RuntimeError if there is no such device."""
    index = device_index(device)
    # Graphs of torch.compile may ask for the count, and not for anything else of _MUSAC.
    if not 0 <= index < device_count():
        _MUSAC.current_stream(index)  # it raises the error
    return index


def _wrapped(stream_id: int, index: int) -> Stream:
    # With its type: compiled code makes a torch.Stream of the same arguments.
    return Stream(stream_id=stream_id, device_index=index, device_type=_DEVICE_TYPE)


def get_stream_from_external(data_ptr: int, device: DeviceLike = None) -> Stream:
    """Return a stream of a musaStream_t that was made elsewhere. That must exist as long as the result is used.

    Args:
        data_ptr: The musaStream_t as an integer.
        device: The device of the stream; None is the current one.
    """
    return _wrapped(data_ptr, _existing_index(device))


def _set_stream_by_id(stream_id: int, device_index: int, device_type: int) -> None:
    """Make a stream, and its device, current for the calling thread.

    The arguments are the three numbers of a torch.Stream. Raises ValueError if its device is not a musa device.
    """
    if device_type != _DEVICE_TYPE:
        raise ValueError(f"Expected a musa stream, of device type {_DEVICE_TYPE}, but got device type {device_type}")
    set_stream(Stream(stream_id=stream_id, device_index=device_index))


def current_stream(device: DeviceLike = None) -> Stream:
    """Return the calling thread's current stream on a device."""
    index = device_index(device)
    return _wrapped(_MUSAC.current_stream(index), index)


def default_stream(device: DeviceLike = None) -> Stream:
    """Return the default stream of a device."""
    return _wrapped(0, _existing_index(device))


def set_stream(stream: Optional[torch.Stream]) -> None:
    """Make a stream, and its device, current for the calling thread; None changes nothing."""
    if stream is not None:
        _MUSAC.set_device(stream.device_index)
        _MUSAC.set_stream(stream.stream_id, stream.device_index)


class StreamContext:
    """A context manager that makes a stream, and its device, current for the calling thread.

    Args:
        stream: The stream; None changes nothing.
    """

    def __init__(self, stream: Optional[torch.Stream]) -> None:
        self.stream = stream
        self._previous: Optional[tuple[Stream, Stream]] = None

    def __enter__(self) -> None:
        if self.stream is not None:
            here = current_stream()
            there = current_stream(self.stream.device_index)
            self._previous = (here, there)
            set_stream(self.stream)

    def __exit__(self, *exc_info: object) -> None:
        if self._previous is not None:
            here, there = self._previous
            set_stream(there)
            set_stream(here)


def stream(stream: Optional[torch.Stream]) -> StreamContext:
    """Return a context manager that makes a stream, and its device, current; None changes nothing."""
    return StreamContext(stream)
