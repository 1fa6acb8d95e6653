"""What the tools must not cost: memory of the device, the graph capture of a user, time where they are off."""

from __future__ import annotations

import threading
from typing import Any

import pytest
import torch
from conftest import printed

from musa_tools.compare_tool import CompareWithCPU, NanInfTracker


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


def test_memory_does_not_grow_with_steps() -> None:
    import gc

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
            gc.collect()
            before = len(gc.get_objects())
            for _ in range(300):
                step()
            gc.collect()
            assert len(gc.get_objects()) - before < 100

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
