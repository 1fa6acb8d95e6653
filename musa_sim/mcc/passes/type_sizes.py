"""The sizes of types in bytes. Only LLVM knows the data layout, so LLVM computes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..ir.types import plain_size, size_expression
from ..ir.variables import integers, target_and_types


def type_sizes(ir: str, types: Sequence[str], fold: Callable[[str], str]) -> dict[str, int]:
    """Return the size in bytes of each of these types of a module.

    `fold` evaluates constant expressions in a module, which starts LLVM; it is called once, and not at all when the
    types tell their sizes themselves.
    """
    plain = {kind: size for kind in types if (size := plain_size(kind))}
    distinct = [kind for kind in dict.fromkeys(types) if kind not in plain]
    if not distinct:
        return plain
    queries = "".join(f"@size.{at} = constant i64 {size_expression(kind)}\n" for at, kind in enumerate(distinct))
    answers = integers(fold(target_and_types(ir) + queries))
    asked = {kind: answers[f"size.{at}"] for at, kind in enumerate(distinct) if f"size.{at}" in answers}
    return {**plain, **asked}
