"""Functions of one operand against PyTorch's CPU, over types and layouts, with `out` and in place."""

from __future__ import annotations

import pytest
import torch

from .compare import (
    COMPLEX,
    FLOATING,
    INTEGERS,
    INTEGRAL,
    SINGLE,
    agree,
    assert_native,
    in_float,
    named,
    on_device,
    tolerance,
)
from .pointwise import Table, assert_both_forms, few, laid_out, with_in_place_forms

ANY = (*FLOATING, *COMPLEX)
TABLE: Table = {
    "exp": (ANY, -3, 3),
    "exp2": (ANY, -3, 3),
    "expm1": (ANY, -3, 3),
    "sqrt": (ANY, 0, 9),
    "rsqrt": (ANY, 0.1, 9),
    "reciprocal": (ANY, 0.1, 9),
    "sigmoid": (ANY, -5, 5),
    "erf": (FLOATING, -3, 3),
    "erfc": (FLOATING, -3, 3),
    "log": (ANY, 0.01, 9),
    "log2": (ANY, 0.01, 9),
    "log10": (ANY, 0.01, 9),
    "log1p": (ANY, -0.9, 9),
    "sin": (ANY, -5, 5),
    "cos": (ANY, -5, 5),
    "tan": (ANY, -1.4, 1.4),
    "sinh": (ANY, -3, 3),
    "cosh": (ANY, -3, 3),
    "tanh": (ANY, -3, 3),
    "sinc": (ANY, -3, 3),
    "asin": (ANY, -0.9, 0.9),
    "acos": (ANY, -0.9, 0.9),
    "atan": (ANY, -0.9, 0.9),
    "asinh": (ANY, -3, 3),
    "acosh": (ANY, 1.1, 3),
    "atanh": (ANY, -0.9, 0.9),
    "abs": ((*FLOATING, *INTEGERS, *COMPLEX), -9, 9),
    "neg": ((*FLOATING, *INTEGERS, *COMPLEX), -9, 9),
    "sign": ((*FLOATING, *INTEGRAL), -9, 9),
    "sgn": ((*FLOATING, *INTEGRAL, *COMPLEX), -9, 9),
    "floor": ((*FLOATING, *INTEGERS), -9, 9),
    "ceil": ((*FLOATING, *INTEGERS), -9, 9),
    "round": ((*FLOATING, *INTEGERS), -9, 9),
    "trunc": ((*FLOATING, *INTEGERS), -9, 9),
    "frac": (FLOATING, -9, 9),
    "angle": ((*SINGLE, *INTEGRAL, *COMPLEX), -9, 9),
    "conj_physical": ((*FLOATING, *INTEGERS, *COMPLEX), -9, 9),
    "nan_to_num": ((*FLOATING, *INTEGERS, *COMPLEX), -9, 9),
    "bitwise_not": (INTEGRAL, -9, 9),
    "logical_not": ((*FLOATING, *INTEGRAL, *COMPLEX), 0, 1),
    "signbit": ((*FLOATING, *INTEGRAL), -9, 9),
    "isposinf": ((*FLOATING, *INTEGRAL), -9, 9),
    "isneginf": ((*FLOATING, *INTEGRAL), -9, 9),
    "erfinv": (FLOATING, -0.9, 0.9),
    "lgamma": (FLOATING, 0.2, 9),
    "digamma": (FLOATING, 0.2, 9),
    "i0": (FLOATING, -9, 9),
    "logit": (FLOATING, 0.1, 0.9),
    "special.i0e": (FLOATING, -9, 9),
    "special.i1": (SINGLE, -9, 9),
    "special.i1e": (SINGLE, -9, 9),
    "special.ndtri": (SINGLE, 0.01, 0.99),
    "special.log_ndtr": (SINGLE, -9, 9),
    "special.erfcx": (SINGLE, -3, 9),
    "special.entr": (FLOATING, -1, 9),
    "special.airy_ai": (SINGLE, -5, 5),
    "special.bessel_j0": (SINGLE, -9, 9),
    "special.bessel_j1": (SINGLE, -9, 9),
    "special.bessel_y0": (SINGLE, 0.1, 9),
    "special.bessel_y1": (SINGLE, 0.1, 9),
    "special.modified_bessel_i0": (SINGLE, -9, 9),
    "special.modified_bessel_i1": (SINGLE, -9, 9),
    "special.modified_bessel_k0": (SINGLE, 0.1, 9),
    "special.modified_bessel_k1": (SINGLE, 0.1, 9),
    "special.scaled_modified_bessel_k0": (SINGLE, 0.1, 9),
    "special.scaled_modified_bessel_k1": (SINGLE, 0.1, 9),
    "special.spherical_bessel_j0": (SINGLE, -9, 9),
}
EXTREMES = (float("nan"), float("inf"), -float("inf"), 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, 1e-30, 1e30)


