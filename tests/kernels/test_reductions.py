"""Reductions against PyTorch's CPU, over types, dimensions, strides, `keepdim` and `out`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch import Tensor

FLOATING = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
COMPLEX = (torch.complex64, torch.complex128)
INTEGRAL = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)
REAL = (*FLOATING, *INTEGRAL, torch.bool)
ALL = (*REAL, *COMPLEX)


@dataclass(frozen=True)
class Reduction:
    """A function, its types, and which dimensions it takes: none at all, one, or several."""

    name: str
    dtypes: tuple[torch.dtype, ...]
    dims: tuple[str, ...] = ("none", "one", "several")
    arguments: tuple[tuple[str, Any], ...] = ()
    function: Callable[..., Any] = torch.sum

    def __str__(self) -> str:
        return "-".join((self.name, *(f"{key}={value}" for key, value in self.arguments)))


def entry(name: str, dtypes: tuple[torch.dtype, ...], *dims: str, **arguments: Any) -> Reduction:
    function = torch
    for part in name.split("."):
        function = getattr(function, part)
    return Reduction(name, dtypes, dims or ("none", "one", "several"), tuple(arguments.items()), function)


REDUCTIONS = (
    entry("sum", ALL),
    entry("sum", (torch.float16, torch.int8, torch.float32), dtype=torch.float32),
    entry("mean", (*FLOATING, *COMPLEX)),
    entry("nansum", REAL),
    entry("prod", ALL, "none", "one"),
    entry("all", ALL),
    entry("any", ALL),
    entry("amin", REAL),
    entry("amax", REAL),
    entry("aminmax", REAL, "none", "one"),
    entry("min", REAL, "none", "one"),
    entry("max", REAL, "none", "one"),
    entry("argmin", (*FLOATING, *INTEGRAL), "none", "one"),
    entry("argmax", (*FLOATING, *INTEGRAL), "none", "one"),
    entry("var", (*FLOATING, *COMPLEX)),
    entry("std", FLOATING, correction=0),
    entry("var_mean", FLOATING),
    entry("std_mean", FLOATING, correction=2),
    entry("logsumexp", FLOATING, "one", "several"),
    *(entry("linalg.vector_norm", (*FLOATING, *COMPLEX), ord=ord) for ord in (0, 1, 2, math.inf, -math.inf, 3.5)),
    entry("norm", FLOATING, "several", p=2),
)


def operand(shape: tuple[int, ...], dtype: torch.dtype, name: str) -> Tensor:
    """Random numbers, with ties if they are integers; products of them stay finite."""
    if dtype == torch.bool:
        return torch.rand(shape) < 0.9
    if name == "prod":
        near = torch.ones(shape).to(dtype)
        return near if not (dtype.is_floating_point or dtype.is_complex) else near + torch.randn(shape).to(dtype) * 0.01
    if dtype.is_floating_point or dtype.is_complex:
        return torch.randn(shape, dtype=torch.complex128 if dtype.is_complex else torch.float64).to(dtype)
    return torch.randint(0, 9, shape).to(dtype)


def forms(value: Tensor) -> Iterator[Tensor]:
    """The same numbers in several layouts."""
    yield value
    yield value.transpose(0, -1)
    yield torch.empty((*value.shape[:-1], value.shape[-1] * 3), dtype=value.dtype)[..., ::3].copy_(value)
    yield value[:1].expand_as(value)


def on_device(value: Tensor) -> Tensor:
    """A copy with the same strides."""
    moved = torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device="musa")
    return moved.copy_(value) if value.numel() and 0 not in value.stride() else value[:1].to("musa").expand_as(value)


def dims_of(reduction: Reduction, rank: int) -> Iterator[dict[str, Any]]:
    if "none" in reduction.dims:
        yield {}
    for keepdim in (False, True):
        if "one" in reduction.dims:
            yield from ({"dim": dim, "keepdim": keepdim} for dim in range(-1, rank - 1))
        if "several" in reduction.dims and rank == 3:
            yield from ({"dim": dims, "keepdim": keepdim} for dims in ((0, 2), (1, 2), (0, 1)))


TOLERANCES = {torch.float16: 2e-3, torch.bfloat16: 2e-2, torch.float32: 2e-5, torch.complex64: 2e-5}


def agree(actual: Any, expected: Any, dtype: torch.dtype) -> None:
    """Compare a tensor or a tuple of them; sums of numbers of both signs are exact to the operands' size."""
    if isinstance(expected, tuple):
        for mine, theirs in zip(actual, expected):
            agree(mine, theirs, dtype)
        return
    assert actual.device.type == "musa"
    tolerance = TOLERANCES.get(dtype)
    exact = tolerance is None or not (expected.is_floating_point() or expected.is_complex())
    scale = {} if exact else {"rtol": tolerance, "atol": tolerance * 50}
    torch.testing.assert_close(actual.cpu(), expected, equal_nan=True, **scale)


