"""bmtrain on `musa`: its kernels by the addresses of tensors, against PyTorch's operators in double precision.

Its Python starts a group of processes, so the library is loaded alone.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import torch
import torch_musa
from comparing import run_all

HALVES = {torch.float16: "fp16", torch.bfloat16: "bf16"}


def library() -> ModuleType:
    found = next(path for entry in sys.path for path in Path(entry, "bmtrain").glob("C.*.so"))
    loader = importlib.machinery.ExtensionFileLoader("C", str(found))
    spec = importlib.util.spec_from_loader("C", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


C = library()


def call(name: str, dtype: torch.dtype, *values: object) -> None:
    """Call a launcher on the current stream, with the addresses of tensors on the device."""
    tensors = [value for value in values if isinstance(value, torch.Tensor)]
    assert all(tensor.device.type == "musa" and tensor.is_contiguous() for tensor in tensors)
    given = [value.data_ptr() if isinstance(value, torch.Tensor) else value for value in values]
    getattr(C, f"{name}_{HALVES[dtype]}_launcher")(*given, torch_musa.current_stream().musa_stream)


def check_numbers_that_are_not_finite() -> None:
    for dtype in HALVES:
        for size, at, value in ((5, None, 0.0), (5, 4, float("inf")), (3000, 2900, float("nan")), (5000, None, 0.0)):
            numbers = torch.randn(size).to(dtype)
            if at is not None:
                numbers[at] = value
            found, parts = torch.zeros(1, dtype=torch.uint8).musa(), torch.zeros(1024, dtype=torch.uint8).musa()
            call("has_nan_inf", dtype, size, numbers.musa(), parts, found)
            assert found.item() == (at is not None), (dtype, size, value)


def check_cross_entropy() -> None:
    for dtype in HALVES:
        for rows, classes in ((1, 3), (5, 100), (3, 2500)):
            scores = (3 * torch.randn(rows, classes)).to(dtype)
            target = torch.randint(0, classes, (rows,), dtype=torch.int32)
            target[0] = -100 if rows > 1 else target[0]
            softmax, losses = torch.zeros_like(scores).musa(), torch.zeros(rows).musa()
            call("cross_entropy_forward", dtype, rows, classes, scores.musa(), target.musa(), softmax, losses, -100)
            reference = scores.double().requires_grad_()
            wanted = torch.nn.functional.cross_entropy(reference, target.long(), ignore_index=-100, reduction="none")
            torch.testing.assert_close(losses.cpu().double(), wanted.detach(), rtol=1e-5, atol=1e-4)
            close(softmax, reference.detach().softmax(-1), dtype)
            weights = torch.rand(rows) * (target != -100)
            (wanted * weights).sum().backward()
            call("cross_entropy_backward_inplace", dtype, rows, classes, weights.musa(), target.musa(), softmax, -100)
            assert reference.grad is not None
            close(softmax, reference.grad, dtype)


def check_fused_softmax() -> None:
    for dtype in HALVES:
        scores = torch.randn(4, 1300).to(dtype)
        largest, sums, result = scores.float().amax(-1).musa(), torch.zeros(4).musa(), scores.musa()
        call("fused_sumexp", dtype, 4, 1300, result, largest, sums)
        wanted = (scores.double() - scores.double().amax(-1, keepdim=True)).exp().sum(-1)
        torch.testing.assert_close(sums.cpu().double(), wanted, rtol=1e-5, atol=1e-5)
        call("fused_softmax_inplace", dtype, 4, 1300, result, largest, sums)
        close(result, scores.double().softmax(-1), dtype)


def check_adam() -> None:
    beta1, beta2, eps, rate, scale, decay = 0.9, 0.99, 1e-6, 1e-2, 8.0, 0.1
    for dtype in HALVES:
        for size in (1, 1500):
            weight, gradient = torch.randn(size), torch.randn(size).to(dtype)
            first = torch.zeros(size, dtype=dtype if dtype == torch.float16 else torch.float32)
            on_device = [weight.musa(), torch.zeros(size, dtype=dtype).musa(), first.musa(), torch.zeros(size).musa()]
            wanted, mean, square = weight.double(), torch.zeros(size).double(), torch.zeros(size).double()
            for step in (1, 2):
                corrections = (1 - beta1**step, 1 - beta2**step)
                changed, rounded, moment, spread = on_device
                options = (beta1, beta2, eps, rate, scale, decay, *corrections)
                call("adam", dtype, size, changed, rounded, gradient.musa(), moment, spread, *options)
                real = gradient.double() / scale
                mean, square = beta1 * mean + (1 - beta1) * real, beta2 * square + (1 - beta2) * real**2
                update = mean / corrections[0] / ((square / corrections[1]).sqrt() + eps)
                wanted = wanted - rate * update - rate * decay * wanted
            torch.testing.assert_close(on_device[0].cpu().double(), wanted, rtol=1e-4, atol=1e-4)
            close(on_device[1], wanted, dtype)


def close(got: torch.Tensor, wanted: torch.Tensor, dtype: torch.dtype) -> None:
    relative = 2e-3 if dtype == torch.float16 else 1.6e-2
    torch.testing.assert_close(got.cpu().double(), wanted, rtol=relative, atol=relative * wanted.abs().max().item())


if __name__ == "__main__":
    run_all()
