"""What a build could do faster, said once while it is planned. Pure: texts of sources go in, lines come out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Optional

# Both read all of pybind11 and of torch's Python headers.
_PYBIND = re.compile(
    r'^[ \t]*#[ \t]*include[ \t]*[<"](torch/extension\.h|torch/python\.h|pybind11/[^">]+)[">]', re.MULTILINE
)


def pybind_hint(texts: Mapping[str, str], front_ends: int) -> Optional[str]:
    """A line about MUSA sources (name -> text) that include pybind11, None where none does.

    `front_ends` is how often mcc reads a source: once for the host and once for each architecture.
    """
    found = {name: match[1] for name, text in texts.items() for match in [_PYBIND.search(text)] if match}
    if not found:
        return None
    name, header = next(iter(found.items()))
    others = f" and {len(found) - 1} more" if len(found) > 1 else ""
    return (
        f"{name}{others}: mcc reads <{header}> {front_ends} times, for the host and for each architecture; it is "
        "faster to have bindings in a .cpp and <torch/types.h>, or single headers of <ATen/ops/...>, in the .mu"
    )
