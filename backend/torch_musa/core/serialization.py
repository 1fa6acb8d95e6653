"""The error of torch.load about checkpoints of CUDA devices on a machine that has only musa devices."""

from __future__ import annotations

from typing import Any

import torch

BEFORE_CUDA = 15
"""PyTorch asks for a storage's device in the order of these numbers; CUDA has 20."""


def _no_tag(storage: Any) -> None:
    """Leave it to others to say where a storage is."""


def _refuse_cuda(storage: Any, location: str) -> None:
    """Raise RuntimeError, with what to do, for a checkpoint that is to go to a CUDA device."""
    if location.startswith("cuda") and not torch.cuda.is_available():
        raise RuntimeError(
            "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. "
            "If you are running on a MUSA enabled machine, please use torch.load with "
            "map_location=torch.device('musa') or map_location=torch.device('cpu') to map your storages to the MUSA "
            "or CPU."
        )


def register() -> None:
    """Tell torch.load."""
    torch.serialization.register_package(BEFORE_CUDA, _no_tag, _refuse_cuda)
