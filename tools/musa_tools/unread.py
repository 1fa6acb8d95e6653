"""Functions that do not read the content of an input: such an input may be unwritten memory, and says nothing.

The names are PyTorch's own, of functions, of methods of tensors and of the dispatcher's operators alike.
"""

# Lists of so many strings are hard to read.
# ruff: noqa: SIM905

from __future__ import annotations

import functools

_EMPTY = frozenset(
    """
    empty empty_like new_empty empty_strided new_empty_strided empty_with_format resize resize_ resize_as_
    """.split()
)
# They use the shape, the dtype and the device of their first argument.
_LIKE = frozenset(
    """
    zeros_like ones_like full_like rand_like randn_like randint_like new_zeros new_ones new_full new_tensor
    """.split()
)
# They write every element of their first argument.
_OVERWRITING = frozenset(
    """
    zero_ fill_ copy_ normal_ uniform_ random_ bernoulli_ cauchy_ exponential_ geometric_ log_normal_ set_
    zero fill copy normal_functional uniform random cauchy exponential geometric log_normal
    _foreach_zero_ _foreach_copy_ _foreach_zero _foreach_copy
    """.split()
)
_OVERWRITING_COLLECTIVES = frozenset(
    """
    all_gather all_gather_into_tensor reduce_scatter reduce_scatter_tensor gather scatter all_to_all all_to_all_single
    recv
    """.split()
)
# They write some elements of their first argument and leave the others as they are.
_PARTLY_WRITING = frozenset(
    """
    __setitem__ index_fill_ index_copy_ index_put_ masked_fill_ masked_scatter_ scatter_ put_ fill_diagonal_
    """.split()
)
# They return elements of their first argument, unchanged; some with other elements beside them.
_MOVING = frozenset(
    """
    view view_as reshape reshape_as flatten unflatten ravel expand expand_as broadcast_to narrow select slice
    __getitem__ squeeze unsqueeze transpose swapaxes swapdims movedim moveaxis permute t adjoint diagonal split
    split_with_sizes chunk tensor_split hsplit vsplit dsplit unbind unfold as_strided view_as_real view_as_complex real
    imag detach requires_grad_ squeeze_ unsqueeze_ transpose_ swapaxes_ swapdims_ t_ as_strided_ detach_ alias
    contiguous clone to _to_copy index_select gather take take_along_dim masked_select flip roll
    index_fill index_copy index_put masked_fill masked_scatter put diagonal_scatter select_scatter slice_scatter
    as_strided_scatter tril triu tril_ triu_
    """.split()
)
_UNREAD = _OVERWRITING | _LIKE | _EMPTY | {"__setitem__"}  # it has no result; the next function reads the tensor
_KINDS = ("Tensor", "Torch", "Functional", "Aten", "VF", "aten")


def is_uninitialised(function: str) -> bool:
    """Return whether a function returns memory that was never written.

    Args:
        function: Its name, as ``Torch.empty``, ``Torch_empty`` or ``aten.empty``.
    """
    return _name(function) in _EMPTY


@functools.cache
def is_unread(function: str, position: str) -> bool:
    """Return whether a function never reads the content of an input.

    Args:
        function: Its name.
        position: Of the input, as ``0``, ``1.0`` or ``out``.
    """
    first = position.partition(".")[0]
    if first == "out":
        return True
    if first not in ("0", "self", "input"):
        return False
    kind, name = _parts(function)
    if kind == "Distributed":
        return name in _OVERWRITING_COLLECTIVES
    initialises = name.startswith("nn_init_") and name.endswith("_")
    return kind in _KINDS and (name in _UNREAD or initialises)


@functools.cache
def moves_elements(function: str) -> bool:
    """Return whether a function returns elements of its first argument unchanged; it may have overwritten others."""
    name = _name(function)
    return name in _MOVING or name in _PARTLY_WRITING or _parts(function) == ("Distributed", "broadcast")


def _name(function: str) -> str:
    kind, name = _parts(function)
    return name if kind in _KINDS else ""


def _parts(function: str) -> tuple[str, str]:
    """Return the kind of a function and its name; older dumps write ``Torch_empty``."""
    kind, _, name = (function if "." in function else function.replace("_", ".", 1)).partition(".")
    return kind, name
