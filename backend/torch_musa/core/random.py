"""Random numbers: one generator per device.

A generator is a Philox seed and an offset (at::MUSAGeneratorImpl in C++). Kernels of extensions draw from it as on a
GPU. PyTorch's own operators run on the CPU and draw other numbers for the same seed than a GPU does.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Optional, Union

import torch

from torch_musa import _MUSAC
from torch_musa.core.device import device_count, device_index

DeviceName = Union[int, str, torch.device]


def default_generator(device: DeviceName = "musa") -> torch.Generator:
    """Return the generator of a device. Random functions use it if they get none."""
    return _MUSAC.default_generator(device_index(device))


def get_rng_state(device: DeviceName = "musa") -> torch.Tensor:
    """Return the state of a device's generator: a uint8 tensor of shape (16,) on the CPU, the seed and the offset."""
    return default_generator(device).get_state()


def set_rng_state(new_state: torch.Tensor, device: DeviceName = "musa") -> None:
    """Restore the state of a device's generator.

    Args:
        new_state: What get_rng_state returned.
        device: The device.

    Raises:
        TypeError: The state is not a uint8 tensor on the CPU.
        RuntimeError: It does not have 16 bytes, or there is no such device.
    """
    default_generator(device).set_state(new_state)


def get_rng_state_all() -> list[torch.Tensor]:
    """Return the states of all devices' generators, in the order of the devices."""
    return [get_rng_state(index) for index in range(device_count())]


def set_rng_state_all(new_states: Iterable[torch.Tensor]) -> None:
    """Restore the states of all devices' generators.

    Args:
        new_states: What get_rng_state_all returned. More states than devices raise RuntimeError.
    """
    for index, state in enumerate(new_states):
        set_rng_state(state, index)


def manual_seed(seed: int) -> None:
    """Seed the generator of the current device."""
    default_generator().manual_seed(int(seed))


def manual_seed_all(seed: int) -> None:
    """Seed the generators of all devices. torch.manual_seed calls this."""
    for index in range(device_count()):
        default_generator(index).manual_seed(int(seed))


def seed() -> None:
    """Seed the generator of the current device with a number from the operating system."""
    default_generator().seed()


def seed_all() -> None:
    """Seed the generators of all devices with one number from the operating system."""
    manual_seed_all(torch.Generator().seed())


def initial_seed() -> int:
    """Return the seed of the current device's generator."""
    return default_generator().initial_seed()


def fork_rng(devices: Optional[Iterable[DeviceName]] = None, enabled: bool = True) -> AbstractContextManager[None]:
    """Return a context manager that restores the states of generators at its end: the CPU's and those of devices.

    Args:
        devices: The devices; None means all.
        enabled: False restores nothing.
    """
    indices = None if devices is None else [device_index(device) for device in devices]
    return torch.random.fork_rng(indices, enabled, device_type="musa")
