"""Hints for a faster build, logged once while it is planned. This module is pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Optional

# Both read all of pybind11 and of torch's Python headers.
_PYBIND = re.compile(
    r'^[ \t]*#[ \t]*include[ \t]*[<"](torch/extension\.h|torch/python\.h|pybind11/[^">]+)[">]', re.MULTILINE
)


def pybind_hint(texts: Mapping[str, str], front_ends: int) -> Optional[str]:
    """Return a hint about MUSA sources that include pybind11; None if there are none.

    Args:
        texts: The content of the sources, by name.
        front_ends: How often mcc reads a source: once for the host and once for each architecture.
    """
    headers = {name: match[1] for name, text in texts.items() for match in [_PYBIND.search(text)] if match}
    if not headers:
        return None
    name, header = next(iter(headers.items()))
    others = f" and {len(headers) - 1} more" if len(headers) > 1 else ""
    return (
        f"{name}{others}: mcc reads <{header}> {front_ends} times, for the host and for each architecture; to build "
        "faster, move bindings to a .cpp and include <torch/types.h>, or single headers of <ATen/ops/...>, in the .mu"
    )
