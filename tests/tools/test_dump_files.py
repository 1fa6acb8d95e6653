"""The files of PrecisionDebugger: folders, names, entries, stacks, the tree of modules, tensors."""

from __future__ import annotations

import gc
import json
import math
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from dumped_runs import Net, data, dump, files, load, train_step
from torch import nn

from musa_tools.errors import PrecisionError, ToolError
from musa_tools.other_tools.msprobe import PrecisionDebugger

RANK = Path(__file__).parent / "programs/collectives_of_a_rank.py"


def test_functions_and_their_gradients(device: str, tmp_path: Path) -> None:
    net = Net().to(device)
    dump(tmp_path, lambda: train_step(net, device), level="L1")
    top = load(tmp_path)
    assert (top["task"], top["level"], top["framework"]) == ("statistics", "L1", "pytorch")
    assert list(top["data"]) == [
        "Torch.randn.0.forward",
        "Functional.linear.0.forward",
        "Functional.relu.0.forward",
        "Torch.tanh.0.forward",
        "Tensor.add.0.forward",
        "Functional.linear.1.forward",
        "Tensor.square.0.forward",
        "Tensor.mean.0.forward",
        "Tensor.mean.0.backward",
        "Tensor.square.0.backward",
        "Functional.linear.1.backward",
        "Tensor.add.0.backward",
        "Torch.tanh.0.backward",
        "Functional.relu.0.backward",
        "Functional.linear.0.backward",
    ]
    assert load(tmp_path, "construct") == {}
    stack = load(tmp_path, "stack")["Functional.linear.0.forward"]
    assert stack[0].startswith(f"File {Path(__file__).parent / 'dumped_runs.py'}, line ")
    assert stack[0].endswith(", in forward, \n h = self.act(self.first(x))")
    assert not any("/torch/" in line or "musa_tools/" in line for line in stack)


def test_an_entry(device: str, tmp_path: Path) -> None:
    x = torch.tensor([[1.0, -2.0], [3.0, 4.0]], device=device)
    dump(tmp_path, lambda: torch.clamp(x, min=0.0))
    (entry,) = data(tmp_path).values()
    tensor = {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [2, 2], "requires_grad": False}
    assert entry == {
        "input_args": [{**tensor, "Max": 4.0, "Min": -2.0, "Mean": 1.5, "Norm": pytest.approx(math.sqrt(30))}],
        "input_kwargs": {"min": {"type": "float", "value": 0.0}},
        "output": [{**tensor, "Max": 4.0, "Min": 0.0, "Mean": 2.0, "Norm": pytest.approx(math.sqrt(26))}],
    }


def test_inputs_are_those_from_before_the_call(device: str, tmp_path: Path) -> None:
    x = torch.tensor([-1.0, 2.0], device=device)

    def run() -> None:
        F.relu(x, inplace=True)
        x.add_(1)

    dump(tmp_path, run, task="tensor")
    entries = data(tmp_path)
    assert [entries["Functional.relu.0.forward"]["input_args"][0][key] for key in ("Max", "Min")] == [2, -1]
    assert [entries["Tensor.add_.0.forward"]["input_args"][0][key] for key in ("Max", "Min")] == [2, 0]
    saved = files(tmp_path) / "dump_tensor_data"
    assert torch.load(saved / "Functional.relu.0.forward.input.0.pt").tolist() == [-1, 2]
    assert torch.load(saved / "Tensor.add_.0.forward.output.0.pt").tolist() == [1, 3]


def test_lists_and_keywords(tmp_path: Path) -> None:
    parts = [torch.ones(2), torch.zeros(3)]
    dump(tmp_path, lambda: torch.cat(parts, dim=0).split([2, 3]), task="tensor")
    cat, split = data(tmp_path).values()
    assert [entry["data_name"] for entry in cat["input_args"][0]] == [
        "Torch.cat.0.forward.input.0.0.pt",
        "Torch.cat.0.forward.input.0.1.pt",
    ]
    assert cat["input_kwargs"] == {"dim": {"type": "int", "value": 0}}
    assert [entry["shape"] for entry in split["output"]] == [[2], [3]]


