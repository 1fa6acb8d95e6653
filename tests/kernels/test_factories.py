"""Fills, ranges, triangles, flips, masks and complex parts against PyTorch's CPU."""

from __future__ import annotations

import pytest
import torch

from .compare import ALL, FLOATING, INTEGERS, SINGLE, agree, assert_native, numbers, on_device


@pytest.mark.parametrize("dtype", ALL)
def test_fill(dtype: torch.dtype) -> None:
    value = numbers((9, 11), dtype)
    for view in (value, value.t(), value[:, ::3], value[0, 0], value[:0]):
        agree(on_device(view).fill_(1), view.clone().fill_(1))
        agree(on_device(view).zero_(), torch.zeros_like(view))
        agree(on_device(view).fill_(torch.ones((), dtype=dtype, device="musa")), torch.ones_like(view))
    mask = torch.rand(9, 11) < 0.5
    agree(value.to("musa").masked_fill(mask.to("musa"), 1), value.masked_fill(mask, 1))
    agree(value.to("musa").t().masked_fill(mask[:1].t().to("musa"), 1), value.t().masked_fill(mask[:1].t(), 1))
    agree(value.to("musa").flip(0), value.flip(0))
    agree(on_device(value.t()).flip(0, 1), value.t().flip(0, 1))
    for diagonal in (-2, 0, 3):
        agree(value.to("musa").tril(diagonal), value.tril(diagonal))
        agree(on_device(value.t()).triu(diagonal), value.t().triu(diagonal))
        agree(value.to("musa").triu_(diagonal), value.triu(diagonal))
    assert_native("fill_.Scalar", "zero_", "masked_fill_.Scalar", "flip", "tril.out", "triu.out")


@pytest.mark.parametrize("dtype", (*FLOATING, *INTEGERS))
def test_ranges(dtype: torch.dtype) -> None:
    for start, end, step in ((0, 10, 1), (1, 20, 3), (5, 5, 1)):
        agree(torch.arange(start, end, step, dtype=dtype, device="musa"), torch.arange(start, end, step, dtype=dtype))
    for steps in (0, 1, 2, 7, 100):
        agree(torch.linspace(0, 99, steps, dtype=dtype, device="musa"), torch.linspace(0, 99, steps, dtype=dtype))
        if dtype in INTEGERS:  # the fractions of both ends are cut off first
            for made in (torch.linspace, torch.logspace):
                agree(made(0.6, 1.9, steps, dtype=dtype, device="musa"), made(0.6, 1.9, steps, dtype=dtype))
            agree(
                torch.linspace(9.7, 1.2, steps, dtype=dtype, device="musa"),
                torch.linspace(9.7, 1.2, steps, dtype=dtype),
            )
        if dtype in SINGLE:
            agree(torch.logspace(0, 2, steps, dtype=dtype, device="musa"), torch.logspace(0, 2, steps, dtype=dtype))
    agree(torch.eye(3, 5, dtype=dtype, device="musa"), torch.eye(3, 5, dtype=dtype))
    out = torch.empty(5, 2, dtype=dtype, device="musa").t()
    torch.arange(10, out=out)
    agree(out, torch.arange(10, out=torch.empty(5, 2, dtype=dtype).t()))
    assert_native("arange.start_out", "linspace.out", "logspace.out", "eye.m_out")


@pytest.mark.parametrize("dtype", SINGLE)
def test_complex_parts(dtype: torch.dtype) -> None:
    a, b = numbers((9, 11), dtype), numbers((9, 11), dtype)
    agree(torch.complex(a.to("musa"), b.to("musa")), torch.complex(a, b))
    agree(torch.polar(a.to("musa"), b.to("musa")), torch.polar(a, b))
    assert_native("complex.out", "polar.out")
