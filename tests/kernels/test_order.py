"""Functions of an order, against PyTorch's CPU: kthvalue, medians, mode, unique, searchsorted, histc, bincount."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from torch import Tensor

from .compare import FLOATING, INTEGRAL, compare, computed_by_cpu, numbers

REALS = (*FLOATING, *INTEGRAL[:-1])
NATIVE = {
    "kthvalue.values", "median", "median.dim_values", "nanmedian", "nanmedian.dim_values", "mode", "_unique",
    "_unique2",
    "unique_dim", "unique_consecutive", "unique_dim_consecutive", "searchsorted.Tensor", "searchsorted.Tensor_out",
    "searchsorted.Scalar", "searchsorted.Scalar_out", "bucketize.Tensor", "bucketize.Tensor_out", "bucketize.Scalar",
    "histc", "histc.out", "bincount",
}  # fmt: skip


@pytest.fixture(autouse=True)
def computed_by_kernels() -> Iterator[None]:
    yield
    assert not {f"aten::{name}" for name in NATIVE} & computed_by_cpu()


def with_nan(value: Tensor) -> Tensor:
    if value.is_floating_point() and value.numel() > 3:
        value = value.clone()
        value.flatten()[1::7] = torch.nan
    return value


@pytest.mark.parametrize("dtype", REALS)
def test_medians(dtype: torch.dtype) -> None:
    for shape in ((), (1,), (6,), (5, 4), (3, 2, 8)):
        count = max(torch.Size(shape).numel(), 1)
        value = torch.randperm(count).to(dtype).reshape(shape)  # no two are equal: any of these might be named
        for given in (value, with_nan(value), value.t() if value.dim() == 2 else value):
            compare(torch.median, given)
            compare(torch.nanmedian, given)
            for dim, kept in ((-1, False), (0, True)):
                compare(torch.median, given, dim, kept)
                compare(lambda x, dim=dim, kept=kept: torch.nanmedian(x, dim, kept).values, given)
                compare(torch.kthvalue, value, 1, dim, kept)
                compare(torch.kthvalue, value, value.shape[dim] if shape else 1, dim, kept)
    if dtype.is_floating_point:
        compare(torch.median, value[:0])
        compare(torch.median, torch.randn(4, 5, dtype=torch.float64).requires_grad_(), 1, gradients=True)


@pytest.mark.parametrize("dtype", (*REALS, torch.bool))
def test_mode(dtype: torch.dtype) -> None:
    for shape in ((), (1,), (9,), (4, 6), (2, 3, 10)):
        value = numbers(shape, torch.int64).remainder(4).to(dtype)
        compare(torch.mode, value)
        compare(torch.mode, value, 0, True)


@pytest.mark.parametrize("dtype", (*REALS, torch.bool, torch.uint16, torch.uint32, torch.uint64))
def test_unique(dtype: torch.dtype) -> None:
    for shape in ((), (0,), (1,), (30,), (5, 4), (2, 3, 4)):
        value = numbers(shape, torch.int64).remainder(5).to(dtype)
        for given in (value, value.t() if value.dim() == 2 else value):
            compare(torch.unique, given, keywords={"return_inverse": True, "return_counts": True})
            compare(torch.unique, given)
            compare(torch.unique_consecutive, given, keywords={"return_inverse": True, "return_counts": True})
        if shape and value.numel() and dtype in REALS:
            for dim in (0, -1):
                for function in (torch.unique, torch.unique_consecutive):
                    compare(function, value, keywords={"return_inverse": True, "return_counts": True, "dim": dim})


def test_unique_of_wide_numbers() -> None:
    bits = torch.tensor([-1, 5, -(2**63), 5, 2**63 - 1])
    compare(lambda x: torch.unique(x.view(torch.uint64)).view(torch.int64), bits)
    compare(torch.unique, bits)


@pytest.mark.parametrize("dtype", REALS)
def test_search(dtype: torch.dtype) -> None:
    rows = numbers((3, 9), dtype).sort(-1).values
    values = numbers((3, 4), dtype)
    for right in (False, True):
        for narrow in (False, True):
            keywords = {"right": right, "out_int32": narrow}
            compare(torch.searchsorted, rows, values, keywords=keywords)
            compare(torch.searchsorted, rows[0].contiguous(), values.t(), keywords=keywords)
            compare(torch.searchsorted, rows[1].contiguous(), 2, keywords=keywords)
            compare(torch.bucketize, values, rows[0].contiguous(), keywords=keywords)
            compare(torch.bucketize, 3, rows[0].contiguous(), keywords=keywords)
    shuffled = numbers((3, 9), dtype)
    compare(lambda r, v: torch.searchsorted(r, v, sorter=r.argsort(-1)), shuffled, values)
    compare(torch.searchsorted, rows, values[:, :0].contiguous())
    if dtype.is_floating_point:
        compare(torch.bucketize, with_nan(values), rows[0].contiguous())


@pytest.mark.parametrize("dtype", (torch.float32, torch.float64))
def test_histograms(dtype: torch.dtype) -> None:
    values = torch.randint(0, 50, (200,)).to(dtype).div(5)
    for bins, low, high in ((10, 0, 0), (7, 2, 8), (100, -1, 3)):
        compare(torch.histc, values, bins, low, high)
    compare(torch.histc, values[:0], 3)
    compare(torch.histc, torch.ones(5, dtype=dtype), 4)
    indices = torch.randint(0, 9, (50,))
    for index in (indices, indices.to(torch.uint8), indices[:0]):
        compare(torch.bincount, index)
        compare(torch.bincount, index, torch.rand(index.numel(), dtype=dtype), 12)


def test_refusals() -> None:
    value = torch.tensor([1, -2], device="musa")
    for call, words in (
        (lambda: torch.bincount(value), "non-negative"),
        (lambda: torch.kthvalue(value, 3), "out of range"),
        (lambda: torch.median(value[:0], 0), "median"),
        (lambda: torch.histc(value.float(), 3, 2, 1), "max must be larger"),
    ):
        with pytest.raises((RuntimeError, IndexError), match=words):
            call()
