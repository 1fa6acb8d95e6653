"""Steps, ranks, log files, tools inside tools; and a tool that is off."""

from __future__ import annotations

import re
import threading
import warnings
from pathlib import Path
from typing import Any

import pytest
import torch
from printing import printed
from torch.utils import _python_dispatch
from torch.utils.flop_counter import FlopCounterMode

from musa_tools.compare_tool import CompareWithCPU, NanInfTracker

X = torch.ones(2, 2)


def depth() -> int:
    return int(torch._C._len_torch_dispatch_stack())


def test_steps_from_start_to_end() -> None:
    tool = CompareWithCPU(start_step=2, end_step=4)
    active: list[bool] = []

    def run() -> None:
        with tool as watcher:
            assert watcher is tool
            for step in range(6):
                assert tool.step_cnt == step
                active.append(bool(depth()))
                X.exp()
                tool.step()

    log = printed(run)
    assert active == [False, False, True, True, False, False]
    assert re.findall(r"^-{25}  step = (\d)  -{22}\n\n", log, re.MULTILINE) == ["2", "3"]
    assert log.count("aten.exp(forward) starts to run") == 2
    assert depth() == 0


def test_the_first_steps_header_is_that_of_step_1() -> None:
    tool = CompareWithCPU()

    def run() -> None:
        with tool:
            X.exp()
            tool.step()

    assert re.findall(r"step = (\d)", printed(run)) == ["1"]


@pytest.mark.parametrize("kind", [CompareWithCPU, NanInfTracker])
def test_a_tool_that_is_off_leaves_no_mode_and_no_file(kind: Any, tmp_path: Path) -> None:
    options: list[dict[str, Any]] = [{"enabled": False}, {"enable_ranks": [1]}, {"start_step": 1}]
    for option in options:
        with kind(should_log_to_file=True, output_dir=str(tmp_path / "logs"), **option) as tool:
            assert depth() == 0
            X.exp()
            tool.step() if "start_step" not in option else None
    assert list(tmp_path.iterdir()) == []


def test_ranks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def run(rank: str, **options: Any) -> list[str]:
        monkeypatch.setenv("RANK", rank)
        with CompareWithCPU(should_log_to_file=True, output_dir=str(tmp_path), **options):
            X.exp()
        return sorted(path.name for path in tmp_path.iterdir())

    assert run("1", enable_ranks=[0]) == []
    assert run("0", enable_ranks=[0]) == ["compare_result_rank0.txt"]
    assert run("3") == ["compare_result_rank0.txt", "compare_result_rank3.txt"]
    monkeypatch.delenv("RANK")
    with NanInfTracker(should_log_to_file=True, output_dir=str(tmp_path), enable_ranks=[0]):
        X.exp()  # without RANK, this is rank 0
    assert (tmp_path / "nan_inf_report.txt").exists()


def test_the_log_file(tmp_path: Path) -> None:
    folder = tmp_path / "made" / "for it"
    (tmp_path / "compare_result.txt").write_text("of an earlier run")
    for where in (folder, folder, tmp_path):
        with CompareWithCPU(should_log_to_file=True, output_dir=str(where)):
            X.exp()
    lines = (folder / "compare_result.txt").read_text().splitlines()
    assert re.fullmatch(r"\d{4}-\d\d-\d\d, \d\d:\d\d:\d\d", lines[0])
    assert lines[1] == "torch.ops.aten.exp(forward) starts to run ..."
    assert sum(", " in line and ":" in line and line[:2] == "20" for line in lines) == 1  # one date per process
    assert sum("succeeds" in line for line in lines) == 2
    assert "of an earlier run" not in (tmp_path / "compare_result.txt").read_text()


