"""Convolutions and pooling against PyTorch's CPU: dimensions, settings, groups, types, memory formats, gradients."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from .compare import COMPLEX, FLOATING, compare, computed_by_cpu, numbers

NATIVE = {
    "convolution_overrideable", "convolution_backward_overrideable", "im2col", "col2im",
    "max_pool2d_with_indices.out", "max_pool2d_with_indices_backward.grad_input", "max_pool3d_with_indices",
    "max_pool3d_with_indices_backward", "avg_pool2d.out", "avg_pool2d_backward.grad_input", "avg_pool3d.out",
    "avg_pool3d_backward.grad_input", "adaptive_max_pool2d.out", "adaptive_max_pool3d.out", "_adaptive_avg_pool2d",
    "_adaptive_avg_pool3d", "_adaptive_avg_pool2d_backward", "_adaptive_avg_pool3d_backward",
    "max_unpool2d", "max_unpool3d", "fractional_max_pool2d.output", "fractional_max_pool3d.output",
}  # fmt: skip


@pytest.fixture(autouse=True)
def computed_by_kernels() -> Iterator[None]:
    yield
    assert not {f"aten::{name}" for name in NATIVE} & computed_by_cpu()


def close(dtype: torch.dtype) -> dict[str, float]:
    return {"rtol": 3e-2, "atol": 6e-2} if dtype.itemsize == 2 else {"rtol": 1e-3, "atol": 1e-3}


CONVOLUTIONS = (F.conv1d, F.conv2d, F.conv3d)
TRANSPOSED = (F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d)
#: (stride, padding, dilation, groups, kernel)
SETTINGS = ((1, 0, 1, 1, 1), (1, 1, 1, 1, 3), (2, 1, 1, 2, 3), (1, 2, 2, 4, 3), (3, 0, 1, 1, 2))


@pytest.mark.parametrize("dims", (1, 2, 3))
@pytest.mark.parametrize("settings", SETTINGS)
def test_convolutions(dims: int, settings: tuple[int, int, int, int, int]) -> None:
    stride, padding, dilation, groups, kernel = settings
    keywords = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    for dtype, biased in itertools.product((torch.float32, torch.float64), (True, False)):
        image = numbers((2, 4, 9, 8, 7)[: dims + 2], dtype).requires_grad_()
        for function, shape, biases in ((CONVOLUTIONS, (8, 4 // groups), 8), (TRANSPOSED, (4, 2), 2 * groups)):
            weight = numbers((*shape, *[kernel] * dims), dtype).requires_grad_()
            bias = numbers((biases,), dtype).requires_grad_() if biased else None
            compare(function[dims - 1], image, weight, bias, keywords=keywords, gradients=True, close=close(dtype))
            image.grad = None


@pytest.mark.parametrize("dtype", (*FLOATING, *COMPLEX))
def test_types_and_layouts(dtype: torch.dtype) -> None:
    weight, bias = numbers((6, 4, 3, 3), dtype).div(6), numbers((6,), dtype)
    image = numbers((2, 4, 8, 9), dtype)
    for given in (image, image.to(memory_format=torch.channels_last), image.transpose(2, 3), image[:0], image[0]):
        compare(F.conv2d, given, weight, bias, keywords={"padding": 1}, close=close(dtype))
    if not dtype.is_complex:
        compare(F.unfold, image, 3, close=close(dtype))
        compare(F.unfold, image[0], (2, 3), 2, 1, (2, 1), close=close(dtype))
        compare(F.fold, F.unfold(image, 3, padding=1), (8, 9), 3, keywords={"padding": 1}, close=close(dtype))
    compare(lambda x, w: F.conv2d(x, w, padding="same"), image, weight, close=close(dtype))
    compare(
        lambda x, w: F.conv_transpose2d(x, w, stride=2, output_padding=1),
        image,
        weight.transpose(0, 1).contiguous(),
        close=close(dtype),
    )


def test_many_images() -> None:
    """The columns of all images together are larger than what is made at a time."""
    image, weight = torch.randn(9, 8, 200, 200), torch.randn(2, 8, 5, 5)
    compare(
        F.conv2d, image.requires_grad_(), weight.requires_grad_(), gradients=True, close={"rtol": 1e-3, "atol": 1e-1}
    )


def test_convolutions_in_a_graph() -> None:
    image, weight = torch.zeros(1, 2, 5, 5, device="musa"), torch.randn(3, 2, 3, 3)
    on_musa = weight.to("musa")
    graph = torch.musa.MUSAGraph()
    with torch.musa.graph(graph):
        result = F.conv2d(image, on_musa)
    given = torch.randn(1, 2, 5, 5)
    image.copy_(given)
    graph.replay()
    torch.testing.assert_close(result.cpu(), F.conv2d(given, weight))


#: name -> (function, dimensions)
POOLS: dict[str, tuple[Callable[..., Any], int]] = {
    "max1": (lambda x: F.max_pool1d(x, 3, 2, 1), 1),
    "max2": (lambda x: F.max_pool2d(x, 3, 2, 1, return_indices=True), 2),
    "max2_dilated": (lambda x: F.max_pool2d(x, (2, 3), (1, 2), (1, 0), (2, 1), ceil_mode=True), 2),
    "max3": (lambda x: F.max_pool3d(x, 2, return_indices=True), 3),
    "avg1": (lambda x: F.avg_pool1d(x, 3, 2, 1), 1),
    "avg2": (lambda x: F.avg_pool2d(x, 3, 2, 1), 2),
    "avg2_inside": (lambda x: F.avg_pool2d(x, 3, 2, 1, ceil_mode=True, count_include_pad=False), 2),
    "avg2_divided": (lambda x: F.avg_pool2d(x, (3, 2), divisor_override=5), 2),
    "avg3": (lambda x: F.avg_pool3d(x, 3, 2, 1, ceil_mode=True), 3),
    "adaptive_avg1": (lambda x: F.adaptive_avg_pool1d(x, 4), 1),
    "adaptive_avg2": (lambda x: F.adaptive_avg_pool2d(x, (3, 5)), 2),
    "adaptive_avg2_larger": (lambda x: F.adaptive_avg_pool2d(x, (20, 11)), 2),
    "adaptive_avg3": (lambda x: F.adaptive_avg_pool3d(x, (3, 2, 4)), 3),
    "adaptive_max1": (lambda x: F.adaptive_max_pool1d(x, 4), 1),
    "adaptive_max2": (lambda x: F.adaptive_max_pool2d(x, (3, 5), return_indices=True), 2),
    "adaptive_max3": (lambda x: F.adaptive_max_pool3d(x, (3, 2, 4)), 3),
}


@pytest.mark.parametrize("last", ("image", "weight", "both", "neither"))
@pytest.mark.parametrize("groups", (1, 4))
@pytest.mark.parametrize("dims", (2, 3))
def test_results_are_channels_last_if_an_operand_is(dims: int, groups: int, last: str) -> None:
    channels_last = torch.channels_last if dims == 2 else torch.channels_last_3d

    def layouts(device: str, function: Callable[..., Tensor], weight: Tensor) -> list[tuple[bool, bool]]:
        given = [numbers((2, 4, 6, 8, 7)[: dims + 2], torch.float32).to(device), weight.to(device)]
        for at, name in enumerate(("image", "weight")):
            if last in (name, "both"):
                given[at] = given[at].to(memory_format=channels_last)
        leaves = [tensor.requires_grad_() for tensor in given]
        result = function(*leaves, padding=1, groups=groups)
        gradients = torch.autograd.grad(result, leaves, torch.ones_like(result))
        # one channel has both layouts
        return [
            (each.is_contiguous(), each.is_contiguous(memory_format=channels_last)) for each in (result, *gradients)
        ]

    for function, shape in ((CONVOLUTIONS, (8, 4 // groups)), (TRANSPOSED, (4, 2))):
        weight = numbers((*shape, *[3] * dims), torch.float32)
        assert layouts("musa", function[dims - 1], weight) == layouts("cpu", function[dims - 1], weight)


@pytest.mark.parametrize("name", POOLS)
def test_pools(name: str) -> None:
    function, dims = POOLS[name]
    image = torch.randn((2, 3, 9, 8, 10)[: dims + 2])
    for dtype in FLOATING if name != "avg3" else FLOATING[:2]:  # PyTorch's CPU has no other types of that
        value = image.to(dtype)
        for given in (value, value[0], value.transpose(0, 1), value.transpose(-1, 2)):
            compare(function, given, close=close(dtype))
    compare(function, image.double().requires_grad_(), gradients=True)
    if dims == 2:
        compare(function, image.to(memory_format=torch.channels_last).requires_grad_(), gradients=True)
    holes = image.clone()
    holes[..., 2] = torch.nan
    compare(lambda x: nan_to_num(function(x)), holes)


@pytest.mark.parametrize("dims", (1, 2, 3))
def test_unpooling(dims: int) -> None:
    pool = (F.max_pool1d, F.max_pool2d, F.max_pool3d)[dims - 1]
    unpool = (F.max_unpool1d, F.max_unpool2d, F.max_unpool3d)[dims - 1]
    image = torch.randn((2, 3, 6, 8, 4)[: dims + 2])
    for dtype in FLOATING if dims != 3 else FLOATING[:2]:
        largest, indices = pool(image.to(dtype), 2, return_indices=True)
        compare(unpool, largest, indices, 2)
        compare(unpool, largest[0], indices[0], 2)
        compare(lambda x, i: unpool(x, i, 2, output_size=image.shape), largest.transpose(0, 1), indices.transpose(0, 1))
    largest, indices = pool(image.double(), 2, return_indices=True)
    compare(unpool, largest.requires_grad_(), indices, 2, gradients=True)


@pytest.mark.parametrize("dims", (2, 3))
def test_fractional_pooling(dims: int) -> None:
    pool = F.fractional_max_pool2d if dims == 2 else F.fractional_max_pool3d
    image = torch.randn((2, 3, 9, 8, 10)[: dims + 2])
    for dtype in FLOATING[:2]:
        samples = torch.rand(2, 3, dims, dtype=dtype)
        for size in (4, (3, 5, 6)[:dims], 1):
            keywords = {"output_size": size, "return_indices": True}
            for given in (image.to(dtype), image.to(dtype).transpose(2, 3)):
                compare(
                    lambda x, s, k=keywords: pool(x, 3, _random_samples=s, **k),
                    given.clone().requires_grad_(),
                    samples,
                    gradients=True,
                )


def nan_to_num(result: Any) -> Any:
    return result.nan_to_num(77.0) if isinstance(result, Tensor) else (result[0].nan_to_num(77.0),)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_weight_gradients_over_many_images_are_rounded_once(dtype: torch.dtype) -> None:
    images, weight = torch.randn(128, 8, 32, 32, dtype=dtype), torch.randn(16, 8, 3, 3, dtype=dtype)
    grad = torch.randn(128, 16, 30, 30, dtype=dtype)
    settings = (None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1, [False, True, False])
    operator = torch.ops.aten.convolution_backward
    wanted = operator(grad.double(), images.double(), weight.double(), *settings)[1]
    got = operator(grad.to("musa"), images.to("musa"), weight.to("musa"), *settings)[1]
    torch.testing.assert_close(got.cpu().double(), wanted, rtol=torch.finfo(dtype).eps, atol=0.02)
