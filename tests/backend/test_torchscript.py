"""TorchScript calls operators with lists of types of its own; each function here computes the CPU's result."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

Function = Callable[..., torch.Tensor]


def rows(x: torch.Tensor, i: torch.Tensor, j: torch.Tensor) -> torch.Tensor:
    return x[i]


def columns(x: torch.Tensor, i: torch.Tensor, j: torch.Tensor) -> torch.Tensor:
    return x[:, j]


def elements(x: torch.Tensor, i: torch.Tensor, j: torch.Tensor) -> torch.Tensor:
    return x[i, j]


def with_a_new_axis(x: torch.Tensor, i: torch.Tensor, j: torch.Tensor) -> torch.Tensor:
    return x[None, i, :][:, :, None, j]


def by_a_mask(x: torch.Tensor, i: torch.Tensor, j: torch.Tensor) -> torch.Tensor:
    return x[x > 0]


def assigned(x: torch.Tensor, i: torch.Tensor, j: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    y[:, j] = 2.0
    y[i, j] += 1.0
    return y


def joined(x: torch.Tensor, i: torch.Tensor, j: torch.Tensor) -> torch.Tensor:
    return torch.cat([x, torch.stack([x[0], x[1]])]) + torch.cat(torch.split(x, 1))[:1]


def contracted(x: torch.Tensor, i: torch.Tensor, j: torch.Tensor) -> torch.Tensor:
    a, b = torch.meshgrid([i, j], indexing="ij")
    return torch.einsum("ij,ik->jk", [x, x]) * x[a, b].sum()


def in_groups(x: torch.Tensor, i: torch.Tensor, j: torch.Tensor) -> torch.Tensor:
    return torch.index_put(torch.zeros_like(x), [i, j], x[i, j], accumulate=True)


@pytest.mark.parametrize(
    "function", [rows, columns, elements, with_a_new_axis, by_a_mask, assigned, joined, contracted, in_groups]
)
def test_lists_of_tensors(function: Function) -> None:
    scripted = torch.jit.script(function)
    x, i, j = torch.randn(6, 6), torch.tensor([5, 0, 3]), torch.tensor([1, 1, 4])
    wanted = function(x, i, j)
    for _ in range(3):  # the interpreter specialises after the first runs
        torch.testing.assert_close(scripted(x.musa(), i.musa(), j.musa()).cpu(), wanted)


@pytest.mark.parametrize("function", [rows, columns, elements])
def test_gradients(function: Function) -> None:
    scripted = torch.jit.script(function)
    x, i, j = torch.randn(6, 6), torch.tensor([5, 0, 5]), torch.tensor([1, 1, 4])
    here, there = x.clone().requires_grad_(), x.musa().requires_grad_()
    (function(here, i, j) ** 2).sum().backward()
    (scripted(there, i.musa(), j.musa()) ** 2).sum().backward()
    assert there.grad is not None
    torch.testing.assert_close(there.grad.cpu(), here.grad)
