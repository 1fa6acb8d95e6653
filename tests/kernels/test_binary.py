"""Functions of two operands against PyTorch's CPU, over types and layouts, with numbers, `out` and in place."""

from __future__ import annotations

from typing import Optional

import pytest
import torch

from .compare import (
    ALL,
    COMPLEX,
    FLOATING,
    INTEGERS,
    INTEGRAL,
    SINGLE,
    agree,
    assert_native,
    in_float,
    named,
    numbers_within,
    on_device,
    tolerance,
)
from .pointwise import Table, assert_both_forms, few, laid_out, with_in_place_forms

REAL = (*FLOATING, *INTEGERS)
TABLE: Table = {
    "eq": (ALL, 0, 3),
    "ne": (ALL, 0, 3),
    "lt": ((*FLOATING, *INTEGRAL), 0, 3),
    "le": ((*FLOATING, *INTEGRAL), 0, 3),
    "gt": ((*FLOATING, *INTEGRAL), 0, 3),
    "ge": ((*FLOATING, *INTEGRAL), 0, 3),
    "logical_and": (ALL, 0, 1),
    "logical_or": (ALL, 0, 1),
    "logical_xor": (ALL, 0, 1),
    "maximum": ((*FLOATING, *INTEGRAL), -9, 9),
    "minimum": ((*FLOATING, *INTEGRAL), -9, 9),
    "fmax": ((*FLOATING, *INTEGRAL), -9, 9),
    "fmin": ((*FLOATING, *INTEGRAL), -9, 9),
    "bitwise_and": (INTEGRAL, -99, 99),
    "bitwise_or": (INTEGRAL, -99, 99),
    "bitwise_xor": (INTEGRAL, -99, 99),
    "bitwise_left_shift": (INTEGERS, 0, 6),
    "bitwise_right_shift": (INTEGERS, 0, 6),
    "gcd": (INTEGERS, -9, 9),
    "lcm": (INTEGERS, -9, 9),
    "floor_divide": (REAL, 1, 9),
    "remainder": (REAL, 1, 9),
    "fmod": (REAL, 1, 9),
    "pow": ((*REAL, *COMPLEX), 0.5, 3),
    "atan2": (REAL, -9, 9),
    "hypot": (FLOATING, -9, 9),
    "copysign": (REAL, -9, 9),
    "xlogy": (REAL, 0, 9),
    "heaviside": ((*FLOATING, *INTEGRAL), -1, 1),
    "special.xlog1py": (REAL, 0, 9),
    "logaddexp": ((*FLOATING, *COMPLEX), -9, 9),
    "logaddexp2": (FLOATING, -9, 9),
    "igamma": (SINGLE, 0.1, 9),
    "igammac": (SINGLE, 0.1, 9),
    "special.zeta": (SINGLE, 1.1, 9),
    "special.chebyshev_polynomial_t": (SINGLE, 0, 5),
    "special.hermite_polynomial_he": (SINGLE, 0, 5),
    "special.laguerre_polynomial_l": (SINGLE, 0, 5),
    "special.legendre_polynomial_p": (SINGLE, 0, 5),
}
WITHOUT_NUMBERS = {
    *(
        "maximum",
        "minimum",
        "fmax",
        "fmin",
        "gcd",
        "lcm",
        "atan2",
        "hypot",
        "heaviside",
        "igamma",
        "igammac",
        "logaddexp",
        "logaddexp2",
    ),
    *("logical_and", "logical_or", "logical_xor"),
}

ON_ONE_DEVICE = {
    *("gcd", "lcm", "logical_and", "logical_or", "logical_xor", "logaddexp", "logaddexp2", "igamma", "igammac"),
}  # as PyTorch has it on each device


@pytest.mark.parametrize("name", TABLE)
def test_types_and_layouts(name: str) -> None:
    function = named(name)
    types, low, high = TABLE[name]
    for dtype in types:
        close = tolerance(name, dtype)
        for operands in laid_out(TABLE, name, dtype, 2):
            assert_both_forms(function, operands, close)
        a, b = numbers_within((5, 7), dtype, low, high), numbers_within((5, 7), dtype, low, high)
        agree(function(a.to("musa"), b.t().contiguous().t().to("musa")), in_float(function, a, b), close)
        agree(function(a.to("musa"), b[:, :1].to("musa")), in_float(function, a, b[:, :1]), close)
        agree(function(a[0].to("musa"), b[:, :1].to("musa")), in_float(function, a[0], b[:, :1]), close)
        agree(function(a.to("musa"), b[1, 1].to("musa")), in_float(function, a, b[1, 1]), close)
        for left, right in () if name in ON_ONE_DEVICE else ((a, b[1, 1]), (a[1, 1], b)):  # one of them in host memory
            devices = [value if value.dim() == 0 else value.to("musa") for value in (left, right)]
            agree(function(*devices), in_float(function, left, right), close)
        if name not in WITHOUT_NUMBERS and dtype != torch.bool:
            agree(function(a.to("musa"), 2), in_float(function, a, 2), close)
    short = name.replace(".", "_")
    assert_native(short, *(f"{short}.{form}" for form in ("out", "Tensor_out", "Scalar_out", "OutTensor")))


@pytest.mark.parametrize("name", with_in_place_forms(TABLE))
def test_in_place(name: str) -> None:
    a, b = few(TABLE, name, 2)
    wanted = getattr(a.clone(), f"{name}_")(b)
    agree(getattr(a.to("musa"), f"{name}_")(b.to("musa")), wanted)
    agree(getattr(on_device(a.t().contiguous().t()), f"{name}_")(b.to("musa")), wanted)


