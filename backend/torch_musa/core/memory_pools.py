"""Device memory of a program's own making: functions that stand in for musaMalloc, and pools that use them."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Optional, Union

from torch_musa import _MUSAC
from torch_musa.core.device import DeviceLike, device_index
from torch_musa.core.memory_history import memory_snapshot


class _MUSAAllocator:
    """The source of memory, as change_current_allocator takes it."""

    def __init__(self, allocator: Optional[_MUSAC.MemorySource]) -> None:
        self._allocator = allocator

    def allocator(self) -> Optional[_MUSAC.MemorySource]:
        """Return the allocator that MemPool takes; None means musaMalloc."""
        return self._allocator


class MUSAPluggableAllocator(_MUSAAllocator):
    """Functions of a shared library that allocate and free device memory.

    Args:
        path_to_so_file: the library.
        alloc_fn_name: `void* NAME(size_t size, int device, musaStream_t stream)`; null if there is not enough memory.
        free_fn_name: `void NAME(void* memory, size_t size, int device, musaStream_t stream)`
    """

    def __init__(self, path_to_so_file: Union[str, os.PathLike[str]], alloc_fn_name: str, free_fn_name: str) -> None:
        library = ctypes.CDLL(os.fspath(path_to_so_file))
        allocate, free = (_address(library, name) for name in (alloc_fn_name, free_fn_name))
        super().__init__(_MUSAC.MemorySource(allocate, free))


def _address(library: ctypes.CDLL, name: str) -> int:
    address = ctypes.cast(getattr(library, name), ctypes.c_void_p).value
    assert address is not None
    return address


def change_current_allocator(allocator: _MUSAAllocator) -> None:
    """Let all device memory come from `allocator`. Raises RuntimeError once memory was allocated."""
    _MUSAC.change_memory_source(allocator.allocator())


class MemPool(_MUSAC._MemPool):
    """A name for a part of the memory, and where that comes from.

    Args:
        allocator: MUSAPluggableAllocator(...).allocator(), or None for where all other memory comes from.
        use_on_oom: accepted for torch.cuda's sake, as is `no_split`: a pool without a cache has no memory to give.
    """

    def __init__(
        self, allocator: Optional[_MUSAC.MemorySource] = None, use_on_oom: bool = False, no_split: bool = False
    ) -> None:
        super().__init__(allocator)

    @property
    def id(self) -> tuple[int, int]:
        """Two numbers that no other pool of this process has."""
        return super().id

    @property
    def allocator(self) -> Optional[_MUSAC.MemorySource]:
        """Where its memory comes from, as it was given."""
        return super().allocator

    def use_count(self) -> int:
        """Return how much holds the pool: this object, each use_mem_pool, and each block of its memory."""
        return super().use_count()

    def snapshot(self, include_traces: bool = True) -> list[dict[str, Any]]:
        """Return memory_snapshot of this pool's memory."""
        return memory_snapshot(self.id, include_traces)


class _Active(threading.local):
    """The calling thread's active pool, for code that asks."""

    pool: Optional[MemPool] = None


_ACTIVE = _Active()


class MemPoolContext:
    """Makes a pool the calling thread's active one until it is deleted. use_mem_pool makes memory come from it."""

    def __init__(self, pool: MemPool) -> None:
        self._previous = _ACTIVE.pool
        _ACTIVE.pool = pool

    def __del__(self) -> None:
        _ACTIVE.pool = self._previous

    @staticmethod
    def active_pool() -> Optional[MemPool]:
        """Return the calling thread's active pool."""
        return _ACTIVE.pool


@contextmanager
def use_mem_pool(pool: MemPool, device: DeviceLike = None) -> Iterator[None]:
    """Let the calling thread's memory of a device (default: the current one) come from `pool` inside a `with` block."""
    index = device_index(device)
    context = MemPoolContext(pool)
    _MUSAC.begin_pool(index, pool)
    try:
        yield
    finally:
        _MUSAC.end_pool(index, pool)
        del context
