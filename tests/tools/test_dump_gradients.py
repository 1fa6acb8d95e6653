"""Gradients of calls in dumps: what one call gets and gives back, held against autograd's own answers."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from dumped_runs import data, dump, files
from torch import nn
from torch.utils.checkpoint import checkpoint


def saved(folder: Path, name: str) -> torch.Tensor:
    return torch.load(files(folder) / "dump_tensor_data" / f"{name}.pt")


def test_a_call_gives_back_its_own_part(device: str, tmp_path: Path) -> None:
    """The input has two users; each call's gradient is its own, and the sum is the input's."""
    x = torch.tensor([1.0, 2.0], device=device, requires_grad=True)
    dump(tmp_path, lambda: (torch.exp(x) + torch.sin(x)).sum().backward(), task="tensor")
    exp, sin = (saved(tmp_path, f"Torch.{name}.0.backward.output.0") for name in ("exp", "sin"))
    torch.testing.assert_close(exp, x.detach().cpu().exp())
    torch.testing.assert_close(sin, x.detach().cpu().cos())
    assert torch.equal(exp + sin, x.grad.cpu())


def test_functions_of_several_nodes(device: str, tmp_path: Path) -> None:
    """cross_entropy is two nodes of the graph: the gradient of its input leaves the second."""
    torch.manual_seed(0)
    x, target = torch.randn(4, 3, device=device, requires_grad=True), torch.tensor([0, 2, 1, 1], device=device)
    dump(tmp_path, lambda: F.cross_entropy(x, target).backward(), task="tensor")
    assert torch.equal(saved(tmp_path, "Functional.cross_entropy.0.backward.output.0"), x.grad.cpu())
    assert float(saved(tmp_path, "Functional.cross_entropy.0.backward.input.0")) == 1


def test_every_argument_has_its_position(tmp_path: Path) -> None:
    x, w, b = torch.randn(5, 3), torch.randn(2, 3, requires_grad=True), torch.randn(2, requires_grad=True)
    dump(tmp_path, lambda: F.linear(x, w, bias=b).square().sum().backward(), task="tensor")
    entry = data(tmp_path)["Functional.linear.0.backward"]
    assert entry["output"][0] is None and entry["output_kwargs"]["bias"]["shape"] == [2]
    assert torch.equal(saved(tmp_path, "Functional.linear.0.backward.output.1"), w.grad)
    assert torch.equal(saved(tmp_path, "Functional.linear.0.backward.output.bias"), b.grad)


def test_in_place_functions(device: str, tmp_path: Path) -> None:
    x = torch.tensor([-1.0, 2.0], device=device, requires_grad=True)

    def run() -> None:
        y = x * 3
        y.add_(2.0)
        F.relu_(y)
        y.sum().backward()

    dump(tmp_path, run, task="tensor")
    assert saved(tmp_path, "Tensor.add_.0.backward.output.0").tolist() == [0, 1]
    assert saved(tmp_path, "Functional.relu_.0.backward.input.0").tolist() == [1, 1]
    assert saved(tmp_path, "Tensor.mul.0.backward.output.0").tolist() == x.grad.tolist() == [0, 3]


def test_an_argument_that_is_used_twice(tmp_path: Path) -> None:
    """The function uses its input in two nodes; what it gives back is the sum."""
    x = torch.tensor([3.0], requires_grad=True)
    dump(tmp_path, lambda: torch.mul(x, x).backward(), task="tensor")
    assert saved(tmp_path, "Torch.mul.0.backward.output.0").tolist() == [6]


def test_results_that_are_not_used(tmp_path: Path) -> None:
    """One of the results gets no gradient: the call is written when the dump stops."""

    class Two(nn.Module):
        def forward(self, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            return x * 2, y * 3

    net, x, y = Two(), torch.ones(4, requires_grad=True), torch.ones(4, requires_grad=True)
    dump(tmp_path, lambda: net(x, y)[0].sum().backward(), level="L0", model=net)
    entry = data(tmp_path)["Module.Two.backward.0"]
    assert [len(entry[part]) for part in ("input", "output")] == [1, 1] and entry["output"][0]["Max"] == 2


def test_modules_with_residuals(tmp_path: Path) -> None:
    """A module's gradient is its own part, not that of the path beside it."""

    class Residual(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = nn.Sequential(nn.Linear(3, 3), nn.ReLU(inplace=True))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x + self.inner(x)

    net, x = Residual(), torch.randn(2, 3, requires_grad=True)
    dump(tmp_path, lambda: net(x).sum().backward(), task="tensor", level="L0", model=net)
    inner = saved(tmp_path, "Module.inner.Sequential.backward.0.output.0")
    assert torch.allclose(inner + 1, x.grad)
    assert torch.equal(saved(tmp_path, "Module.Residual.backward.0.output.0"), x.grad)


def test_custom_functions(tmp_path: Path) -> None:
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return x * 2

        @staticmethod
        def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
            return torch.mul(gradient, 2)

    class Net(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return Twice.apply(x)

    net, x = Net(), torch.ones(2, requires_grad=True)
    dump(tmp_path, lambda: net(x).sum().backward(), level="mix", model=net)
    assert data(tmp_path)["Module.Net.backward.0"]["output"][0]["Max"] == 2
    assert "Torch.mul.0.forward" not in data(tmp_path)  # a part of a gradient is no call of the forward pass


@pytest.mark.parametrize("reentrant", [False, True])
def test_checkpoints(device: str, reentrant: bool, tmp_path: Path) -> None:
    """Calls that run again in the backward pass are not written twice."""
    inner = nn.Sequential(nn.Linear(3, 3), nn.GELU()).to(device)
    x = torch.randn(2, 3, device=device, requires_grad=True)
    dump(
        tmp_path,
        lambda: checkpoint(inner, x, use_reentrant=reentrant).sum().backward(),
        level="mix",
        model=inner,
    )
    names = [name for name in data(tmp_path) if "forward" in name and ("linear" in name or "Linear" in name)]
    assert names == ["Functional.linear.0.forward", "Module.0.Linear.forward.0"]
    assert x.grad is not None
    if not reentrant:  # the reentrant form has no graph of the first pass
        assert "Functional.linear.0.backward" in data(tmp_path)


def test_two_backward_passes_over_one_graph(tmp_path: Path) -> None:
    """The first one is written: a name means one record."""
    x = torch.ones(2, requires_grad=True)

    def run() -> None:
        y = torch.exp(x).sum()
        y.backward(retain_graph=True)
        (y * 3).backward()

    dump(tmp_path, run)
    assert data(tmp_path)["Torch.exp.0.backward"]["input"][0]["Max"] == 1
    assert x.grad is not None


def test_graphs_are_freed(tmp_path: Path) -> None:
    """A dump keeps no graph alive, and no tensor."""
    references: list[Any] = []

    def run() -> None:
        for _ in range(3):
            x = torch.ones(1000, requires_grad=True)
            y = torch.exp(x)
            references.extend([weakref.ref(x), weakref.ref(y)])
            y.sum().backward()
            torch.sin(torch.ones(10, requires_grad=True))  # without a backward pass
        del x, y
        gc.collect()
        assert [reference() for reference in references] == [None] * 6

    dump(tmp_path, run)


def test_double_backward(tmp_path: Path) -> None:
    x = torch.tensor([2.0], requires_grad=True)
    results = []

    def run() -> None:
        (first,) = torch.autograd.grad(torch.pow(x, 3), x, create_graph=True)
        (second,) = torch.autograd.grad(first, x)
        results.extend([float(first), float(second)])

    dump(tmp_path, run)
    assert results == [12, 12]
    assert data(tmp_path)["Torch.pow.0.backward"]["output"][0]["Max"] == 12
