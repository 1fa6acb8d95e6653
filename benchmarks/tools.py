"""Measure the cost of the tools of musa_tools: a training step with each of them, as a multiple of the plain step.

    python benchmarks/tools.py [--rounds 12] [--device cpu] [--only NAME]

Every round runs the plain step and the step with the tool in turn, so a busy machine affects both alike; the lower
quartiles of CPU time are compared, on one thread. "As torch_musa describes it" is a tool written for this
script from the description of torch_musa's tools: every argument is cloned and fetched, every result is compared with
allclose, module by module names are formed by walking the tree; NaN and Inf are counted in every argument and result
of every operator, and all of them are written to the log; a dump copies tensors, reads each number from the device on
its own, and looks up the source of every frame of every call. It dumps the gradients of results only, where
ours dumps those of arguments too. The files of a dump are written in the time measured. "Floor" computes the same
numbers of as many tensors and does nothing else: no call is observed, nothing is written.
"""

from __future__ import annotations

import argparse
import io
import json
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode, resolve_name
from torch.utils._python_dispatch import TorchDispatchMode

from musa_tools.compare_tool import CompareWithCPU, NanInfTracker, open_module_tracker
from musa_tools.other_tools.msprobe import PrecisionDebugger

Step = Callable[[], None]
Tool = Callable[[nn.Module, Step], AbstractContextManager[Any]]


def mlp(rows: int, width: int, device: str) -> tuple[nn.Module, Step]:
    """Return a perceptron of eight layers, and a step that trains it."""
    model = nn.Sequential(*[layer for _ in range(8) for layer in (nn.Linear(width, width), nn.ReLU())]).to(device)
    return model, training(model, torch.randn(rows, width, device=device))


def transformer(device: str) -> tuple[nn.Module, Step]:
    """Return a small transformer, and a step that trains it."""
    layer = nn.TransformerEncoderLayer(256, 4, 1024, dropout=0.1, batch_first=True)
    model = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).to(device)
    return model, training(model, torch.randn(4, 128, 256, device=device))


def training(model: nn.Module, x: torch.Tensor) -> Step:
    """Return a step of training."""
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)

    def step() -> None:
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()

    return step


class DescribedCompare(TorchDispatchMode):
    """Compares as torch_musa does: clones everything, fetches everything, compares everything."""

    def __init__(self) -> None:
        super().__init__()
        self.log = io.StringIO()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        self.log.write(f"{func} starts to run ...\n")
        copies = [a.detach().clone().cpu() if isinstance(a, torch.Tensor) else a for a in args]
        result = func(*args, **kwargs)
        if func._schema.name in ("aten::t", "aten::view", "aten::detach", "aten::transpose.int", "aten::_unsafe_view"):
            return result
        reference = func(*copies, **{key: value for key, value in kwargs.items() if key != "device"})
        results = result if isinstance(result, (tuple, list)) else (result,)
        references = reference if isinstance(reference, (tuple, list)) else (reference,)
        for a, b in zip(results, references):
            if isinstance(a, torch.Tensor):
                torch.allclose(a.detach().cpu(), b.detach().to(a.dtype), 1e-3, 1e-3, equal_nan=True)
        self.log.write(f"{func} succeeds\n")
        return result


class DescribedNan(TorchDispatchMode):
    """Looks for NaN and Inf as torch_musa does: in every argument and result, and writes all of them down."""

    def __init__(self) -> None:
        super().__init__()
        self.log = io.StringIO()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        self.log.write("=" * 28 + f"\n{func}\n....... input .........\n")
        for value in args:
            self.describe(value)
        self.log.write("...... output ........\n")
        for value in result if isinstance(result, (tuple, list)) else (result,):
            self.describe(value)
        return result

    def describe(self, value: Any) -> None:
        """Write a value's facts, with its NaN and Inf."""
        if not isinstance(value, torch.Tensor):
            self.log.write(f"{value}\n")
            return
        value = value.detach()
        nan, inf = torch.isnan(value), torch.isinf(value)
        mark = "[WARNING] " if bool(nan.any()) or bool(inf.any()) else ""
        counts = f"nan_num={nan.sum().item()}, inf_num={inf.sum().item()}"
        self.log.write(f"{mark}Tensor <shape={value.shape}, dtype={value.dtype}, {counts}>\n")


