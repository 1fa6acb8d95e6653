"""The names of calls: what is called, which call it is, in which direction. Dots and underscores are understood."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

# Functional.linear.0.forward / Tensor.add.12.backward
_API = re.compile(r"(?P<base>.+?)\.(?P<number>\d+)\.(?P<direction>forward|backward)", re.DOTALL)
# Module.layers.0.fc.Linear.forward.0 / Module.fc.Linear.parameters_grad.0 / Module.fc.Linear.parameters_grad
_MODULE = re.compile(r"(?P<base>.+?)\.(?P<direction>forward|backward|parameters_grad)(?:\.(?P<number>\d+))?", re.DOTALL)
# 21_Torch_batch_normal_forward_input.0 / Functional_conv2d_1_forward_output.0.1 / Tensor_add_3_forward_output
_LINE = re.compile(
    r"(?:(?P<first>\d+)_)?(?P<base>.+?)(?:_(?P<last>\d+))?_(?P<direction>forward|backward)"
    r"(?:_(?P<part>input|output)(?P<position>(?:[._][\w\[\]]+)*))?",
    re.DOTALL,
)


class CallName(NamedTuple):
    """The parts of a call's name."""

    base: str
    number: int
    direction: str


class ValueName(NamedTuple):
    """The parts of a value's name in a file of lines."""

    call: str
    name: CallName
    part: str
    position: str


@lru_cache(maxsize=1 << 16)
def call_name(name: str) -> CallName:
    """Return the parts of a name as msprobe writes it."""
    found = _API.fullmatch(name) or _MODULE.fullmatch(name)
    if not found:
        return CallName(name, -1, "forward")
    number = found["number"]
    return CallName(found["base"], int(number) if number is not None else -1, found["direction"])


def layer_of(base: str) -> str:
    """Return the path of a module in the model: ``layers.0.fc`` of ``Module.layers.0.fc.Linear``."""
    parts = base.split(".")
    return ".".join(parts[1:-1]) if len(parts) > 2 and parts[0] in ("Module", "Cell") else ""


def value_name(name: str) -> ValueName | None:
    """Return the parts of a value's name in a file of lines, or None if it is of another kind."""
    found = _LINE.fullmatch(name)
    if not found:
        return None
    number = found["first"] if found["first"] is not None else found["last"]
    base = found["base"]
    if found["first"] is not None and found["last"] is not None:
        base = f"{base}_{found['last']}"  # 3_Torch_conv_2_forward: the number in front counts
    call = name[: found.start("part") - 1] if found["part"] else name
    return ValueName(
        call,
        CallName(base, int(number) if number is not None else -1, found["direction"]),
        found["part"] or "",
        (found["position"] or "").lstrip("._"),
    )
