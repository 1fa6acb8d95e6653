"""The queries of torch.cuda to a card's management library. Memory is known; a simulated device has no sensors."""

from __future__ import annotations

from torch_musa.core.device import DeviceLike
from torch_musa.core.memory import mem_get_info


def device_memory_used(device: DeviceLike = None) -> int:
    """Return the bytes of a device's memory that are in use, by this program or anything else."""
    free, total = mem_get_info(device)
    return total - free


def _no_sensor(what: str) -> RuntimeError:
    return RuntimeError(f"A simulated MUSA device has no sensor of its {what}")


def utilization(device: DeviceLike = None) -> int:
    """Raise RuntimeError: a simulated device has no sensor of its utilization (in percent)."""
    raise _no_sensor("utilization")


def memory_usage(device: DeviceLike = None) -> int:
    """Raise RuntimeError: a simulated device has no sensor of its memory's utilization (in percent)."""
    raise _no_sensor("memory's utilization")


def temperature(device: DeviceLike = None) -> int:
    """Raise RuntimeError: a simulated device has no sensor of its temperature (in degrees Celsius)."""
    raise _no_sensor("temperature")


def power_draw(device: DeviceLike = None) -> int:
    """Raise RuntimeError: a simulated device has no sensor of its power draw (in milliwatts)."""
    raise _no_sensor("power draw")


def clock_rate(device: DeviceLike = None) -> int:
    """Raise RuntimeError: a simulated device has no clock (in megahertz)."""
    raise _no_sensor("clock rate")
