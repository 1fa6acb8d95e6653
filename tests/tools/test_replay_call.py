"""musa-tools replay --call: a call of a dump runs again, and is judged with its saved results."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Callable

import dumped_runs as runs
import pytest
import torch
import torch.nn.functional as F
from click.testing import CliRunner, Result

from musa_tools.cli import main
from musa_tools.observe.api_table import find_function


def replay(dump: Path, call: str, *options: str) -> Result:
    arguments = ["replay", str(dump), "--call", call, "--device", "cpu", *options]
    return CliRunner().invoke(main, arguments, catch_exceptions=False)


@pytest.fixture
def dumped(tmp_path: Path) -> Callable[..., Path]:
    """Returns a function that dumps a run with its tensors."""

    def run(function: Callable[[], Any], **arguments: Any) -> Path:
        torch.manual_seed(0)
        runs.dump(tmp_path, function, **{"task": "tensor", **arguments})
        return runs.files(tmp_path)

    return run


def change(folder: Path, call: str, part: str, by: float) -> None:
    (file,) = (folder / "dump_tensor_data").glob(f"{call}.{part}.pt")
    tensor = torch.load(file)
    tensor.view(-1)[0] += by
    torch.save(tensor, file)


def many_calls() -> None:
    x = torch.randn(4, 6)
    F.linear(x, torch.randn(3, 6), bias=torch.randn(3))
    x.clone().add_(x, alpha=0.5)
    F.relu(x.clone(), inplace=True)
    torch.cat([x, x], dim=1)
    torch.max(x, dim=1)
    x[1:, [0, 2]], x[[0, 1]], x[..., None], x[1, 2]
    x.to(torch.float64), x.view(-1), x.split([1, 3])
    F.dropout(x, 0.5), F.dropout(x, 0.5, training=False)
    torch.fft.fft(x), torch.lstm_cell(x, (x, x), torch.randn(24, 6), torch.randn(24, 6))
    torch.ops.aten.addmm(torch.zeros(4), x, torch.randn(6, 4))


def test_calls_of_all_kinds_agree(dumped: Callable[..., Path]) -> None:
    folder = dumped(many_calls)
    names = [name for name in json.loads((folder / "dump.json").read_text())["data"] if "randn" not in name]
    names = [name for name in names if name.endswith("forward") and "zeros" not in name]
    kinds = {name.split(".")[0] for name in names}
    assert len(names) > 15 and kinds >= {"Functional", "Tensor", "Torch", "Aten"}
    for name in names:
        done = replay(folder / "dump.json", name)
        assert (done.exit_code, done.output.split("\n")[0][: len(name)]) == (0, name), done.output
    assert "random values" in replay(folder, "Functional.dropout.0.forward").output
    assert "random values" not in replay(folder, "Functional.dropout.1.forward").output


def test_a_wrong_saved_result(dumped: Callable[..., Path]) -> None:
    folder = dumped(many_calls)
    change(folder, "Functional.linear.0.forward", "output.0", 1e-3)
    done = replay(folder, "Functional.linear.0.forward")
    assert done.exit_code == 1
    first, here, there, *_ = done.output.splitlines()
    assert first == "Functional.linear.0.forward on cpu: does not agree with the saved result"
    assert here == "  the result on cpu: as good as the CPU"
    assert there.startswith("  the saved result: Tensor values are not close (max abs error 0.001, ")
    assert replay(folder, "Functional.linear.0.forward", "--atol", "0.01", "--rtol", "0").exit_code == 0
    done = replay(folder, "Functional.linear.0.forward", "--atol", "1e-5", "--rtol", "0")
    assert done.exit_code == 1 and "not close" in done.output


def test_the_device_that_is_wrong(musa: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The dump is right, and the device is wrong: a kernel of the simulated device is replaced."""
    runs.dump(tmp_path, lambda: torch.ops.aten.hardswish(torch.ones(3)), task="tensor")
    library = torch.library.Library("aten", "IMPL")
    try:
        call = "Aten.hardswish.0.forward"
        assert replay(runs.files(tmp_path), call, "--device", musa).exit_code == 0
        library.impl("hardswish", lambda x: x + 5, "PrivateUse1", allow_override=True)
        done = replay(runs.files(tmp_path), call, "--device", musa)
    finally:
        library._destroy()
    assert done.exit_code == 1, done.output
    assert "  the saved result: as good as the CPU" in done.output.splitlines()


@pytest.mark.parametrize("name", ["relu.0.forward", "Functional.relu.0", "Functional.no_such.0.forward"])
def test_a_name_that_is_not_there(dumped: Callable[..., Path], name: str) -> None:
    done = replay(dumped(lambda: F.relu(torch.ones(2))), name)
    assert (
        done.exit_code == 2
        and len(re.findall("^(?:error|  found|  wanted|  hint): ", done.output, re.M)) == done.output.count("\n") == 2
    )


