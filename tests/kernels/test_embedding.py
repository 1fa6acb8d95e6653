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
    for places in ([[0, 6, 2], [2, 2, 1]], [], 3):
        index = torch.tensor(places, dtype=index_type)
        for keywords in ({}, {"padding_idx": 2}, {"scale_grad_by_freq": True}):
            weight = table.clone().requires_grad_()
            compare(F.embedding, index, weight, keywords=keywords, gradients=True, close=close)
        for norm in (2.0, 1.0, torch.inf):
            compare(torch.embedding_renorm_, table, index.reshape(-1), 1.5, norm, close=close)
    assert not {"aten::embedding_dense_backward", "aten::embedding_renorm_", "aten::index_select"} & computed_by_cpu()