@pytest.mark.parametrize("name", TABLE)
def test_types_and_layouts(name: str) -> None:
    function = named(name)
    for dtype in TABLE[name][0]:
        for operands in laid_out(TABLE, name, dtype, 1):
            assert_both_forms(function, operands, tolerance(name, dtype))
    short = name.replace(".", "_")
    assert_native(short, f"{short}.out")


@pytest.mark.parametrize("name", [name for name in TABLE if TABLE[name][0] in (ANY, FLOATING)])
def test_integers_give_floats(name: str) -> None:
    if name == "frac":
        return  # not of integers
    function = named(name)
    value = torch.ones(6, 7, dtype=torch.int64)
    agree(function(value.to("musa")), function(value))


@pytest.mark.parametrize("name", with_in_place_forms(TABLE))
def test_in_place_and_out_of_another_type(name: str) -> None:
    types = TABLE[name][0]
    (value,) = few(TABLE, name, 1)
    wanted = getattr(torch, name)(value)
    for device in (value.to("musa"), on_device(value.t().contiguous().t())):
        agree(getattr(device.clone(), f"{name}_")(), wanted.to(value.dtype), tolerance(name, value.dtype))
    if types in (ANY, FLOATING) and name not in ("frac", "logit"):
        out = torch.empty(9, 22, dtype=torch.float64, device="musa")[:, ::2]
        torch.testing.assert_close(getattr(torch, name)(value.to("musa"), out=out).cpu().float(), wanted)


@pytest.mark.parametrize("name", ["exp", "log", "sqrt", "sin", "abs", "sign", "sgn", "floor", "round", "trunc", "angle",
                                  "nan_to_num", "signbit", "isposinf", "isneginf", "logical_not", "erfinv", "tanh",
                                  "logit", "special.entr", "i0", "acosh", "atanh", "lgamma", "digamma"])  # fmt: skip
def test_extremes(name: str) -> None:
    function = named(name)
    for dtype in FLOATING if name != "angle" else SINGLE:
        value = torch.tensor(EXTREMES, dtype=torch.float64).to(dtype)
        # The replacement of an infinity depends on the type, so float32 does not represent half.
        wanted = function(value) if name == "nan_to_num" else in_float(function, value)
        agree(function(value.to("musa")), wanted, tolerance(name, dtype))


def test_numbers_beside_the_operand() -> None:
    value = torch.randn(5, 9, dtype=torch.float64) * 100
    device = value.to("musa")
    for decimals in (-2, 1, 3):
        agree(torch.round(device, decimals=decimals), torch.round(value, decimals=decimals))
    for order in (0, 1, 2, 3):
        wanted = torch.polygamma(order, value.abs())
        agree(torch.polygamma(order, device.abs()), wanted, tolerance("polygamma", wanted.dtype))
    agree(torch.logit(device / 200, 0.2), torch.logit(value / 200, 0.2))
    broken = torch.tensor(EXTREMES)
    agree(torch.nan_to_num(broken.to("musa"), 1, 2, 3), torch.nan_to_num(broken, 1, 2, 3))
    assert_native("round.decimals_out", "polygamma.out", "logit", "nan_to_num.out")


def test_many_dimensions() -> None:
    """More dimensions than a kernel takes, and more slices than a grid has."""
    value = torch.randn([2] * 18).permute(*range(0, 18, 2), *range(1, 18, 2))
    gaps = torch.empty(*value.shape, 2)[..., 0].copy_(value)
    agree(on_device(gaps).neg(), -gaps)
    slices = torch.zeros(70000, 4, 4)[:, :2, :2]
    device = torch.zeros(70000, 4, 4, device="musa")[:, :2, :2].add_(1)
    agree(device.neg(), slices - 1)


def test_offsets_beyond_31_bits() -> None:
    """Two rows, 2.2 GB apart: untouched memory takes none."""
    storage = torch.empty(2, 1_100_000_000, dtype=torch.int16, device="musa")
    rows = storage[:, :5]
    rows.fill_(3)
    agree(rows.neg(), torch.full((2, 5), -3, dtype=torch.int16))
    rows.neg_()
    agree(storage[1, :5], torch.full((5,), -3, dtype=torch.int16))
