"""Whether a graph of the device is being captured. Meanwhile nothing may wait for the device or copy from it."""

from __future__ import annotations

import torch


def is_capturing(kind: str) -> bool:
    """Return whether this thread's stream of a kind of device, as ``cuda``, captures a graph."""
    if kind in ("cpu", "meta"):
        return False
    asks = getattr(torch.get_device_module(kind), "is_current_stream_capturing", None)
    return asks is not None and bool(asks())
