"""A small writer of dumps for tests, in the three forms; the dump tools write the same, from real runs."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Optional, Union

import torch

Content = Union[torch.Tensor, float, int, str, bool, None]


@dataclass(frozen=True)
class Made:
    """A call of a run that a test makes up."""

    base: str  # Functional.linear, Module.fc.Linear
    inputs: tuple[Content, ...]
    outputs: tuple[Content, ...]
    number: int = 0
    direction: str = "forward"
    parent: str = ""
    stack: tuple[str, ...] = ()
    parameters: dict[str, torch.Tensor] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name as msprobe writes it."""
        if self.base.startswith("Module."):
            return f"{self.base}.{self.direction}.{self.number}"
        return f"{self.base}.{self.number}.{self.direction}"

    def but(self, **changes: Any) -> Made:
        return replace(self, **changes)


def facts(value: Content, file: Optional[Path] = None, requires_grad: bool = False) -> dict[str, Any]:
    """A value as dump.json holds it."""
    if not isinstance(value, torch.Tensor):
        return {"type": type(value).__name__, "value": value}
    numbers = value.double() if value.numel() else None
    entry: dict[str, Any] = {
        "type": "torch.Tensor",
        "dtype": str(value.dtype),
        "shape": list(value.shape),
        "Max": float(numbers.max()) if numbers is not None else None,
        "Min": float(numbers.min()) if numbers is not None else None,
        "Mean": float(numbers.mean()) if numbers is not None else None,
        "Norm": float(numbers.norm()) if numbers is not None else None,
        "requires_grad": requires_grad,
    }
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        torch.save(value, file)
        entry["data_name"] = file.name
    return entry


def entry_of(call: Made, folder: Optional[Path]) -> dict[str, Any]:
    def side(part: str, values: tuple[Content, ...]) -> list[dict[str, Any]]:
        paths = [folder / f"{call.name}.{part}.{i}.pt" if folder else None for i in range(len(values))]
        return [facts(value, path) for value, path in zip(values, paths)]

    if call.direction == "backward":
        return {"input": side("input", call.inputs), "output": side("output", call.outputs)}
    entry: dict[str, Any] = {
        "input_args": side("input", call.inputs),
        "input_kwargs": {},
        "output": side("output", call.outputs),
    }
    if call.parameters:
        entry["parameters"] = {name: facts(value) for name, value in call.parameters.items()}
    return entry


def write_msprobe(
    folder: Path, calls: list[Made], tensors: bool = False, extra: Optional[dict[str, Any]] = None
) -> Path:
    """Write dump.json, stack.json and construct.json of one process and step."""
    folder.mkdir(parents=True, exist_ok=True)
    data_folder = folder / "dump_tensor_data"
    data = {call.name: entry_of(call, data_folder if tensors else None) for call in calls}
    data.update(extra or {})
    content = {"task": "tensor" if tensors else "statistics", "level": "mix", "framework": "pytorch"}
    text = json.dumps({**content, "dump_data_dir": str(data_folder) if tensors else None, "data": data})
    (folder / "dump.json").write_text(text)
    (folder / "stack.json").write_text(json.dumps({call.name: list(call.stack) for call in calls}))
    (folder / "construct.json").write_text(json.dumps({call.name: call.parent or None for call in calls}))
    return folder


def write_part(folder: Path, calls: list[Made], cut: int = 0) -> Path:
    """Write what a killed run leaves: a line per call, the last one cut."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps({"name": call.name, "entry": entry_of(call, None)}) + "\n" for call in calls]
    text = "".join(lines)
    (folder / "dump.jsonl.part").write_text(text[: len(text) - cut] if cut else text)
    return folder


def line_names(call: Made, index: int) -> tuple[str, str]:
    """The name of a call in a file of lines, and the value's part of it."""
    return f"{index}_{call.base.replace('.', '_')}_{call.direction}", call.direction


def write_ptdbg(path: Path, calls: list[Made], stacks: bool = False, step: int = 1, first: int = 0) -> Path:
    """Write JSON lines, and a folder of .npy files."""
    import numpy

    data = path.with_name(f"{path.stem}_20230104_132544")
    data.mkdir(parents=True, exist_ok=True)
    with path.open("w") as stream:
        for index, call in enumerate(calls, first):
            name, _ = line_names(call, index)
            if stacks:
                print(json.dumps([f"{name}_stack_info", list(call.stack)]), file=stream)
            for part, values in (("input", call.inputs), ("output", call.outputs)):
                for position, value in enumerate(values):
                    if not isinstance(value, torch.Tensor):
                        continue
                    full = f"{name}_{part}.{position}"
                    known = facts(value)
                    row = [full, step, [], known["dtype"], known["shape"], [known[k] for k in ("Max", "Min", "Mean")]]
                    print(json.dumps(row), file=stream)
                    numpy.save(data / f"{full}.npy", value.flatten()[::step].numpy())
    return path


def write_hooks(path: Path, calls: list[Made], sample: bool = True, ours: bool = True, layers: bool = False) -> Path:
    """Write JSON lines with values in them; ``ours`` puts the statistics into a field of their own."""
    with path.open("w") as stream:
        for index, call in enumerate(calls):
            name, _ = line_names(call, index)
            for part, values in (("input", call.inputs), ("output", call.outputs)):
                for position, value in enumerate(values):
                    if not isinstance(value, torch.Tensor):
                        continue
                    known = facts(value)
                    three = [known[k] for k in ("Max", "Min", "Mean")]
                    elements = value.flatten().tolist()
                    row: list[Any] = [f"{name}_{part}.{position}", elements[:10] if sample else elements]
                    if sample and not ours:
                        row[1] = row[1] + three
                    row += [known["dtype"], known["shape"]]
                    if sample and ours:
                        row.append(three)
                        if layers:
                            row.append(call.parent)
                    print(json.dumps(row), file=stream)
    return path


def network(layers: int = 4, width: int = 8, seed: int = 0, wrong: int = -1, noise: float = 0.0) -> list[Made]:
    """The calls of a small network: linear and relu per layer, then the backward pass.

    Args:
        wrong: The layer whose linear gives a wrong result; later calls get it as their input.
        noise: Relative error of every result, as another device has it.
    """
    generator = torch.Generator().manual_seed(seed)
    noises = torch.Generator().manual_seed(99)

    def shaken(value: torch.Tensor) -> torch.Tensor:
        return value * (1 + noise * torch.randn(value.shape, generator=noises)) if noise else value

    x = torch.randn(16, width, generator=generator)
    weights = [torch.randn(width, width, generator=generator) / width**0.5 for _ in range(layers)]
    calls = []
    for index, weight in enumerate(weights):
        y = shaken(x @ weight.t())
        if index == wrong:
            y = y + 0.3
        module = f"Module.layers.{index}.fc.Linear"
        stack = (f"File model.py, line {10 + index}, in forward, \n y = self.fc(x)",)
        calls.append(
            Made(module, (x,), (y,), parent=f"Module.layers.{index}.Block.forward.0", parameters={"weight": weight})
        )
        calls.append(Made("Functional.linear", (x, weight), (y,), index, parent=calls[-1].name, stack=stack))
        z = shaken(y.relu())
        calls.append(Made("Functional.relu", (y,), (z,), index, parent=f"Module.layers.{index}.Block.forward.0"))
        x = z
    grad = torch.ones_like(x)
    for index, weight in reversed(list(enumerate(weights))):
        before = shaken((grad * (calls[3 * index + 2].outputs[0] > 0)) @ weight)
        calls.append(Made("Functional.linear", (grad,), (before,), index, "backward", parent=calls[3 * index].name))
        grad = before
    return calls
