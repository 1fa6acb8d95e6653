"""What a tool computes for itself is hidden: from the modes of the user, and from autograd."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils import _python_dispatch


class unobserved:
    """Run a tool's own operators: no mode of the user sees them, autograd does not record them."""

    __slots__ = ("_below_autograd", "_functions", "_modes")

    def __enter__(self) -> None:
        self._functions = _entered(torch._C.DisableTorchFunction())  # torch.set_default_device is one
        self._below_autograd = _entered(torch._C._AutoDispatchBelowAutograd())
        others = torch._C._len_torch_dispatch_stack()
        self._modes = _entered(_python_dispatch._disable_current_modes()) if others else None

    def __exit__(self, *exception: Any) -> None:
        if self._modes is not None:
            self._modes.__exit__(*exception)
        self._below_autograd.__exit__(*exception)
        self._functions.__exit__(*exception)


def _entered(guard: Any) -> Any:
    guard.__enter__()
    return guard
