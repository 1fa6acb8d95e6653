"""Devices: how many there are, which one is current, and what each can do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional, Union

import torch

from torch_musa import _MUSAC

DeviceLike = Union[int, str, torch.device, "device", None]


def device_index(given: DeviceLike) -> int:
    """Return the index of a device.

    Args:
        given: An index, "musa", "musa:1", a torch.device, a torch.musa.device, or None. None, "musa" and a negative
            index mean the current device. Whether a device of that index exists is not checked.

    Raises:
        ValueError: The device is not a musa device.
    """
    if given is None:
        return _MUSAC.current_device()
    if isinstance(given, device):
        given = given.idx
    if isinstance(given, int):
        return given if given >= 0 else _MUSAC.current_device()
    named = torch.device(given)
    if named.type != "musa":
        raise ValueError(f"Expected a musa device, but got: {named}")
    return _MUSAC.current_device() if named.index is None else named.index


def device_count() -> int:
    """Return the number of devices; 0 if there are none. Never raises."""
    return _MUSAC.device_count()


def is_available() -> bool:
    """Return whether there is at least one device. Never raises."""
    return device_count() > 0


def is_initialized() -> bool:
    """Return whether this process has used a device; False in a child that was forked after that.

    torch.musa._initialized is the same: PyTorch reads it before it saves the generators' states.
    """
    return _MUSAC.is_initialized() and not _is_in_bad_fork()


def init() -> None:
    """Prepare this process for the device. PyTorch calls this before it makes the first tensor.

    Raises:
        RuntimeError: The process was forked after its parent had used a device.
    """
    _lazy_init()


def _is_in_bad_fork() -> bool:
    """Return whether this is a child that was forked after its parent used the device."""
    return _MUSAC.is_in_bad_fork()


def _lazy_init() -> None:
    if _is_in_bad_fork():
        raise RuntimeError(
            "Cannot re-initialize MUSA in forked subprocess. To use MUSA with multiprocessing, "
            "you must use the 'spawn' start method"
        )
    _MUSAC.initialize()


def current_device() -> int:
    """Return the index of the calling thread's current device. Raises RuntimeError as `init`."""
    _lazy_init()
    return _MUSAC.current_device()


def set_device(device: DeviceLike) -> None:
    """Make a device current for the calling thread. Prefer the `device` context manager.

    Args:
        device: A device; None and a negative index change nothing.

    Raises:
        ValueError: It is not a musa device.
        RuntimeError: There is no device of this index.
    """
    _lazy_init()
    _MUSAC.set_device(device_index(device))


def synchronize(device: DeviceLike = None) -> None:
    """Wait for all work on a device.

    Args:
        device: A device; None is the current one.

    Raises:
        RuntimeError: A kernel that has run since the last check failed, or there is no such device.
        ValueError: It is not a musa device.
    """
    _lazy_init()
    _MUSAC.synchronize(device_index(device))


class device:
    """A context manager that makes a device current for the calling thread.

    Args:
        device: A device; None and a negative index change nothing. If it does not exist, entering raises RuntimeError.
    """

    def __init__(self, device: DeviceLike) -> None:
        self.idx = -1 if device is None else device_index(device)
        self.prev_idx = -1

    def __enter__(self) -> None:
        self.prev_idx = _MUSAC.exchange_device(self.idx)

    def __exit__(self, *exc_info: object) -> None:
        _MUSAC.exchange_device(self.prev_idx)


def _exchange_device(device: int) -> int:
    """Make a device current and return the previous one. A negative index changes nothing and returns -1."""
    return _MUSAC.exchange_device(device) if device >= 0 else -1


def _maybe_exchange_device(device: int) -> int:
    """Do as _exchange_device. torch.cuda's function avoids creating a context; here a device needs none."""
    return _exchange_device(device)


class _DeviceGuard:
    """A `device` for an index, without its checks. Compiled code uses it."""

    def __init__(self, index: int) -> None:
        self.idx = index
        self.prev_idx = -1

    def __enter__(self) -> None:
        self.prev_idx = _exchange_device(self.idx)

    def __exit__(self, *exc_info: object) -> None:
        self.idx = _maybe_exchange_device(self.prev_idx)


class device_of(device):
    """A context manager that makes the device of a tensor or storage current. A CPU tensor changes nothing.

    Args:
        obj: The tensor or storage.
    """

    def __init__(self, obj: torch.Tensor) -> None:
        super().__init__(obj.device if obj.device.type == "musa" else None)


