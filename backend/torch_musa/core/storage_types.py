"""torch.musa.FloatStorage and the others: PyTorch's older types of storages, on this device."""

from __future__ import annotations

from typing import NoReturn

import torch
from torch.storage import _LegacyStorage

# torch.storage has no annotations to speak of
# mypy: disable-error-code="no-untyped-call,no-untyped-def"


class _MusaStorage(_LegacyStorage):
    """Elements of one type in device memory. What only host memory can do is refused, as torch.cuda does."""

    @classmethod
    def from_buffer(cls, *args: object, **kwargs: object) -> NoReturn:
        """Raise RuntimeError: a buffer is host memory."""
        raise RuntimeError("from_buffer: Not available for MUSA storage")

    @classmethod
    def _new_with_weak_ptr(cls, *args: object, **kwargs: object) -> NoReturn:
        raise RuntimeError("_new_with_weak_ptr: Not available for MUSA storage")

    @classmethod
    def _new_shared_filename(cls, *args: object, **kwargs: object) -> NoReturn:
        raise RuntimeError("_new_shared_filename: Not available for MUSA storage")


def _storage_type(name: str, dtype: torch.dtype) -> type:
    # PyTorch finds the device by the last part of the module's name.
    return type(_LegacyStorage)(name, (_MusaStorage,), {"dtype": dtype, "_dtype": dtype, "__module__": "torch.musa"})


BoolStorage = _storage_type("BoolStorage", torch.bool)
ByteStorage = _storage_type("ByteStorage", torch.uint8)
CharStorage = _storage_type("CharStorage", torch.int8)
ShortStorage = _storage_type("ShortStorage", torch.int16)
IntStorage = _storage_type("IntStorage", torch.int32)
LongStorage = _storage_type("LongStorage", torch.int64)
HalfStorage = _storage_type("HalfStorage", torch.float16)
BFloat16Storage = _storage_type("BFloat16Storage", torch.bfloat16)
FloatStorage = _storage_type("FloatStorage", torch.float32)
DoubleStorage = _storage_type("DoubleStorage", torch.float64)
ComplexFloatStorage = _storage_type("ComplexFloatStorage", torch.complex64)
ComplexDoubleStorage = _storage_type("ComplexDoubleStorage", torch.complex128)
