"""Fix the random numbers of a run."""

from __future__ import annotations

import os
import random

import torch


def seed_all(seed: int = 1234) -> None:
    """Seed Python, NumPy, PyTorch and its devices. Layers, and dropout too, stay as they are.

    Args:
        seed: From 0 on.
    """
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**32:
        raise ValueError(f"seed: found {seed!r}, wanted a number from 0 to {2**32 - 1}")
    random.seed(seed)
    os.environ["PYTHONHASHSEED"] = str(seed)  # for processes that this one starts
    torch.manual_seed(seed)
    try:
        import numpy
    except ImportError:
        return
    numpy.random.seed(seed)
