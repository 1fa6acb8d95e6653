"""Dumps of wrong configurations, on full or read-only disks, of runs that fail or are killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
import torch
from dumped_runs import Net, data, dump, files, train_step

from musa_tools.dump.writing import WriteFailure
from musa_tools.errors import ToolError
from musa_tools.other_tools.msprobe import PrecisionDebugger
from musa_tools.other_tools.ptdbg_ascend import acc_cmp_dump, register_hook, set_dump_path, set_dump_switch

UNFINISHED_RUN = Path(__file__).parent / "programs/unfinished_run.py"


def config(folder: Path, **values: Any) -> Path:
    path = folder / "config.json"
    path.write_text(json.dumps({"dump_path": str(folder / "dump"), **values}))
    return path


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"task": "run_ut"}, "task is wrong; found: 'run_ut'; wanted: one of \"statistics\""),
        ({"level": "L2"}, 'level is wrong; found: \'L2\'; wanted: one of "L0", "L1", "mix"'),
        ({"level": "L0"}, 'level: "L0" dumps the modules of a model, and model is not given'),
        ({"level": "mix"}, 'level: "mix" dumps the modules of a model'),
        ({"step": ["4-x"]}, "step is wrong; found: '4-x'; wanted: numbers or ranges"),
        ({"step": ["6-4"]}, "step: the range '6-4' ends before it begins"),
        ({"rank": [-1]}, "rank is wrong; found: -1; wanted: numbers"),
        ({"dump_path": 3}, "dump_path is wrong; found: 3; wanted: a path"),
        ({"dump_path": ""}, "dump_path is missing"),
        ({"async_dump": "yes"}, "async_dump is wrong; found: 'yes'; wanted: true or false"),
        ({"statistics": {"scope": ["one"]}}, "statistics: scope is wrong; found: ['one']; wanted: two names"),
        ({"statistics": {"list": "relu"}}, "statistics: list is wrong; found: 'relu'; wanted: a list of names"),
        ({"statistics": {"data_mode": ["sideways"]}}, "statistics: data_mode is wrong; found: 'sideways'"),
        ({"statistics": {"summary_mode": "sha"}}, "statistics: summary_mode is wrong; found: 'sha'"),
        ({"statistics": []}, "statistics is wrong; found: []; wanted: an object"),
        ({"task": "overflow_check", "overflow_check": {"overflow_nums": 0}}, "overflow_nums is wrong; found: 0"),
        ({"support_wrap_ops": "/nowhere.yaml"}, "support_wrap_ops: cannot read /nowhere.yaml"),
    ],
    ids=str,
)
def test_the_message_names_key_and_file(values: dict[str, Any], words: str, tmp_path: Path) -> None:
    path = config(tmp_path, **values)
    with pytest.raises(ToolError) as caught:
        PrecisionDebugger(path)
    assert words in str(caught.value)
    if "support_wrap_ops" not in values:
        assert str(path) in str(caught.value)
    assert not (tmp_path / "dump").exists()


def test_unknown_keys_are_a_warning_with_their_names(tmp_path: Path) -> None:
    with pytest.warns(UserWarning) as caught:
        PrecisionDebugger(config(tmp_path, sumary_mode="md5", statistics={"scop": []}, extra_info=True))
    assert [str(each.message).partition(": ")[2].partition(" is")[0] for each in caught] == [
        "sumary_mode",
        "statistics.scop",
    ]


@pytest.mark.parametrize("text", ["", "{", "[]", '"text"'])
def test_a_config_that_is_no_config(text: str, tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(text)
    with pytest.raises(ToolError, match=str(path)):
        PrecisionDebugger(path)
    with pytest.raises(ToolError, match="no such file"):
        PrecisionDebugger(tmp_path / "other.json")


def test_arguments_win_over_the_file(tmp_path: Path) -> None:
    path = config(tmp_path, level="L0", step=[5])
    debugger = PrecisionDebugger(path, level="L1", step=[0], dump_path=tmp_path / "other")
    debugger.start()
    torch.ones(1)
    debugger.stop()
    assert (tmp_path / "other" / "step0" / "rank" / "dump.json").exists() and not (tmp_path / "dump").exists()


def test_a_second_debugger(tmp_path: Path) -> None:
    """In a loop by mistake, it is the first one again; while it dumps, one with other settings is an error."""
    debugger = PrecisionDebugger(dump_path=tmp_path / "dump")
    debugger.step()
    again = PrecisionDebugger(dump_path=tmp_path / "dump")
    assert again is debugger
    again.start()
    with pytest.raises(ToolError, match=f"another PrecisionDebugger is dumping to {tmp_path / 'dump'}"):
        PrecisionDebugger(dump_path=tmp_path / "other")
    torch.ones(1)
    again.stop()
    assert files(tmp_path, step=1).exists()
    assert PrecisionDebugger(dump_path=tmp_path / "other") is not debugger


@pytest.mark.parametrize("task", ["statistics", "tensor"])
def test_an_unwritable_folder_costs_one_warning(task: str, tmp_path: Path) -> None:
    (tmp_path / "dump").write_text("a file where the folder should be")
    net = Net()
    with pytest.warns(RuntimeWarning) as caught:
        dump(tmp_path, lambda: [train_step(net) for _ in range(3)], task=task)
    assert [str(each.message)[:60] for each in caught] == [f"cannot write the dump in {tmp_path / 'dump'}"[:60]]
    assert net.first.weight.grad is not None


def test_a_full_disk_costs_one_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that were written before stay readable."""
    writes = []

    def save(tensor: torch.Tensor, path: Path) -> None:
        if len(writes) == 4:
            raise OSError(28, "No space left on device")
        writes.append(path)
        torch.save(tensor, path)

    monkeypatch.setattr("musa_tools.dump.step_writer.save_pt", save)
    net = Net()
    with pytest.warns(RuntimeWarning, match="No space left on device") as caught:
        dump(tmp_path, lambda: [train_step(net) for _ in range(3)], task="tensor")
    assert len(caught) == 1
    part = (files(tmp_path) / "dump.jsonl.part").read_text().splitlines()
    assert json.loads(part[0])["name"] == "Torch.randn.0.forward"


