"""Remember which memory was never written, as far as the operators that are seen tell."""

from __future__ import annotations

from typing import Any

from torch.multiprocessing.reductions import StorageWeakRef

from musa_tools.tensors.operands import strided

_LEAST = 256  # storages to remember before removing expired ones


class UnwrittenMemory:
    """The storages of tensors that ``torch.empty`` and its relatives have returned."""

    def __init__(self) -> None:
        self._storages: dict[int, Any] = {}  # the weak reference keeps the key from being used again
        self._most = _LEAST

    def add(self, value: Any) -> None:
        """Remember the memory of all tensors of a nest."""
        for tensor in strided(value):
            storage = tensor.untyped_storage()
            self._storages[storage._cdata] = StorageWeakRef(storage)  # type: ignore[no-untyped-call]
        if len(self._storages) > self._most:
            self._storages = {key: storage for key, storage in self._storages.items() if not storage.expired()}
            self._most = max(_LEAST, 2 * len(self._storages))

    def holds(self, value: Any) -> bool:
        """Return whether any tensor of a nest lies in such memory."""
        return bool(self._storages) and any(each.untyped_storage()._cdata in self._storages for each in strided(value))

    def overwritten(self, value: Any) -> None:
        """Forget the storages that the tensors of a nest fill."""
        self.discard(
            [each for each in strided(value) if each.numel() * each.element_size() >= each.untyped_storage().nbytes()]
        )

    def discard(self, value: Any) -> None:
        """Forget the memory of all tensors of a nest."""
        for tensor in strided(value):
            self._storages.pop(tensor.untyped_storage()._cdata, None)

    def clear(self) -> None:
        """Forget everything."""
        self._storages.clear()
