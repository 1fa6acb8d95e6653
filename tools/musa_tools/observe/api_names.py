"""The names of PyTorch's functions, as dumps write them: Functional.linear, Tensor.add_, Torch.matmul, Aten.add."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Optional

import torch
from torch._ops import OpOverload, OpOverloadPacket

_PREFIXES = (
    ("torch.nn.functional.", "Functional"),
    ("torch.Tensor.", "Tensor"),
    ("torch.functional.", "Torch"),
    ("torch.", "Torch"),
)
#: Namespaces of ``torch.ops`` that have a prefix of their own; others are Custom.
_NAMESPACES = {"aten": "Aten", "npu": "NPU", "musa": "MUSA", "torch_musa": "MUSA"}


class Api(NamedTuple):
    """A function of PyTorch."""

    kind: str  # Functional, Tensor, Torch, VF, Aten, NPU, MUSA, Custom
    name: str
    writes: bool  # to one of its arguments, whatever else is passed


class ApiNames:
    """Finds the name of a function, if the list of functions to watch has it.

    Args:
        wanted: Section (``functional``, ``tensor``, ...) -> names or patterns. A missing section watches nothing.
    """

    def __init__(self, wanted: Mapping[str, Iterable[str]]) -> None:
        self._wanted = {section: frozenset(_flat(name) for name in names) for section, names in wanted.items()}
        self._patterns = {
            section: tuple(name for name in names if any(sign in name for sign in "*?["))
            for section, names in self._wanted.items()
        }
        self._known: dict[Any, Optional[Api]] = {}

    def find(self, function: Any) -> Optional[Api]:
        """Return a function's name, or None if it is not watched."""
        try:
            return self._known[function]
        except KeyError:
            found = self._known[function] = self._look_up(function)
            return found

    def _look_up(self, function: Any) -> Optional[Api]:
        found = _operator_name(function) or _function_name(function)
        if found is None:
            return None
        kind, name = found
        if kind == "Torch" and self.lists("vf", name):
            kind = "VF"
        if not self.lists(kind.lower(), name):
            return None
        writes = (name.endswith("_") and not name.endswith("__")) or name in ("__setitem__", "_set_data")
        return Api(kind, name, writes)

    def lists(self, section: str, name: str) -> bool:
        """Return whether a section has a name."""
        if name in self._wanted.get(section, ()):
            return True
        return any(fnmatch.fnmatchcase(name, pattern) for pattern in self._patterns.get(section, ()))


def _operator_name(function: Any) -> Optional[tuple[str, str]]:
    if not isinstance(function, (OpOverload, OpOverloadPacket)):
        return None
    packet = function.overloadpacket if isinstance(function, OpOverload) else function
    namespace, _, name = packet._qualified_op_name.partition("::")
    kind = _NAMESPACES.get(namespace)
    return (kind, name) if kind else ("Custom", f"{namespace}_{name}")


def _function_name(function: Any) -> Optional[tuple[str, str]]:
    path = torch.overrides.resolve_name(function)
    if path is None or path.endswith(".__get__"):
        return None
    for prefix, kind in _PREFIXES:
        if path.startswith(prefix):
            return kind, _flat(path[len(prefix) :])
    return None


def _flat(name: str) -> str:
    return name.replace(".", "_")