@pytest.mark.parametrize(
    ("value", "numbers"),
    [
        (torch.tensor([]), [None, None, None, None]),
        (torch.tensor([True, False]), [True, False, None, None]),
        (torch.tensor([2**53 + 1, -5]), [2**53 + 1, -5, (2**53 - 4) / 2, float(2**53 + 1)]),
        (torch.tensor([3 + 4j, 0]), [5.0, 0.0, 2.5, 5.0]),
        (torch.full((4,), 3e38), [torch.tensor(3e38).item()] * 3 + [2 * torch.tensor(3e38).item()]),
        (torch.full((4,), 6e4, dtype=torch.float16), [59968 + 32.0, 60000.0, 60000.0, 120000.0]),
        (torch.tensor([1.0, float("-inf")]), [1.0, float("-inf"), float("-inf"), float("inf")]),
        (torch.ones(3, dtype=torch.bfloat16), [1.0, 1.0, 1.0, math.sqrt(3)]),
        (torch.ones(4).to(torch.float8_e4m3fn), [1.0, 1.0, 1.0, 2.0]),
        (torch.tensor([7], dtype=torch.uint8), [7, 7, 7.0, 7.0]),
        (torch.eye(2).to_sparse(), [None, None, None, None]),
        (torch.empty(2, device="meta"), [None, None, None, None]),
    ],
    ids=str,
)
def test_numbers(value: torch.Tensor, numbers: list[float], tmp_path: Path) -> None:
    dump(tmp_path, lambda: torch.clone(value))
    (entry,) = data(tmp_path).values()
    found = [entry["output"][0][key] for key in ("Max", "Min", "Mean", "Norm")]
    found = [float(number) if isinstance(number, str) else number for number in found]  # infinities and NaN are texts
    assert found == [None if number is None else pytest.approx(number, rel=1e-6) for number in numbers]


def test_nan_is_written(device: str, tmp_path: Path) -> None:
    x = torch.tensor([-1.0, 4.0], device=device)
    dump(tmp_path, lambda: torch.sqrt(x))
    (entry,) = data(tmp_path).values()
    assert [entry["output"][0][key] for key in ("Max", "Min", "Mean", "Norm")] == ["NaN"] * 4


def test_modules(device: str, tmp_path: Path) -> None:
    net = Net().to(device)
    dump(tmp_path, lambda: train_step(net, device), level="L0", model=net)
    entries = data(tmp_path)
    assert list(entries)[:4] == [
        "Module.first.Linear.forward.0",
        "Module.act.ReLU.forward.0",
        "Module.last.Linear.forward.0",
        "Module.Net.forward.0",
    ]
    assert set(list(entries)[4:]) == {
        "Module.Net.backward.0",
        "Module.last.Linear.backward.0",
        "Module.last.Linear.parameters_grad.0",
        "Module.act.ReLU.backward.0",
        "Module.first.Linear.backward.0",
        "Module.first.Linear.parameters_grad.0",
    }
    assert set(entries["Module.first.Linear.forward.0"]["parameters"]) == {"weight", "bias"}
    gradient = entries["Module.first.Linear.parameters_grad.0"]["weight"][0]
    assert gradient["Norm"] == pytest.approx(float(net.first.weight.grad.norm()), rel=1e-5)
    assert load(tmp_path, "construct")["Module.first.Linear.forward.0"] == "Module.Net.forward.0"
    assert load(tmp_path, "construct")["Module.Net.forward.0"] is None


def test_functions_stand_below_their_modules(tmp_path: Path) -> None:
    net = Net()
    dump(tmp_path, lambda: train_step(net), level="mix", model=net)
    tree = load(tmp_path, "construct")
    assert tree["Functional.linear.1.forward"] == "Module.last.Linear.forward.0"
    assert tree["Functional.linear.1.backward"] == "Module.last.Linear.backward.0"
    assert tree["Torch.tanh.0.forward"] == "Module.Net.forward.0"
    assert tree["Tensor.square.0.forward"] is None
    assert set(tree) == {name for name in data(tmp_path) if "parameters_grad" not in name}


class TakesKeywords(nn.Module):
    def forward(self, x: torch.Tensor, *, scale: torch.Tensor, extra: dict[str, torch.Tensor]) -> torch.Tensor:
        return x * scale + extra["bias"]


