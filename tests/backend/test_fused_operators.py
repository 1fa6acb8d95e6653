"""torch_musa's own fused operators without kernels: what they compute, their gradients, and where their names are."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

ROPE = [(interleaved, batch_first, latent) for interleaved in (0, 1) for batch_first in (0, 1) for latent in (0, 1)]


def test_swish_glu() -> None:
    value = torch.randn(3, 4, 6, dtype=torch.float64, requires_grad=True)
    wanted = F.silu(value[..., :3]) * value[..., 3:]
    for function in (F.swish_glu, torch.swish_glu, torch.gated_silu, torch.nn.SwishGLU()):
        torch.testing.assert_close(function(value), wanted)
    assert torch.autograd.gradcheck(F.swish_glu, (value,))


@pytest.mark.parametrize("how", ROPE)
def test_gradients_of_rope(how: tuple[int, int, int]) -> None:
    value = torch.randn(2, 2, 3, 8, dtype=torch.float64, requires_grad=True)
    angles = torch.randn(2, 6, dtype=torch.float64)
    module = torch.nn.RoPE(angles, *map(bool, how))
    assert torch.autograd.gradcheck(module, (value,))


def test_rotation_by_hand() -> None:
    """Neighbours, or elements half of the dimension away, are the two coordinates of a point."""
    value, quarter = torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0]).view(1, 1, 1, 5), torch.full((1, 4), torch.pi / 2)
    for how, wanted in (
        ((), [-3, -4, 1, 2, 5]),
        ((True,), [-2, 1, -4, 3, 5]),
        ((False, False, True), [-2, -4, 1, 3, 5]),
    ):
        torch.testing.assert_close(F.rope(value, quarter, *how).flatten(), torch.tensor(wanted).float())


@pytest.mark.parametrize("weighted", (False, True))
def test_rms_norm(weighted: bool) -> None:
    forward = torch.ops.aten._fused_rmsnorm_forward
    value = torch.randn(3, 2, 4, dtype=torch.float64, requires_grad=True)
    for shape in ((4,), (2, 4)):
        weight = [torch.randn(shape, dtype=torch.float64, requires_grad=True)] if weighted else []
        result, scale = forward(value, shape, 1e-5, *weight)
        torch.testing.assert_close(result, F.rms_norm(value, shape, *(weight or [None]), 1e-5))
        assert scale.shape == value.shape[: -len(shape)] and not scale.requires_grad
        assert torch.autograd.gradcheck(lambda x, *w, s=shape: forward(x, s, 1e-5, *w)[0], (value, *weight))


def test_on_the_device() -> None:
    value = torch.randn(3, 2, 4, 6, requires_grad=True)
    device = value.detach().to("musa").requires_grad_()
    for each in (value, device):
        F.swish_glu(F.rope(each, torch.ones(3, 6, device=each.device))).sum().backward()
    assert device.grad is not None and value.grad is not None
    torch.testing.assert_close(device.grad.cpu(), value.grad)
