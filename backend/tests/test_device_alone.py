"""The device by itself: operators, a stream and an event agree with the CPU. The repository has more, in tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch

pytest.importorskip("torch_musa", reason="pip install --no-build-isolation --no-cache-dir torch-musa-sim")

OPERATORS: dict[str, Callable[..., object]] = {
    "arithmetic": lambda x, y: (x + 2 * y - 1) / (y.abs() + 1),
    "comparison": lambda x, y: (x > y, torch.where(x > y, x, y)),
    "product": lambda x, y: x @ y.t(),
    "reductions": lambda x, y: (x.sum(), x.mean(0), y.amax(1), y.argmax(1)),
    "sort": lambda x, y: (*x.sort(1), y.topk(3).values),
    "index": lambda x, y: (x[x > 0], y[1:, ::2].contiguous(), torch.cat([x, y])),
    "softmax": lambda x, y: torch.nn.functional.cross_entropy(x, y.argmax(1)),
    "other types": lambda x, y: ((x * 100).to(torch.int32) // 7, y.half() + 1, torch.fft.fft(x)),
}


def results(of_operator: Any) -> Sequence[torch.Tensor]:
    return of_operator if isinstance(of_operator, tuple) else [of_operator]


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_agree_with_the_cpu(name: str) -> None:
    x, y = torch.randn(7, 5), torch.randn(7, 5)
    found, wanted = (results(OPERATORS[name](*given)) for given in ((x.to("musa"), y.to("musa")), (x, y)))
    assert len(found) == len(wanted) > 0
    for device, host in zip(found, wanted):
        assert device.is_musa
        torch.testing.assert_close(device.cpu(), host)


def test_gradients_agree_with_the_cpu() -> None:
    host = torch.nn.Sequential(torch.nn.Linear(6, 5), torch.nn.ReLU(), torch.nn.Linear(5, 2))
    device = torch.nn.Sequential(torch.nn.Linear(6, 5), torch.nn.ReLU(), torch.nn.Linear(5, 2)).to("musa")
    device.load_state_dict(host.state_dict())
    x = torch.randn(9, 6)
    host(x).square().mean().backward()
    device(x.to("musa")).square().mean().backward()
    for left, right in zip(device.parameters(), host.parameters()):
        assert left.grad is not None and right.grad is not None
        torch.testing.assert_close(left.grad.cpu(), right.grad)


def test_a_stream_and_an_event() -> None:
    """Another stream waits for the event, and then has what the first one computed."""
    x = torch.randn(200, 200)
    first, second = torch.musa.Stream(), torch.musa.Stream()
    begin, end = torch.musa.Event(enable_timing=True), torch.musa.Event(enable_timing=True)
    on_device = x.to("musa")
    torch.musa.synchronize()
    with torch.musa.stream(first):
        assert torch.musa.current_stream() == first
        begin.record()
        product = on_device @ on_device
        end.record()
    second.wait_event(end)
    with torch.musa.stream(second):
        total = product.sum()
    second.synchronize()
    assert end.query() and begin.elapsed_time(end) > 0
    torch.testing.assert_close(product.cpu(), x @ x)
    torch.testing.assert_close(total.cpu(), (x @ x).sum(), rtol=1e-4, atol=1e-2)


def test_memory_is_counted_and_an_error_names_the_device() -> None:
    before = torch.musa.memory_allocated()
    x = torch.empty(1 << 20, dtype=torch.uint8, device="musa")
    assert torch.musa.memory_allocated() - before >= x.nbytes
    with pytest.raises(RuntimeError, match="musa:0"):
        x + torch.ones(1 << 20)
