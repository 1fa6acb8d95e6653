"""Register the device with PyTorch's compiler as soon as that is imported.

torch_musa does not import it itself, because that takes longer than its own import.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Optional

import torch


def _tell_dynamo() -> None:
    from torch_musa._compile import dynamo

    dynamo.register()


def _tell_inductor() -> None:
    from torch_musa._compile import inductor

    inductor.register()


_STEPS: dict[str, Callable[[], None]] = {
    "torch._dynamo": _tell_dynamo,
    "torch._inductor.codegen.common": _tell_inductor,
}
_WITHOUT = {
    "torch._dynamo": "torch.musa's streams, events and functions end the graph of compiled code",
    "torch._inductor.codegen.common": 'use torch.compile(..., backend="aot_eager"); the default backend fails',
}


def register() -> None:
    """Register with the parts that are imported already, and with the others when they are."""
    for name in _STEPS:
        if name in sys.modules:
            _tell(name)
    sys.meta_path.insert(0, _Watcher())


class _Watcher:
    """A finder that finds nothing itself: it adds a step to the loading of PyTorch's compiler."""

    def find_spec(
        self, name: str, path: Optional[Sequence[str]] = None, target: Optional[ModuleType] = None
    ) -> Optional[ModuleSpec]:
        """Return the spec of the other finders, with the step added; None for modules of no interest."""
        if name not in _STEPS:
            return None
        others = (finder for finder in sys.meta_path if finder is not self and hasattr(finder, "find_spec"))
        spec = next(filter(None, (finder.find_spec(name, path, target) for finder in others)), None)
        if spec is not None and spec.loader is not None:
            loader: Any = spec.loader

            def exec_module(module: ModuleType) -> None:
                del loader.exec_module  # the class's own method again: the step runs once
                loader.exec_module(module)
                _tell(name)

            loader.exec_module = exec_module  # on the object: a loader around it would hide its get_source
        return spec


def _tell(name: str) -> None:
    """Run a step. If this PyTorch lacks a name that the step uses, warn: programs must run without it."""
    try:
        _STEPS[name]()
    except (ImportError, AttributeError, TypeError) as error:
        warnings.warn(
            f"torch_musa does not know {name} of PyTorch {torch.__version__} ({error}): {_WITHOUT[name]}",
            stacklevel=2,
        )
