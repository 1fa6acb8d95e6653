"""The tools do not cost memory of the device, the graph capture of a user, or time where they are off."""

from __future__ import annotations

import gc
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from printing import printed

from musa_tools.compare_tool import CompareWithCPU, NanInfTracker
from musa_tools.other_tools import hooks, ptdbg_ascend
from musa_tools.other_tools.msprobe import PrecisionDebugger


def test_nothing_is_cloned_on_the_device(musa: str) -> None:
    """The largest amount of the device's memory is what the operators themselves need."""
    module = torch.get_device_module(musa)
    x = torch.ones(4 << 20, device=musa)  # 16 MiB

    def peak(tool: Any) -> int:
        module.synchronize()
        module.reset_peak_memory_stats()
        before = module.memory_allocated()

        def run() -> None:
            with tool:
                y = x * 2
                y.add_(x)
                y.exp()

        printed(run)
        return int(module.max_memory_allocated() - before)

    plain = peak(CompareWithCPU(enabled=False))
    assert plain >= 2 * x.nbytes
    assert peak(CompareWithCPU()) <= 1.1 * plain
    assert peak(NanInfTracker()) <= 1.1 * plain


def test_held_results_are_bounded(device: str) -> None:
    tool = NanInfTracker()

    def run() -> None:
        with tool:
            for _ in range(100):
                torch.ones(60_000, device=device) + 1
                assert sum(t.numel() for t in tool._flags._held) <= (1 << 22) + 60_000
            assert len(tool._flags) <= 513

    printed(run)


def least_growth(step: Callable[[], None], times: int) -> int:
    """By how many objects a process grows in so many steps, at least. What is kept for each step is in every round."""
    growth = []
    for _ in range(3):
        gc.collect()
        before = len(gc.get_objects())
        for _ in range(times):
            step()
        gc.collect()
        growth.append(len(gc.get_objects()) - before)
    return min(growth)


def test_memory_does_not_grow_with_steps() -> None:
    model = torch.nn.Linear(4, 4)
    x = torch.randn(2, 4)
    tool = NanInfTracker()

    def step() -> None:
        model(x).sum().backward()
        tool.step()

    def run() -> None:
        with tool:
            for _ in range(20):
                step()
            assert least_growth(step, 300) < 100

    printed(run)


def test_backward_in_a_thread_of_the_user(device: str) -> None:
    x = torch.ones(3, device=device, requires_grad=True)
    tool = CompareWithCPU()

    def run() -> None:
        y = x.exp().sum()

        def backward() -> None:
            with tool:
                y.backward()

        with tool:
            thread = threading.Thread(target=backward)
            thread.start()
            thread.join()

    log = printed(run)
    assert "torch.ops.aten.mul.Tensor(backward) succeeds" in log


@pytest.mark.parametrize("kind", [CompareWithCPU, NanInfTracker])
def test_while_a_graph_is_captured_nothing_waits(musa: str, kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The simulator captures no graphs, so the device says that it does, and waiting is an error."""
    module = torch.get_device_module(musa)
    monkeypatch.setattr(module, "is_current_stream_capturing", lambda: True, raising=False)
    x, big = torch.ones(3, device=musa), torch.ones(100_000, device=musa)

    def refuse(self: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
        raise AssertionError("a copy to the host during capture")

    def run() -> None:
        with kind() as tool:
            with monkeypatch.context() as during:
                for name in ("item", "tolist", "cpu", "to", "__bool__"):
                    during.setattr(torch.Tensor, name, refuse)
                (-x).log()
                big.exp()
            monkeypatch.setattr(module, "is_current_stream_capturing", lambda: False)
            tool.step()
            x.exp()

    log = printed(run)
    if kind is CompareWithCPU:
        assert "a graph is captured" in log and log.count("has not been tested") == 3
        assert "aten.exp(forward) succeeds" in log
    else:
        assert "aten.log(forward) created NaN" in log


@pytest.mark.parametrize("task", ["statistics", "tensor", "overflow_check"])
def test_a_dump_computes_nothing_while_a_graph_is_captured(
    musa: str, task: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As above. What was launched before the capture is fetched after it."""
    module = torch.get_device_module(musa)
    x = torch.ones(3, device=musa, requires_grad=True)
    net = torch.nn.Sequential(torch.nn.Linear(3, 3)).to(musa)
    ptdbg_ascend.set_dump_path(tmp_path / "ptdbg.pkl")
    ptdbg_ascend.register_hook(net, ptdbg_ascend.acc_cmp_dump)
    ptdbg_ascend.set_dump_switch("ON")

    def refuse(self: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
        raise AssertionError("something computed for the dump, or fetched, during capture")

    debugger = PrecisionDebugger(dump_path=tmp_path / "dump", task=task)
    debugger.start()
    torch.exp(x)
    with monkeypatch.context() as during:
        during.setattr(module, "is_current_stream_capturing", lambda: True, raising=False)
        for name in ("item", "tolist", "cpu", "to", "__bool__", "sum", "float"):
            during.setattr(torch.Tensor, name, refuse)
        for _ in range(300):
            torch.sin(x)
        y = net(torch.sin(x))
    y.sum().backward()
    debugger.stop()
    ptdbg_ascend.set_dump_switch("OFF")
    if task == "overflow_check":
        return
    found = json.loads((tmp_path / "dump" / "step0" / "rank" / "dump.json").read_text())["data"]
    assert found["Torch.exp.0.forward"]["output"][0]["Max"] == pytest.approx(2.71828, rel=1e-4)
    assert set(found["Torch.sin.5.forward"]["output"][0]) == {"type", "dtype", "shape", "requires_grad"}
    assert found["Torch.sin.300.backward"]["input"][0]["Max"] is not None


def test_a_dump_holds_no_more_than_its_numbers(musa: str, tmp_path: Path) -> None:
    """The numbers that wait on the device are fetched now and then; tensors are not held."""
    module = torch.get_device_module(musa)
    debugger = PrecisionDebugger(dump_path=tmp_path)
    x = torch.ones(1 << 20, device=musa)  # 4 MiB
    debugger.start()
    module.synchronize()
    before = module.memory_allocated()
    module.reset_peak_memory_stats()
    for _ in range(100):
        torch.exp(x)
    assert module.max_memory_allocated() - before < 3 * x.nbytes
    debugger.stop()


def test_memory_does_not_grow_with_registered_models(tmp_path: Path) -> None:
    net = torch.nn.Linear(4, 4)
    hooks.set_dump_path(tmp_path / "dump.pkl")
    hooks.register_hook(net, hooks.wrap_acc_cmp_hook)
    x = torch.randn(2, 4)
    for _ in range(10):
        net(x).sum().backward()

    def step() -> None:
        net(x).sum().backward()
        net(x)  # without a backward pass

    assert least_growth(step, 200) < 100