@pytest.mark.parametrize("name", ["maximum", "fmod", "remainder", "pow", "atan2", "lt", "eq", "xlogy", "floor_divide"])
@pytest.mark.parametrize(
    "types", [(torch.float32, torch.float64), (torch.int32, torch.float16), (torch.int8, torch.int64)]
)
def test_types_are_promoted(name: str, types: tuple[torch.dtype, torch.dtype]) -> None:
    a, b = numbers_within((9, 11), types[0], 1, 3), numbers_within((9, 11), types[1], 1, 3)
    agree(named(name)(a.to("musa"), b.to("musa")), named(name)(a, b))


EXTREMES = (float("nan"), float("inf"), -float("inf"), 0.0, -0.0, 1.0, -1.0, 0.5, -2.0, 3.0)


@pytest.mark.parametrize("name", ["maximum", "minimum", "fmax", "fmin", "eq", "lt", "ge", "copysign", "atan2", "hypot",
                                  "xlogy", "special.xlog1py", "pow", "remainder", "fmod", "floor_divide", "heaviside",
                                  "logaddexp", "logaddexp2", "nextafter",
                                  "logical_and"])  # fmt: skip
@pytest.mark.parametrize("dtype", SINGLE)
def test_extremes(name: str, dtype: torch.dtype) -> None:
    values = torch.tensor(EXTREMES, dtype=dtype)
    a, b = values.unsqueeze(1), values
    agree(named(name)(a.to("musa"), b.to("musa")), named(name)(a, b))


@pytest.mark.parametrize("mode", [None, "floor", "trunc"])
@pytest.mark.parametrize("dtype", REAL)
def test_rounded_division(mode: Optional[str], dtype: torch.dtype) -> None:
    a, b = numbers_within((9, 11), dtype, -50, 50), numbers_within((9, 11), dtype, 1, 9)
    b = b if dtype == torch.uint8 else b * torch.tensor([1, -1] * 5 + [1], dtype=dtype)
    agree(torch.div(a.to("musa"), b.to("musa"), rounding_mode=mode), torch.div(a, b, rounding_mode=mode))
    agree(torch.div(a.to("musa"), 7, rounding_mode=mode), torch.div(a, 7, rounding_mode=mode))
    agree(a.to("musa") % b.to("musa"), a % b)
    agree(torch.fmod(a.to("musa"), b.to("musa")), torch.fmod(a, b))


@pytest.mark.parametrize("exponent", [-2, -1, 0, 0.5, 1, 2, 3, 2.75])
def test_powers(exponent: float) -> None:
    for dtype in (*REAL, *COMPLEX):
        if not (dtype.is_floating_point or dtype.is_complex) and (exponent < 0 or dtype == torch.uint8):
            continue  # not defined
        value = numbers_within((9, 11), dtype, 1, 4)
        agree(value.to("musa") ** exponent, in_float(lambda x: x**exponent, value))
        agree(exponent ** value.to("musa"), in_float(lambda x: exponent**x, value))


@pytest.mark.parametrize("dtype", FLOATING)
def test_neighbours(dtype: torch.dtype) -> None:
    tiny = torch.finfo(dtype).smallest_normal
    values = torch.tensor([0.0, -0.0, 1.0, -1.0, tiny, -tiny, 0.3, float("inf"), float("nan")]).to(dtype)
    a, b = values.unsqueeze(1).contiguous(), values
    found = torch.nextafter(a.to("musa"), b.to("musa")).cpu()
    if dtype == torch.float16:  # the CPU has no such function
        for x, y in ((1.0, 2.0), (-1.0, -2.0), (1.0, 0.0), (0.0, 1.0), (0.0, -1.0), (tiny, 0.0)):
            (there,) = torch.nextafter(
                torch.tensor([x]).to(dtype).to("musa"), torch.tensor([y]).to(dtype).to("musa")
            ).cpu()
            assert (there > x) == (y > x)
            middle = (there.double() + x) / 2
            assert middle.to(dtype) in (there, torch.tensor(x).to(dtype))  # no number is between them
        return
    assert torch.equal(found.nan_to_num(7), torch.nextafter(a, b).nan_to_num(7))
    assert torch.equal(found.signbit(), torch.nextafter(a, b).signbit())
    assert_native("nextafter.out")


def test_shifts() -> None:
    value = torch.arange(-8, 8, dtype=torch.int32)
    for amount in (0, 1, 31):
        agree(value.to("musa") << amount, value << amount)
        agree(value.to("musa") >> amount, value >> amount)
    agree(value.to("musa").__ilshift__(2), value.clone().__ilshift__(2))


@pytest.mark.parametrize("dtype", SINGLE)
def test_losses(dtype: torch.dtype) -> None:
    a, b = torch.randn(9, 11, dtype=dtype), torch.randn(9, 11, dtype=dtype)
    for loss in (
        torch.nn.functional.mse_loss,
        torch.nn.functional.smooth_l1_loss,
        torch.nn.functional.huber_loss,
    ):
        device, host = a.to("musa").requires_grad_(), a.clone().requires_grad_()
        result, wanted = loss(device, b.to("musa"), reduction="none"), loss(host, b, reduction="none")
        agree(result.detach(), wanted.detach())
        result.backward(b.to("musa"))
        wanted.backward(b)
        assert device.grad is not None and host.grad is not None
        agree(device.grad, host.grad)
    assert_native("mse_loss.out", "smooth_l1_loss.out", "huber_loss")
