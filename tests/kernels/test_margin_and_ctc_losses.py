"""Losses of margins and of connectionist temporal classification, against PyTorch's CPU."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from torch.nn import functional as F

from .compare import FLOATING, compare, computed_by_cpu, numbers


@pytest.fixture(autouse=True)
def computed_by_kernels() -> Iterator[None]:
    yield
    assert not [name for name in computed_by_cpu() if "margin_loss" in name or "ctc_loss" in name]


REDUCTIONS = ("none", "mean", "sum")


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("power", (1, 2))
def test_multi_margin(power: int, reduction: str) -> None:
    for dtype in (torch.float32, torch.float64):
        for shape, target in (((5, 4), torch.tensor([0, 3, 1, 1, 2])), ((4,), torch.tensor(2)), ((), torch.tensor(0))):
            for weight in (None, torch.rand(shape[-1] if shape else 1, dtype=dtype)):
                scores = numbers(shape, dtype).requires_grad_()
                keywords = {"p": power, "margin": 0.7, "weight": weight, "reduction": reduction}
                if weight is not None:
                    compare(
                        lambda x, y, w, k=keywords: F.multi_margin_loss(x, y, **{**k, "weight": w}),
                        scores,
                        target,
                        weight,
                        gradients=True,
                    )
                else:
                    compare(F.multi_margin_loss, scores, target, keywords=keywords, gradients=True)


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_multilabel_margin(reduction: str) -> None:
    targets = torch.tensor([[1, 2, -1, 0], [3, -1, 0, 0], [-1, 1, 1, 1], [0, 1, 2, 3]])
    for dtype in (torch.float32, torch.float64):
        scores = numbers((4, 4), dtype)
        for given, target in ((scores, targets), (scores[1], targets[1]), (scores.t(), targets)):
            compare(
                F.multilabel_margin_loss,
                given.clone().requires_grad_(),
                target,
                keywords={"reduction": reduction},
                gradients=True,
            )


@pytest.mark.parametrize("dtype", FLOATING)
def test_types_of_margin_losses(dtype: torch.dtype) -> None:
    scores = torch.randn(3, 4)
    for function, target in (
        (F.multi_margin_loss, torch.tensor([0, 3, 1])),
        (F.multilabel_margin_loss, torch.tensor([[1, -1, 0, 0], [0, 2, -1, 0], [3, -1, 0, 0]])),
    ):
        found = function(scores.to("musa", dtype), target.to("musa"))
        wanted = function(scores.to(dtype).double(), target)
        torch.testing.assert_close(found.cpu().double(), wanted, rtol=2e-2, atol=2e-2)


@pytest.mark.parametrize("zero_infinity", (False, True))
@pytest.mark.parametrize("index_type", (torch.int64, torch.int32))
def test_ctc(index_type: torch.dtype, zero_infinity: bool) -> None:
    for dtype in (torch.float32, torch.float64):
        scores = torch.randn(9, 4, 6, dtype=dtype).log_softmax(-1)
        padded = torch.randint(1, 6, (4, 5)).to(index_type)
        padded[1, :3] = 2  # the same label again: a blank must be between
        for times, lengths in (([9, 9, 9, 9], [5, 3, 4, 1]), ([9, 5, 2, 7], [2, 3, 1, 0])):
            joined = torch.cat([row[:length] for row, length in zip(padded, lengths)])
            for targets in (padded, joined):
                for reduction in REDUCTIONS:
                    compare(
                        F.ctc_loss, scores.clone().requires_grad_(), targets, times, lengths,
                        keywords={"reduction": reduction, "zero_infinity": zero_infinity}, gradients=True,
                        close={"rtol": 1e-3, "atol": 1e-3},
                    )  # fmt: skip
        compare(
            F.ctc_loss, scores[:2].clone().requires_grad_(), padded, [2, 2, 2, 2], [5, 3, 1, 2],
            keywords={"reduction": "none", "zero_infinity": True}, gradients=True, close={"rtol": 1e-3, "atol": 1e-3},
        )  # fmt: skip
    compare(
        F.ctc_loss, scores, padded, torch.full((4,), 9), torch.tensor([5, 3, 4, 1]), close={"rtol": 1e-3, "atol": 0}
    )


@pytest.mark.parametrize("dtype", (torch.float16, torch.bfloat16))
def test_ctc_of_narrow_floats(dtype: torch.dtype) -> None:
    """The CPU has none. The losses are rounded, but not what the gradients are made of."""
    scores = torch.randn(40, 3, 6, dtype=torch.float64).log_softmax(-1).to(dtype)
    targets = torch.randint(1, 6, (3, 9))
    results = []
    for device, type_ in (("cpu", torch.float64), ("musa", dtype)):
        given = scores.to(device, type_).requires_grad_()
        losses = F.ctc_loss(given, targets.to(device), [40, 40, 30], [9, 5, 7], reduction="none")
        losses.sum().backward()
        results.append((losses.detach().cpu().double(), given.grad.cpu().double()))
    (wanted, wanted_gradients), (found, gradients) = results
    torch.testing.assert_close(found, wanted, rtol=1e-2, atol=0)
    torch.testing.assert_close(gradients, wanted_gradients, rtol=2e-2, atol=1e-2)


def test_refusals() -> None:
    scores = torch.zeros(3, 2, 4, device="musa")
    labels = torch.ones(2, 2, dtype=torch.int64, device="musa")
    with pytest.raises(RuntimeError, match="blank must be in label range"):
        F.ctc_loss(scores, labels, [3, 3], [2, 2], blank=4)
    with pytest.raises(RuntimeError, match="input_lengths"):
        F.ctc_loss(scores, labels, [3], [2, 2])
    with pytest.raises(RuntimeError, match="target tensor should be 1-D"):
        F.multi_margin_loss(scores[0], labels[0, :1])
