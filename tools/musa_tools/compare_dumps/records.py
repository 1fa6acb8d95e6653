"""The content of a dump: runs of calls, calls of values, and their names. No torch in here, and no file is opened."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, Optional

INPUT, PARAMETER, OUTPUT, GRADIENT = "input", "parameters", "output", "parameters_grad"
FORWARD, BACKWARD = "forward", "backward"


@dataclass(frozen=True)
class Value:
    """One value of a call: a tensor by its statistics, or a plain value.

    Attributes:
        part: ``input``, ``parameters``, ``output`` or ``parameters_grad``.
        position: Its position in that part, as ``0``, ``1.2`` or ``dtype``.
        kind: ``torch.Tensor``, or the type of a plain value.
        statistics: Those of ``statistic_fields`` that the dump has, by name.
        scalar: The plain value; None for a tensor.
        sample: The first elements, where the dump holds them itself.
        file: The file with all elements, which ``tensor_files`` opens.
    """

    part: str
    position: str
    kind: str
    dtype: str = ""
    shape: Optional[tuple[int, ...]] = None
    statistics: Mapping[str, Optional[float]] = field(default_factory=dict)
    requires_grad: Optional[bool] = None
    digest: str = ""
    scalar: Any = None
    sample: Optional[tuple[float, ...]] = None
    file: Optional[Path] = None

    @property
    def is_tensor(self) -> bool:
        """Return whether this is a tensor."""
        return self.shape is not None

    @property
    def has_elements(self) -> bool:
        """Return whether the dump holds elements of it, not only statistics."""
        return self.sample is not None or (self.file is not None and self.file.is_file())


@dataclass(frozen=True)
class Call:
    """One call of a function or module, or the gradients of a module's parameters.

    Attributes:
        name: As the dump says: ``Functional.linear.0.forward``.
        base: The name without the number of the call: ``Functional.linear``, ``Module.layers.0.fc.Linear``.
        direction: ``forward``, ``backward`` or ``parameters_grad``.
        number: Its number among the calls of this name, or of the run; -1 if the name has none.
        values: Its inputs and results, in order.
        parent: The name of the module's call that it belongs to.
        layer: The module's path in the model, as ``layers.0.fc``; empty where the dump does not say.
        stack: The lines of code that led here, innermost first.
        separator: Put between its name and the name of a value.
    """

    name: str
    base: str
    direction: str
    number: int
    values: tuple[Value, ...]
    parent: str = ""
    layer: str = ""
    stack: tuple[str, ...] = ()
    separator: str = "."

    def value_name(self, value: Value) -> str:
        """Return the name of one of its values."""
        if value.part == GRADIENT:
            return f"{self.name}.{value.position}"
        path = f"{value.part}.{value.position}" if value.position else value.part
        return f"{self.name}{self.separator}{path}"


@dataclass(frozen=True)
class Run:
    """The calls of one process in one step, in order.

    Attributes:
        step: The number of the step, or empty.
        rank: The number of the process, or empty.
        calls: In the order of the run.
        source: The file that they were read from.
        notes: Remarks for the reader of a report: a file that was cut off.
    """

    step: str
    rank: str
    calls: tuple[Call, ...]
    source: Path
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Dump:
    """The dump of one program.

    Attributes:
        path: The path that the user gave.
        form: ``msprobe``, ``ptdbg`` or ``hooks``.
        runs: One for every step and rank.
        session: The description of the run: versions, arguments, seeds, configuration. May be empty.
    """

    path: Path
    form: str
    runs: tuple[Run, ...] = field(default=())
    session: Mapping[str, Any] = field(default_factory=dict)


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
