"""torch.musa's graphs: kernels of an extension, copies and PyTorch's operators, captured and launched on new data."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch.utils._python_dispatch import TorchDispatchMode

from .conftest import PROGRAMS, RunPython

musa = torch.musa


def launched(work: Callable[..., torch.Tensor], *examples: torch.Tensor, times: int = 3) -> None:
    """Compare `work`, captured on examples, with itself run outside, on random data of the examples' shapes."""
    static = [example.clone() for example in examples]
    work(*static)  # a kernel's image is loaded at its first launch
    graph = musa.MUSAGraph()
    with musa.graph(graph):
        assert musa.is_current_stream_capturing()
        result = work(*static)
    for _ in range(times):
        fresh = [torch.rand_like(example) + 1 for example in examples]
        for tensor, value in zip(static, fresh):
            tensor.copy_(value)
        graph.replay()
        torch.testing.assert_close(result.cpu(), work(*fresh).cpu(), rtol=0, atol=0)


def scaled(probe: Any, x: torch.Tensor, factor: float) -> torch.Tensor:
    y = torch.empty_like(x)
    probe.launch_scale(x, y, factor)
    return y


def test_kernels_of_an_extension(probe: Any) -> None:
    """Memory that is allocated and let go of during the capture stays the graph's."""

    def chain(x: torch.Tensor) -> torch.Tensor:
        for factor in (2.0, 0.5, 3.0, 7.0):
            x = scaled(probe, x, factor)
        return x

    launched(chain, torch.rand(1003, device="musa"))
    launched(chain, torch.rand(70, 30, device="musa", dtype=torch.float64).half())


@pytest.mark.parametrize(
    ("keep_graph", "states"),
    [
        (False, "/ graph executable / graph executable / graph executable / "),
        (True, "/ graph / graph executable / graph executable / "),
    ],
)
def test_a_class_that_inherits_reads_the_states(probe: Any, keep_graph: bool, states: str) -> None:
    """The protected members have the names that PyTorch's CUDAGraph gives them."""
    x = torch.zeros(5, device="musa")
    x.add_(1)
    assert probe.graph_states(x, keep_graph) == states
    assert x.tolist() == [2.0] * 5


def test_memory_of_a_capture_is_the_graphs_until_reset(probe: Any) -> None:
    x = torch.ones(1 << 20, device="musa")
    gc.collect()  # memory of earlier tests would be freed in between
    before = musa.mem_get_info()[0]
    graph = musa.MUSAGraph()
    with musa.graph(graph):
        y = scaled(probe, scaled(probe, x, 2.0), 3.0)
    middle = musa.mem_get_info()[0]
    assert before - middle == 2 * x.nbytes  # the value in between and the result
    others = [torch.full_like(x, 5.0) for _ in range(3)]
    graph.replay()
    assert y.sum().item() == 6 * x.numel()
    assert all((other == 5).all() for other in others)
    del others, y
    gc.collect()
    assert musa.mem_get_info()[0] == middle
    graph.reset()
    assert musa.mem_get_info()[0] == before


def test_a_pool_lives_as_long_as_any_of_its_graphs(probe: Any) -> None:
    x = torch.ones(1000, device="musa")
    pool = musa.graph_pool_handle()
    assert pool != musa.graph_pool_handle()
    first, second = musa.MUSAGraph(), musa.MUSAGraph()
    with musa.graph(first, pool=pool):
        y = scaled(probe, scaled(probe, x, 2.0), 2.0)
    with musa.graph(second, pool=first.pool()):
        z = scaled(probe, scaled(probe, y, 2.0), 2.0)
    first.replay()
    del first
    gc.collect()
    second.replay()
    assert z.sum().item() == 16000
    assert second.pool() == pool


def test_streams_fork_and_join_inside(probe: Any) -> None:
    side = musa.Stream()

    def both(x: torch.Tensor) -> torch.Tensor:
        side.wait_stream(musa.current_stream())
        with musa.stream(side):
            a = scaled(probe, x, 2.0)
        b = scaled(probe, x, 3.0)
        musa.current_stream().wait_stream(side)
        return torch.cat([a, b])

    launched(both, torch.rand(500, device="musa"))


@pytest.mark.parametrize(
    "work",
    [
        lambda x, y: x + y * 2,
        lambda x, y: torch.zeros_like(x).add_(x).mul_(y),
        lambda x, y: torch.full((3, 50), 7.0, device="musa") @ x,
        lambda x, y: (x @ y.t()).softmax(-1).sum(0),
        lambda x, y: torch.stack(torch.split(x, 25)).amax(0),
        lambda x, y: F.layer_norm(x, (40,), y[0], y[1]),
        lambda x, y: F.linear(x, y, y[:, 0]).half().float(),
        lambda x, y: F.gelu(x.t())[::2].clone(),
        lambda x, y: torch.where(x > y, x, y).to(torch.int64).cumsum(0),
        lambda x, y: torch.add(x, y, out=torch.empty_like(x)),
        lambda x, y: x[:, 3:9].sort(dim=1, descending=True).values,
        lambda x, y: x[(y[0] * 10).long()],
        lambda x, y: F.scaled_dot_product_attention(x[None], y[None], x[None]),
    ],
)
def test_operators(work: Callable[..., torch.Tensor]) -> None:
    launched(work, torch.rand(50, 40, device="musa"), torch.rand(50, 40, device="musa"))


