"""Copy and cast the arguments of an operator for the CPU."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from typing import Any, Callable, Optional

import torch

from musa_tools.judge.numbers import is_float
from musa_tools.tensors.operands import leaves, mapped

_DTYPE_REFUSED = re.compile(r"not implemented for '(\w+)'|\"\w+\" not implemented")
_NARROW = {
    dtype: torch.complex64 if dtype.is_complex else torch.float32
    for dtype in (
        getattr(torch, name, None)
        for name in (
            "float16",
            "bfloat16",
            "complex32",
            "float8_e4m3fn",
            "float8_e5m2",
            "float8_e4m3fnuz",
            "float8_e5m2fnuz",
            "float8_e8m0fnu",
        )
    )
    if dtype is not None
}


def for_cpu(value: Any) -> Any:
    """Return arguments with every device replaced by the CPU."""

    def replaced(leaf: Any) -> Any:
        return torch.device("cpu") if isinstance(leaf, torch.device) else leaf

    return mapped(value, replaced)


def keywords_for_cpu(kwargs: dict[str, Any]) -> dict[str, Any]:
    """Return keyword arguments for the CPU; pinned memory belongs to the other device."""
    changed = {key: for_cpu(value) for key, value in kwargs.items()}
    if changed.get("pin_memory"):
        changed["pin_memory"] = False
    return changed


def refuses_dtype(error: BaseException) -> bool:
    """Return whether an error says that the CPU has no kernel for a dtype."""
    return _DTYPE_REFUSED.search(str(error)) is not None


def has_narrow(value: Any) -> bool:
    """Return whether there are floats that the CPU may have no kernel for."""
    return any(_dtype(leaf) in _NARROW for _, leaf in leaves(value))


def raised(value: Any) -> Any:
    """Return arguments with narrow floats as float32; integers and bools stay."""
    return mapped(value, _cast_with(lambda dtype: _NARROW.get(dtype, dtype), _shared_storages(value)))


def doubled(value: Any) -> Any:
    """Return arguments with every float as float64."""

    def wide(dtype: torch.dtype) -> torch.dtype:
        if not is_float(dtype):
            return dtype
        return torch.complex128 if dtype.is_complex else torch.float64

    return mapped(value, _cast_with(wide, _shared_storages(value)))


def halved(value: Any) -> Any:
    """Return arguments with every float64 as float32, and every number as one that float32 has."""
    narrow = {torch.float64: torch.float32, torch.complex128: torch.complex64}
    cast = _cast_with(lambda dtype: narrow.get(dtype, dtype), _shared_storages(value))

    def halve(leaf: Any) -> Any:
        if type(leaf) in (float, complex):
            return torch.tensor(leaf, dtype=torch.complex64 if isinstance(leaf, complex) else torch.float32).item()
        return cast(leaf)

    return mapped(value, halve)


def disturbed(value: Any, relative: float, number: int) -> Any:
    """Return arguments whose floats are changed by a relative error of random sign.

    Where two terms cancel, errors of equal sign do too. So every second disturbance has the signs of the one before it,
    but turned for every second element and argument: one of both shows the effect of opposite signs.

    Args:
        value: The arguments.
        relative: The error.
        number: The number of the disturbance.
    """
    generator = torch.Generator("cpu").manual_seed(number // 2)
    numbers = itertools.count()

    def change(leaf: Any) -> Any:
        if type(leaf) is float:
            return leaf * (1 + _signs((), number, next(numbers), generator).item() * relative)
        if isinstance(leaf, torch.Tensor) and is_float(leaf.dtype):
            factor = 1 + _signs(leaf.shape, number, next(numbers), generator) * relative
            # An expanded tensor cannot be written to.
            return (leaf * factor).to(leaf.dtype) if 0 in leaf.stride() else leaf.mul_(factor)
        return leaf

    # A copy whose tensors share memory where the originals do, changed in place.
    return mapped(private_copy(value), change)


def _signs(shape: Any, number: int, offset: int, generator: torch.Generator) -> torch.Tensor:
    signs = 2 * torch.randint(0, 2, shape, generator=generator, device="cpu", dtype=torch.float64) - 1
    if number % 2:
        turned = torch.arange(signs.numel(), device="cpu").div(number // 2 + 1, rounding_mode="floor") + offset
        signs = signs * (1 - 2 * (turned % 2)).view(shape)
    return signs


def private_copy(value: Any, only: Optional[set[int]] = None) -> Any:
    """Return arguments with private copies of the tensors; tensors that share memory still do.

    Args:
        value: The arguments, on the CPU.
        only: The storages to copy; None copies all.
    """
    storages: dict[int, Any] = {}

    def copied(leaf: Any) -> Any:
        if not isinstance(leaf, torch.Tensor) or leaf.layout != torch.strided:
            return leaf
        if leaf.is_quantized or leaf.is_nested:
            return leaf.clone()
        storage = leaf.untyped_storage()
        key = storage._cdata
        if only is not None and key not in only:
            return leaf
        if leaf.is_conj() or leaf.is_neg():
            return leaf.clone()
        if key not in storages:
            # A storage's own clone() takes three times as long.
            flat = torch.empty(0, dtype=torch.uint8, device="cpu").set_(storage, 0, (storage.nbytes(),), (1,))
            storages[key] = flat.clone().untyped_storage()
        fresh = torch.empty(0, dtype=leaf.dtype, device="cpu")
        return fresh.set_(storages[key], leaf.storage_offset(), leaf.size(), leaf.stride())

    return mapped(value, copied)


def _dtype(leaf: Any) -> Any:
    return leaf.dtype if isinstance(leaf, torch.Tensor) else leaf


def _shared_storages(value: Any) -> set[int]:
    """Return the storages that more than one tensor uses."""
    found = {id(leaf): leaf for _, leaf in leaves(value) if isinstance(leaf, torch.Tensor)}
    counts = Counter(leaf.untyped_storage()._cdata for leaf in found.values() if leaf.layout == torch.strided)
    return {storage for storage, count in counts.items() if count > 1}


def _cast_with(wanted: Callable[[torch.dtype], torch.dtype], shared: set[int]) -> Callable[[Any], Any]:
    """Return a function that casts tensors, such that those that share memory still do."""
    casts: dict[int, torch.Tensor] = {}
    whole: dict[tuple[int, torch.dtype], torch.Tensor] = {}

    def cast_tensor(tensor: torch.Tensor) -> torch.Tensor:
        if tensor.layout != torch.strided or tensor.is_conj() or tensor.is_neg():
            return tensor.to(wanted(tensor.dtype))
        storage = tensor.untyped_storage()
        if storage._cdata not in shared:
            return tensor.to(wanted(tensor.dtype))
        key = storage._cdata, tensor.dtype
        if key not in whole:
            flat = torch.empty(0, dtype=tensor.dtype, device="cpu")
            length = storage.nbytes() // tensor.element_size()
            whole[key] = flat.set_(storage, 0, (length,), (1,)).to(wanted(tensor.dtype))
        return whole[key].as_strided(tensor.size(), tensor.stride(), tensor.storage_offset())

    def cast(leaf: Any) -> Any:
        if isinstance(leaf, torch.dtype):
            return wanted(leaf)
        if not isinstance(leaf, torch.Tensor) or wanted(leaf.dtype) == leaf.dtype:
            return leaf
        if id(leaf) not in casts:
            casts[id(leaf)] = cast_tensor(leaf)
        return casts[id(leaf)]

    return cast
