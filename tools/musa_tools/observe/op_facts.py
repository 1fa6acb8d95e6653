"""The facts of an operator: from its schema and tags, with the exceptions that they do not mention."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

# Their results are unwritten memory.
_UNINITIALISED = ("empty", "new_empty", "_empty", "resize")
# They exchange data with other processes, so they must not run twice.
_COLLECTIVE = ("c10d", "_c10d_functional", "_c10d_functional_autograd", "_dtensor", "symm_mem")
# They record events and make no values.
_BOOKKEEPING = ("profiler",)
# They read nothing but pass on memory. Their schemas do not say so.
_HIDDEN_VIEWS = ("aten._unsafe_view", "aten._reshape_alias", "aten.set_", "aten.resize_", "aten.resize_as_")
# They ask where tensors lie in memory, and copies of these lie elsewhere.
_ABOUT_MEMORY = ("aten._has_same_storage_numel", "aten.is_set_to", "aten._debug_has_internal_overlap")
_WITHOUT_VALUES = (*_HIDDEN_VIEWS, *_ABOUT_MEMORY)
# They update running statistics (position of the arguments), and their schemas do not say so.
_UNDECLARED = {
    "aten.native_batch_norm": (3, 4),
    "aten.cudnn_batch_norm": (3, 4),
    "aten.miopen_batch_norm": (3, 4),
    "aten.batch_norm_update_stats": (1, 2),
    "aten.batch_norm_gather_stats": (3, 4),
    "aten.batch_norm_gather_stats_with_counts": (3, 4),
}


@dataclass(frozen=True)
class OpFacts:
    """The facts of one overload that the tools ask for."""

    name: str  # torch.ops.aten.add.Tensor; the overload "default" is not written
    family: str  # torch.ops.aten.add
    base: str  # aten.add
    view: bool  # makes no values
    written: tuple[tuple[int, str], ...]  # position and name of the arguments that the operator writes to
    random: bool
    uninitialised: bool
    collective: bool
    pointwise: bool
    returns_written: bool  # every result is an argument that was written to
    takes_device: bool  # takes a device
    trusted: bool  # the schema is PyTorch's own: the operator writes to nothing else
    writes_out: bool = (
        False  # writes only to arguments of the kind of `out`, whose content PyTorch's operators never read
    )
    functional: Any = None  # the overload that returns the result, instead of writing it to its first argument

    @property
    def in_place(self) -> bool:
        """Return whether the operator writes to one argument, and returns it."""
        return self.returns_written and len(self.written) == 1

    def written_values(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Iterator[Any]:
        """Return the arguments that the operator writes to."""
        for position, name in self.written:
            if position < len(args):
                yield args[position]
            elif name in kwargs:
                yield kwargs[name]


@functools.cache
def facts_of(overload: Any) -> OpFacts:
    """Return the facts of an ``OpOverload``."""
    schema = overload._schema
    namespace, _, rest = overload.name().partition("::")
    base, _, overload_name = rest.partition(".")
    family = f"torch.ops.{namespace}.{base}"
    written = tuple(
        (position, argument.name)
        for position, argument in enumerate(schema.arguments)
        if (argument.alias_info is not None and argument.alias_info.is_write)
        or position in _UNDECLARED.get(f"{namespace}.{base}", ())
    )
    alias = any(value.alias_info is not None for value in schema.returns)
    short = f"{namespace}.{base}"
    tags = getattr(overload, "tags", ())
    return OpFacts(
        name=f"{family}.{overload_name}" if overload_name else family,
        family=family,
        base=short,
        view=(alias and not written)
        or short in (*_HIDDEN_VIEWS, *_ABOUT_MEMORY)
        or _inplace_view(tags)
        or namespace in _BOOKKEEPING,
        written=written,
        random=torch.Tag.nondeterministic_seeded in tags,
        uninitialised=namespace == "aten" and base.startswith(_UNINITIALISED),
        collective=namespace in _COLLECTIVE,
        pointwise=torch.Tag.pointwise in tags,
        returns_written=bool(schema.returns)
        and all(value.alias_info is not None and value.alias_info.is_write for value in schema.returns),
        takes_device=any("Device" in str(argument.type) for argument in schema.arguments),
        trusted=namespace in ("aten", "prims"),
        writes_out=namespace == "aten" and all(schema.arguments[position].kwarg_only for position, _ in written),
        functional=_functional(overload, tags),
    )


def _functional(overload: Any, tags: Any) -> Any:
    """Return ``aten.add.Tensor`` for ``aten.add_.Tensor``; None for operators that are not pointwise."""
    namespace, _, base = overload._schema.name.partition("::")
    arguments = overload._schema.arguments
    if namespace != "aten" or torch.Tag.pointwise not in tags or not base.endswith("_") or base.endswith("__"):
        return None
    packet = getattr(torch.ops.aten, base[:-1], None)
    for other in [] if packet is None else packet.overloads():
        found = getattr(packet, other)
        if [(a.name, str(a.type)) for a in found._schema.arguments] == [(a.name, str(a.type)) for a in arguments]:
            return found
    return None


def _inplace_view(tags: Any) -> bool:
    # `t_` and `unsqueeze_` write to the shape, not to the memory.
    return torch.Tag.inplace_view in tags