def test_keyword_arguments_of_modules(tmp_path: Path) -> None:
    net = nn.ModuleDict({"inner": TakesKeywords()})
    x, scale, bias = (torch.full((2,), float(n), requires_grad=True) for n in (1, 2, 3))

    def run() -> None:
        net["inner"](x, scale=scale, extra={"bias": bias}).sum().backward()

    dump(tmp_path, run, level="L0", model=net)
    entries = data(tmp_path)
    forward = entries["Module.inner.TakesKeywords.forward.0"]
    assert forward["input_kwargs"]["scale"]["Max"] == 2
    assert forward["input_kwargs"]["extra"]["bias"]["Max"] == 3
    backward = entries["Module.inner.TakesKeywords.backward.0"]
    assert backward["output"][0]["Max"] == 2
    assert {name: entry["Max"] for name, entry in backward["output_kwargs"].items()} == {"scale": 1, "extra.bias": 1}


def test_steps_and_calls_in_one_step(tmp_path: Path) -> None:
    debugger = PrecisionDebugger(dump_path=tmp_path / "dump", step=[1, "3-4"])
    for step in range(6):
        for part in range(2):
            debugger.start()
            torch.ones(1) + step + part
            debugger.stop()
            torch.ones(1) * 2
        debugger.step()
    assert sorted(path.name for path in (tmp_path / "dump").glob("step*")) == ["step1", "step3", "step4"]
    for step in (1, 3, 4):
        assert [name for name in data(tmp_path, step=step) if "add" in name] == [
            f"Tensor.add.{number}.forward" for number in range(4)
        ]
        assert data(tmp_path, step=step)["Tensor.add.2.forward"]["output"][0]["Max"] == 1 + step


def test_a_part_of_the_forward_pass(tmp_path: Path) -> None:
    """Calls after forward_backward_dump_end are not dumped, and neither are their gradients."""
    debugger = PrecisionDebugger(dump_path=tmp_path / "dump")
    x = torch.ones(3, requires_grad=True)
    debugger.start()
    y = torch.exp(x)
    debugger.forward_backward_dump_end()
    torch.sin(y).sum().backward()
    debugger.stop()
    assert list(data(tmp_path)) == ["Torch.exp.0.forward", "Torch.exp.0.backward"]


def test_gradients_after_stop_are_not_dumped(tmp_path: Path) -> None:
    x = torch.ones(3, requires_grad=True)
    kept = []
    dump(tmp_path, lambda: kept.append(torch.exp(x).sum()))
    kept[0].backward()
    assert [name for name in data(tmp_path) if "backward" in name] == []


@pytest.mark.parametrize(
    ("mode", "parts"),
    [
        (["all"], {"forward": {"input_args", "input_kwargs", "output"}, "backward": {"input", "output"}}),
        (["forward"], {"forward": {"input_args", "input_kwargs", "output"}}),
        (["output"], {"forward": {"output"}, "backward": {"output"}}),
        (["backward", "input"], {"backward": {"input"}}),
    ],
)
def test_data_mode(mode: list[str], parts: dict[str, set[str]], tmp_path: Path) -> None:
    x = torch.ones(3, requires_grad=True)
    dump(tmp_path, lambda: torch.exp(x).sum().backward(), {"data_mode": mode})
    found = {name.rpartition(".")[2]: set(entry) for name, entry in data(tmp_path).items() if "exp" in name}
    assert found == parts


def test_list_scope_and_tensor_list(tmp_path: Path) -> None:
    net = Net()
    dump(tmp_path, lambda: train_step(net), {"list": ["linear"], "tensor_list": ["linear.1.forward"]})
    assert len(data(tmp_path)) == 4 and all("linear" in name for name in data(tmp_path))
    saved = sorted(path.name for path in (files(tmp_path) / "dump_tensor_data").iterdir())
    assert saved[0] == "Functional.linear.1.forward.input.0.pt" and len(saved) == 4
    dump(tmp_path, lambda: train_step(net), {"scope": ["Functional.relu.0.forward", "Tensor.add.0.forward"]})
    assert list(data(tmp_path)) == ["Functional.relu.0.forward", "Torch.tanh.0.forward", "Tensor.add.0.forward"]
    assert not (files(tmp_path) / "dump_tensor_data").exists()


