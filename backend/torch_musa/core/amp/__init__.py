"""torch.musa.amp: mixed precision. The classes are those of torch.amp, with the device filled in."""

from __future__ import annotations

import functools
from functools import partial
from typing import Any

import torch


class autocast(torch.amp.autocast):
    """torch.autocast("musa"), with torch.cuda.amp.autocast's arguments.

    Args:
        enabled: False makes it have no effect.
        dtype: torch.float16 or torch.bfloat16. Another dtype is a warning, and autocast is off.
        cache_enabled: Whether casts of weights are kept for the block.
    """

    def __init__(self, enabled: bool = True, dtype: torch.dtype = torch.float16, cache_enabled: bool = True) -> None:
        super().__init__("musa", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)


class GradScaler(torch.amp.GradScaler):
    """torch.amp.GradScaler("musa"), with torch.cuda.amp.GradScaler's arguments.

    Args:
        init_scale: The first scale of the loss.
        growth_factor: The factor by which the scale grows after `growth_interval` steps without Inf or NaN.
        backoff_factor: The factor by which it shrinks after a step with one.
        growth_interval: The number of steps.
        enabled: False makes it have no effect.
    """

    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        super().__init__("musa", init_scale, growth_factor, backoff_factor, growth_interval, enabled)


custom_fwd = partial(torch.amp.custom_fwd, device_type="musa")
custom_bwd = partial(torch.amp.custom_bwd, device_type="musa")


def amp_definitely_not_available() -> bool:
    """Return False: where torch_musa is installed, mixed precision is there."""
    return False


def register() -> None:
    """Let PyTorch's functions about autocast mean musa where no device is named: without CUDA they mean nothing else.

    Modules ask torch.is_autocast_enabled() before they take a fast way that computes in one precision only.
    """
    is_enabled, set_enabled = torch.is_autocast_enabled, torch.set_autocast_enabled

    @functools.wraps(is_enabled)
    def is_autocast_enabled(*device: Any) -> bool:
        return bool(is_enabled(*(device or ("musa",))))

    @functools.wraps(set_enabled)
    def set_autocast_enabled(*given: Any, **named: Any) -> None:
        set_enabled(*(given if len(given) + len(named) > 1 else ("musa", *given)), **named)

    torch.is_autocast_enabled = is_autocast_enabled
    torch.set_autocast_enabled = set_autocast_enabled
