"""Kernels whose long rows take another way than short ones: pieces, lanes, digits, tables."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from .compare import compare

CLOSE = {"rtol": 1e-4, "atol": 1e-5}


def repeated(count: int, most: int) -> Tensor:
    """Indices that repeat, out of order."""
    return torch.arange(count) * 7919 % most


def with_nans(value: Tensor) -> Tensor:
    return value.masked_fill(value > 2.2, float("nan"))


#: sums and extremes at indices, of rows that are wider than a thread takes
CHANGES: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "index_add of rows": lambda x, s: x.index_add(0, repeated(90, 40).to(x.device), s),
    "index_add of gaps": lambda x, s: x[:, ::2].clone().index_add(0, repeated(90, 40).to(x.device), s[:, ::2]),
    "index_add of columns": lambda x, s: x.index_add(1, repeated(150, 150).to(x.device), s[:40]),
    "index_put": lambda x, s: x.index_put((repeated(90, 40).to(x.device) - 40,), s, accumulate=True),
    "amax": lambda x, s: x.index_reduce(0, repeated(90, 40).to(x.device), s, "amax"),
    "amin": lambda x, s: x.index_reduce(0, repeated(90, 40).to(x.device), s, "amin", include_self=False),
    "scatter_add": lambda x, s: x.scatter_add(1, (repeated(6000, 150).reshape(40, 150)).to(x.device), s[:40]),
    "embedding": lambda x, s: F.embedding(repeated(90, 40).to(x.device), x) * s,
    "bag sum": lambda x, s: F.embedding_bag(repeated(90, 40).reshape(9, 10).to(x.device), x, mode="sum") * s[:9],
    "bag mean": lambda x, s: F.embedding_bag(repeated(90, 40).reshape(9, 10).to(x.device), x, padding_idx=3) * s[:9],
    "bag max": lambda x, s: F.embedding_bag(repeated(90, 40).reshape(9, 10).to(x.device), x, mode="max") * s[:9],
}


@pytest.mark.filterwarnings("ignore:index_reduce")
@pytest.mark.parametrize("dtype", (torch.float32, torch.float64), ids=str)
@pytest.mark.parametrize("name", CHANGES)
def test_changes_of_wide_rows(name: str, dtype: torch.dtype) -> None:
    value = torch.randn(40, 150, dtype=dtype).requires_grad_()
    source = torch.randn(90, 150, dtype=dtype).requires_grad_()
    compare(CHANGES[name], value, source, gradients=True, close=CLOSE)


@pytest.mark.parametrize("dtype", (torch.bool, torch.int8, torch.int64, torch.float16, torch.complex64), ids=str)
def test_sums_of_wide_rows_of_other_types(dtype: torch.dtype) -> None:
    value = torch.arange(40 * 150).reshape(40, 150).remainder(3).to(dtype)
    index = repeated(90, 40)
    compare(lambda x, s, i: x.index_add(0, i, s), value, value.repeat(3, 1)[:90], index)


#: order among many elements
ORDERS: dict[str, Callable[[Tensor], object]] = {
    "median": lambda x: x.median(1),
    "median of columns": lambda x: x.median(0, keepdim=True),
    "median of all": lambda x: x.median(),
    "nanmedian": lambda x: x.nanmedian(1).values,
    "kthvalue": lambda x: x.kthvalue(70, 1).values,
    "cummax": lambda x: x.cummax(1),
    "cummin": lambda x: x.cummin(1),
    "cummax of all": lambda x: x.flatten().cummax(0),
    "topk": lambda x: x.flatten().topk(70).values,
    "smallest": lambda x: x.flatten().topk(70, largest=False).values,
}


@pytest.mark.parametrize("dtype", (torch.float32, torch.float64, torch.int32, torch.uint8, torch.bfloat16), ids=str)
@pytest.mark.parametrize("name", ORDERS)
def test_order_of_many(name: str, dtype: torch.dtype) -> None:
    ordered = torch.arange(40 * 151).reshape(40, 151)  # each row has its numbers once
    value = ((ordered * 7919 % 151) - (0 if dtype == torch.uint8 else 60)).to(dtype)
    if "all" in name or "topk" in name or "smallest" in name or "columns" in name:
        value = ordered.sub(3000).to(dtype) if dtype in (torch.float32, torch.float64, torch.int32) else value
    plain = {
        "median of columns": lambda x: x.median(0, keepdim=True).values,  # equal elements: any of them
        "median of all": ORDERS["median of all"],
    }.get(name, ORDERS[name])
    compare(plain, value)


@pytest.mark.parametrize("name", ("median", "nanmedian", "kthvalue", "cummax", "cummin", "topk"))
def test_order_with_zeros_and_nans(name: str) -> None:
    value = torch.randn(40, 151)
    value[3] = with_nans(value[3])
    value[5] = float("nan")
    value[7, ::2] = -0.0
    value[7, 1::2] = 0.0
    value[8] = -value[8].abs()
    value[9, ::3] = float("inf")
    value[9, 1::3] = -float("inf")
    compare(lambda x: getattr(x, name)(70, 1)[0] if name in ("kthvalue", "topk") else getattr(x, name)(1)[0], value)


@pytest.mark.parametrize("dtype", (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64), ids=str)
def test_integers_close_together_and_apart(dtype: torch.dtype) -> None:
    close = (repeated(5000, 90) - (0 if dtype == torch.uint8 else 40)).to(dtype)
    limits = torch.iinfo(dtype)
    apart = torch.tensor([limits.max, limits.min, 3, limits.max, 0], dtype=dtype)
    for value in (close, close.reshape(50, 100).t(), apart, close[:1]):
        compare(lambda x: torch.unique(x, return_inverse=True, return_counts=True), value)
        compare(torch.unique, value)
    counted = close.long() + 40
    compare(torch.bincount, counted)
    compare(lambda x: torch.bincount(x, minlength=400), counted)
    compare(lambda x: torch.bincount(x, minlength=9000), counted)
    compare(torch.isin, close, apart)


def test_permutations() -> None:
    kinds = ((0, torch.int64), (1, torch.int64), (1000, torch.int64), (1000, torch.int32), (9, torch.float16))
    for count, dtype in kinds:
        torch.manual_seed(5)
        first = torch.randperm(count, device="musa", dtype=dtype)
        assert first.sort().values.tolist() == list(range(count))
        torch.manual_seed(5)
        assert torch.equal(first, torch.randperm(count, device="musa", dtype=dtype))
    drawn = torch.stack([torch.randperm(4, device="musa").cpu() for _ in range(2000)])
    frequencies = (drawn * torch.tensor([64, 16, 4, 1])).sum(1).unique(return_counts=True)[1]
    assert len(frequencies) == 24 and int(frequencies.min()) > 40 and int(frequencies.max()) < 140


@pytest.mark.parametrize("layout", (torch.contiguous_format, torch.channels_last), ids=str)
@pytest.mark.parametrize(
    "keywords",
    (
        {"kernel_size": 2},
        {"kernel_size": 3, "stride": 2, "padding": 1},
        {"kernel_size": (2, 3), "stride": (3, 1), "padding": (1, 1), "ceil_mode": True},
    ),
    ids=str,
)
def test_pooling_of_wide_images(layout: torch.memory_format, keywords: dict[str, object]) -> None:
    image = torch.randn(2, 140, 5, 301).contiguous(memory_format=layout).requires_grad_()
    compare(F.max_pool2d, image, keywords={**keywords, "return_indices": True}, close=CLOSE)
    compare(F.max_pool2d, image, keywords=keywords, gradients=True, close=CLOSE)
    compare(F.avg_pool2d, image.detach().requires_grad_(), keywords=keywords, gradients=True, close=CLOSE)
    compare(F.max_pool2d, image.detach(), keywords={**keywords, "dilation": (1, 2)}, close=CLOSE)


@pytest.mark.parametrize("mode", ("nearest", "bilinear", "bicubic"))
def test_many_points_of_a_grid(mode: str) -> None:
    image = torch.randn(2, 3, 20, 30).requires_grad_()
    grid = (torch.rand(2, 40, 41, 2) * 2.4 - 1.2).requires_grad_()
    keywords = {"mode": mode, "align_corners": False}
    compare(F.grid_sample, image, grid, keywords=keywords, gradients=True, close={"rtol": 1e-3, "atol": 1e-3})


@pytest.mark.parametrize("mode", ("reflect", "replicate"))
def test_padding_of_wide_images(mode: str) -> None:
    for dtype in (torch.float32, torch.complex64):
        for padding in ((3, 40, 0, 2), (-3, 5, 1, -1)):
            image = torch.randn(2, 3, 5, 90, dtype=dtype).requires_grad_()
            compare(F.pad, image, keywords={"pad": padding, "mode": mode}, gradients=True, close=CLOSE)


@pytest.mark.parametrize("dtype", (torch.uint8, torch.float16, torch.float32, torch.int64, torch.complex128), ids=str)
def test_flips(dtype: torch.dtype) -> None:
    value = torch.arange(6 * 5 * 140).reshape(6, 5, 140).to(dtype)
    for given in (value, value.transpose(0, 2), value[:, :, ::3], value.permute(2, 0, 1)):
        for dims in ((0,), (1,), (2,), (0, 2), (0, 1, 2)):
            compare(torch.flip, given, dims)
