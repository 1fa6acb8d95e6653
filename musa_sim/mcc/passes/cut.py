"""A kernel that is cut where its threads wait."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ..contract.cuts import Place
    from ..kernel import Kernel


class Unfit(Exception):
    """Why a kernel keeps its fibers."""


class Cut(NamedTuple):
    """A kernel that became a coroutine, and its places, by their number less one."""

    kernel: Kernel
    places: tuple[Place, ...]
    kept: frozenset[str]  # types of values that are not computed again (kept_values.py)
    shared: Mapping[str, str]  # the variables whose addresses are parameters, by these
    has_rest: bool  # it waits nowhere: a plain loop can run it if no thread makes a second step
