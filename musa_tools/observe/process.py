"""The rank of this process."""

from __future__ import annotations

import os
from typing import Optional

import torch


def rank() -> Optional[int]:
    """Return this process's rank, or None outside distributed runs."""
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        return torch.distributed.get_rank()
    text = os.environ.get("RANK", "")
    return int(text) if text.isdigit() else None