def reference(function: Callable[..., Any], value: Tensor, **arguments: Any) -> Any:
    """The CPU's result. It adds half and bfloat16 in their own type here and there, so it gets float instead."""
    if value.dtype not in (torch.float16, torch.bfloat16):
        return function(value, **arguments)

    def narrow(result: Tensor) -> Tensor:
        return result.to(value.dtype) if result.is_floating_point() and "dtype" not in arguments else result

    results = function(value.float(), **arguments)
    return tuple(narrow(each) for each in results) if isinstance(results, tuple) else narrow(results)


def computed_by_the_cpu(name: str) -> bool:
    """Whether the CPU computed an operator of that name."""
    return any(count.name.split("::")[1].split(".")[0] == name for count in torch.musa.fallback_report().operators)


CASES = [(reduction, dtype) for reduction in REDUCTIONS for dtype in reduction.dtypes]


@pytest.mark.filterwarnings("ignore:.*degrees of freedom", "ignore:Casting complex")
@pytest.mark.parametrize(("reduction", "dtype"), CASES, ids=[f"{r}-{str(d)[6:]}" for r, d in CASES])
def test_agrees_with_cpu(reduction: Reduction, dtype: torch.dtype) -> None:
    arguments = dict(reduction.arguments)
    for shape in ((1,), (7,), (3, 5), (37, 70), (2, 33, 40), (1, 3000), (1500, 2)):
        for value in forms(operand(shape, dtype, reduction.name)):
            device = on_device(value)
            for dims in dims_of(reduction, len(shape)):
                if reduction.name == "aminmax" and len(shape) == 1 and dims.get("dim") is None:
                    dims = {}
                expected = reference(reduction.function, value, **dims, **arguments)
                agree(reduction.function(device, **dims, **arguments), expected, dtype)
    assert not computed_by_the_cpu(reduction.name.rpartition(".")[2])


