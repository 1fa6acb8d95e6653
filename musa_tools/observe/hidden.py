"""What a tool computes for itself is hidden: from the modes of the user, from autograd, from tracers and transforms."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils import _python_dispatch

_Key = torch._C.DispatchKey
_transform = torch._C._functorch.peek_interpreter_stack
_tracing_state = torch._C._get_tracing_state
_set_tracing_state: Any = vars(torch._C)["_set_tracing_state"]  # it has no types
#: Autograd and everything above it, and what the transforms of torch.func keep below it.
_ABOVE_KERNELS = (
    (torch._C._dispatch_keyset_full() - torch._C._dispatch_keyset_full_after(_Key.ADInplaceOrView))
    | torch._C.DispatchKeySet(_Key.FuncTorchDynamicLayerBackMode)
    | torch._C.DispatchKeySet(_Key.Functionalize)
)


class unobserved:
    """Run a tool's own operators: nothing of the user's sees them, or records them.

    That is modes, functions of subclasses, autograd, ``torch.jit.trace`` and transforms of ``torch.func``.
    """

    __slots__ = ("_below_autograd", "_functions", "_modes", "_trace")

    def __enter__(self) -> None:
        self._functions = _entered(torch._C.DisableTorchFunction())  # torch.set_default_device is one
        guard = _below_autograd if _transform() is None else _below_transforms
        self._below_autograd = _entered(guard())
        self._trace = _tracing_state()
        if self._trace is not None:
            _set_tracing_state(None)
        others = torch._C._len_torch_dispatch_stack()
        self._modes = _entered(_python_dispatch._disable_current_modes()) if others else None

    def __exit__(self, *exception: Any) -> None:
        if self._modes is not None:
            self._modes.__exit__(*exception)
        if self._trace is not None:
            _set_tracing_state(self._trace)
        self._below_autograd.__exit__(*exception)
        self._functions.__exit__(*exception)


def _entered(guard: Any) -> Any:
    guard.__enter__()
    return guard


_below_autograd = torch._C._AutoDispatchBelowAutograd


def _below_transforms() -> Any:
    return torch._C._ExcludeDispatchKeyGuard(_ABOVE_KERNELS)
