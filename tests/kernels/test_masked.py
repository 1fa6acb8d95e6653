"""Elements that a mask chooses, against PyTorch's CPU: types, strides, broadcast masks, no elements, many of them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest
import torch
from torch import Tensor

from .compare import ALL, agree, compare, computed_by_cpu, numbers, on_device

NATIVE = {"nonzero", "nonzero.out", "masked_select", "masked_scatter_"}


@pytest.fixture(autouse=True)
def computed_by_kernels() -> Iterator[None]:
    yield
    assert not {f"aten::{name}" for name in (*NATIVE, "repeat_interleave.Tensor")} & computed_by_cpu()


def layouts(shape: tuple[int, ...], dtype: torch.dtype) -> list[Tensor]:
    """Numbers, half of them 0, without gaps, with dimensions in another order, with gaps."""
    value = numbers(shape, dtype) * numbers(shape, torch.bool).to(dtype)
    if not shape:
        return [value]
    order = tuple(reversed(range(value.dim())))
    gaps = torch.zeros((*shape[:-1], shape[-1] * 2), dtype=dtype)[..., ::2].copy_(value)
    return [value, value.permute(order).contiguous().permute(order), gaps]


SHAPES = ((), (1,), (7,), (3, 0, 2), (5, 4, 6), (2, 3000))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ALL)
def test_masks(shape: tuple[int, ...], dtype: torch.dtype) -> None:
    for value in layouts(shape, dtype):
        compare(torch.nonzero, value)
        compare(lambda x: torch.nonzero(x, as_tuple=True), value)
        for mask in (
            value != 0,
            value == 0,
            torch.tensor(True),
            (value != 0).all(-1, keepdim=True) if shape else value != 0,
        ):
            compare(torch.masked_select, value, mask)
            compare(lambda x, m, s: x.masked_scatter(m, s), value, mask, numbers((max(value.numel(), 1),), dtype))


def test_results_in_given_tensors() -> None:
    value = torch.tensor([[1.0, 0.0, 2.0], [0.0, 0.0, 3.0]])
    for out in (torch.empty(0), torch.empty(3, 2), torch.empty(3, 4)[:, ::2], torch.empty(2, 3).t()):
        agree(torch.nonzero(value.to("musa"), out=on_device(out.long())), value.nonzero())
    agree(
        torch.masked_select(value.to("musa"), value.to("musa") > 0, out=torch.empty(0, device="musa")), value[value > 0]
    )
    for size in (0, 2, 3, 5):
        agree(torch.nonzero_static(value.to("musa"), size=size), torch.nonzero_static(value, size=size))


@pytest.mark.parametrize("dtype", (torch.int32, torch.int64))
def test_repeat_interleave(dtype: torch.dtype) -> None:
    for repeats in ([2, 0, 3], [], [0], [1] * 3000):
        compare(torch.repeat_interleave, torch.tensor(repeats, dtype=dtype))
    compare(lambda x, r: torch.repeat_interleave(x, r, dim=0), numbers((3, 4), torch.float32), torch.tensor([2, 0, 3]))
    compare(
        lambda x, r: torch.repeat_interleave(x, r, output_size=5), numbers((3,), torch.float32), torch.tensor([2, 0, 3])
    )


def test_gradients() -> None:
    value = torch.randn(5, 6, dtype=torch.float64)
    for function in (
        lambda x: x[(torch.arange(30).reshape(5, 6) % 3 == 0).to(x.device)],
        lambda x: x.masked_select(x.detach() > 0),
    ):
        compare(function, value.clone().requires_grad_(), gradients=True)


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        ("x.masked_scatter_(x > 0, x[:2])", "masked_scatter: expected as many elements"),
        ("torch.repeat_interleave(torch.tensor([1, -1], device='musa'), output_size=1)", "repeats can not be negative"),
    ],
)
def test_what_only_a_kernel_can_know_is_asserted(operation: str, message: str) -> None:
    program = f"import torch; x = torch.ones(4, device='musa'); {operation}; torch.musa.synchronize()"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode != 0
    assert message in done.stderr
