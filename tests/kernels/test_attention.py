"""The operators that PyTorch's transformer layers call where they are not trained."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from .compare import assert_native, compare, computed_by_cpu, in_float


def part(shape: tuple[int, ...]) -> Tensor:
    """Return a mask that leaves out some, and all of the last row."""
    mask = torch.rand(shape) < 0.3
    mask[..., 0] = False
    mask.view(-1, shape[-1])[-1] = True
    return mask


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
def test_masked_softmax(dtype: torch.dtype) -> None:
    scores = torch.randn(3, 2, 5, 7, dtype=torch.float64).to(dtype)
    close = {"rtol": 2e-2, "atol": 2e-3} if dtype.itemsize == 2 else {}
    for kind, mask in ((0, part((5, 7))), (1, part((3, 7))), (2, part((3, 2, 5, 7)))):
        found = torch._masked_softmax(scores.to("musa"), mask.to("musa"), 3, kind)
        shape = {0: (1, 1, 5, 7), 1: (3, 1, 1, 7), 2: (3, 2, 5, 7)}[kind]
        whole = mask.view(shape).expand_as(scores).contiguous()
        wanted = in_float(lambda x, m=whole: torch._masked_softmax(x, m, 3, 2), scores)
        torch.testing.assert_close(found.cpu(), wanted, equal_nan=True, **close)
    compare(torch._masked_softmax, scores.float()[0, 0], part((5, 7)), 0, 2)
    assert_native("_masked_softmax")


def test_gradients_of_a_masked_softmax() -> None:
    scores, mask = torch.randn(3, 2, 5, 7, dtype=torch.float64), part((3, 2, 5, 7))
    output, gradients = torch._masked_softmax(scores, mask, 3, 2), torch.randn(3, 2, 5, 7, dtype=torch.float64)
    compare(torch.ops.aten._masked_softmax_backward, gradients, output, mask, 3)
    assert_native("_masked_softmax_backward")


@pytest.mark.parametrize("heads", [1, 4])
def test_query_key_and_value_of_one_product(heads: int) -> None:
    compare(torch.ops.aten._transform_bias_rescale_qkv, torch.randn(3, 5, 24 * 3), torch.randn(72), heads)
    assert_native("_transform_bias_rescale_qkv")


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@torch.no_grad()
def test_a_layer_of_an_encoder(norm_first: bool, activation: str) -> None:
    layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True, norm_first=norm_first, activation=activation).eval()
    tokens = torch.randn(3, 7, 32)
    padding = torch.zeros(3, 7, dtype=torch.bool)
    padding[0, 5:] = True
    wanted = layer(tokens), layer(tokens, src_key_padding_mask=padding)
    layer.to("musa")
    there = tokens.to("musa")
    # CUDA's fused product takes gelu's approximation by tanh, and so do we
    close = {"rtol": 1e-2, "atol": 1e-3} if activation == "gelu" else {"rtol": 1e-4, "atol": 1e-5}
    for found, expected in zip((layer(there), layer(there, src_key_padding_mask=padding.to("musa"))), wanted):
        torch.testing.assert_close(found.cpu(), expected, **close)
    assert not computed_by_cpu()


@torch.no_grad()
def test_attention_of_modules() -> None:
    attention = nn.MultiheadAttention(24, 3, batch_first=True).eval()
    tokens = torch.randn(2, 6, 24)
    wanted = attention(tokens, tokens, tokens)
    attention.to("musa")
    for found, expected in zip(attention(*[tokens.to("musa")] * 3), wanted):
        torch.testing.assert_close(found.cpu(), expected, rtol=1e-4, atol=1e-5)
    assert_native("_native_multi_head_attention", "_fused_sdp_choice")
