"""torch.musa._utils: names that PyTorch's device-generic code expects of a device module, besides the public ones."""

from __future__ import annotations

import torch

from torch_musa import _MUSAC
from torch_musa.core.device import DeviceLike, _lazy_init, device_index, get_device_capability
from torch_musa.core.random import DeviceName, default_generator


def _get_device_index(device: DeviceLike, optional: bool = False, allow_cpu: bool = False) -> int:
    """Return the index of a device, as torch.cuda._utils._get_device_index does.

    Args:
        device: An index, "musa", "musa:1", a torch.device, or None for the current one.
        optional: Whether None and "musa" may stand for the current device.
        allow_cpu: Whether "cpu" is a device, of index -1.

    Raises:
        ValueError: The device is none of these.
    """
    if device is None and not optional:
        raise ValueError("Expected a musa device with an index, but got: None")
    if isinstance(device, (str, torch.device)):
        named = torch.device(device)
        if allow_cpu and named.type == "cpu":
            return -1
        if named.type == "musa" and named.index is None and not optional:
            raise ValueError(f"Expected a musa device with an index, but got: {named}")
    return device_index(device)


_get_musa_device_index = _get_device_index
"""torch_musa's own name."""


def _get_musa_arch() -> int:
    """Return the current device's architecture as a number: 22 for mp_22."""
    major, minor = get_device_capability()
    return major * 10 + minor


def _get_generator(device: DeviceName) -> torch.Generator:
    """Return the generator of a device. Random functions use it if they get none."""
    return default_generator(device)


def _sleep(cycles: int) -> None:
    """Keep the current stream busy for a number of nanoseconds, as a simulated device has no clock of its own."""
    _lazy_init()
    _MUSAC.keep_busy(cycles)