def test_what_cannot_be_replayed(dumped: Callable[..., Path]) -> None:
    net = runs.Net()
    folder = dumped(lambda: runs.train_step(net), level="mix", model=net)
    for name, words in (
        ("Functional.linear.0.backward", "only these can be replayed"),
        ("Module.first.Linear.forward.0", "is a module, whose code is not in a dump"),
        ("Torch.randn.0.forward", "PyTorch has no function Torch.randn of tensors"),
    ):
        done = replay(folder, name)
        assert (
            done.exit_code == 2
            and words in done.output
            and done.output.startswith("error: ")
            and done.output.count("\n") <= 3
        )


def test_statistics_are_not_enough(dumped: Callable[..., Path]) -> None:
    folder = dumped(lambda: F.relu(torch.ones(2)), task="statistics")
    done = replay(folder, "Functional.relu.0.forward")
    assert done.exit_code == 2
    assert done.output == (
        'error: the dump holds only statistics of Functional.relu.0.forward\n  hint:   dump again with task="tensor"\n'
    )


HOSTILE = [
    ({"type": "torch.Tensor", "dtype": "torch.float32", "shape": [2], "data_name": "../x.pt"}, "leads out of the dump"),
    ({"type": "torch.dtype", "value": "torch.load"}, "a dump does not hold"),
    ({"type": "Generator", "value": None}, "a dump does not hold"),
    ({"type": "slice", "value": ["__import__('os')", None, None]}, "a dump does not hold"),
    ({"type": "int", "value": "1"}, "a dump does not hold"),
    ("text", "is no value of a dump"),
]


@pytest.mark.parametrize(("entry", "words"), HOSTILE, ids=lambda case: str(case)[:40])
def test_a_hostile_entry(dumped: Callable[..., Path], entry: Any, words: str) -> None:
    folder = dumped(lambda: F.relu(torch.ones(2)))
    content = json.loads((folder / "dump.json").read_text())
    content["data"]["Functional.relu.0.forward"]["input_args"].append(entry)
    (folder / "dump.json").write_text(json.dumps(content))
    done = replay(folder, "Functional.relu.0.forward")
    assert done.exit_code == 2 and words in done.output


class Hostile:
    """Unpickling this makes a file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self._path,)


def test_a_hostile_tensor_file(dumped: Callable[..., Path], tmp_path: Path) -> None:
    folder = dumped(lambda: F.relu(torch.ones(2)))
    torch.save(Hostile(tmp_path / "executed"), folder / "dump_tensor_data" / "Functional.relu.0.forward.input.0.pt")
    done = replay(folder, "Functional.relu.0.forward")
    assert done.exit_code == 2 and "asks for more than a tensor" in done.output
    assert not (tmp_path / "executed").exists()


@pytest.mark.parametrize(
    "name",
    [
        "Torch.load",
        "Torch.save",
        "Torch.hub_load",
        "Torch.from_file",
        "Torch.ops_load_library",
        "Torch.jit_load",
        "Torch.__import__",
        "Torch.compile",
        "Tensor.__reduce_ex__",
        "Tensor.__setstate__",
        "Tensor.__class__",
        "Tensor.set_",
        "Tensor.apply_",
        "Tensor.numpy_",
        "Functional.__builtins__",
        "Functional.torch",
        "Aten.save",
        "Aten.from_file",
        "Aten.__class__",
        "os.system",
        "builtins.eval",
        "NPU.x",
    ],
)
def test_names_that_are_refused(dumped: Callable[..., Path], name: str) -> None:
    kind, _, function = name.partition(".")
    assert find_function(kind, function) is None
    folder = dumped(lambda: F.relu(torch.ones(2)))
    content = json.loads((folder / "dump.json").read_text())
    content["data"] = {f"{name}.0.forward": content["data"]["Functional.relu.0.forward"]}
    (folder / "dump.json").write_text(json.dumps(content))
    done = replay(folder, f"{name}.0.forward")
    assert done.exit_code == 2 and " is not run" in done.output


def test_a_killed_run_and_several_steps(dumped: Callable[..., Path], tmp_path: Path) -> None:
    folder = dumped(lambda: F.relu(torch.ones(2)))
    name = "Functional.relu.0.forward"
    entry = json.loads((folder / "dump.json").read_text())["data"][name]
    (folder / "dump.jsonl.part").write_text(json.dumps({"name": name, "entry": entry}) + '\n{"name": "Fu')
    (folder / "dump.json").unlink()
    assert replay(folder / "dump.jsonl.part", name).exit_code == 0
    assert replay(tmp_path / "dump", name).exit_code == 0
    other = tmp_path / "dump" / "step1" / "rank"
    other.mkdir(parents=True)
    (other / "dump.jsonl.part").write_text((folder / "dump.jsonl.part").read_text())
    done = replay(tmp_path / "dump", name)
    assert done.exit_code == 2 and "name one of them" in done.output


def test_the_options_go_together(dumped: Callable[..., Path]) -> None:
    folder = dumped(lambda: F.relu(torch.ones(2)))
    done = CliRunner().invoke(main, ["replay", str(folder / "dump.json")])
    assert done.exit_code == 2 and "say which call of it: --call" in done.output
    assert replay(folder, "Functional.relu.0.forward", "--nan").exit_code == 2
