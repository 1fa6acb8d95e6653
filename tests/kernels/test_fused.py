"""torch_musa's own fused operators, fused optimizers and GradScaler's operators, against PyTorch's CPU."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from .compare import FLOATING, SINGLE, agree, assert_native, in_float, on_device

OWN = ("_fused_swiglu_forward", "_fused_swiglu_backward", "_fused_rope_forward", "_fused_rope_backward",
       "_fused_rmsnorm_forward", "_fused_rmsnorm_backward")  # fmt: skip


def test_own_operators_have_kernels() -> None:
    kinds = torch.musa.operator_kinds()
    assert {kinds[f"aten::{name}"] for name in OWN} == {"native"}
    assert {kinds[f"aten::{name}"] for name in ("rope", "swish_glu", "gated_silu")} == {"composite"}


def gradients(function: Any, *values: Tensor) -> list[Tensor]:
    """Return the result of a function and the gradients of its operands."""
    leaves = [value.detach().requires_grad_() for value in values]
    result = function(*leaves)
    result.backward(torch.linspace(-1, 1, result.numel(), device=result.device).to(result.dtype).view(result.shape))
    return [result.detach(), *(leaf.grad for leaf in leaves if leaf.grad is not None)]


@pytest.mark.parametrize("dtype", FLOATING)
def test_swish_glu(dtype: torch.dtype) -> None:
    value = torch.randn(5, 7, 12).to(dtype)
    for function in (F.swish_glu, torch.gated_silu, torch.nn.SwishGLU()):
        for operand in (value, value.transpose(0, 1), value[:, ::2], value[:0], value[0, 0]):
            agree(
                function(on_device(operand)), in_float(lambda x: F.silu(x.chunk(2, -1)[0]) * x.chunk(2, -1)[1], operand)
            )
    if dtype in SINGLE:
        agree(gradients(F.swish_glu, value.to("musa")), gradients(F.swish_glu, value))
    with pytest.raises(RuntimeError, match="must be even"):
        F.swish_glu(value.to("musa")[..., :5])


@pytest.mark.parametrize("interleaved", (False, True))
@pytest.mark.parametrize("latent", (False, True))
@pytest.mark.parametrize("batch_first", (False, True))
def test_rope(interleaved: bool, latent: bool, batch_first: bool) -> None:
    how = (interleaved, batch_first, latent)
    for dtype in FLOATING:
        value, angles = torch.randn(6, 6, 3, 10).to(dtype), torch.randn(6, 8)
        for operand in (value, value.transpose(1, 2).contiguous().transpose(1, 2), value[..., :8]):
            wanted = in_float(lambda x, f: F.rope(x, f, *how), operand, angles)
            agree(F.rope(on_device(operand), angles.to("musa"), *how), wanted)
            four = angles.view((1, 6, 1, 8) if batch_first else (6, 1, 1, 8)).to("musa")
            agree(F.rope(on_device(operand), four, *how), wanted)
    value, angles = torch.randn(6, 2, 3, 10, dtype=torch.float64), torch.randn(2 if batch_first else 6, 8).double()
    module = torch.nn.RoPE(angles, *how)
    agree(gradients(copy.deepcopy(module).to("musa"), value.to("musa")), gradients(module, value))


def test_rotation_by_hand() -> None:
    """Neighbours, or elements half of the dimension away, are the two coordinates of a point."""
    value = torch.tensor([1.0, 2.0, 3.0, 4.0]).view(1, 1, 1, 4).to("musa")
    quarter = torch.full((1, 4), torch.pi / 2, device="musa")
    for how, wanted in (((), [-3, -4, 1, 2]), ((True,), [-2, 1, -4, 3]), ((False, False, True), [-2, -4, 1, 3])):
        agree(F.rope(value, quarter, *how).flatten(), torch.tensor(wanted).float())


@pytest.mark.parametrize("weighted", (False, True))
def test_rms_norm(weighted: bool) -> None:
    forward = torch.ops.aten._fused_rmsnorm_forward
    for dtype in FLOATING:
        value = torch.randn(4, 5, 6).to(dtype)
        for shape in ((6,), (5, 6)):
            weight = [torch.randn(shape).to(dtype)] if weighted else []
            result, scale = forward(value.to("musa"), shape, 1e-5, *(w.to("musa") for w in weight))
            agree(result, F.rms_norm(value, shape, *(weight or [None]), 1e-5))
            assert scale.shape == value.shape[: -len(shape)]
            if dtype in SINGLE:
                host = gradients(lambda x, *w, s=shape: F.rms_norm(x, s, *(w or [None]), 1e-5), value, *weight)
                moved = [each.to("musa") for each in (value, *weight)]
                agree(gradients(lambda x, *w, s=shape: forward(x, s, 1e-5, *w)[0], *moved), host)


OPTIMIZERS: tuple[tuple[type[torch.optim.Optimizer], dict[str, Any]], ...] = (
    (torch.optim.Adam, {"lr": 0.1}),
    (torch.optim.Adam, {"lr": 0.1, "weight_decay": 0.2, "amsgrad": True, "maximize": True}),
    (torch.optim.AdamW, {"lr": 0.1, "weight_decay": 0.2}),
    (torch.optim.SGD, {"lr": 0.1}),
    (torch.optim.SGD, {"lr": 0.1, "momentum": 0.9, "dampening": 0.2, "weight_decay": 0.3, "maximize": True}),
    (torch.optim.SGD, {"lr": 0.1, "momentum": 0.9, "nesterov": True}),
    (torch.optim.Adagrad, {"lr": 0.1, "lr_decay": 0.2, "weight_decay": 0.3}),
)


def trained(kind: type[torch.optim.Optimizer], options: dict[str, Any], fused: bool, device: str) -> list[Tensor]:
    """Return the parameters after three steps."""
    torch.manual_seed(5)
    values = [torch.randn(4, 6, dtype=torch.float64), torch.randn(6, 3).t(), torch.randn(700), torch.randn(0)]
    parameters = [value.to(device).requires_grad_() for value in values]
    optimizer = kind(parameters, fused=fused, **options)
    for _ in range(3):
        for parameter in parameters:
            parameter.grad = torch.randn(parameter.shape, dtype=parameter.dtype).to(device)
        optimizer.step()
    return [parameter.detach() for parameter in parameters]


@pytest.mark.parametrize("case", range(len(OPTIMIZERS)))
def test_fused_optimizers(case: int) -> None:
    kind, options = OPTIMIZERS[case]
    wanted = trained(kind, options, fused=False, device="cpu")
    agree(trained(kind, options, fused=True, device="musa"), wanted)
    agree(trained(kind, {**options, "lr": torch.tensor(0.1, device="musa")}, fused=True, device="musa"), wanted)
    name = f"_fused_{kind.__name__.lower()}_"
    assert_native(name, f"{name}.tensor_lr")


@pytest.mark.parametrize("dtype", (torch.float16, torch.bfloat16))
def test_fused_optimizers_of_half(dtype: torch.dtype) -> None:
    """One step is float32's, but for the last digit of what is stored."""
    for kind, options in OPTIMIZERS:
        values = [torch.randn(300).to(dtype) for _ in range(2)]
        results = []
        for type_, device in ((torch.float32, "cpu"), (dtype, "musa")):
            parameter = values[0].to(device, type_, copy=True).requires_grad_()
            parameter.grad = values[1].to(device, type_)
            kind([parameter], fused=True, **options).step()
            results.append(parameter.detach())
        agree(results[1], results[0].to(dtype))


