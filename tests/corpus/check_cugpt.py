"""cugpt's kernels of ReLU on `musa` against PyTorch on the CPU, bit for bit."""

from __future__ import annotations

import torch
from comparing import run_all
from cuGPT.bindings import relu_binding

SHAPES = ((1, 8), (3, 256), (7, 1024), (16, 2048), (5, 40), (2, 3, 64))


def check_relu() -> None:
    """All six kernels, with zeros of both signs, infinities and numbers that are not normal."""
    for name in ("relu_fp32", "relu_fp32x4", "relu_fp16", "relu_fp16x2", "relu_fp16x2o", "relu_fp16x8"):
        dtype = torch.float32 if "32" in name else torch.float16
        for shape in SHAPES:
            x = torch.randn(shape).to(dtype)
            x.view(-1)[:6] = torch.tensor([0.0, -0.0, float("inf"), -float("inf"), 6e-8, -6e-8]).to(dtype)
            got = getattr(relu_binding, name)(x.to("musa"))
            assert got.device.type == "musa" and got.dtype == dtype
            torch.testing.assert_close(got.cpu(), torch.relu(x), rtol=0, atol=0)


if __name__ == "__main__":
    run_all()