def test_a_launch_has_nothing_of_the_thread_that_waits_for_it() -> None:
    """The operators here wait for the launch, so its work may be done by this thread while it is busy with them."""

    seen = set()

    class See(TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.add(func.name())
            return func(*args, **kwargs or {})

    x = torch.rand(2**19, device="musa")  # the mask becomes numbers in memory of 2 MiB
    graph = musa.MUSAGraph()
    with musa.graph(graph):
        y = x * (x > 0.5)
    for _ in range(5):
        x.uniform_()
        with See():
            graph.replay()
            musa.synchronize()
            graph.replay()
            found = y.abs()
        assert torch.equal(found.cpu(), x.cpu() * (x.cpu() > 0.5))
    assert seen == {"aten::abs"}


def test_copies_read_their_source_at_each_launch() -> None:
    pinned = torch.zeros(100).pin_memory()
    x = torch.empty(100, device="musa")
    back = torch.empty(100).pin_memory()
    graph = musa.MUSAGraph()
    with musa.graph(graph):
        x.copy_(pinned, non_blocking=True)
        x.mul_(2)
        back.copy_(x, non_blocking=True)
    for value in (3.0, 5.0):
        pinned.fill_(value)
        graph.replay()
        musa.synchronize()
        assert (back == 2 * value).all()


def test_random_operators_draw_new_numbers_at_each_launch() -> None:
    x = torch.empty(1000, device="musa")
    graph = musa.MUSAGraph()
    with musa.graph(graph):
        x.uniform_()
    drawn = []
    for _ in range(3):
        graph.replay()
        drawn.append(x.cpu())
    musa.manual_seed(5)
    expected = torch.empty_like(x).uniform_()
    musa.manual_seed(5)
    graph.replay()
    assert torch.equal(x, expected)
    assert not torch.equal(drawn[0], drawn[1]) and not torch.equal(drawn[1], drawn[2])


REFUSED: dict[str, tuple[Callable[[torch.Tensor], object], str]] = {
    "aten::nonzero": (torch.nonzero, "cannot be captured into a graph on the simulated musa device: "),
    "aten::masked_select": (lambda x: torch.masked_select(x, x > 0), "cannot be captured into a graph"),
    "a mask as an index": (lambda x: x[x > 0], "cannot be captured into a graph"),
    "aten::equal": (lambda x: torch.equal(x, x.clone()), "the host would have to know its result"),
    "aten::add": (lambda x: torch.add(x, x, out=torch.empty(0, device="musa")), "give `out` the right shape"),
    "item": (lambda x: x.sum().item(), "operation not permitted when stream is capturing"),
    "copy to the host": (lambda x: x.cpu(), "operation not permitted when stream is capturing"),
    "synchronize": (lambda x: musa.synchronize(), "operation not permitted when stream is capturing"),
    "convolution": (lambda x: F.conv1d(x[None], x[None, :, :3]), "aten::convolution cannot be captured"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_name_what_they_refuse(name: str) -> None:
    """The device continues to work."""
    work, message = REFUSED[name]
    x = torch.rand(6, 8, device="musa")
    graph = musa.MUSAGraph()
    with pytest.raises(RuntimeError) as refused, musa.graph(graph):
        work(x)
    assert message in str(refused.value)
    if name.startswith("aten::"):
        assert f"{name} cannot be captured" in str(refused.value)
    assert not musa.is_current_stream_capturing()
    assert (x + 1).sum().item() > 48
    with pytest.raises(RuntimeError, match="without a preceding successful capture"):
        graph.replay()


def test_misuse() -> None:
    graph = musa.MUSAGraph()
    with pytest.raises(RuntimeError, match="must be captured on a non-default stream"):
        graph.capture_begin()
    with pytest.raises(RuntimeError, match="without a preceding successful capture"):
        graph.replay()
    with pytest.raises(RuntimeError, match="without capture_begin"):
        graph.capture_end()
    with pytest.raises(RuntimeError, match="Unknown capture error mode"), musa.graph(graph, capture_error_mode="no"):
        pass
    with pytest.warns(UserWarning, match="The MUSA Graph is empty"), musa.graph(graph):
        pass
    with pytest.raises(RuntimeError, match="already owns a captured graph"), musa.graph(graph):
        pass
    assert musa.current_stream() == musa.default_stream()


@pytest.mark.parametrize(("mode", "fails"), [("global", True), ("thread_local", False), ("relaxed", False)])
def test_another_thread_synchronises(mode: str, fails: bool) -> None:
    """Its calls must not be unsafe while a global capture is underway; allocations of tensors are safe."""
    failed: list[bool] = []

    def elsewhere() -> None:
        made = torch.ones(10, device="musa")
        try:
            other.synchronize()
            failed.append(False)
        except RuntimeError:
            failed.append(True)
        del made

    x = torch.ones(10, device="musa")
    capturing, other = musa.Stream(), musa.Stream()  # two in turn differ; torch has 32 of them, which it gives again
    graph = musa.MUSAGraph()
    try:
        with musa.graph(graph, stream=capturing, capture_error_mode=mode):
            x.add_(1)
            thread = threading.Thread(target=elsewhere)
            thread.start()
            thread.join()
    except RuntimeError as error:
        assert "previous error during capture" in str(error)
        assert fails
    else:
        assert not fails
    assert failed == [fails]


def test_keep_graph_and_drawing(tmp_path: Path) -> None:
    x = torch.zeros(10, device="musa")
    graph = musa.MUSAGraph(keep_graph=True)
    with musa.graph(graph):
        x.add_(1)
        x.mul_(3)
    assert graph.raw_musa_graph() != 0
    graph.instantiate()
    assert graph.raw_musa_graph_exec() != 0
    graph.replay()
    graph.debug_dump(str(tmp_path / "graph.dot"))
    assert "aten::mul" in (tmp_path / "graph.dot").read_text()
    assert x.sum().item() == 30


@pytest.mark.skipif(not hasattr(torch.accelerator, "Graph"), reason="PyTorch is older than torch.accelerator.Graph")
def test_graphs_of_any_accelerator() -> None:
    x = torch.zeros(10, device="musa")
    graph = torch.accelerator.Graph()
    with musa.stream(musa.Stream()):
        graph.capture_begin()
        x.add_(1)
        graph.capture_end()
        graph.replay()
        graph.replay()
    musa.synchronize()
    assert x.sum().item() == 20


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, probe: Any, x: torch.Tensor, factor: float) -> torch.Tensor:
        ctx.probe, ctx.factor = probe, factor
        return scaled(probe, x, factor)

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> tuple[None, torch.Tensor, None]:
        return None, scaled(ctx.probe, grad.contiguous(), ctx.factor), None


def test_graphed_function(probe: Any) -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = Scale.apply(probe, x * x, 3.0)
        return result

    graphed = musa.make_graphed_callables(function, (torch.rand(20, device="musa", requires_grad=True),))
    for _ in range(3):
        x = torch.rand(20, device="musa", requires_grad=True)
        weight = torch.rand(20, device="musa")
        (graphed(x) * weight).sum().backward()
        torch.testing.assert_close(x.grad, 6 * x.detach() * weight)


def test_training_with_graphed_modules() -> None:
    """Losses of five steps, as without graphs."""

    def losses(graphed: bool) -> list[float]:
        torch.manual_seed(1)
        first, second = (
            torch.nn.Linear(8, 16).musa(),
            torch.nn.Sequential(torch.nn.GELU(), torch.nn.Linear(16, 4)).musa(),
        )
        optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=0.5)
        data = torch.randn(5, 10, 8).musa()
        if graphed:
            hidden = torch.randn(10, 16, device="musa", requires_grad=True)
            first, second = musa.make_graphed_callables((first, second), ((data[0].clone(),), (hidden,)))
        seen = []
        for x in data:
            optimizer.zero_grad()
            loss = second(first(x)).square().mean()
            loss.backward()
            optimizer.step()
            seen.append(loss.item())
        return seen

    plain = losses(False)
    assert plain[0] != plain[-1]
    assert losses(True) == pytest.approx(plain, rel=1e-6)


def test_profiler_shows_the_kernels_of_a_launch(probe: Any) -> None:
    x = torch.rand(1000, device="musa")
    graph = musa.MUSAGraph()
    with musa.graph(graph):
        y = scaled(probe, x, 2.0)
    activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.PrivateUse1]
    with torch.profiler.profile(activities=activities) as profile:
        graph.replay()
        musa.synchronize()
    if not musa._MUSAC.profiles_device():
        pytest.skip("this PyTorch has no profiler for musa")
    names = [event.name for event in profile.events()]
    assert any("scale_kernel<float>" in name for name in names), names
    assert y.numel() == 1000


EXIT = PROGRAMS / "exit_with_a_graph.py"


@pytest.mark.slow
def test_the_interpreter_ends_with_a_graph_in_flight(run_python: RunPython) -> None:
    begin = time.monotonic()
    done = run_python(EXIT)
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
    assert time.monotonic() - begin < 120


@pytest.mark.slow
def test_what_a_launch_keeps_is_let_go_of_when_it_is_over(run_python: RunPython) -> None:
    """Not by the stream's thread, which would wait for itself: freeing memory waits for the device."""
    done = run_python(PROGRAMS / "destroyed_in_flight.py")
    assert (done.returncode, done.stdout) == (0, "4096\n"), done.stderr
