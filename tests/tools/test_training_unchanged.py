"""Training is bit-identical with and without every tool: random states, statistics, gradients, weights."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import Any, Callable

import pytest
import torch
from printing import printed
from torch.utils.checkpoint import checkpoint

from musa_tools.compare_tool import CompareWithCPU, NanInfTracker, open_module_tracker
from musa_tools.other_tools import hooks, ptdbg_ascend
from musa_tools.other_tools.msprobe import PrecisionDebugger

Tool = Callable[[], AbstractContextManager[Any]]


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = torch.nn.Sequential(
            torch.nn.Linear(6, 8), torch.nn.BatchNorm1d(8), torch.nn.ReLU(inplace=True), torch.nn.Dropout(0.3)
        )
        self.second = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.GELU(), torch.nn.LayerNorm(8))
        self.last = torch.nn.Linear(8, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.first(x) + 0.1 * torch.randn(x.shape[0], 8, device=x.device)
        x = checkpoint(self.second, x, use_reentrant=False)
        return self.last(x)


def train(device: str, tool: Tool, of_model: Callable[[Net], Any] = lambda net: nullcontext()) -> dict[str, Any]:
    """Train for some steps; return everything that could have changed."""
    torch.manual_seed(7)
    random.seed(7)
    net = Net().to(device)
    open_module_tracker(net)
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.01)
    scaler = torch.amp.GradScaler(device, init_scale=2.0**10, enabled=device != "cpu")
    losses = []
    with tool() as plain, of_model(net) as dump:
        watcher = dump or plain
        for step in range(4):
            x, target = torch.randn(5, 6, device=device), torch.randint(3, (5,), device=device)
            optimizer.zero_grad()
            with torch.autocast(device, dtype=torch.bfloat16, enabled=step % 2 == 1):
                loss = torch.nn.functional.cross_entropy(net(x), target)
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
            losses.append(loss.detach().cpu())
            if hasattr(watcher, "step"):
                watcher.step()
    return {
        "losses": losses,
        "weights": {name: value.cpu() for name, value in net.state_dict().items()},
        "grads": [parameter.grad.cpu() for parameter in net.parameters()],
        "moments": [{k: v.cpu() for k, v in state.items()} for state in optimizer.state.values()],
        "random": [torch.get_rng_state(), torch.randn(3, device=device).cpu()],
        "python": random.random(),
    }


def both() -> AbstractContextManager[Any]:
    stack = ExitStack()
    stack.enter_context(NanInfTracker())
    stack.enter_context(CompareWithCPU())
    return stack


TOOLS: dict[str, Tool] = {
    "compare": CompareWithCPU,
    "compare with tolerances": lambda: CompareWithCPU(atol=1e-2, rtol=1e-2),
    "compare some steps": lambda: CompareWithCPU(start_step=1, end_step=3),
    "nan": NanInfTracker,
    "nan, at once": lambda: NanInfTracker(log_all=True),
    "both": both,
    "off": lambda: CompareWithCPU(enabled=False),
}


def assert_same(left: Any, right: Any, path: str = "") -> None:
    if isinstance(left, torch.Tensor):
        assert torch.equal(left, right), path
    elif isinstance(left, dict):
        assert left.keys() == right.keys()
        for key in left:
            assert_same(left[key], right[key], f"{path}.{key}")
    elif isinstance(left, list):
        assert len(left) == len(right)
        for index, (a, b) in enumerate(zip(left, right)):
            assert_same(a, b, f"{path}.{index}")
    else:
        assert left == right, path


@pytest.mark.parametrize("name", TOOLS)
def test_training_is_bit_identical(device: str, name: str) -> None:
    plain = train(device, nullcontext)
    watched: list[dict[str, Any]] = []
    log = printed(lambda: watched.append(train(device, TOOLS[name])))
    assert_same(plain, watched[0])
    assert "[ERROR]" not in log and "[WARNING]" not in log


def debugger(folder: Path, **arguments: Any) -> Callable[[Net], Any]:
    """Dump every step of a model."""

    class Steps:
        def __init__(self, tool: PrecisionDebugger) -> None:
            self.tool = tool

        def step(self) -> None:
            self.tool.stop()
            self.tool.step()
            self.tool.start()

    @contextmanager
    def dumping(net: Net) -> Iterator[Steps]:
        tool = PrecisionDebugger(dump_path=folder, model=net, **arguments)
        tool.start()
        yield Steps(tool)
        tool.stop()

    return dumping


def ptdbg(folder: Path) -> Callable[[Net], Any]:
    @contextmanager
    def dumping(net: Net) -> Iterator[None]:
        ptdbg_ascend.set_dump_path(folder / "dump.pkl")
        ptdbg_ascend.register_hook(net, ptdbg_ascend.acc_cmp_dump)
        ptdbg_ascend.set_dump_switch("ON")
        yield
        ptdbg_ascend.set_dump_switch("OFF")

    return dumping


def torch_npu(folder: Path, hook: Any, **kwargs: Any) -> Callable[[Net], Any]:
    @contextmanager
    def dumping(net: Net) -> Iterator[None]:
        hooks.set_dump_path(folder / "dump.pkl")
        hooks.register_hook(net, hook, **kwargs)
        yield

    return dumping


DUMPS: dict[str, Callable[[Path], Callable[[Net], Any]]] = {
    "functions": lambda folder: debugger(folder, level="L1"),
    "modules": lambda folder: debugger(folder, level="L0"),
    "both, with tensors": lambda folder: debugger(folder, level="mix", task="tensor"),
    "overflows": lambda folder: debugger(folder, level="mix", task="overflow_check"),
    "ptdbg_ascend": ptdbg,
    "torch_npu.hooks": lambda folder: torch_npu(folder, hooks.wrap_acc_cmp_hook),
    "torch_npu.hooks, whole": lambda folder: torch_npu(folder, hooks.wrap_acc_cmp_hook, sample=False),
    "torch_npu.hooks, files": lambda folder: torch_npu(folder, hooks.wrap_async_datadump_hook, path=folder / "npy"),
}


@pytest.mark.parametrize("beside", ["alone", "beside both tools"])
@pytest.mark.parametrize("name", DUMPS)
def test_training_is_bit_identical_while_it_is_dumped(device: str, name: str, beside: str, tmp_path: Path) -> None:
    plain = train(device, nullcontext)
    dumped: list[dict[str, Any]] = []
    tool = nullcontext if beside == "alone" else both
    log = printed(lambda: dumped.append(train(device, tool, DUMPS[name](tmp_path))))
    assert_same(plain, dumped[0])
    assert "[ERROR]" not in log and "[WARNING]" not in log
    assert name == "overflows" or any(path.stat().st_size > 200 for path in tmp_path.rglob("*") if path.is_file())


def test_the_training_draws_and_learns(device: str) -> None:
    """The comparison above could not fail if nothing happened in it."""
    results = train(device, nullcontext)
    assert len({float(loss) for loss in results["losses"]}) == 4
    assert results["weights"]["first.1.num_batches_tracked"] == 4
    assert float(results["weights"]["first.1.running_var"].sum()) != 8


def test_a_custom_operator_that_draws_on_the_cpu_generator() -> None:
    library = torch.library.Library("planted", "FRAGMENT")
    library.define("draw(Tensor x) -> Tensor")
    library.impl("draw", lambda x: x * torch.rand(1) * 0 + random.random() * 0, "CPU")

    def draws(tool: Tool) -> tuple[float, float]:
        torch.manual_seed(3)
        random.seed(3)
        with tool():
            torch.ops.planted.draw(torch.ones(2))
        return float(torch.rand(1)), random.random()

    try:
        plain = draws(nullcontext)
        watched: list[Any] = []
        printed(lambda: watched.append(draws(CompareWithCPU)))
    finally:
        library._destroy()
    assert plain == watched[0]
