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


def attended(query: Tensor, key: Tensor, value: Tensor, left: int, right: int) -> tuple[Tensor, Tensor]:
    """Return attention and the logarithms of its sums, one number after the other, of [length, heads, each]."""
    result = torch.zeros_like(query)
    norms = torch.full((query.shape[1], len(query)), float("inf"), dtype=query.dtype)
    group = query.shape[1] // key.shape[1]
    for i in range(len(query)):
        own = i + len(key) - len(query)
        first, last = (
            (0 if left < 0 else max(own - left, 0)),
            (len(key) if right < 0 else min(own + right + 1, len(key))),
        )
        if first >= last:
            continue
        for head in range(query.shape[1]):
            scores = key[first:last, head // group] @ query[i, head] / query.shape[2] ** 0.5
            norms[head, i] = scores.logsumexp(0)
            result[i, head] = (scores - norms[head, i]).exp() @ value[first:last, head // group]
    return result, norms


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize(("causal", "left", "right"), [(False, -1, -1), (True, -1, -1), (False, 2, 1), (True, 3, -1)])
def test_flash_attention(causal: bool, left: int, right: int, dtype: torch.dtype) -> None:
    """Batches of one length and sequences of several, with heads of keys that queries share; and the gradients."""
    lengths, keys = (4, 7, 1), (6, 5, 3)
    query, key, value = (torch.randn(sum(sizes), heads, 8).to(dtype).double() for sizes, heads in
                         ((lengths, 4), (keys, 2), (keys, 2)))  # fmt: skip
    bounds = [torch.tensor([0, *sizes]).cumsum(0, dtype=torch.int32).to("musa") for sizes in (lengths, keys)]
    shown = (left, 0 if causal else right)
    close = {"rtol": 2e-2, "atol": 2e-2} if dtype.itemsize == 2 else {"rtol": 1e-4, "atol": 1e-5}

    operands = [tensor.clone().requires_grad_() for tensor in (query, key, value)]
    parts = [attended(*pieces, *shown) for pieces in zip(*(tensor.split(list(sizes)) for tensor, sizes in
             zip(operands, (lengths, keys, keys))))]  # fmt: skip
    wanted = torch.cat([result for result, _ in parts])
    there = [tensor.to("musa", dtype).requires_grad_() for tensor in (query, key, value)]
    found = torch.ops.aten._flash_attention_forward(
        *there, *bounds, max(lengths), max(keys), 0.0, causal, False, window_size_left=left, window_size_right=right
    )
    torch.testing.assert_close(found[0].cpu().double(), wanted, **close)
    torch.testing.assert_close(found[1].cpu().double(), torch.cat([norms for _, norms in parts], 1), **close)
    gradient = torch.randn_like(wanted)
    found[0].backward(gradient.to("musa", dtype))
    wanted.backward(gradient)
    for left_one, right_one in zip(there, operands):
        torch.testing.assert_close(left_one.grad.cpu().double(), right_one.grad, **close)

    operands = [tensor.detach()[: 2 * size].clone().requires_grad_() for tensor, size in
                zip((query, key, value), (4, 6, 6))]  # fmt: skip
    batches = [operand.view(2, -1, *operand.shape[1:]) for operand in operands]
    wanted = torch.stack([attended(*pieces, *shown)[0] for pieces in zip(*batches)])
    there = [batch.detach().to("musa", dtype).requires_grad_() for batch in batches]
    found = torch.ops.aten._flash_attention_forward(
        *there, None, None, 4, 6, 0.0, causal, False, window_size_left=left, window_size_right=right
    )
    torch.testing.assert_close(found[0].cpu().double(), wanted, **close)
    gradient = torch.randn_like(wanted)
    found[0].backward(gradient.to("musa", dtype))
    wanted.backward(gradient)
    for left_one, right_one in zip(there, operands):
        torch.testing.assert_close(left_one.grad.cpu().double().flatten(0, 1), right_one.grad, **close)
    assert_native("_flash_attention_forward", "_flash_attention_backward")


def test_flash_attention_refuses_what_it_lacks() -> None:
    tensor = torch.randn(1, 3, 2, 8, device="musa")
    with pytest.raises(RuntimeError, match="no dropout on musa"):
        torch.ops.aten._flash_attention_forward(tensor, tensor, tensor, None, None, 3, 3, 0.5, False, False)
    with pytest.raises(RuntimeError, match="takes no seqused_k"):
        torch.ops.aten._flash_attention_forward(
            tensor, tensor, tensor, None, None, 3, 3, 0.0, False, False, alibi_slopes=torch.ones(2, device="musa")
        )
    with pytest.raises(RuntimeError, match="3 heads of queries do not divide by 2 heads of keys"):
        torch.ops.aten._flash_attention_forward(
            torch.randn(1, 3, 3, 8, device="musa"), tensor, tensor, None, None, 3, 3, 0.0, False, False
        )
