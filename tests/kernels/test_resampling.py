"""Images of another size, and images read at points of a grid, against PyTorch's CPU."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from torch.nn import functional as F

from .compare import FLOATING, compare, computed_by_cpu, numbers


@pytest.fixture(autouse=True)
def computed_by_kernels() -> Iterator[None]:
    yield
    assert not [name for name in computed_by_cpu() if "upsample" in name or "grid_sampler" in name]


def close(dtype: torch.dtype) -> dict[str, float]:
    return {"rtol": 3e-2, "atol": 3e-2} if dtype.itemsize == 2 else {"rtol": 1e-4, "atol": 1e-4}


SHAPE = (2, 3, 5, 4, 6)
#: mode -> numbers of dimensions
MODES = {
    "nearest": (1, 2, 3), "nearest-exact": (1, 2, 3), "linear": (1,), "bilinear": (2,), "trilinear": (3,),
    "bicubic": (2,),
}  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("factor", (1, 2, 1.7, 0.6))
def test_interpolation(mode: str, factor: float) -> None:
    for dims in MODES[mode]:
        for aligned in (False, True) if "linear" in mode or mode == "bicubic" else (None,):
            keywords = {"scale_factor": factor, "mode": mode, "align_corners": aligned}
            for dtype in FLOATING:
                image = numbers(SHAPE[: dims + 2], dtype)
                compare(F.interpolate, image, keywords=keywords, close=close(dtype))
                compare(F.interpolate, image.transpose(0, 1), keywords=keywords, close=close(dtype))
            image = numbers(SHAPE[: dims + 2], torch.float64).requires_grad_()
            compare(F.interpolate, image, keywords=keywords, gradients=True)
            compare(F.interpolate, image.detach(), keywords={**keywords, "recompute_scale_factor": True})


@pytest.mark.parametrize("mode", ("bilinear", "bicubic"))
@pytest.mark.parametrize("size", ((3, 2), (9, 13), (5, 4), (1, 20)))
@pytest.mark.parametrize("aligned", (False, True))
def test_antialiasing(mode: str, size: tuple[int, int], aligned: bool) -> None:
    keywords = {"size": size, "mode": mode, "align_corners": aligned, "antialias": True}
    for dtype in (torch.float32, torch.float64):
        image = numbers(SHAPE[:4], dtype).requires_grad_()
        compare(F.interpolate, image, keywords=keywords, gradients=True, close=close(dtype))


def test_channels_last_and_bytes() -> None:
    image = numbers(SHAPE[:4], torch.float32).to(memory_format=torch.channels_last)
    for mode in ("nearest", "bilinear", "bicubic"):
        compare(F.interpolate, image.clone().requires_grad_(), keywords={"size": (7, 9), "mode": mode}, gradients=True)
    pixels = torch.randint(0, 256, SHAPE[:4], dtype=torch.uint8)
    compare(F.interpolate, pixels, keywords={"size": (7, 9), "mode": "nearest"})
    compare(F.interpolate, pixels, keywords={"size": (7, 9), "mode": "bilinear"}, close={"rtol": 0, "atol": 1})


@pytest.mark.parametrize("padding", ("zeros", "border", "reflection"))
@pytest.mark.parametrize("aligned", (False, True))
@pytest.mark.parametrize("dims", (2, 3))
def test_grids(dims: int, aligned: bool, padding: str) -> None:
    for mode in ("bilinear", "nearest", "bicubic")[: 5 - dims]:
        keywords = {"mode": mode, "padding_mode": padding, "align_corners": aligned}
        for dtype in (torch.float32, torch.float64):
            image = numbers(SHAPE[: dims + 2], dtype).requires_grad_()
            grid = (torch.rand(2, *(3, 4, 2)[:dims], dims, dtype=dtype) * 4 - 2).requires_grad_()
            compare(F.grid_sample, image, grid, keywords=keywords, gradients=True, close=close(dtype))
            image.grad = None
            compare(F.grid_sample, image.detach().transpose(2, 3), grid.detach(), keywords=keywords, close=close(dtype))


def test_grids_with_points_that_are_no_numbers() -> None:
    grid = torch.tensor([torch.nan, torch.inf, -torch.inf, 1e30, 0.0, 0.0]).reshape(1, 1, 3, 2)
    for padding in ("zeros", "border"):
        found = F.grid_sample(
            torch.ones(1, 1, 4, 4, device="musa"), grid.to("musa"), padding_mode=padding, align_corners=False
        )
        assert found[0, 0, 0, 2].item() == 1


def test_refusals() -> None:
    image = torch.ones(1, 1, 4, 4, device="musa")
    with pytest.raises(RuntimeError, match="same batch size"):
        F.grid_sample(image, torch.zeros(2, 3, 3, 2, device="musa"), align_corners=False)