def test_scaled_gradients() -> None:
    """GradScaler with a fused optimizer: the scale is taken out, and a step with an infinite gradient is left out."""
    scaled, plain = torch.randn(5, 7, device="musa").requires_grad_(), torch.empty(5, 7, device="musa")
    plain.copy_(scaled.detach()).requires_grad_()
    scaler = torch.amp.GradScaler("musa", init_scale=1024.0)
    optimizers = [torch.optim.AdamW([each], lr=0.1, fused=True) for each in (scaled, plain)]
    scaler.scale(scaled.square().sum()).backward()
    plain.square().sum().backward()
    scaler.step(optimizers[0])
    optimizers[1].step()
    scaler.update()
    agree(scaled.detach(), plain.detach().cpu())
    before = scaled.detach().clone()
    scaled.grad = torch.full_like(scaled, float("inf"))
    scaler.step(optimizers[0])
    scaler.update()
    agree(scaled.detach(), before.cpu())
    assert scaler.get_scale() == 512
    assert_native("_fused_adamw_", "_amp_update_scale_", "_amp_foreach_non_finite_check_and_unscale_")


@pytest.mark.parametrize("dtype", (torch.float32, torch.float16, torch.bfloat16))
def test_unscale(dtype: torch.dtype) -> None:
    values = [torch.randn(4, 6), torch.randn(6, 8).t(), torch.randn(0), torch.randn(4, 9)[:, ::2]]
    for number in (1.0, float("inf"), float("nan")):
        values[1][0, 0] = number
        found, scale = torch.zeros(1, device="musa"), torch.tensor([0.5], device="musa")
        moved = [on_device(value.to(dtype)) for value in values]
        torch._amp_foreach_non_finite_check_and_unscale_(moved, found, scale)
        agree(moved, [value.to(dtype) * 0.5 for value in values])
        assert found.item() == (number != 1.0)
    assert_native("_amp_foreach_non_finite_check_and_unscale_")


def test_scale_grows() -> None:
    for found, tracker, wanted in ((0.0, 0, (8.0, 1)), (0.0, 1, (16.0, 0)), (1.0, 1, (4.0, 0))):
        scale, steps = torch.tensor([8.0], device="musa"), torch.tensor([tracker], dtype=torch.int32, device="musa")
        torch._amp_update_scale_(scale, steps, torch.tensor([found], device="musa"), 2.0, 0.5, 2)
        assert (scale.item(), steps.item()) == wanted
