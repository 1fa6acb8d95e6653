"""The sizes of types in bytes. Only LLVM knows the data layout, so LLVM computes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..ir.types import size_expression
from ..ir.variables import integers, target_and_types


def type_sizes(ir: str, types: Sequence[str], fold: Callable[[str], str]) -> dict[str, int]:
    """Return the size in bytes of each of these types of a module.

    `fold` evaluates constant expressions in a module; it is called once, and not at all when there is nothing to ask.
    """
    distinct = list(dict.fromkeys(types))
    if not distinct:
        return {}
    queries = "".join(f"@size.{at} = constant i64 {size_expression(kind)}\n" for at, kind in enumerate(distinct))
    answers = integers(fold(target_and_types(ir) + queries))
    return {kind: answers[f"size.{at}"] for at, kind in enumerate(distinct) if f"size.{at}" in answers}