@pytest.mark.parametrize("name", ["sum", "mean", "amax", "argmin", "all", "std"])
def test_long_ones_are_cut_into_slices(name: str) -> None:
    function = getattr(torch, name)
    for shape in ((300_000,), (70_000, 3), (3, 70_001), (20, 5000, 3)):
        value = torch.rand(shape) + 0.5
        device = value.to("musa")
        agree(function(device), function(value), torch.float32)
        for dim in range(len(shape)):
            agree(function(device, dim=dim), function(value, dim=dim), torch.float32)
        assert torch.equal(function(device).cpu(), function(device).cpu())


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("greatest", [True, False])
def test_the_index_of_the_worst_value(greatest: bool, dtype: torch.dtype) -> None:
    # the type's worst value is found, too, and of equal ones the first
    if dtype.is_floating_point:
        worst = -math.inf if greatest else math.inf
    else:
        info = torch.iinfo(torch.uint8 if dtype is torch.bool else dtype)
        worst = info.min if greatest else min(info.max, 1) if dtype is torch.bool else info.max
    for length in (1, 7, 40, 3000, 20_000):
        rows = torch.full((6, length), worst).to(dtype)
        rows[1, length // 2] = 0 if worst else 1
        rows[2, -1] = 0 if worst else 1
        if dtype.is_floating_point:
            rows[3, length // 3 :] = math.nan
            rows[4, length // 3] = math.nan
        for value in (rows, rows.t().contiguous().t()):
            expected = torch.max(value, 1) if greatest else torch.min(value, 1)
            found = torch.max(value.musa(), 1) if greatest else torch.min(value.musa(), 1)
            assert torch.equal(found.indices.cpu(), expected.indices), length
            torch.testing.assert_close(found.values.cpu(), expected.values, rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("name", ["amin", "amax", "argmin", "argmax", "nansum", "sum", "min", "max", "aminmax"])
def test_nan(name: str) -> None:
    value = torch.randn(40, 50)
    value[torch.rand(40, 50) < 0.02] = math.nan
    value[3] = math.nan
    value[4, :] = math.inf
    value[5, :] = -math.inf
    for dim in (0, 1):
        agree(getattr(torch, name)(value.to("musa"), dim=dim), getattr(torch, name)(value, dim=dim), torch.float32)


@pytest.mark.filterwarnings("ignore:.*degrees of freedom")
@pytest.mark.parametrize("name", ["sum", "prod", "all", "any", "nansum", "mean", "var"])
def test_of_nothing(name: str) -> None:
    function = getattr(torch, name)
    for shape in ((0,), (0, 3), (3, 0)):
        value = torch.zeros(shape)
        agree(function(value.to("musa"), dim=0), function(value, dim=0), torch.float32)
        agree(function(value.to("musa")), function(value), torch.float32)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int8, torch.int64])
def test_the_largest_of_nothing_in_a_given_tensor(dtype: torch.dtype) -> None:
    """PyTorch refuses without the tensor for the result, and answers with it."""
    for function in (torch.max, torch.min):
        wanted = function(torch.empty(0, 3, dtype=dtype), out=torch.empty(0, dtype=dtype))
        found = function(torch.empty(0, 3, dtype=dtype, device="musa"), out=torch.empty(0, dtype=dtype, device="musa"))
        assert torch.equal(found.cpu(), wanted)
        with pytest.raises(RuntimeError, match="Specify the reduction dim"):
            function(torch.empty(0, 3, dtype=dtype, device="musa"))


def test_single_numbers() -> None:
    value = torch.tensor(3.5)
    device = value.to("musa")
    for name in ("sum", "mean", "prod", "amax", "argmin", "all"):
        agree(getattr(torch, name)(device), getattr(torch, name)(value), torch.float32)
    agree(torch.max(device, 0), torch.max(value, 0), torch.float32)


def test_out() -> None:
    value = torch.randn(20, 30)
    device = value.to("musa")
    for out in (torch.empty(0), torch.empty(30, 2)[:, 0], torch.empty(30, dtype=torch.float64)):
        result = out.to("musa") if out.is_contiguous() else torch.empty(30, 2, device="musa")[:, 0]
        agree(torch.sum(device, 0, dtype=out.dtype, out=result), torch.sum(value, 0, dtype=out.dtype), torch.float32)
    values, indices = torch.empty(30, 2, device="musa")[:, 0], torch.empty(30, dtype=torch.long, device="musa")
    torch.max(device, 0, out=(values, indices))
    agree((values, indices), tuple(torch.max(value, 0)), torch.float32)


def test_offsets_beyond_four_gigabytes_of_elements() -> None:
    """A view whose rows lie 2^31 elements apart; the gaps are never touched, so they take no memory."""
    far = torch.empty(2**31 + 1000, dtype=torch.uint8, device="musa").as_strided((2, 1000), (2**31, 1))
    far.copy_(torch.arange(2000).reshape(2, 1000).to(torch.uint8))
    value = far.cpu()
    agree(torch.amax(far, 0), torch.amax(value, 0), torch.uint8)
    agree(torch.amax(far, 1), torch.amax(value, 1), torch.uint8)


@pytest.mark.parametrize("dtype", (*FLOATING, *COMPLEX))
@pytest.mark.parametrize("order", [0, 1, 2, 3.5])
def test_norms_of_nothing(order: float, dtype: torch.dtype) -> None:
    for shape, dim in (((0,), None), ((2, 0), 1), ((2, 0, 3), 1), ((2, 0), 0)):
        value = torch.empty(shape, dtype=dtype)
        agree(
            torch.linalg.vector_norm(value.to("musa"), order, dim), torch.linalg.vector_norm(value, order, dim), dtype
        )


def test_gradients() -> None:
    value = torch.rand(4, 5, dtype=torch.float64, device="musa").add_(0.5).requires_grad_()
    for function in (torch.sum, torch.mean, torch.prod, torch.var, torch.logsumexp, torch.linalg.vector_norm):
        assert torch.autograd.gradcheck(lambda x, call=function: call(x, dim=1), (value,))
