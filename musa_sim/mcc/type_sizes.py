"""How many bytes a type has: LLVM is asked, since only LLVM knows the data layout."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

_TYPE_DEFINITION = re.compile(r"^%[^\n]* = type [^\n]*$", re.M)
_SIZE = re.compile(r"^@size\.(\d+) = [^\n]*constant i64 (\d+)", re.M)


def type_sizes(ir: str, types: Sequence[str], fold: Callable[[str], str]) -> dict[str, int]:
    """{IR type of the module `ir`: its size in bytes}.

    `fold` optimises a module's text; it is called once, and not at all when there is nothing to ask.
    """
    distinct = list(dict.fromkeys(types))
    if not distinct:
        return {}
    layout = "".join(line + "\n" for line in re.findall(r"^target [^\n]*$", ir, re.M))
    definitions = "".join(line + "\n" for line in _TYPE_DEFINITION.findall(ir))
    queries = "".join(
        f"@size.{at} = constant i64 ptrtoint (ptr getelementptr ({kind}, ptr null, i32 1) to i64)\n"
        for at, kind in enumerate(distinct)
    )
    return {distinct[int(at)]: int(size) for at, size in _SIZE.findall(fold(layout + definitions + queries))}
