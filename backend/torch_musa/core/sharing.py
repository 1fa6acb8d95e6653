"""torch.multiprocessing with musa tensors: tensors that are sent to another process are in memory that both map.

A tensor that is sent for the first time moves into shared memory of the host, as a CPU tensor does: data_ptr() changes.
The sender must live until the receiver has it.
"""

from __future__ import annotations

from multiprocessing.reduction import ForkingPickler
from typing import Any

import torch
from torch.multiprocessing import reductions

from torch_musa import _MUSAC

# torch.multiprocessing has no annotations to speak of
# mypy: disable-error-code="no-untyped-call"


def _reduce(storage: torch.UntypedStorage) -> Any:
    """Return how another process makes the storage, as pickle wants it."""
    if storage.device.type != "musa":
        return reductions.reduce_storage(storage)
    if storage.nbytes() == 0:
        return _rebuild_empty, (storage.device.index,)
    memory = _MUSAC.shared_memory(storage)
    if memory is None:
        memory = torch.UntypedStorage._new_shared(storage.nbytes())
        _MUSAC.move_storage(storage, memory, True)
    return _rebuild, (memory, storage.device.index)


def _rebuild_empty(device: int) -> torch.UntypedStorage:
    return torch.UntypedStorage(0, device=f"musa:{device}")


def _rebuild(memory: torch.UntypedStorage, device: int) -> torch.UntypedStorage:
    torch.musa._lazy_init()  # type: ignore[attr-defined]
    storage = _rebuild_empty(device)
    _MUSAC.move_storage(storage, memory, False)
    return storage


def register() -> None:
    """Tell Python's multiprocessing."""
    ForkingPickler.register(torch.UntypedStorage, _reduce)
