"""Fake quantization, by numbers and by tensors, for a tensor and for its channels; gradients of learned parameters."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from .compare import assert_native, compare

RANGES = ((0, 255), (-128, 127), (-8, 7))
LAYOUTS = ("contiguous", "transposed", "empty")
DTYPES = (torch.float32, torch.float64, torch.float16, torch.bfloat16)


def values(layout: str, dtype: torch.dtype = torch.float32) -> Tensor:
    made = (torch.randn(4, 6, 5, dtype=torch.float64) * 8).to(dtype)
    return {"contiguous": made, "transposed": made.transpose(0, 2), "empty": made[:, :0]}[layout]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("least", "most"), RANGES)
def test_a_tensor(least: int, most: int, layout: str) -> None:
    zero = (least + most) // 2 + 1
    given = values(layout)
    compare(torch.fake_quantize_per_tensor_affine, given, 0.13, zero, least, most)
    compare(
        torch.fake_quantize_per_tensor_affine, given.clone().requires_grad_(), 0.13, zero, least, most, gradients=True
    )
    cachemask = torch.ops.aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams
    for enabled in (1, 0):
        compare(cachemask, given, torch.tensor(0.13), torch.tensor(zero, dtype=torch.int32), torch.tensor(enabled),
                least, most)  # fmt: skip
    assert_native(
        "fake_quantize_per_tensor_affine_cachemask", "_fake_quantize_per_tensor_affine_cachemask_tensor_qparams"
    )


@pytest.mark.parametrize("dtype", DTYPES)
def test_types(dtype: torch.dtype) -> None:
    """Of half and bfloat16 in float32: the CPU rounds other steps of theirs."""
    given = values("contiguous", dtype)
    expected = torch.fake_quantize_per_tensor_affine(given.float(), 0.13, 3, -128, 127).to(dtype)
    found = torch.fake_quantize_per_tensor_affine(given.to("musa"), 0.13, 3, -128, 127)
    assert found.dtype == dtype
    torch.testing.assert_close(found.cpu(), expected)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("axis", (0, 1, 2))
def test_channels(axis: int, layout: str) -> None:
    given = values(layout)
    if not given.shape[axis]:
        pytest.skip("PyTorch asks for the least zero point, and there is none")
    scales = torch.rand(given.shape[axis]) + 0.05
    zeros = torch.randint(-5, 5, (given.shape[axis],), dtype=torch.int32)
    for zero_points in (zeros, zeros.float()):
        compare(torch.fake_quantize_per_channel_affine, given, scales, zero_points, axis, -128, 127)
    compare(
        torch.fake_quantize_per_channel_affine, given.clone().requires_grad_(), scales, zeros, axis, -8, 7,
        gradients=True,
    )  # fmt: skip
    assert_native("fake_quantize_per_channel_affine_cachemask")


@pytest.mark.parametrize("layout", LAYOUTS[:2])
@pytest.mark.parametrize(("least", "most"), RANGES)
def test_learned_parameters(least: int, most: int, layout: str) -> None:
    given = values(layout)
    size = given.shape[1]
    zero = float((least + most) // 2)
    a_tensor: tuple[Any, ...] = (torch.tensor([0.2]), torch.tensor([zero]))
    channels: tuple[Any, ...] = (torch.rand(size) + 0.05, torch.randint(-3, 3, (size,)) + zero, 1)
    for function, parameters in (
        (torch._fake_quantize_learnable_per_tensor_affine, a_tensor),
        (torch._fake_quantize_learnable_per_channel_affine, channels),
    ):
        learned = [p.clone().requires_grad_() if isinstance(p, Tensor) else p for p in parameters]
        arguments = (given.clone().requires_grad_(), *learned, least, most, 0.3)
        compare(function, *arguments, gradients=True, close={"rtol": 1e-4, "atol": 1e-4})
    assert_native(
        *(f"_fake_quantize_learnable_per_{each}_affine{way}" for each in ("tensor", "channel")
          for way in ("", "_backward"))
    )  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES[:1])
@pytest.mark.parametrize("is_symmetric", (False, True))
@pytest.mark.parametrize("axis", (None, 0, 1))
def test_an_observer_that_quantizes(axis: int | None, is_symmetric: bool, dtype: torch.dtype) -> None:
    """Compare the observer's state and the quantized values over steps, with both switches in all positions."""
    least, most = (-128, 127) if is_symmetric else (0, 255)
    channels = 1 if axis is None else values("contiguous").shape[axis]
    shape = (channels,) if axis is not None else (1,)
    kept = [
        torch.full(shape, float("inf")), torch.full(shape, -float("inf")), torch.ones(shape),
        torch.zeros(shape, dtype=torch.int32),
    ]  # fmt: skip
    on_device = [tensor.to("musa") for tensor in kept]
    for observes, quantizes in ((1, 0), (1, 1), (0, 1), (1, 1), (0, 0)):
        given = values("contiguous", dtype) + 2
        switches = torch.tensor([observes]), torch.tensor([quantizes])
        rest = (0.1, least, most, axis or 0, axis is not None, is_symmetric)
        # the CPU knows channels along the first dimension only
        moved = given.movedim(axis or 0, 0)
        on_cpu = torch.ops.aten._fused_moving_avg_obs_fq_helper(moved, *switches, *kept, *rest[:3], 0, *rest[4:])
        expected = [part.movedim(0, axis or 0) for part in on_cpu]
        found = torch.ops.aten._fused_moving_avg_obs_fq_helper(
            given.to("musa"), *(switch.to("musa") for switch in switches), *on_device, *rest
        )
        for left, right in zip((*found, *on_device), (*expected, *kept)):
            torch.testing.assert_close(left.cpu(), right)
    assert_native("_fused_moving_avg_obs_fq_helper")


def test_the_observer_of_channels_begins_empty() -> None:
    """As PyTorch's modules do, it takes its size from the first tensor."""
    given = values("contiguous")
    expected = torch.ao.quantization.FusedMovingAvgObsFakeQuantize(
        torch.ao.quantization.MovingAveragePerChannelMinMaxObserver, quant_min=-128, quant_max=127, dtype=torch.qint8,
        qscheme=torch.per_channel_symmetric, ch_axis=0,
    )  # fmt: skip
    found = torch.ao.quantization.FusedMovingAvgObsFakeQuantize(
        torch.ao.quantization.MovingAveragePerChannelMinMaxObserver, quant_min=-128, quant_max=127, dtype=torch.qint8,
        qscheme=torch.per_channel_symmetric, ch_axis=0,
    ).to("musa")  # fmt: skip
    for _ in range(2):
        torch.testing.assert_close(found(given.to("musa")).cpu(), expected(given))
    torch.testing.assert_close(found.scale.cpu(), expected.scale)