def test_digests(tmp_path: Path) -> None:
    x = torch.arange(4.0).reshape(2, 2)
    dump(tmp_path, lambda: (torch.clone(x), torch.clone(x.t()), torch.clone(x + 1)), {"summary_mode": "md5"})
    found = [entry["output"][0]["md5"] for name, entry in data(tmp_path).items() if "clone" in name]
    assert len(set(found)) == 3 and all(len(each) == 8 for each in found)


def test_structure(tmp_path: Path) -> None:
    net = Net()
    dump(tmp_path, lambda: train_step(net), task="structure", level="mix", model=net)
    assert all(entry == {} for entry in data(tmp_path).values())
    assert load(tmp_path, "construct")["Functional.linear.0.forward"] == "Module.first.Linear.forward.0"


def test_ranks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "3")
    dump(tmp_path, lambda: torch.ones(1))
    assert data(tmp_path, rank="rank3")
    path = tmp_path / "other.json"
    path.write_text(json.dumps({"dump_path": str(tmp_path / "other"), "rank": [0, 1]}))
    debugger = PrecisionDebugger(path)
    debugger.start()
    torch.ones(1)
    debugger.stop()
    assert not (tmp_path / "other").exists()


def test_the_user_chooses_functions(tmp_path: Path) -> None:
    chosen = tmp_path / "ops.yaml"
    chosen.write_text("functional:  # only these\n  - conv1d\n  - rel*\ntorch:\ntensor:\n  - mul\n")
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"dump_path": str(tmp_path / "dump"), "support_wrap_ops": str(chosen)}))
    debugger = PrecisionDebugger(path)
    debugger.start()
    x = F.relu(torch.ones(2) + 1)
    F.gelu(x) * 2
    debugger.stop()
    assert list(data(tmp_path)) == ["Functional.relu.0.forward", "Tensor.mul.0.forward"]


def test_operators_called_by_name(tmp_path: Path, planted: object) -> None:
    define = planted
    twice = define("twice(Tensor x) -> Tensor", lambda x: x * 2, lambda x: x * 2)  # type: ignore[operator]
    dump(
        tmp_path, lambda: (torch.ops.aten.add(torch.ones(1), 1), twice(torch.ones(1)), nn.LSTM(2, 2)(torch.ones(1, 2)))
    )
    assert {"Aten.add.0.forward", "Custom.planted_twice.0.forward", "VF.lstm.0.forward"} <= set(data(tmp_path))


def test_many_calls_keep_their_order(tmp_path: Path) -> None:
    x = torch.zeros(1)

    def run() -> None:
        for _ in range(10_000):
            x.add_(1)

    dump(tmp_path, run)
    entries = data(tmp_path)
    assert list(entries) == [f"Tensor.add_.{number}.forward" for number in range(10_000)]
    assert [entry["output"][0]["Max"] for entry in entries.values()] == list(range(1, 10_001))
    dump(tmp_path, lambda: torch.exp(x), task="tensor")
    assert list(data(tmp_path)) == ["Torch.exp.0.forward"]
    dump(tmp_path, lambda: torch.sin(x), {"data_mode": ["forward"]}, task="tensor")
    assert all(path.name.startswith("Torch.sin") for path in (files(tmp_path) / "dump_tensor_data").iterdir())


def test_a_debugger_with_the_same_settings_continues_whether_the_first_one_is_referenced_or_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = torch.ones(1)
    dump(tmp_path, lambda: torch.exp(x))
    gc.collect()
    dump(tmp_path, lambda: torch.exp(x))
    assert list(data(tmp_path)) == ["Torch.exp.0.forward", "Torch.exp.1.forward"]
    earlier, later = (PrecisionDebugger(dump_path=str(tmp_path / name)) for name in ("earlier", "later"))
    earlier.start()
    with pytest.raises(ToolError, match=r"another PrecisionDebugger is dumping to .*earlier"):
        PrecisionDebugger(dump_path=str(tmp_path / "third"))
    earlier.stop()
    assert later is not earlier
    for folder in ("first", "second"):  # the same settings in another working directory are another dump
        (tmp_path / folder).mkdir()
        monkeypatch.chdir(tmp_path / folder)
        debugger = PrecisionDebugger(dump_path="dump")
        debugger.start()
        torch.exp(x)
        monkeypatch.chdir(tmp_path)
        debugger.stop()
        assert list(data(tmp_path / folder)) == ["Torch.exp.0.forward"]


