"""Prepare the rerun of an operator, before it runs: copy its arguments, and find out whether it can run again."""

from __future__ import annotations

from typing import Any

import torch

from musa_tools.observe.op_facts import OpFacts
from musa_tools.observe.process import is_capturing
from musa_tools.tensors.operands import NO_VALUES, tensors, why_unreadable
from musa_tools.tensors.snapshot import snapshot, with_first_copied


def needs_copies(facts: OpFacts, kind: str, copy_all: bool) -> bool:
    """Return whether the arguments must be copied before an operator runs, so that the CPU sees the same."""
    return kind != "cpu" or bool(facts.written) or copy_all or not facts.trusted


def arguments_before(
    facts: OpFacts, kind: str, args: tuple[Any, ...], kwargs: dict[str, Any], copy_all: bool
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments on the CPU, as they are before the operator runs.

    Args:
        facts: The operator.
        kind: The type of the device that it runs on.
        args: Its arguments.
        kwargs: Its keyword arguments.
        copy_all: Whether to copy the arguments that the operator only reads, too.
    """
    if not needs_copies(facts, kind, copy_all):
        return args, kwargs
    copy_all = copy_all or not facts.trusted
    if kind == "cpu" and not copy_all and facts.in_place and facts.written[0][0] == 0:
        quick = with_first_copied(args, kwargs)
        if quick is not None:
            return quick, kwargs
    written_to = tensors(list(facts.written_values(args, kwargs)))
    kept: tuple[tuple[Any, ...], dict[str, Any]] = snapshot((args, kwargs), written_to, copy_all)
    return kept


def device_kind(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """Return the type of the device that an operator runs on: the CPU only where there is no other."""
    found = "cpu"
    for value in (*args, *kwargs.values()) if kwargs else args:
        if isinstance(value, (list, tuple)) and value:
            value = value[0]
        if isinstance(value, torch.Tensor):
            found = value.device.type
        elif isinstance(value, torch.device):
            found = value.type
        if found != "cpu":
            return found
    return found


def obstacle(kind: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """Return why an operator cannot run again, or nothing.

    Args:
        kind: The type of the device that it runs on.
        args: Its arguments.
        kwargs: Its keyword arguments.
    """
    if is_capturing(kind):
        return "a graph is captured"
    if kind == "meta":
        return NO_VALUES
    return unreadable((args, kwargs) if kwargs else args)


def unreadable(value: Any) -> str:
    """Return why the values of some tensor in a nest cannot be read, or nothing."""
    for tensor in tensors(value):
        reason = why_unreadable(tensor)
        if reason:
            return reason
    return ""
