"""torch-spline-conv on `musa` against its formulas, written in PyTorch in double precision on the CPU."""

from __future__ import annotations

from itertools import product
from typing import Optional

import torch
from comparing import run_all, weights
from torch_spline_conv import spline_conv

TOLERANCES = {torch.float64: 1e-10, torch.float32: 1e-4}


def pieces(degree: int, at: torch.Tensor) -> torch.Tensor:
    """Return the values of the B-splines of a degree that are not zero at `at`, along a new last dimension."""
    if degree == 1:
        values = (1 - at, at)
    elif degree == 2:
        values = ((1 - at) ** 2 / 2, 0.5 + at - at**2, at**2 / 2)
    else:
        values = (
            (1 - at) ** 3 / 6,
            (3 * at**3 - 6 * at**2 + 4) / 6,
            (1 + 3 * at + 3 * at**2 - 3 * at**3) / 6,
            at**3 / 6,
        )
    return torch.stack(values, -1)


def basis_of(
    pseudo: torch.Tensor, sizes: list[int], is_open: list[int], degree: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the products of B-splines for each edge, and the index of each one's weight."""
    edges = pseudo.shape[0]
    basis, index, stride = pseudo.new_ones(edges, 1), torch.zeros(edges, 1, dtype=torch.long), 1
    for axis, (size, is_one) in enumerate(zip(sizes, is_open)):
        position = pseudo[:, axis] * (size - degree * is_one)
        knots = (position.long()[:, None] + torch.arange(degree + 1)) % size
        values = pieces(degree, position - position.floor())
        basis = (values[:, :, None] * basis[:, None, :]).flatten(1)
        index = (knots[:, :, None] * stride + index[:, None, :]).flatten(1)
        stride *= size
    return basis, index


def convolution(
    x: torch.Tensor,
    edges: torch.Tensor,
    pseudo: torch.Tensor,
    weight: torch.Tensor,
    form: tuple[list[int], list[int], int],
    norm: bool,
    root: Optional[torch.Tensor],
    bias: Optional[torch.Tensor],
) -> torch.Tensor:
    basis, index = basis_of(pseudo, *form)
    messages = torch.einsum("es,esio,ei->eo", basis, weight[index], x[edges[1]])
    result = torch.zeros(len(x), weight.shape[2], dtype=x.dtype).index_add(0, edges[0], messages)
    if norm:
        result = result / torch.bincount(edges[0], minlength=len(x)).clamp(min=1)[:, None]
    if root is not None:
        result = result + x @ root
    return result if bias is None else result + bias


def given(dtype: torch.dtype, sizes: list[int]) -> tuple[torch.Tensor, list[torch.Tensor]]:
    """Return edges between 30 nodes, and x, pseudo, weight, root weight and bias of that type."""
    edges = torch.randint(30, (2, 200))
    weight = torch.randn(int(torch.tensor(sizes).prod()), 5, 4)
    numbers = [torch.randn(30, 5), torch.rand(200, len(sizes)) * 0.99, weight, torch.randn(5, 4), torch.randn(4)]
    return edges, [each.to(dtype) for each in numbers]


def check_convolutions() -> None:
    """Two forms of spline in up to three dimensions, degrees 1 to 3, with the gradients of all numbers."""
    for dtype, degree, sizes in product(TOLERANCES, (1, 2, 3), ([5], [4, 5], [5, 4, 6])):
        is_open = [(axis + degree) % 2 for axis in range(len(sizes))]
        edges, numbers = given(dtype, sizes)
        here = [each.double().requires_grad_() for each in numbers]
        there = [each.musa().requires_grad_() for each in numbers]
        wanted = convolution(here[0], edges, here[1], here[2], (sizes, is_open, degree), degree != 2, *here[3:])
        kernel = torch.tensor(sizes).musa(), torch.tensor(is_open, dtype=torch.uint8).musa()
        got = spline_conv(there[0], edges.musa(), there[1], there[2], *kernel, degree, degree != 2, *there[3:])
        scale = weights(wanted)
        slopes = torch.autograd.grad((wanted * scale).sum(), here)
        found = torch.autograd.grad((got * scale.to(dtype).musa()).sum(), there)
        for name, one, other in zip(("result", *"xpwrb"), (wanted, *slopes), (got, *found)):
            near(name, other, one, TOLERANCES[dtype])


def near(what: str, got: torch.Tensor, wanted: torch.Tensor, tolerance: float) -> None:
    assert got.device.type == "musa", what
    largest = float(wanted.detach().abs().max())
    torch.testing.assert_close(
        got.cpu().double(), wanted, rtol=tolerance, atol=tolerance * largest, msg=lambda text: f"{what}: {text}"
    )


if __name__ == "__main__":
    run_all()
