"""torch.musa.FloatTensor and the like: types with which older code makes tensors and tests what a tensor is.

torch.cuda has them, and code that knows Moore Threads' torch_musa (mmengine, for one) uses them. They are not classes
of tensors: `isinstance` looks at the device and the element type, and a call makes an ordinary tensor.
"""

from __future__ import annotations

from typing import Any

import torch


class _TensorType(type):
    """The type of these types. `dtype` is the element type of the tensors they stand for.

    PyTorch's C++ code knows a tensor type by the name that the type was made with, which is the whole one.
    """

    dtype: torch.dtype

    @property
    def __name__(cls) -> str:
        """The name in torch.musa."""
        return cls.__qualname__

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, torch.Tensor) and instance.device.type == "musa" and instance.dtype == cls.dtype

    def __call__(cls, *args: Any) -> torch.Tensor:
        """Return a tensor on the current device: of these sizes, uninitialised, or of this data."""
        on_cpu: Any = getattr(torch, cls.__name__)
        made: torch.Tensor = on_cpu(*args).to("musa")
        return made


def _type(name: str, dtype: torch.dtype) -> type:
    return _TensorType(f"torch.musa.{name}", (), {"dtype": dtype, "__module__": "torch.musa", "__qualname__": name})


BoolTensor = _type("BoolTensor", torch.bool)
ByteTensor = _type("ByteTensor", torch.uint8)
CharTensor = _type("CharTensor", torch.int8)
ShortTensor = _type("ShortTensor", torch.int16)
IntTensor = _type("IntTensor", torch.int32)
LongTensor = _type("LongTensor", torch.int64)
HalfTensor = _type("HalfTensor", torch.float16)
BFloat16Tensor = _type("BFloat16Tensor", torch.bfloat16)
FloatTensor = _type("FloatTensor", torch.float32)
DoubleTensor = _type("DoubleTensor", torch.float64)