def test_tensors_written_behind_the_run(device: str, tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"task": "tensor", "dump_path": str(tmp_path / "dump"), "async_dump": True}))
    debugger = PrecisionDebugger(path)
    x = torch.zeros(3, device=device)
    debugger.start()
    for _ in range(200):
        x.add_(1)
    debugger.stop()
    for number in (0, 199):
        saved = torch.load(files(tmp_path) / "dump_tensor_data" / f"Tensor.add_.{number}.forward.output.0.pt")
        assert saved.tolist() == [number + 1] * 3 and saved.device.type == "cpu"


OVERFLOW = {"overflow_nums": 2}


def test_overflows_are_written_whole_and_stop_the_run(device: str, tmp_path: Path) -> None:
    """The second one stops it. The inputs of a function that works in place are those from before."""
    x = torch.tensor([1.0, -1.0], device=device)

    def run() -> None:
        torch.exp(x)
        y = x + 0
        y.log_()
        torch.masked_fill(x, x < 0, 5.0)
        torch.sqrt(x)
        raise AssertionError("not reached")

    with pytest.raises(PrecisionError, match=r"Torch\.sqrt\.0\.forward made NaN or Inf\. Its tensors are in "):
        dump(tmp_path, run, OVERFLOW, task="overflow_check")
    entries = data(tmp_path)
    assert list(entries) == ["Tensor.log_.0.forward", "Torch.sqrt.0.forward"]
    saved = files(tmp_path) / "dump_tensor_data"
    assert torch.load(saved / "Tensor.log_.0.forward.input.0.pt").tolist() == [1, -1]
    assert torch.load(saved / "Tensor.log_.0.forward.output.0.pt").isnan().tolist() == [False, True]
    assert entries["Torch.sqrt.0.forward"]["input_args"][0]["data_name"] == "Torch.sqrt.0.forward.input.0.pt"
    assert "in run, \n torch.sqrt(x)" in load(tmp_path, "stack")["Torch.sqrt.0.forward"][0]


def test_overflows_of_gradients_and_of_modules(tmp_path: Path) -> None:
    net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))

    def run() -> None:
        x = torch.zeros(1, 2, requires_grad=True)
        torch.sqrt(net(x).mul(0)).sum().backward()

    with pytest.raises(PrecisionError, match=r"Torch\.sqrt\.0\.backward made NaN or Inf"):
        dump(tmp_path, run, task="overflow_check", level="mix", model=net)
    assert list(data(tmp_path)) == ["Torch.sqrt.0.backward"]


def test_without_overflows_nothing_is_written(tmp_path: Path) -> None:
    net = Net()
    dump(tmp_path, lambda: train_step(net), {"overflow_nums": -1}, task="overflow_check", level="mix", model=net)
    assert not files(tmp_path).exists()


@pytest.mark.slow
def test_collectives(tmp_path: Path) -> None:
    """Two processes; each has a folder. Results are there where the caller waits for them, else only what was given."""
    runs = [subprocess.Popen([sys.executable, str(RANK), str(rank), str(tmp_path)]) for rank in range(2)]
    assert [run.wait(timeout=120) for run in runs] == [0, 0]
    for rank in range(2):
        found = data(tmp_path, rank=f"rank{rank}")
        reduced = found["Distributed.all_reduce.0.forward"]
        assert reduced["input_args"][0][0]["Max"] == rank + 1
        assert reduced["output"][0][0]["Max"] == 3
        assert [entry["Max"] for entry in found["Distributed.all_gather.0.forward"]["output"][0][0]] == [0, 3]
        assert found["Distributed.broadcast.0.forward"]["output"] == []
        assert {"Distributed.send.0.forward", "Distributed.recv.0.forward"} <= set(found)
