"""PyTorch's own functions by the names in dumps: a closed table, so that a name in a file runs nothing else."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Optional

import torch

from musa_tools.observe.api_names import ApiNames

#: Methods with two underscores that compute something.
_OPERATORS = frozenset(
    """
    add and div eq floordiv ge getitem gt iadd iand idiv ifloordiv ilshift imod imul invert ior ipow irshift isub
    itruediv ixor le lshift lt matmul mod mul ne neg or pow radd rand rdiv rfloordiv rlshift rmatmul rmod rmul ror rpow
    rrshift rshift rsub rtruediv rxor sub truediv xor abs pos
    """.split()  # noqa: SIM905 (as a list it would take a line each)
)
#: They give a tensor other memory, code or another process.
_REFUSED = frozenset({"set_", "apply_", "map_", "map2_", "share_memory_", "register_hook", "from_file", "module_load"})
_SECTIONS = ("functional", "tensor", "torch")


def find_function(kind: str, name: str) -> Optional[Callable[..., Any]]:
    """Return a function of PyTorch, or None: nothing but the names in the table is looked up.

    Args:
        kind: ``Functional``, ``Tensor``, ``Torch``, ``VF`` or ``Aten``.
        name: As ``linear`` or ``fft_fft``.
    """
    if kind == "Aten":
        return _operators().get(name)
    return _functions().get(("Torch" if kind == "VF" else kind, name))


@functools.cache
def _functions() -> dict[tuple[str, str], Callable[..., Any]]:
    """Return the functions that take tensors; PyTorch itself lists them."""
    names = ApiNames(dict.fromkeys(_SECTIONS, ("*",)))
    found: dict[tuple[str, str], Callable[..., Any]] = {}
    for functions in torch.overrides.get_overridable_functions().values():
        for function in functions:
            api = names.find(function)
            if api is not None and _computes(api.name):
                found[api.kind, api.name] = function
    return found


def _computes(name: str) -> bool:
    if name in _REFUSED:
        return False
    return not name.startswith("__") or name.strip("_") in _OPERATORS


@functools.cache
def _operators() -> dict[str, Callable[..., Any]]:
    """Return the operators of the dispatcher that make tensors of tensors."""
    names = {name.partition(".")[0] for name in torch._C._dispatch_get_all_op_names() if name.startswith("aten::")}
    found: dict[str, Callable[..., Any]] = {}
    for name in names:
        packet = getattr(torch.ops.aten, name.partition("::")[2], None)
        if packet is not None and packet.__name__ not in _REFUSED and _takes_and_makes_tensors(packet):
            found[packet.__name__] = packet
    return found


def _takes_and_makes_tensors(packet: Any) -> bool:
    schemas = [getattr(packet, overload)._schema for overload in packet.overloads()]
    return any(
        all(any("Tensor" in str(value.type) for value in values) for values in (schema.arguments, schema.returns))
        for schema in schemas
    )
