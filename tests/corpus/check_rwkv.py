"""rwkv's kernels on `musa` against the recurrences and products in double precision. It only computes forwards."""

from __future__ import annotations

import os

os.environ.update({"RWKV_CUDA_ON": "1", "RWKV_JIT_ON": "1", "RWKV_V7_ON": "1"})

import torch
import torch_musa  # noqa: F401 - registers the musa device
from comparing import run_all
from rwkv import model

TOLERANCES = {torch.float32: 1e-4, torch.float16: 1e-2, torch.bfloat16: 5e-2}


def check_products_of_bytes() -> None:
    for dtype in (torch.float16, torch.float32):
        for rows, columns in ((64, 32), (256, 128), (70, 96)):
            weight = torch.randint(0, 256, (rows, columns), dtype=torch.uint8)
            scales = [torch.rand(columns), torch.rand(columns), torch.rand(rows, 1), torch.rand(rows, 1)]
            mx, rx, my, ry = (each.div(16).to(dtype) for each in scales)
            for x in (torch.randn(rows).to(dtype), torch.randn(5, rows).to(dtype)):
                wanted = x.double() @ ((weight + 0.5) * ry.double() * rx.double() + my.double() + mx.double())
                got = model.mm8(*(each.musa() for each in (x, weight, mx, rx, my, ry)))
                same(got, wanted, TOLERANCES[dtype])


def check_products() -> None:
    """Products of float16 by cuBLAS, with results in float16 and float32."""
    for output in (torch.float16, torch.float32):
        for left in ((24,), (3, 24), (2, 3, 24)):
            a, b = torch.randn(left).half(), torch.randn(*left[:-2] if len(left) == 3 else (), 24, 40).half()
            got = model.matmul(a.musa(), b.musa(), output_dtype=output)
            assert got.dtype == output
            same(got, a.double() @ b.double(), 1e-2)


def check_recurrence_of_4() -> None:
    for dtype in (torch.float32, torch.float16):
        steps, channels = 9, 64
        decay, bonus = -torch.rand(channels), torch.randn(channels)
        k, v = (torch.randn(steps, channels).to(dtype) for _ in range(2))
        aa, bb, pp = torch.zeros(channels), torch.zeros(channels), torch.full((channels,), -1e30)
        got, *_ = model.cuda_wkv(steps, channels, *(each.musa() for each in (decay, bonus, k, v, aa, bb, pp)))
        a, b, rows = torch.zeros(channels).double(), torch.zeros(channels).double(), []
        for step in range(steps):
            key, value = k[step].double(), v[step].double()
            now = torch.exp(bonus.double() + key)
            rows.append((a + now * value) / (b + now))
            a, b = (torch.exp(decay.double()) * each for each in (a, b))
            a, b = a + torch.exp(key) * value, b + torch.exp(key)
        same(got, torch.stack(rows), TOLERANCES[dtype])


def check_recurrence_of_7() -> None:
    for dtype in TOLERANCES:
        steps, heads, size = 6, 2, model.HEAD_SIZE
        r, w, k, v, a, b = (torch.randn(steps, heads * size).mul(0.3).to(dtype) for _ in range(6))
        state = torch.randn(heads, size, size).mul(0.1)
        model.DTYPE, model.DEVICE = dtype, "musa"
        on_device = state.musa()
        got = model.RWKV7_OP(on_device, *(each.musa() for each in (r, w, k, v, a, b)))
        left, rows = state.double(), []
        for step in range(steps):
            rr, ww, kk, vv, aa, bb = (each[step].double().view(heads, size) for each in (r, w, k, v, a, b))
            decay = torch.exp(-torch.exp(ww))
            moved = torch.einsum("hij,hj->hi", left, aa)
            left = left * decay[:, None, :] + moved[..., None] * bb[:, None, :] + vv[..., None] * kk[:, None, :]
            rows.append(torch.einsum("hij,hj->hi", left, rr).flatten())
        same(got, torch.stack(rows), TOLERANCES[dtype])
        same(on_device, left, TOLERANCES[dtype])


def same(got: torch.Tensor, wanted: torch.Tensor, tolerance: float) -> None:
    assert got.device.type == "musa", "the result must come from the device"
    scale = wanted.abs().max()
    torch.testing.assert_close(got.cpu().double() / scale, wanted / scale, rtol=0, atol=tolerance)


if __name__ == "__main__":
    run_all()
