"""torch.musa.sparse.FloatTensor and others: the older types of sparse tensors (COO), as torch.cuda.sparse has them."""

from __future__ import annotations

from typing import Any

import torch


class _SparseTensorType(type):
    """The type of these types. `dtype` is the element type of the tensors they stand for."""

    dtype: torch.dtype

    @property
    def __name__(cls) -> str:
        """The name in torch.musa.sparse. PyTorch's C++ code knows the type by the whole one."""
        return cls.__qualname__

    def __instancecheck__(cls, instance: object) -> bool:
        return (
            isinstance(instance, torch.Tensor)
            and instance.layout == torch.sparse_coo
            and instance.device.type == "musa"
            and instance.dtype == cls.dtype
        )

    def __call__(cls, *args: Any) -> torch.Tensor:
        """Make a tensor on the current device, of these indices and values and, if it is given, this size."""
        if not args:
            return torch.sparse_coo_tensor(size=(0,), dtype=cls.dtype, device="musa")
        return torch.sparse_coo_tensor(*args, dtype=cls.dtype, device="musa")


def _type(name: str, dtype: torch.dtype) -> type:
    doc = f"The type of sparse tensors (COO) of {dtype} on musa, for isinstance() and to make them."
    names = {"dtype": dtype, "__doc__": doc, "__module__": "torch.musa.sparse", "__qualname__": name}
    return _SparseTensorType(f"torch.musa.sparse.{name}", (), names)


ByteTensor = _type("ByteTensor", torch.uint8)
CharTensor = _type("CharTensor", torch.int8)
ShortTensor = _type("ShortTensor", torch.int16)
IntTensor = _type("IntTensor", torch.int32)
LongTensor = _type("LongTensor", torch.int64)
HalfTensor = _type("HalfTensor", torch.float16)
BFloat16Tensor = _type("BFloat16Tensor", torch.bfloat16)
FloatTensor = _type("FloatTensor", torch.float32)
DoubleTensor = _type("DoubleTensor", torch.float64)