def test_a_full_disk_for_lines() -> None:
    """Every write to /dev/full fails so."""
    set_dump_path("/dev/full")
    net = Net()
    register_hook(net, acc_cmp_dump)
    set_dump_switch("ON")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        train_step(net)
    set_dump_switch("OFF")
    assert [each.category for each in caught] == [RuntimeWarning] and "/dev/" in str(caught[0].message)


class Fails(Net):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.first(x)
        return self.last(h[:, :5])


@pytest.mark.parametrize("level", ["L0", "L1", "mix"])
def test_the_users_exception_is_the_one_seen(level: str, tmp_path: Path) -> None:
    net = Fails()
    with pytest.raises(RuntimeError, match="mat1 and mat2 shapes cannot be multiplied"):
        dump(tmp_path, lambda: train_step(net), level=level, model=net)
    last = list(data(tmp_path).items())[-1]
    assert "output" not in last[1] and last[1]["input_args"]  # the inputs of the failing call
    assert torch.overrides._len_torch_function_stack() == 0  # type: ignore[attr-defined]
    dump(tmp_path, lambda: train_step(Net()), level="L1")
    assert "Functional.linear.1.backward" in data(tmp_path)


def run_script(folder: Path, how: str, task: str = "statistics") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(UNFINISHED_RUN), str(folder / "dump"), how, task]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


def test_kill_leaves_all_whole_calls(tmp_path: Path) -> None:
    run = run_script(tmp_path, "kill", "tensor")
    assert run.returncode == -signal.SIGKILL
    for step in range(3):
        assert "Torch.exp.0.backward" in data(tmp_path, step=step)
    lines = (files(tmp_path, step=3) / "dump.jsonl.part").read_text().splitlines()
    assert [json.loads(line)["name"] for line in lines] == ["Torch.ones.0.forward", "Torch.exp.0.forward"]
    assert not (files(tmp_path, step=3) / "dump.json").exists()
    saved = files(tmp_path, step=3) / "dump_tensor_data" / "Torch.exp.0.forward.output.0.pt"
    assert torch.load(saved).shape == (3,)


@pytest.mark.slow
def test_an_uncaught_exception(tmp_path: Path) -> None:
    run = run_script(tmp_path, "raise")
    assert run.returncode == 1 and "ValueError: the user's" in run.stderr
    assert list(data(tmp_path, step=3)) == ["Torch.ones.0.forward", "Torch.exp.0.forward"]
    assert not (files(tmp_path, step=3) / "dump.jsonl.part").exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write to a read-only folder")
def test_a_read_only_folder(tmp_path: Path) -> None:
    tmp_path.joinpath("dump").mkdir(mode=0o500)
    with pytest.warns(RuntimeWarning, match="Permission denied"):
        dump(tmp_path, lambda: torch.ones(1))


def test_a_warning_has_one_full_stop_where_a_sentence_ends() -> None:
    with pytest.warns(RuntimeWarning, match=r"cannot write the dump: Gone\. The run goes on") as caught:
        WriteFailure("the dump").report(OSError("Gone."))
    assert ".." not in str(caught[0].message)
