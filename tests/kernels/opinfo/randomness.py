"""Operators whose results are random: the same seed gives the same numbers, and their distribution is the CPU's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.testing._internal import common_methods_invocations as database
from torch.utils._python_dispatch import TorchDispatchMode

from .moving import tensors_in

#: Results are repeated until there are so many numbers.
ENOUGH = 4000
MOST_CALLS = 40
#: Times sqrt(2/n): two samples of one distribution are further apart with a probability of 1 in 100,000.
FAR = 2.48


class RandomCalls(TorchDispatchMode):
    """Notes whether an operator draws random numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.seen = False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.seen |= torch.Tag.nondeterministic_seeded in func.tags
        return func(*args, **(kwargs or {}))


@contextmanager
def unseeded() -> Iterator[None]:
    """Let the database's operators draw on: it sets the same seed before each call of a random one."""
    name = "wrapper_set_seed"
    kept = getattr(database, name)
    setattr(database, name, lambda op, *args, **kwargs: op(*args, **kwargs))
    try:
        yield
    finally:
        setattr(database, name, kept)


def numbers(call: Callable[[], Any]) -> Tensor:
    """Return many numbers that a random operator gives, sorted."""
    found: list[Tensor] = []
    for _ in range(MOST_CALLS):
        found += [tensor.detach().cpu().resolve_conj().flatten() for tensor in tensors_in(call())]
        if not found or sum(part.numel() for part in found) >= ENOUGH:
            break
    parts = [torch.view_as_real(part).flatten() if part.is_complex() else part for part in found]
    return torch.cat([part.double() for part in parts]).sort().values if parts else torch.empty(0)


def distance(ours: Tensor, theirs: Tensor) -> float:
    """Return the largest difference of the two distribution functions, over what chance allows."""
    if ours.numel() == 0 or theirs.numel() == 0:
        return 0.0 if ours.numel() == theirs.numel() else float("inf")
    ours, theirs = ours.nan_to_num(), theirs.nan_to_num()
    at = torch.cat([ours, theirs])
    ranks = [torch.searchsorted(each, at, right=True).double() / each.numel() for each in (ours, theirs)]
    count = min(ours.numel(), theirs.numel())
    return float((ranks[0] - ranks[1]).abs().max()) / (FAR * (2 / count) ** 0.5)