class DescribedDump(TorchFunctionMode):
    """Dumps as others do: copies everything, reads number by number, writes all at the end."""

    def __init__(self, folder: str) -> None:
        super().__init__()
        self.file = Path(folder) / "peers.json"
        self.entries: list[Any] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = resolve_name(func) or ""
        if name.endswith("__get__") or name == "torch.Tensor.backward" or not name:
            return func(*args, **(kwargs or {}))
        stack = [str(frame) for frame in traceback.extract_stack()]
        inputs = [self.describe(value) for value in args]
        result = func(*args, **(kwargs or {}))
        self.entries.append((name, inputs, self.describe(result), stack))
        if isinstance(result, torch.Tensor) and result.requires_grad:
            result.register_hook(lambda gradient: self.entries.append((name, self.describe(gradient))))
        return result

    def describe(self, value: Any) -> Any:
        """Return a value's numbers."""
        if not isinstance(value, torch.Tensor) or not value.numel():
            return str(value)
        with torch.no_grad():
            copy = value.detach().clone().float()
            return [torch.max(copy).item(), torch.min(copy).item(), torch.mean(copy).item(), torch.norm(copy).item()]

    def step(self) -> None:
        """Write the file."""
        self.file.write_text(json.dumps(self.entries, indent=1))
        self.entries.clear()


class Dump:
    """Every step of a model, with a folder of its own."""

    def __init__(self, folder: str, model: nn.Module, level: str, config: dict[str, Any]) -> None:
        path = Path(tempfile.mkdtemp(dir=folder))
        file = path / "config.json"
        file.write_text(json.dumps({"dump_path": str(path), "level": level, **config}))
        self.debugger = PrecisionDebugger(file, model=model)

    def __enter__(self) -> Dump:
        self.debugger.start()
        return self

    def __exit__(self, *exception: Any) -> None:
        self.debugger.stop()

    def step(self) -> None:
        """End a step and begin the next."""
        self.debugger.stop()
        self.debugger.step()
        self.debugger.start()


class OnlyReductions:
    """The floor of a dump: the numbers of as many tensors of the same shapes; nothing is observed or written."""

    def __init__(self, folder: str, model: nn.Module, step: Step, config: dict[str, Any]) -> None:
        path = Path(tempfile.mkdtemp(dir=folder))
        file = path / "config.json"
        file.write_text(json.dumps({"dump_path": str(path), "level": "L1", **config}))
        debugger = PrecisionDebugger(file, model=model)
        debugger.start()
        step()
        debugger.stop()
        device = next(model.parameters()).device
        self.tensors: list[torch.Tensor] = []
        for dump in path.rglob("dump.json"):
            json.loads(dump.read_text(), object_hook=lambda entry: self.add(entry, device))

    def add(self, entry: dict[str, Any], device: torch.device) -> dict[str, Any]:
        """Make a tensor like that of an entry."""
        if entry.get("dtype") == "torch.float32" and entry["Norm"] is not None:
            self.tensors.append(torch.randn(entry["shape"], device=device))
        return entry

    def __enter__(self) -> OnlyReductions:
        return self

    def __exit__(self, *exception: Any) -> None:
        pass

    def step(self) -> None:
        """Compute the numbers of a step."""
        for tensor in self.tensors:
            for number in (*torch.aminmax(tensor), tensor.sum(), torch.linalg.vector_norm(tensor)):
                number.item()


