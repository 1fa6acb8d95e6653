"""Products of matrices and vectors against PyTorch's CPU, over types, strides, conjugates, empty operands, `out`."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from .compare import COMPLEX, FLOATING, agree, assert_native, compare, computed_by_cpu, numbers, on_device

TYPES = (*FLOATING, *COMPLEX)
#: sizes of (batch, rows, inner, columns)
SIZES = ((1, 1, 1, 1), (2, 3, 5, 7), (3, 16, 33, 8), (2, 4, 0, 3), (0, 2, 3, 4), (2, 0, 3, 4), (1, 1, 6, 1))
NAMES = {"mm", "addmm.out", "bmm.out", "baddbmm.out", "addmv.out", "dot", "vdot", "addbmm", "mm.out"}


def layouts(value: Tensor) -> list[Tensor]:
    """The same matrices by rows, by columns, with gaps, with gaps in rows; complex ones conjugated, too."""
    by_columns = value.mT.contiguous().mT
    gaps = torch.zeros((*value.shape[:-1], value.shape[-1] * 2), dtype=value.dtype)[..., ::2].copy_(value)
    rows = torch.zeros((*value.shape[:-1], value.shape[-1] + 3), dtype=value.dtype)[..., : value.shape[-1]].copy_(value)
    conjugated = [value.conj_physical().conj(), by_columns.conj_physical().conj()] if value.is_complex() else []
    return [value, by_columns, gaps, rows, *conjugated]


def tolerances(dtype: torch.dtype) -> dict[str, float]:
    return {"rtol": 2e-2, "atol": 5e-2} if dtype.itemsize == 2 else {"rtol": 1e-5, "atol": 1e-5}


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("size", SIZES)
def test_products(dtype: torch.dtype, size: tuple[int, int, int, int]) -> None:
    batch, rows, inner, columns = size
    close = tolerances(dtype)
    left, right = numbers((batch, rows, inner), dtype), numbers((batch, inner, columns), dtype)
    added = numbers((batch, rows, columns), dtype)
    for a, b in zip(layouts(left), reversed(layouts(right))):
        compare(torch.bmm, a, b, close=close)
        compare(torch.baddbmm, added, a, b, keywords={"beta": 0.5, "alpha": 2}, close=close)
        compare(torch.baddbmm, torch.full_like(added, torch.nan), a, b, keywords={"beta": 0}, close=close)
        compare(torch.addbmm, added.sum(0), a, b, close=close)
        if batch:
            compare(torch.mm, a[0], b[0], close=close)
            compare(torch.addmm, added[0, :, :1], a[0], b[0], keywords={"alpha": -1}, close=close)
            compare(torch.addmv, added[0, :, 0] if columns else added.new_zeros(rows), a[0], a[0].sum(0), close=close)
    assert not {f"aten::{name}" for name in NAMES} & computed_by_cpu()


@pytest.mark.parametrize("dtype", TYPES)
def test_vectors(dtype: torch.dtype) -> None:
    close = tolerances(dtype)
    for count in (0, 1, 5, 1000):
        a, b = numbers((count,), dtype), numbers((count * 3,), dtype)[::3]
        for function in (torch.dot, torch.vdot):
            compare(function, a, b, close={**close, "atol": 1.0 if dtype.itemsize == 2 else 1e-3})
            compare(function, a.conj(), b, close={**close, "atol": 1.0 if dtype.itemsize == 2 else 1e-3})
    matrix = numbers((6, 9), dtype)
    for m in (matrix, matrix.t().contiguous().t(), numbers((6, 18), dtype)[:, ::2]):
        for vector in (numbers((9,), dtype), numbers((27,), dtype)[::3], numbers((1,), dtype).expand(9)):
            compare(torch.mv, m, vector, close=close)
    assert not {"aten::dot", "aten::vdot", "aten::addmv.out"} & computed_by_cpu()


def test_results_in_given_tensors() -> None:
    a, b, c = torch.randn(4, 5), torch.randn(5, 6), torch.randn(4, 6)
    for out in (torch.empty(0), torch.empty(4, 6), torch.empty(6, 4).t(), torch.empty(4, 18)[:, ::3]):
        given = on_device(out)
        torch.mm(a.to("musa"), b.to("musa"), out=given)
        agree(given, a @ b)
        torch.addmm(c.to("musa"), a.to("musa"), b.to("musa"), beta=2, out=given)
        agree(given, torch.addmm(c, a, b, beta=2))
    compare(lambda x, y, z: z.addmm_(x, y, beta=3), a, b, c)
    compare(lambda x, y, z: z.t().addmm_(y.t(), x.t(), beta=3), a, b, c)
    compare(lambda x, y, z: z.addmv_(x, y, beta=3), a, b[:, 0], c[:, 0])
    batch = torch.randn(3, 4, 6)
    compare(lambda x, y, z: z.baddbmm_(x, y), a.expand(3, 4, 5), b.expand(3, 5, 6), batch)
    assert not computed_by_cpu() & {"aten::mm.out", "aten::addmm.out"}


@pytest.mark.parametrize(
    "function",
    [
        torch.mm,
        lambda a, b: torch.addmm(a @ b, a, b),
        lambda a, b: torch.nn.functional.linear(a, b.t(), a[0, 0] + b[0]),
    ],
)
def test_gradients(function: Callable[..., Tensor]) -> None:
    a, b = torch.randn(3, 4, dtype=torch.float64), torch.randn(4, 5, dtype=torch.float64)
    compare(function, a.requires_grad_(), b.requires_grad_(), gradients=True)


@pytest.mark.parametrize("out_dtype", (torch.float32, torch.bfloat16, None))
@pytest.mark.parametrize("by_rows", (False, True))
def test_products_of_eight_bit_floats(by_rows: bool, out_dtype: torch.dtype | None) -> None:
    left = torch.randn(32, 48).to(torch.float8_e4m3fn)
    right = torch.randn(64, 48).to(torch.float8_e4m3fn).t()
    scales = (torch.rand(32, 1) + 0.5, torch.rand(1, 64) + 0.5) if by_rows else (torch.tensor(0.7), torch.tensor(1.3))
    bias = torch.randn(64, dtype=torch.bfloat16) if out_dtype == torch.bfloat16 else None
    wanted = (left.double() * scales[0]) @ (right.double() * scales[1])
    wanted = wanted if bias is None else wanted + bias.double()
    given = [each.to("musa") for each in (left, right, *scales)]
    found = torch._scaled_mm(*given, bias=bias if bias is None else bias.to("musa"), out_dtype=out_dtype)
    assert found.dtype == (out_dtype or torch.float8_e4m3fn)
    close = {torch.float32: 1e-4, torch.bfloat16: 1e-2}.get(found.dtype, 0.07)
    torch.testing.assert_close(found.cpu().double(), wanted, rtol=close, atol=close)
    result = torch.empty(32, 64, device="musa", dtype=found.dtype)
    torch._scaled_mm(*given, bias=bias if bias is None else bias.to("musa"), out_dtype=out_dtype, out=result)
    assert torch.equal(result.cpu().double(), found.cpu().double())
    assert_native("_scaled_mm", "_scaled_mm.out", "mm.out")


def test_refusals() -> None:
    a = torch.ones(3, 3, device="musa")
    with pytest.raises(RuntimeError, match="not implemented for 'Int'"):
        torch.mm(a.int(), a.int())
    with pytest.raises(RuntimeError, match="cannot be multiplied"):
        torch.mm(a, a[:2])
    with pytest.raises(RuntimeError, match="1D tensors expected"):
        torch.dot(a, a[0])
    with pytest.raises(RuntimeError, match="same dtype"):
        torch.dot(a[0], a[0].double())