def test_a_log_that_cannot_be_written_costs_one_warning(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    def run() -> None:
        with CompareWithCPU(should_log_to_file=True, output_dir=str(tmp_path / "file")):
            assert float(X.exp().sum()) > 0

    with pytest.warns(RuntimeWarning, match="cannot write the log") as caught:
        log = printed(run)
    assert len([entry for entry in caught if entry.category is RuntimeWarning]) == 1
    assert "aten.sum(forward) succeeds" in log  # nothing is lost


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk(tmp_path: Path) -> None:
    (tmp_path / "compare_result.txt").symlink_to("/dev/full")

    def run() -> None:
        with CompareWithCPU(should_log_to_file=True, output_dir=str(tmp_path)):
            X.exp()

    with pytest.warns(RuntimeWarning, match="No space left"):
        assert "aten.exp(forward) succeeds" in printed(run)


def test_two_tools_at_once_do_not_see_each_other() -> None:
    def run() -> None:
        with CompareWithCPU() as compare, NanInfTracker() as nan:
            X.exp()
            (-X).log()
        assert compare.counts.total("passed") == 3
        assert nan.counts.total("created") == 1

    log = printed(run)
    assert "aten.log(forward) created NaN" in log
    starts = re.findall(r"(\S+) starts to run", log)
    assert starts == [f"torch.ops.aten.{name}(forward)" for name in ("exp", "neg", "log")]
    assert depth() == 0


@pytest.mark.slow
def test_a_mode_of_the_user_sees_the_users_operators_only() -> None:
    counted: list[int] = []
    for order in ("outside", "inside"):
        with FlopCounterMode(display=False) as plain:
            X @ X

        def run(order: str = order) -> None:
            flops = FlopCounterMode(display=False)
            first, second = (flops, CompareWithCPU()) if order == "outside" else (CompareWithCPU(), flops)
            with first, second:
                X @ X
            counted.append(flops.get_total_flops())

        assert "aten.mm(forward) succeeds" in printed(run)
        assert counted.pop() == plain.get_total_flops()


@pytest.mark.slow
def test_a_step_inside_a_mode_of_the_user() -> None:
    tool = CompareWithCPU(end_step=1)

    def run() -> None:
        with tool:
            with FlopCounterMode(display=False):
                tool.step()
                X.exp()
            X.exp()

    assert "starts to run" not in printed(run)
    assert depth() == 0


def test_tools_that_end_in_another_order() -> None:
    first, second = CompareWithCPU(end_step=1), NanInfTracker(start_step=1)

    def run() -> None:
        with first, second:
            first.step()
            second.step()
            (-X).log()

    assert "created NaN" in printed(run)
    assert depth() == 0 and not _python_dispatch._get_current_dispatch_mode_stack()


@pytest.mark.parametrize("kind", [CompareWithCPU, NanInfTracker])
def test_an_exception_of_the_user_is_the_one_seen(kind: Any) -> None:
    def run() -> None:
        with pytest.raises(KeyError, match="mine"), kind():
            X.exp()
            raise KeyError("mine")

    printed(run)
    assert depth() == 0


def test_a_thread_that_ended_inside_a_block() -> None:
    """The next thread may get its identifier, and must not be taken for it."""
    tool = CompareWithCPU()
    earlier: set[int] = set()

    def ends_inside() -> None:
        earlier.add(threading.get_ident())
        tool.__enter__()

    def run() -> None:
        if threading.get_ident() in earlier:
            earlier.clear()
        with tool:
            X.exp()

    for _ in range(200):
        log = ""
        for function in (ends_inside, run):
            thread = threading.Thread(target=function)
            log += printed(lambda thread=thread: (thread.start(), thread.join()))
        assert log.count("aten.exp(forward) starts to run") == 1
        if not earlier:
            return
    pytest.fail("no thread got the identifier of an earlier one: this test shows nothing")


def test_entering_again_and_inside_itself() -> None:
    tool = CompareWithCPU()

    def run() -> None:
        with tool:
            with tool:
                X.exp()
            X.sin()
        X.cos()
        with tool:
            X.tan()

    assert re.findall(r"aten\.(\w+)\(forward\) starts", printed(run)) == ["exp", "sin", "tan"]


def test_bad_values_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"end_step \(1\) is before start_step \(3\)"):
        NanInfTracker(start_step=3, end_step=1)


@pytest.mark.slow
def test_compiled_functions_run_and_are_named(tmp_path: Path) -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        return (x * 2).sin()

    compiled = torch.compile(f, backend="eager")
    model = torch.nn.Linear(2, 2)

    def run() -> None:
        with CompareWithCPU():
            assert torch.equal(compiled(X), f(X))
            model(X)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        log = printed(run)
    assert "[ERROR]" not in log and "aten.addmm(forward) succeeds" in log
