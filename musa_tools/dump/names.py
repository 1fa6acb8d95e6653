"""How the tools name calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from musa_tools.dump.calls import Call


def dotted(call: Call, direction: str) -> str:
    """Return a call's name as msprobe writes it: Functional.linear.0.forward, Module.layers.0.Linear.forward.0."""
    if call.module is not None:
        return f"Module.{call.name}.{direction}.{call.number}"
    return f"{call.kind}.{call.name}.{call.number}.{direction}"


def indexed(call: Call, direction: str) -> str:
    """Return a call's name as the older tools write it: 16_Functional_relu_backward, 3_Module_Linear_forward."""
    name = call.name if call.module is None else call.name.rpartition(".")[2]
    return f"{call.index}_{call.kind}_{name}_{direction}"
