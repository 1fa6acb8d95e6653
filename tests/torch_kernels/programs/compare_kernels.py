"""The compiled kernels of the checkout replace the backend's, and agree with the CPU."""

import ctypes
import sys

import torch


def check(function, *tensors):
    result = function(*[tensor.to("musa") for tensor in tensors]).cpu()
    torch.testing.assert_close(result, function(*tensors))


def everything():
    for dtype in (torch.float32, torch.float64):
        for shape in ((7,), (33, 65), (0,), (1,)):
            a, b = torch.randn(shape, dtype=dtype), torch.rand(shape, dtype=dtype)
            check(torch.abs, a)
            check(torch.sinc, a)
            check(lambda x: torch.abs(x.t()), a)
            check(torch.sum, a)
            check(lambda x: x.sum(0), a)
            check(lambda x: x.sum(-1, keepdim=True), a)
            check(lambda x: x.round().flatten().cumsum(0), a)  # whole numbers: every order gives the same
    a, b = torch.randn(33, 65), torch.rand(65)
    check(torch.mul, a, b)
    check(lambda x: x * 3, a)
    check(torch.mul, torch.arange(100), torch.arange(100).flip(0))


def marks():
    at = torch.tensor([-42.0], device="musa")
    six = torch.tensor([6.0], device="musa")
    results = (at.abs(), six * 7, six * torch.tensor([7.0], device="musa"), at.sum(), at.sinc(), at.cumsum(0))
    return [result.item() == 4242 for result in results]


everything()
assert not any(marks()), marks()
ctypes.CDLL(sys.argv[1])
everything()
assert all(marks()), marks()
assert torch.angle(torch.tensor([-1.0], device="musa")).item() > 3  # its file is not in the library
assert not torch.musa.fallback_report().operators, torch.musa.fallback_report()
