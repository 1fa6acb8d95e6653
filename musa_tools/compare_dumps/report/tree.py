"""Where in the model a call is: the path of its module, for the tree of the page."""

from __future__ import annotations

from collections.abc import Sequence

from musa_tools.compare_dumps.names import call_name, layer_of
from musa_tools.compare_dumps.records import Call
from musa_tools.compare_dumps.result import Pair


def module_paths(pairs: Sequence[Pair]) -> list[str]:
    """Return the path of every call's module, as ``layers.0.fc``; without any module, what functions are called.

    Args:
        pairs: The calls of a section.
    """
    paths = [module_path(pair) for pair in pairs]
    return paths if any(paths) else [_function(pair.call) for pair in pairs]


def module_path(pair: Pair) -> str:
    """Return the path of a call's module, empty where neither dump knows it."""
    for call in (pair.left, pair.right):
        found = _module(call) if call is not None else ""
        if found:
            return found
    return ""


def _module(call: Call) -> str:
    if call.layer:
        return call.layer
    return layer_of(call_name(call.parent).base) if call.parent else ""


def _function(call: Call) -> str:
    kind, _, name = call.base.replace("_", ".", 1).partition(".") if "." not in call.base else call.base.partition(".")
    return f"{kind}.{name.replace('.', '_')}"
