"""adafactor8bit on `musa`: its fused kernels, with 8-bit and 4-bit states, against its PyTorch code on the CPU."""

from __future__ import annotations

from typing import Any

import torch
from adafactor8bit import Adafactor8Bit, optimizer
from comparing import run_all

# its kernels write past the states of tensors whose sizes are no multiples of this (kernels.cu:814)
BLOCK = 2048
SHAPES = ((64, 96), (BLOCK,), (64, 128), (4 * BLOCK,))
TOLERANCES = {torch.float32: 2e-3, torch.float16: 4e-3, torch.bfloat16: 1.6e-2}
SETTINGS: tuple[dict[str, Any], ...] = (
    {},
    {"beta1": 0.9},
    {"beta1": 0.9, "m_quant_type": "d8"},
    {"beta1": 0.9, "m_quant_type": "uf4"},
    {"beta1": 0.9, "m_quant_type": "d4", "v_quant_type": "al16"},
    {"beta1": 0.9, "quantize": False},
    {"beta1": 0.9, "beta3": 0.999},
    {"beta1": 0.9, "factored": False},
    {"beta1": 0.9, "lag_norm": True},
    {"beta1": 0.9, "weight_decay": 0.1, "maximize": True},
)


def check_steps() -> None:
    assert optimizer._load_cuda_module(), "its kernels were not compiled"
    for dtype, tolerance in TOLERANCES.items():
        for settings in SETTINGS:
            wanted = stepped("cpu", dtype, use_cuda_kernel=False, **settings)
            got = stepped("musa", dtype, **settings)
            for one, other in zip(got, wanted):
                assert one.device.type == "musa"
                torch.testing.assert_close(one.cpu().double(), other.double(), rtol=tolerance, atol=tolerance)


def stepped(device: str, dtype: torch.dtype, **settings: Any) -> list[torch.Tensor]:
    """Return the parameters after four steps with random gradients."""
    torch.manual_seed(2026)
    parameters = [torch.nn.Parameter(torch.randn(shape).to(dtype).to(device)) for shape in SHAPES]
    made = Adafactor8Bit(parameters, min_8bit_size=0, **settings)
    for _ in range(4):
        for parameter in parameters:
            parameter.grad = torch.randn(parameter.shape).to(dtype).to(device)
        made.step()
    return [parameter.detach() for parameter in parameters]


if __name__ == "__main__":
    run_all()
