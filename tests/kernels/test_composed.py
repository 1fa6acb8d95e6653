"""cat, roll, trace, indices of triangles, products of vectors and others against PyTorch's CPU."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from .compare import ALL, COMPLEX, FLOATING, INTEGERS, INTEGRAL, agree, assert_native, compare, numbers, on_device


@pytest.mark.parametrize("dtype", ALL)
def test_cat_and_roll(dtype: torch.dtype) -> None:
    a, b, c = numbers((4, 5), dtype), numbers((3, 5), dtype), numbers((5, 2), dtype).t()
    compare(torch.cat, [a, b, c])
    compare(torch.cat, [a.t(), c.t(), torch.empty(0, dtype=dtype), a.t()[:, :0]], 1)
    compare(torch.stack, [a, a.flip(0), a.t().contiguous().t()], 1)
    compare(torch.roll, a, 2)
    compare(torch.roll, c, (1, -2), (0, 1))
    out = torch.empty(9, 10, dtype=dtype, device="musa")[:, ::2]
    agree(torch.cat([a.to("musa"), b.to("musa"), c.to("musa")], out=out), torch.cat([a, b, c]))
    assert_native("cat.out", "roll")


def test_cat_of_several_types() -> None:
    compare(torch.cat, [numbers((3, 2), torch.int64), numbers((1, 2), torch.float16), numbers((2, 2), torch.bool)])
    value = torch.randn(2, 3, 4, 5).to(memory_format=torch.channels_last)
    agree(torch.cat([on_device(value)] * 2), torch.cat([value] * 2))
    assert torch.cat([on_device(value)] * 2).is_contiguous(memory_format=torch.channels_last)


@pytest.mark.parametrize("offset", (-9, -3, -1, 0, 1, 2, 9))
@pytest.mark.parametrize("shape", ((4, 4), (3, 6), (6, 3), (1, 1), (0, 3), (3, 0)))
def test_indices_of_triangles(shape: tuple[int, int], offset: int) -> None:
    for indices in (torch.tril_indices, torch.triu_indices):
        for dtype in (torch.int64, torch.int32):
            wanted = indices(*shape, offset, dtype=dtype)
            assert torch.equal(indices(*shape, offset, dtype=dtype, device="musa").cpu(), wanted)
    assert_native("tril_indices", "triu_indices")


@pytest.mark.parametrize("dtype", (*FLOATING, *INTEGRAL))
def test_sums_of_a_kind(dtype: torch.dtype) -> None:
    value = numbers((4, 6), dtype)
    close = {"rtol": 2e-2, "atol": 2e-2} if dtype.itemsize == 2 else {}
    if dtype != torch.bool:  # the CPU has no such function
        compare(torch.trace, value, close=close)
    compare(torch.count_nonzero, value.t(), 0)
    compare(torch.count_nonzero, value, (0, 1))
    other = value.clone()
    other[2, 3] = 1 if other[2, 3] != 1 else 0
    for left, right in ((value, value.clone()), (value, other), (value, value[:3]), (value[:0], value[:0])):
        assert torch.equal(left.to("musa"), on_device(right.t().contiguous().t())) == torch.equal(left, right)
    for kind in (torch.int16, torch.float32, torch.bool):
        for right in (value.to(kind), other.to(kind)):
            assert torch.equal(value.to("musa"), right.to("musa")) == torch.equal(value, right)
    assert_native("trace", "count_nonzero.dim_IntList", "equal")


@pytest.mark.parametrize("dtype", (*FLOATING, *INTEGERS, *COMPLEX))
def test_products_of_vectors(dtype: torch.dtype) -> None:
    matrix, a, b = numbers((4, 6), dtype), numbers((4,), dtype), numbers((6,), dtype)
    close = {"rtol": 2e-2, "atol": 2e-2} if dtype.itemsize == 2 else {}
    compare(torch.addr, matrix, a, b, close=close)
    compare(torch.addr, matrix, a, b, keywords={"beta": 2, "alpha": 3}, close=close)
    compare(torch.addr, matrix.t(), b, a, keywords={"beta": 0}, close=close)
    compare(torch.linalg.cross, numbers((5, 3), dtype), numbers((3, 5), dtype).t(), close=close)
    compare(torch.linalg.cross, numbers((3, 5), dtype), numbers((3, 1), dtype), keywords={"dim": 0}, close=close)
    assert_native("addr", "addr.out", "linalg_cross.out")


@pytest.mark.parametrize("dtype", (*FLOATING, *INTEGERS))
def test_membership(dtype: torch.dtype) -> None:
    value = numbers((7, 5), dtype).round()
    for tests in (torch.arange(4).to(dtype), value[:2].t().contiguous(), torch.empty(0, dtype=dtype)):
        for invert in (False, True):
            compare(torch.isin, value, tests, keywords={"invert": invert})
    compare(torch.isin, value.t(), 1)
    compare(torch.isin, 1, value.t())
    assert_native("isin.Tensor_Tensor_out", "isin.Scalar_Tensor_out", "isin.Tensor_Scalar_out")


@pytest.mark.parametrize("dtype", (torch.float32, torch.float64))
def test_windows_norms_and_parts(dtype: torch.dtype) -> None:
    for size, step in ((3, 1), (3, 2), (2, 3), (5, 5)):
        for dim in (0, 1):
            value = torch.randn(11, 7, dtype=dtype, requires_grad=True)
            compare(lambda x, d=dim, s=size, t=step: x.unfold(d, s, t), value, gradients=True)
    compare(lambda x: x.unfold(0, 1, 1), torch.randn((), dtype=dtype, requires_grad=True), gradients=True)
    value = torch.randn(5, 6, 7, dtype=dtype)
    for p, dim in ((2, 0), (1, 1), (3, -1)):
        compare(torch.renorm, value, p, dim, 4.0)
    compare(lambda x: torch.frexp(x), torch.tensor([0.0, 1.0, -3.5, 1e-30, 1e30, 0.75], dtype=dtype))
    compare(lambda x: torch.frexp(x), value.transpose(0, 2))
    compare(torch.mvlgamma, value.abs() + 3, 3, close={"rtol": 1e-4, "atol": 1e-4})
    compare(torch.rsub, value, 2.0)
    compare(lambda x: torch.isnan(x), value)
    pairs = torch.randn(4, 2, dtype=dtype)
    compare(lambda x: torch.view_as_complex(x), pairs)
    compare(lambda x: torch.view_as_real(torch.view_as_complex(x)), pairs)
    native = ("unfold", "unfold_backward", "renorm.out", "frexp.Tensor_out", "mvlgamma.out", "rsub.Tensor", "isnan")
    assert_native(*native, "view_as_real", "view_as_complex")


def test_second_gradient_of_glu() -> None:
    value: Tensor = torch.randn(3, 8, dtype=torch.float64, device="musa").requires_grad_()
    assert torch.autograd.gradgradcheck(lambda x: torch.nn.functional.glu(x, -1), (value,))
    assert_native("glu_backward_jvp", "glu_jvp", "glu_backward")


@pytest.mark.parametrize("dtype", FLOATING)
def test_weight_norm(dtype: torch.dtype) -> None:
    for dim, sizes in ((0, (4, 1, 1)), (2, (1, 1, 6))):
        v, g = torch.randn(4, 5, 6).to(dtype).requires_grad_(), torch.rand(sizes).to(dtype).requires_grad_()
        close = {"rtol": 3e-2, "atol": 3e-2} if dtype.itemsize == 2 else {"rtol": 1e-4, "atol": 1e-5}
        compare(lambda x, y, d=dim: torch._weight_norm(x, y, d), v, g, gradients=True, close=close)
    assert_native("_weight_norm_interface", "_weight_norm_interface_backward")


def test_channels_and_assertions() -> None:
    compare(torch.channel_shuffle, torch.randn(2, 6, 3, 4), 3)
    torch._assert_async(torch.ones((), device="musa"))
    with pytest.raises(RuntimeError, match="why"):
        torch._assert_async(torch.zeros((), device="musa"), "why")
    assert_native("channel_shuffle", "_assert_async", "_assert_async.msg")
