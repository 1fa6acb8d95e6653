"""Padding by reflection and by repetition against PyTorch's CPU: dimensions, types, negative padding, gradients."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

from .compare import COMPLEX, FLOATING, compare, computed_by_cpu, numbers

#: numbers of padding for each dimension, the last first
PADDINGS = ((1, 2), (0, 3), (2, 0), (-1, 2), (0, 0))


@pytest.mark.parametrize("mode", ("reflect", "replicate"))
@pytest.mark.parametrize("dims", (1, 2, 3))
def test_padding(mode: str, dims: int) -> None:
    for first in range(len(PADDINGS)):
        padding = [n for i in range(dims) for n in PADDINGS[(first + i) % len(PADDINGS)]]
        for dtype in (*FLOATING, *COMPLEX):
            image = numbers((2, 3, 5, 4, 6)[: dims + 2], dtype)
            for given in (image, image[0], image[:0], image.transpose(0, 1)):
                compare(F.pad, given, keywords={"pad": padding, "mode": mode})
        for dtype in (torch.float32, torch.float64):
            given = image.real.to(dtype).requires_grad_()
            compare(F.pad, given, keywords={"pad": padding, "mode": mode}, gradients=True)
    names = {
        f"aten::{kind}_pad{dims}d{form}" for kind in ("reflection", "replication") for form in ("", ".out", "_backward")
    }
    assert not names & computed_by_cpu()


def test_refusals() -> None:
    image = torch.ones(1, 1, 4, 4, device="musa")
    with pytest.raises(RuntimeError, match="less than the corresponding input dimension"):
        F.pad(image, (4, 0, 0, 0), mode="reflect")
