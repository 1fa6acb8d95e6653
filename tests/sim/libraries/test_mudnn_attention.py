"""muDNN's attention and its gradients, against torch in double precision on the CPU."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from library_programs import Build
from mudnn_operations import FLOATING, INVALID, NOT_SUPPORTED, Operations, Out, assert_same, drawn, wide

COUNT, HEADS, QUERIES, KEYS, ELEMENTS, VALUES = 2, 4, 3, 5, 6, 7
SETTINGS = {"embed": HEADS * VALUES, "heads": HEADS}

every_type = pytest.mark.parametrize("dtype", FLOATING, ids=str)


@pytest.fixture(scope="module")
def run(build: Build) -> Operations:
    return Operations(build("mudnn_layers.cpp", libraries=["mudnn"]))


class Exact:
    """Attention as it is defined, and what torch says of its gradients."""

    def __init__(
        self,
        operands: tuple[torch.Tensor, torch.Tensor, torch.Tensor],
        gradient: torch.Tensor,
        mask: torch.Tensor | None = None,
        scale: float = 1 / math.sqrt(ELEMENTS),
    ) -> None:
        self.leaves = [wide(each) for each in operands]
        query, key, value = self.leaves
        shared = query.shape[1] // key.shape[1]
        key, value = key.repeat_interleave(shared, 1), value.repeat_interleave(shared, 1)
        self.scores = scale * query @ key.transpose(-1, -2)
        self.scores.retain_grad()
        scores = self.scores
        if mask is not None and mask.dtype == torch.bool:
            scores = scores.masked_fill(~mask, -math.inf)
        elif mask is not None:
            scores = scores + mask.double()
        self.weights = scores.softmax(-1)
        self.log_sums = scores.logsumexp(-1)
        self.out = self.weights @ value
        self.out.backward(gradient.double())

    @property
    def gradients(self) -> list[torch.Tensor]:
        grads = [each.grad for each in (*self.leaves, self.scores)]
        return [grad for grad in grads if grad is not None]


def operands(
    rng: np.random.Generator, dtype: torch.dtype, key_heads: int = HEADS
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    return (
        drawn(rng, COUNT, HEADS, QUERIES, ELEMENTS, dtype=dtype),
        drawn(rng, COUNT, key_heads, KEYS, ELEMENTS, dtype=dtype),
        drawn(rng, COUNT, key_heads, KEYS, VALUES, dtype=dtype),
    )


def kept(rng: np.random.Generator, *sizes: int) -> torch.Tensor:
    """A mask that leaves one key at least."""
    mask = torch.from_numpy(rng.integers(0, 2, sizes)).bool()
    mask[..., 0] = True
    return mask


def masks(rng: np.random.Generator, dtype: torch.dtype) -> list[tuple[torch.Tensor | None, torch.Tensor | None]]:
    """Masks as callers give them, and as [count, heads, queries, keys]."""
    rows, padding = kept(rng, QUERIES, KEYS), kept(rng, COUNT, KEYS)
    added = drawn(rng, COUNT, 1, QUERIES, KEYS, dtype=dtype)
    heads = drawn(rng, HEADS, QUERIES, KEYS, dtype=dtype)
    return [(None, None), (rows, rows), (padding, padding.view(COUNT, 1, 1, KEYS)), (added, added), (heads, heads)]


@every_type
@pytest.mark.parametrize("key_heads", [HEADS, 2])
@pytest.mark.parametrize("number", range(5), ids=["no mask", "rows", "padding", "added", "added to heads"])
def test_attention(run: Operations, rng: np.random.Generator, number: int, key_heads: int, dtype: torch.dtype) -> None:
    q, k, v = given = operands(rng, dtype, key_heads)
    mask, full = masks(rng, dtype)[number]
    gradient = drawn(rng, COUNT, HEADS, QUERIES, VALUES, dtype=dtype)
    exact = Exact(given, gradient, full)
    settings = {**SETTINGS, "padding": number == 2}
    out, beside = Out(gradient.shape, dtype), [COUNT, HEADS, QUERIES, KEYS]

    found, weights = run("math", out, Out(beside, dtype), q, k, v, mask, None, **settings)
    assert_same(found, exact.out)
    assert_same(weights, exact.weights)
    results = [*(Out(each.shape, dtype) for each in given), Out(beside, dtype)]
    back = run("math_backward", *results, gradient, q, k, v, exact.weights.detach().to(dtype), None, **settings)
    for one, other in zip(back, exact.gradients):
        # the weights are rounded
        tolerance = {torch.float: 1e-5, torch.half: 5e-3, torch.bfloat16: 5e-2}[dtype]
        torch.testing.assert_close(one.double(), other, rtol=tolerance, atol=tolerance)

    found, log_sums = run("flash", out, Out(beside[:3], torch.float), q, k, v, mask, None, **settings)
    assert_same(found, exact.out)
    assert_same(log_sums, exact.log_sums)
    back = run("flash_backward", *results[:3], gradient, q, k, v, mask, found, log_sums, None, **settings)
    for one, other in zip(back, exact.gradients):
        assert_same(one, other)


@every_type
def test_causal_attention_and_scale(run: Operations, rng: np.random.Generator, dtype: torch.dtype) -> None:
    q, k, v = given = operands(rng, dtype)
    gradient = drawn(rng, COUNT, HEADS, QUERIES, VALUES, dtype=dtype)
    exact = Exact(given, gradient, torch.ones(QUERIES, KEYS).tril().bool(), 0.7)
    settings = {**SETTINGS, "causal": True, "scale": 0.7, "training": True}
    log_sums = Out([COUNT, HEADS, QUERIES], torch.float)
    found, sums = run("flash", Out(gradient.shape, dtype), log_sums, q, k, v, None, None, **settings)
    assert_same(found, exact.out)
    results = [Out(each.shape, dtype) for each in given]
    back = run("flash_backward", *results, gradient, q, k, v, None, found, sums, None, **settings)
    for one, other in zip(back, exact.gradients):
        assert_same(one, other)


@every_type
@pytest.mark.parametrize("way", ["math", "flash"])
@pytest.mark.parametrize("mask_type", [torch.bool, torch.uint8], ids=str)
def test_dropped_weights(
    run: Operations, rng: np.random.Generator, way: str, mask_type: torch.dtype, dtype: torch.dtype
) -> None:
    """The mask says which weights were kept: results and gradients are those of torch with this mask."""
    given = operands(rng, dtype, 2)
    gradient = drawn(rng, COUNT, HEADS, QUERIES, VALUES, dtype=dtype)
    p, sizes = 0.4, [COUNT, HEADS, QUERIES, KEYS]
    settings = {**SETTINGS, "training": True, "p": p}
    beside = Out(sizes, dtype) if way == "math" else Out(sizes[:3], torch.float)
    out, extra, mask = run(way, Out(gradient.shape, dtype), beside, *given, None, Out(sizes, mask_type), **settings)
    assert 0.3 < mask.double().mean() < 0.9 and set(mask.flatten().tolist()) == {0, 1}
    query, key, value = leaves = [wide(each) for each in given]
    key, value = key.repeat_interleave(2, 1), value.repeat_interleave(2, 1)
    weights = (query @ key.mT / math.sqrt(ELEMENTS)).softmax(-1)
    exact = (weights * mask.double() / (1 - p)) @ value
    assert_same(out, exact)
    exact.backward(gradient.double())
    results = [Out(each.shape, dtype) for each in given]
    if way == "math":
        assert_same(extra, weights)
        back = run("math_backward", *results, None, gradient, *given, extra, mask, **settings)
    else:
        back = run("flash_backward", *results, gradient, *given, None, out, extra, mask, **settings)
    tolerance = {torch.float: 1e-5, torch.half: 5e-3, torch.bfloat16: 5e-2}[dtype]  # the weights are rounded
    for one, leaf in zip(back, leaves):
        torch.testing.assert_close(one.double(), leaf.grad, rtol=tolerance, atol=tolerance)
    plain = run(way, Out(gradient.shape, dtype), beside, *given, None, None, **{**SETTINGS, "p": p})[0]
    assert_same(plain, weights @ value)  # nothing is dropped outside training


def test_rows_without_keys(run: Operations, rng: np.random.Generator) -> None:
    q, k, v = operands(rng, torch.float)
    mask = torch.ones(QUERIES, KEYS).bool()
    mask[1] = False
    out, log_sums = Out([COUNT, HEADS, QUERIES, VALUES], torch.float), Out([COUNT, HEADS, QUERIES], torch.float)
    found, sums = run("flash", out, log_sums, q, k, v, mask, None, **SETTINGS)
    assert not found[:, :, 1].any() and found[:, :, 0].any()
    results = [Out(each.shape, torch.float) for each in (q, k, v)]
    back = run("flash_backward", *results, torch.ones_like(found), q, k, v, mask, found, sums, None, **SETTINGS)
    assert all(each.isfinite().all() for each in back) and not back[0][:, :, 1].any()


@every_type
@pytest.mark.parametrize("causal", [False, True])
def test_sequences_of_several_lengths(
    run: Operations, rng: np.random.Generator, causal: bool, dtype: torch.dtype
) -> None:
    queries, keys = [3, 1, 4], [2, 5, 4]
    q, k = drawn(rng, 8, HEADS, ELEMENTS, dtype=dtype), drawn(rng, 11, HEADS, ELEMENTS, dtype=dtype)
    v, gradient = drawn(rng, 11, HEADS, VALUES, dtype=dtype), drawn(rng, 8, HEADS, VALUES, dtype=dtype)
    begins = [torch.tensor(np.cumsum([0, *lengths]), dtype=torch.int) for lengths in (queries, keys)]
    settings = {**SETTINGS, "causal": causal}
    out, log_sums = Out(gradient.shape, dtype), Out([3, HEADS, 4], torch.float)
    found, sums = run("varlen", out, log_sums, q, k, v, None, *begins, **settings)
    results = [Out(each.shape, dtype) for each in (q, k, v)]
    back = run("varlen_backward", *results, gradient, q, k, v, found, sums, *begins, **settings)
    first, second = 0, 0
    for number, (own, others) in enumerate(zip(queries, keys)):
        rows, columns = slice(first, first + own), slice(second, second + others)
        first, second = first + own, second + others
        mask = torch.ones(own, others).tril().bool() if causal else None
        batch = [each.transpose(0, 1).unsqueeze(0) for each in (q[rows], k[columns], v[columns], gradient[rows])]
        exact = Exact((batch[0], batch[1], batch[2]), batch[3], mask)
        assert_same(found[rows], exact.out[0].transpose(0, 1))
        assert_same(sums[number, :, :own], exact.log_sums[0])
        for part, one, other in zip((rows, columns, columns), back, exact.gradients):
            assert_same(one[part], other[0].transpose(0, 1))


def test_what_is_refused(run: Operations, rng: np.random.Generator) -> None:
    q, k, v = operands(rng, torch.float)
    out, log_sums = Out([COUNT, HEADS, QUERIES, VALUES], torch.float), Out([COUNT, HEADS, QUERIES], torch.float)

    def status(*given: torch.Tensor | None, **settings: object) -> int:
        return run.status("flash", out, log_sums, *given, None, **{**SETTINGS, **settings})

    assert status(q, k, v, None) == 0
    assert status(q, k, v, None, p=1.5) == INVALID
    varlen = (Out([3, 1, 2], torch.float), Out([1, 1, 3], torch.float), *[torch.ones(3, 1, 2)] * 3, None)
    begins = [torch.tensor([0, 3]).int()] * 2
    assert run.status("varlen", *varlen, *begins, heads=1, training=True, p=0.5) == NOT_SUPPORTED
    assert status(q, k, v, None, heads=3) == INVALID
    assert status(q, k, v, None, embed=HEADS * ELEMENTS) == INVALID
    assert status(q, k[:, :3], v[:, :3], None) == INVALID
    assert status(q, k, v, torch.ones(KEYS, QUERIES)) == INVALID
    assert status(q, k, v, torch.ones(QUERIES, KEYS), padding=True) == INVALID
    assert status(q, k, v, torch.ones(QUERIES, KEYS).int()) == NOT_SUPPORTED
