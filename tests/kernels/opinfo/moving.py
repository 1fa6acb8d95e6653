"""Copy arguments to the device with their strides and with the storage that they share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_flatten, tree_map


class Mover:
    """Copies arguments of one call to the device. Tensors that share a storage share one there, too.

    Args:
        device: Where to.
    """

    def __init__(self, device: str) -> None:
        self._device = device
        self._storages: dict[tuple[int, torch.dtype], Tensor] = {}

    def __call__(self, arguments: Any) -> Any:
        """Return the arguments with every tensor and every name of a device replaced."""
        return tree_map(self._one, arguments)

    def _one(self, value: Any) -> Any:
        if isinstance(value, Tensor):
            return self._tensor(value.detach()).requires_grad_(value.requires_grad)
        if isinstance(value, torch.device) and value.type == "cpu":
            return torch.device(self._device)
        return self._device if isinstance(value, str) and value == "cpu" else value

    def _tensor(self, value: Tensor) -> Tensor:
        if value.layout is not torch.strided or value.is_quantized or type(value) is not Tensor:
            return value.to(self._device, copy=True)
        if value.is_conj():
            return self._tensor(value.conj()).conj()
        if value.is_neg():
            return torch._neg_view(self._tensor(torch._neg_view(value)))
        storage = value.untyped_storage()
        key = (storage.data_ptr(), value.dtype)
        if key not in self._storages or storage.data_ptr() == 0:
            whole = torch.empty(0, dtype=value.dtype).set_(storage)  # all of it, without a gap
            self._storages[key] = whole.to(self._device, copy=True)
        whole = self._storages[key]
        return whole.as_strided(value.size(), value.stride(), value.storage_offset())


def copies(arguments: Any) -> Any:
    """Return the arguments with tensors of their own."""
    return Mover("cpu")(arguments)


def tensors_in(result: Any, where: Callable[[Tensor], bool] = lambda tensor: True) -> list[Tensor]:
    """Return the tensors of a nest of containers, in order."""
    return [value for value in tree_flatten(result)[0] if isinstance(value, Tensor) and where(value)]
