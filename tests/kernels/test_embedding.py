"""Embeddings against PyTorch's CPU: gradients, padding, frequencies, norms."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

from .compare import FLOATING, compare, computed_by_cpu


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("index_type", (torch.int64, torch.int32))
def test_embedding(dtype: torch.dtype, index_type: torch.dtype) -> None:
    close = {"rtol": 2e-2, "atol": 2e-2} if dtype.itemsize == 2 else {"rtol": 1e-5, "atol": 1e-5}
    table = torch.randn(7, 5).to(dtype)
    for indices in ([[0, 6, 2], [2, 2, 1]], [], 3):
        index = torch.tensor(indices, dtype=index_type)
        for keywords in ({}, {"padding_idx": 2}, {"scale_grad_by_freq": True}):
            weight = table.clone().requires_grad_()
            compare(F.embedding, index, weight, keywords=keywords, gradients=True, close=close)
        for norm in (2.0, 1.0, torch.inf):
            compare(torch.embedding_renorm_, table, index.reshape(-1), 1.5, norm, close=close)
    assert not {"aten::embedding_dense_backward", "aten::embedding_renorm_", "aten::index_select"} & computed_by_cpu()


@pytest.mark.parametrize("dtype", (torch.float16, torch.bfloat16))
def test_gradients_of_a_row_that_is_named_often(dtype: torch.dtype) -> None:
    index, grad = torch.zeros(5000, dtype=torch.int64), torch.ones(5000, 3, dtype=dtype)
    got = torch.ops.aten.embedding_dense_backward(grad.to("musa"), index.to("musa"), 2, -1, False)
    wanted = torch.tensor([[5000.0] * 3, [0.0] * 3])
    torch.testing.assert_close(got.cpu().float(), wanted, rtol=torch.finfo(dtype).eps, atol=0)


@pytest.mark.parametrize("mode", ("sum", "mean", "max"))
@pytest.mark.parametrize("index_type", (torch.int64, torch.int32))
def test_bags(mode: str, index_type: torch.dtype) -> None:
    index = torch.tensor([0, 6, 2, 2, 1, 5, 2], dtype=index_type)
    offsets = torch.tensor([0, 3, 3, 6], dtype=index_type)  # the second bag is empty
    for dtype in (torch.float32, torch.float64):
        table = torch.randn(7, 5, dtype=dtype)
        for keywords in ({}, {"padding_idx": 2}, {"include_last_offset": True}):
            ends = torch.cat([offsets, torch.tensor([7], dtype=index_type)])
            weight = table.clone().requires_grad_()
            given = {**keywords, "mode": mode}
            compare(
                F.embedding_bag, index, weight, ends if "include_last_offset" in keywords else offsets, keywords=given,
                gradients=True, close={"rtol": 1e-4, "atol": 1e-4},
            )  # fmt: skip
        compare(lambda i, w, k=mode: F.embedding_bag(i, w, mode=k), index[:6].reshape(2, 3), table)
        if mode == "sum":
            factors = torch.rand(7, dtype=dtype).requires_grad_()
            compare(
                lambda i, w, o, f: F.embedding_bag(i, w, o, mode="sum", per_sample_weights=f, padding_idx=6),
                index, table.clone().requires_grad_(), offsets, factors, gradients=True,
                close={"rtol": 1e-4, "atol": 1e-4},
            )  # fmt: skip
    assert not [name for name in computed_by_cpu() if "embedding_bag" in name]


def test_gradients_of_bags_by_frequency() -> None:
    """PyTorch 2.13's CPU divides the gradients of some rows by the frequency of others."""
    weight = torch.randn(7, 5, device="musa", requires_grad=True)
    index = torch.tensor([0, 6, 2, 2, 1, 5, 2], device="musa")
    offsets = torch.tensor([0, 3, 3, 6], device="musa")
    F.embedding_bag(index, weight, offsets, mode="sum", scale_grad_by_freq=True).sum().backward()
    torch.testing.assert_close(weight.grad[:, 0].cpu(), torch.tensor([1.0, 1, 1, 0, 0, 1, 1]))
