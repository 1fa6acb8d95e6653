"""What torch.cuda asks of a card's management library: memory is known, sensors are not there."""

from __future__ import annotations

from torch_musa.core.device import DeviceLike
from torch_musa.core.memory import mem_get_info


def device_memory_used(device: DeviceLike = None) -> int:
    """Return the bytes of a device's memory that are in use, whoever uses them."""
    free, total = mem_get_info(device)
    return total - free


def _no_sensor(what: str) -> RuntimeError:
    return RuntimeError(f"A simulated MUSA device has no sensor of its {what}")


def utilization(device: DeviceLike = None) -> int:
    """Raise RuntimeError: a simulated device does not know how busy hardware would be."""
    raise _no_sensor("utilization")


def memory_usage(device: DeviceLike = None) -> int:
    """Raise RuntimeError: a simulated device does not know how busy hardware's memory would be."""
    raise _no_sensor("memory's utilization")


def temperature(device: DeviceLike = None) -> int:
    """Raise RuntimeError: a simulated device has no temperature."""
    raise _no_sensor("temperature")


def power_draw(device: DeviceLike = None) -> int:
    """Raise RuntimeError: a simulated device draws no power of its own."""
    raise _no_sensor("power draw")


def clock_rate(device: DeviceLike = None) -> int:
    """Raise RuntimeError: a simulated device has no clock."""
    raise _no_sensor("clock rate")