@dataclass(frozen=True)
class DeviceProperties:
    """The properties of a device, with the names of torch.cuda.get_device_properties.

    Attributes:
        name: The name: "MUSA simulator (mp_22)".
        major: The first number of the architecture: 2 for mp_22.
        minor: The second number of the architecture.
        total_memory: The device's memory in bytes.
        multi_processor_count: The number of multiprocessors.
        warp_size: The lanes of a warp in device code.
        max_threads_per_block: The most threads of a block.
        max_threads_per_multi_processor: The most threads that run on a multiprocessor at a time.
        regs_per_block: The 32-bit registers of a block.
        shared_memory_per_block: The shared memory of a block in bytes, without opting in to more.
        L2_cache_size: The size of the second-level cache in bytes.
        is_integrated: Whether the device shares its memory with the host.
    """

    name: str
    major: int
    minor: int
    total_memory: int
    multi_processor_count: int
    warp_size: int
    max_threads_per_block: int
    max_threads_per_multi_processor: int
    regs_per_block: int
    shared_memory_per_block: int
    L2_cache_size: int
    is_integrated: bool


def get_device_properties(device: DeviceLike = None) -> DeviceProperties:
    """Return the properties of a device. Raises RuntimeError if there is no such device."""
    properties: dict[str, Any] = _MUSAC.device_properties(device_index(device))
    return DeviceProperties(**properties)


def get_device_name(device: DeviceLike = None) -> str:
    """Return a device's name, which says that it is simulated. Raises RuntimeError if there is no such device."""
    return get_device_properties(device).name


def get_device_capability(device: DeviceLike = None) -> tuple[int, int]:
    """Return the architecture as (major, minor): (2, 2) for mp_22. Raises as `get_device_properties`."""
    properties = get_device_properties(device)
    return properties.major, properties.minor


def get_arch_list() -> list[str]:
    """Return the architectures of the simulated devices, such as ["mp_22"].

    torch.cuda's function lists what PyTorch's own kernels were compiled for. Here these run on the CPU, for any device.
    """
    return sorted({f"mp_{major}{minor}" for major, minor in map(get_device_capability, range(device_count()))})


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Return whether kernels may use bfloat16 on the current device: from mp_22 on.

    Args:
        including_emulation: Has no effect: nothing is emulated.
    """
    return get_device_capability() >= (2, 2)


def is_tf32_supported() -> bool:
    """Return whether the current device can compute in TensorFloat-32: from mp_22 on, as bfloat16."""
    return is_bf16_supported()


def can_device_access_peer(device: DeviceLike, peer_device: DeviceLike) -> bool:
    """Return whether kernels on one device can use the memory of another; False for the device itself.

    Args:
        device: The device whose kernels run.
        peer_device: The device that has the memory.

    Raises:
        AssertionError: One of them does not exist, as with torch.cuda.
    """
    indices = []
    for given, what in ((device, "device"), (peer_device, "peer device")):
        index = given if isinstance(given, int) else device_index(given)
        if not 0 <= index < device_count():
            raise AssertionError(f"Invalid {what} id: {index}")
        indices.append(index)
    return _MUSAC.can_device_access_peer(*indices)


def get_gencode_flags() -> str:
    """Return mcc's options for the architectures of get_arch_list."""
    return " ".join(f"--offload-arch={name}" for name in get_arch_list())


_SYNC_DEBUG_MODES = ("default", "warn", "error")


def set_sync_debug_mode(debug_mode: Union[int, str]) -> None:
    """Choose what happens when an operator makes the host wait for a device: "default" (nothing), "warn" or "error".

    The numbers 0, 1 and 2 stand for them. Only waits of the calling process's own operators are seen: not those of
    collectives, and not an explicit synchronize().
    """
    _lazy_init()
    mode = _SYNC_DEBUG_MODES.index(debug_mode) if debug_mode in _SYNC_DEBUG_MODES else debug_mode
    if mode not in (0, 1, 2):
        raise RuntimeError("invalid value of debug_mode, expected one of `default`, `warn`, `error`")
    _MUSAC.set_sync_debug_mode(int(mode))


def get_sync_debug_mode() -> int:
    """Return the number of the mode that set_sync_debug_mode chose."""
    _lazy_init()
    return _MUSAC.sync_debug_mode()


def get_amp_supported_dtype() -> list[torch.dtype]:
    """Return the dtypes that torch.autocast("musa") accepts. PyTorch calls this function by its name."""
    return [torch.float16, torch.bfloat16]


def runtime_version() -> Optional[str]:
    """Return the MUSA runtime's version, such as "5.1"."""
    major, minor = _MUSAC.runtime_version()
    return f"{major}.{minor}"


Device, DeviceOf = device, device_of  # torch_musa's names
