"""torch.musa.nvtx: named ranges, with the functions of torch.cuda.nvtx.

No external tool shows them. They are ranges of torch.profiler, like those of record_function.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from torch.autograd.profiler import record_function

__all__ = ["mark", "range", "range_end", "range_pop", "range_push", "range_start"]


class _Ranges(threading.local):
    """The ranges that the calling thread has pushed."""

    def __init__(self) -> None:
        self.pushed: list[record_function] = []


_RANGES = _Ranges()
_STARTED: dict[int, record_function] = {}
_NUMBERS = itertools.count(1)


def range_push(msg: str) -> int:
    """Begin a range in the calling thread's current one. Return its depth, 0 for the outermost."""
    begun = record_function(msg)
    begun.__enter__()
    _RANGES.pushed.append(begun)
    return len(_RANGES.pushed) - 1


def range_pop() -> int:
    """End the calling thread's innermost range. Return its depth, or -1 if there is none."""
    if _RANGES.pushed:
        _RANGES.pushed.pop().__exit__(None, None, None)
        return len(_RANGES.pushed)
    return -1


def range_start(msg: str) -> int:
    """Begin a range that may end in another thread. Return its number for range_end."""
    number = next(_NUMBERS)
    _STARTED[number] = record_function(msg)
    _STARTED[number].__enter__()
    return number


def range_end(range_id: int) -> None:
    """End a range of range_start. Raises KeyError if there is no range of this number."""
    _STARTED.pop(range_id).__exit__(None, None, None)


def mark(msg: str) -> None:
    """Mark a moment: a range without length."""
    with record_function(msg):
        pass


@contextmanager
def range(msg: str, *args: object, **kwargs: object) -> Iterator[None]:
    """Return a range for a `with` block or, as a decorator, for a function.

    Args:
        msg: The name.
        args: Values for `msg`, as for str.format.
        kwargs: Values for `msg`, as for str.format.
    """
    range_push(msg.format(*args, **kwargs))
    try:
        yield
    finally:
        range_pop()