class Empty(TorchDispatchMode):
    """Does nothing: what any tool at the level of operators pays."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


@dataclass(frozen=True)
class Row:
    """A tool and what it should cost at most, per workload."""

    name: str
    tool: Tool
    goals: tuple[str, str, str]


@contextmanager
def named(model: nn.Module, make: Callable[[], AbstractContextManager[Any]]) -> Iterator[Any]:
    """Run a tool with the module tracker."""
    with open_module_tracker(model), make() as tool:
        yield tool


def rows(folder: str) -> list[Row]:
    """Return the rows to measure."""
    file: dict[str, Any] = {"should_log_to_file": True, "output_dir": folder}
    off, none = ("1.02",) * 3, ("",) * 3
    outputs: dict[str, Any] = {"statistics": {"data_mode": ["output"]}}
    return [
        Row("nothing, twice (noise)", lambda model, step: nullcontext(), none),
        Row("off: enabled=False", lambda model, step: CompareWithCPU(enabled=False), off),
        Row("off: another rank", lambda model, step: NanInfTracker(enable_ranks=[7]), off),
        Row("off: another step", lambda model, step: NanInfTracker(start_step=1 << 30), off),
        Row("off: a dump of another step", lambda m, step: Dump(folder, m, "mix", {"step": [1 << 30]}), off),
        Row("an empty dispatch mode", lambda model, step: Empty(), none),
        Row("NanInfTracker", lambda model, step: NanInfTracker(**file), ("1.8", "1.2", "1.3")),
        Row("NanInfTracker, module names", lambda m, step: named(m, lambda: NanInfTracker(**file)), none),
        Row(
            "NanInfTracker, level module", lambda m, step: NanInfTracker(level="module", **file), ("1.4", "1.1", "1.2")
        ),
        Row("NaN and Inf, as torch_musa describes it", lambda model, step: DescribedNan(), none),
        Row("CompareWithCPU", lambda model, step: CompareWithCPU(**file), ("3", "3", "3")),
        Row("CompareWithCPU, module names", lambda m, step: named(m, lambda: CompareWithCPU(**file)), none),
        Row("compare, as torch_musa describes it", lambda model, step: DescribedCompare(), none),
        Row("floor: numbers of outputs alone", lambda m, step: OnlyReductions(folder, m, step, outputs), none),
        Row("floor: of inputs and outputs alone", lambda m, step: OnlyReductions(folder, m, step, {}), none),
        Row("dump of functions: statistics of outputs", lambda m, step: Dump(folder, m, "L1", outputs), ("1.8",) * 3),
        Row("dump of functions: of inputs and outputs", lambda m, step: Dump(folder, m, "L1", {}), ("2.2",) * 3),
        Row("dump of modules: statistics of outputs", lambda m, step: Dump(folder, m, "L0", outputs), ("1.8",) * 3),
        Row("dump of modules: of inputs and outputs", lambda m, step: Dump(folder, m, "L0", {}), ("2.2",) * 3),
        Row("dump of both: of inputs and outputs", lambda m, step: Dump(folder, m, "mix", {}), none),
        Row("dump of functions, as msprobe describes it", lambda model, step: DescribedDump(folder), none),
    ]


def measure(model: nn.Module, step: Step, tool: Tool, rounds: int) -> tuple[float, float]:
    """Return the lower quartiles of the CPU time of a plain step and of one with the tool, in milliseconds."""
    plain, watched = [], []
    with tool(model, step):
        step()  # warm
    step()
    for _ in range(rounds):
        begin = time.process_time()
        step()
        plain.append(time.process_time() - begin)
        with tool(model, step) as watcher:
            step()  # the tool's first step fills its tables
            if hasattr(watcher, "step"):
                watcher.step()
            begin = time.process_time()
            step()
            if hasattr(watcher, "step"):
                watcher.step()
            watched.append(time.process_time() - begin)
    return quartile(plain) * 1e3, quartile(watched) * 1e3


def quartile(values: list[float]) -> float:
    """Return the lower quartile."""
    return sorted(values)[len(values) // 4]


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--only", default="", help="part of a row's name")
    choice = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    workloads = [
        ("tiny operators (MLP 8x256)", *mlp(64, 256, choice.device), 4 * choice.rounds),
        ("operators of 1 ms (MLP 8x1024)", *mlp(256, 1024, choice.device), choice.rounds),
        ("small transformer", *transformer(choice.device), choice.rounds),
    ]
    print("| tool | " + " | ".join(name for name, *_ in workloads) + " |")
    print("|---|" + "--:|" * len(workloads))
    with tempfile.TemporaryDirectory() as folder:
        for row in rows(folder):
            if choice.only not in row.name:
                continue
            cells = []
            for (_, model, step, rounds), goal in zip(workloads, row.goals):
                plain, watched = measure(model, step, row.tool, rounds)
                cells.append(f"{watched / plain:.2f}" + (f" (goal {goal})" if goal else ""))
            print(f"| {row.name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
