"""Indexing, gather and scatter against PyTorch's CPU: types, strides, negative, repeated and wrong indices."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Optional

import pytest
import torch
from torch import Tensor

from .compare import ALL, FLOATING, INTEGRAL, agree, assert_native, compare, computed_by_cpu, numbers, on_device

PROGRAMS = Path(__file__).with_name("programs")

REALS = tuple(dtype for dtype in (*FLOATING, *INTEGRAL) if dtype != torch.bool)
#: operators of the library; the CPU must not have computed them
NATIVE = {
    "index.Tensor", "_index_put_impl_", "index_fill_.int_Scalar", "index_copy.out", "index_select", "index_add.out",
    "index_reduce.out", "take", "put_", "gather.out", "scatter.src_out", "scatter.value_out", "scatter.reduce_out",
    "scatter_add.out", "scatter_reduce.two_out", "index_select.out", "take.out",
}  # fmt: skip


@pytest.fixture(autouse=True)
def computed_by_kernels() -> Any:
    yield
    assert not {f"aten::{name}" for name in NATIVE} & computed_by_cpu()


def rows(*values: int) -> Tensor:
    return torch.tensor(values)


#: name -> indices of a tensor of the shape (5, 4, 6)
INDICES: dict[str, tuple[Any, ...]] = {
    "rows": (rows(0, 4, -1, 2, 2),),
    "columns": (slice(None), rows(3, -4, 0)),
    "last": (slice(None), slice(None), rows(5, 5, -6)),
    "points": (rows(0, 1, -1), rows(3, 2, 1), rows(0, -1, 2)),
    "two": (rows(0, 1, -1), rows(3, 2, 1)),
    "apart": (rows(0, 1, -1), slice(None), rows(0, -1, 2)),
    "broadcast": (rows(0, 1, -1)[:, None], rows(3, 2, 1, 0)[None]),
    "matrix": (torch.tensor([[0, 4], [-1, 3]]),),
    "number": (torch.tensor(2),),
    "none": (torch.empty(0, dtype=torch.long),),
    "mask": (torch.tensor([True, False, True, True, False]),),
    "masks": (torch.arange(20).reshape(5, 4) % 3 == 0,),
    "int32": (torch.tensor([1, -2], dtype=torch.int32),),
}


def layouts(value: Tensor) -> list[Tensor]:
    """The same numbers without gaps, with dimensions in another order, with gaps."""
    order = tuple(reversed(range(value.dim())))
    gaps = torch.zeros((*value.shape[:-1], value.shape[-1] * 2), dtype=value.dtype)[..., ::2].copy_(value)
    return [value, value.permute(order).contiguous().permute(order), gaps]


PUT = torch.ops.aten.index_put_.default  # the method takes no None among the indices


def moved(indices: tuple[Any, ...], like: Tensor) -> tuple[Any, ...]:
    return tuple(i.to(like.device) if isinstance(i, Tensor) else i for i in indices)


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("name", INDICES)
def test_index(name: str, dtype: torch.dtype) -> None:
    indices = INDICES[name]
    for value in layouts(numbers((5, 4, 6), dtype)):
        compare(lambda x: x[moved(indices, x)], value)
        shape = value[indices].shape
        for values in (numbers(shape, dtype), numbers(shape[-1:], dtype)):
            if name not in ("rows", "last", "matrix"):  # a repeated index: any of the values may stay
                compare(lambda x, v: x.__setitem__(moved(indices, x), v), value, values)
            compare(lambda x, v: PUT(x, tensors(indices, x), v, True), value, values, close=sums(dtype))


def tensors(indices: tuple[Any, ...], like: Tensor) -> list[Optional[Tensor]]:
    return [i.to(like.device) if isinstance(i, Tensor) else None for i in indices]


def sums(dtype: torch.dtype) -> dict[str, float]:
    return {"rtol": 2e-2, "atol": 5e-2} if dtype.itemsize == 2 else {"rtol": 1e-4, "atol": 1e-5}


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_sums_at_repeated_indices_are_rounded_once(dtype: torch.dtype) -> None:
    """In a sum of two bytes, 0.25 added to 4096 is lost."""
    value, index, addends = torch.full((3,), 4096.0, dtype=dtype), torch.arange(3000) % 2, torch.full((3000,), 0.25)
    put = value.to("musa").index_put((index.to("musa"),), addends.to(dtype).to("musa"), accumulate=True)
    exact = value.float().index_put((index,), addends, accumulate=True)
    assert put.dtype == dtype and torch.equal(put.cpu(), exact.to(dtype))


#: name -> a function that changes numbers at repeated indices of a matrix of 7 x 5
CHANGES: dict[str, Callable[..., Tensor]] = {
    "index_put of rows": lambda x, i, s: x.index_put((i % 7,), s, accumulate=True),
    "index_put of points": lambda x, i, s: x.index_put((i % 7, i % 5), s[:, 0], accumulate=True),
    "index_put of a matrix": lambda x, i, s: x.index_put((i.reshape(20, 20) % 7,), s.reshape(20, 20, 5), True),
    "index_put of columns": lambda x, i, s: x.index_put_((torch.arange(7)[:, None].to(x.device), i % 5), s.T[:1], True),
    "replaced rows": lambda x, i, s: x.index_put((i % 7,), s),
    "replaced points": lambda x, i, s: x.index_put((i % 7, i % 5), s[:, 0]),
    "index_add": lambda x, i, s: x.index_add(0, i % 7, s),
    "index_add of columns": lambda x, i, s: x.t().index_add(1, i % 7, s.t()),
    "index_reduce": lambda x, i, s: x.index_reduce(0, i % 7, s / 4 + 1, "prod"),
    "scatter_add": lambda x, i, s: x.scatter_add(0, (i[:, None] * torch.arange(1, 6).to(x.device)) % 7, s),
    "put": lambda x, i, s: x.put_(i[:, None].expand_as(s).contiguous() % 35, s, accumulate=True),
}  # fmt: skip


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.complex64, torch.int16, torch.complex128])
@pytest.mark.parametrize("name", CHANGES)
def test_deterministic_changes_are_the_cpus(name: str, dtype: torch.dtype) -> None:
    """In the order of the index: to the last bit, whatever the order of the threads."""
    if name == "index_reduce" and not dtype.is_floating_point:
        pytest.skip("its factors are fractions, and PyTorch has no complex ones here")
    value, source, index = numbers((7, 5), dtype), numbers((400, 5), dtype), torch.randint(0, 1000, (400,))
    expected = CHANGES[name](value.clone(), index, source)
    torch.use_deterministic_algorithms(True)
    try:
        found = CHANGES[name](value.to("musa"), index.to("musa"), source.to("musa"))
    finally:
        torch.use_deterministic_algorithms(False)
    assert torch.equal(found.cpu(), expected)


ANY_ORDER = (PROGRAMS / "sums_in_any_order.py").read_text(encoding="utf-8")


def test_the_order_of_threads_shows_in_other_sums_only() -> None:
    """Without the promise they depend on who comes first, as on a card: the test above can fail."""
    environment = {**os.environ, "MUSA_SIM_SEED": "7"}
    for promise, same in (("", "False"), ("torch.use_deterministic_algorithms(True)", "True")):
        program = ANY_ORDER.replace("operands =", f"{promise}\noperands =")
        done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
        assert done.stdout.split() == [same], done.stderr


#: name -> (function of (self, dim, index of one dimension, source), types)
ALONG: dict[str, tuple[Callable[..., Any], tuple[torch.dtype, ...]]] = {
    "index_select": (lambda x, dim, i, s: x.index_select(dim, i), ALL),
    "index_fill": (lambda x, dim, i, s: x.index_fill(dim, i.long(), 3), ALL),
    "index_fill_tensor": (lambda x, dim, i, s: x.index_fill(dim, i.long(), x.new_ones(())), ALL),
    "index_copy": (lambda x, dim, i, s: x.index_copy(dim, i.long(), s), ALL),
    "index_add": (lambda x, dim, i, s: x.index_add(dim, i, s), ALL),
    "index_add_alpha": (lambda x, dim, i, s: x.index_add_(dim, i, s, alpha=2), REALS),
    **{
        f"index_reduce_{reduce}_{include}": (
            lambda x, dim, i, s, reduce=reduce, include=include: x.index_reduce(
                dim, i, s, reduce, include_self=include
            ),
            REALS,
        )
        for reduce in ("prod", "mean", "amax", "amin")
        for include in (True, False)
    },
}


@pytest.mark.parametrize("name", ALONG)
def test_along_a_dimension(name: str) -> None:
    function, types = ALONG[name]
    for dtype in types:
        for value in layouts(numbers((5, 4, 6), dtype)):
            for dim, indices in ((0, (4, 0, 2)), (-2, (3, 1)), (2, ()), (1, (0, 1, 2, 3))):
                for index_type in (torch.int64, torch.int32):
                    shape = list(value.shape)
                    shape[dim] = len(indices)
                    index = torch.tensor(indices, dtype=index_type)
                    source = numbers(shape, dtype)
                    for s in (source, source.transpose(0, 1).contiguous().transpose(0, 1)):
                        compare(function, value, dim, index, s, close=sums(dtype))
        compare(function, numbers((), dtype), 0, torch.tensor([0]), numbers((1,), dtype)[0], close=sums(dtype))
        if "add" in name or "reduce" in name:  # repeated indices
            source = numbers((5, 4), dtype) % 3 if dtype in INTEGRAL[:-1] else numbers((5, 4), dtype)
            compare(function, numbers((3, 4), dtype), 0, rows(0, 0, 0, 0, 0), source, close=sums(dtype))


def distinct(shape: list[int], dim: int, size: int) -> Tensor:
    """Indices below `size`, four along `dim`, none of them twice there."""
    return torch.rand([size if d == dim else n for d, n in enumerate(shape)]).argsort(dim).narrow(dim, 0, 4)


REDUCTIONS = ("sum", "prod", "mean", "amax", "amin")
#: name -> (function of (self, dim, index, source), types)
GATHERING: dict[str, tuple[Callable[..., Any], tuple[torch.dtype, ...]]] = {
    "gather": (lambda x, dim, i, s: x.gather(dim, i), ALL),
    "scatter": (lambda x, dim, i, s: x.scatter(dim, i, s), ALL),
    "scatter_value": (lambda x, dim, i, s: x.scatter(dim, i, 3), ALL),
    "scatter_add": (lambda x, dim, i, s: x.scatter_add(dim, i, s), ALL),
    "scatter_multiply": (lambda x, dim, i, s: x.scatter(dim, i, s, reduce="multiply"), REALS),
    "scatter_value_add": (lambda x, dim, i, s: x.scatter(dim, i, 2, reduce="add"), REALS),
    **{
        f"scatter_reduce_{reduce}_{include}": (
            lambda x, dim, i, s, reduce=reduce, include=include: x.scatter_reduce(
                dim, i, s, reduce, include_self=include
            ),
            REALS,
        )
        for reduce in REDUCTIONS
        for include in (True, False)
    },
}


@pytest.mark.parametrize("name", GATHERING)
def test_gather_and_scatter(name: str) -> None:
    function, types = GATHERING[name]
    for dtype in types:
        for value in layouts(numbers((5, 4, 6), dtype)):
            for dim in range(3):
                index = distinct([3, 4, 5], dim, value.shape[dim])
                index = index if name == "scatter" else index % 3  # of several values, any may stay
                source = numbers((5, 6, 7), dtype)
                for i, s in ((index, source), (index.int(), source.transpose(0, 2).contiguous().transpose(0, 2))):
                    compare(function, value, dim, i, s, close=sums(dtype))
        compare(function, numbers((), dtype), 0, torch.tensor([0]), numbers((1,), dtype), close=sums(dtype))
        compare(function, numbers((4, 3), dtype), 1, torch.empty((4, 0), dtype=torch.long), numbers((4, 3), dtype))


@pytest.mark.parametrize(
    "dtype", [torch.uint8, torch.half, torch.float, torch.double, torch.complex64, torch.complex128], ids=str
)
def test_rows_of_any_width_and_alignment(dtype: torch.dtype) -> None:
    # elements of a row may be moved together, where size, distance and address allow it
    base = numbers((41, 50), dtype)
    for start in (0, 1, 2, 4, 8, 16):
        for width in (1, 2, 3, 4, 7, 8, 16, 33):
            beside = base.reshape(-1)[start:].narrow(0, 0, 40 * width).view(40, width)
            for value in (base[:, start : start + width], beside):
                read = torch.randint(-40, 40, (30,))
                written = torch.randperm(40)[:30]
                source = numbers((30, width + 3), dtype)[:, 1 : 1 + width]
                compare(lambda x, i: x[i], value, read)
                compare(lambda x, i: x.index_select(0, i), value, written)
                compare(lambda x, i, s: x.index_put((i,), s), value, written, source)
                compare(lambda x, i, s: x.index_copy(0, i, s), value, written, source)


@pytest.mark.parametrize(
    "name", [name for name in GATHERING if "add" in name or "reduce" in name or "multiply" in name]
)
def test_scatter_of_many_lines(name: str) -> None:
    # a thread each has a line, and a number of its elements
    function, types = GATHERING[name]
    for dtype in types:
        value = numbers((9, 31, 40), dtype)
        for dim in range(3):
            index = torch.randint(0, value.shape[dim], (8, 30, 33))
            source = numbers((8, 32, 35), dtype)
            for x, i, s in (
                (value, index, source),
                (value.transpose(0, 2).contiguous().transpose(0, 2), index.int(), source),
                (value, index.transpose(1, 2).contiguous().transpose(1, 2), source.flip(0)),
            ):
                compare(function, x, dim, i, s, close=sums(dtype))


def test_sums_of_many_lines_are_in_the_order_of_the_index() -> None:
    value, index, source = torch.randn(300, 50), torch.randint(0, 50, (300, 400)), torch.randn(300, 400)
    expected = value.double().scatter_add(1, index, source.double())
    found = value.musa().scatter_add(1, index.musa(), source.musa())
    torch.testing.assert_close(found.cpu().double(), expected, rtol=1e-4, atol=1e-4)
    in_order = value.clone()
    for k in range(index.shape[1]):
        in_order[torch.arange(300), index[:, k]] += source[:, k]
    assert torch.equal(found.cpu(), in_order)


@pytest.mark.parametrize("dtype", ALL)
def test_take_and_put(dtype: torch.dtype) -> None:
    for value in layouts(numbers((5, 4, 6), dtype)):
        for index in (torch.tensor([[0, 119], [-1, 7]]), torch.tensor(3), torch.empty(0, dtype=torch.long)):
            compare(torch.take, value, index)
            compare(
                lambda x, i, s: x.put_(i, s, accumulate=True),
                value,
                index,
                numbers(index.shape, dtype),
                close=sums(dtype),
            )
        compare(lambda x, i, s: x.put_(i, s), value, torch.tensor([0, 3, -1]), numbers((3,), dtype))
        out = torch.empty(0, dtype=dtype, device="musa")
        agree(
            torch.take(on_device(value), torch.tensor([5, 6], device="musa"), out=out), value.take(torch.tensor([5, 6]))
        )


def test_results_in_given_tensors() -> None:
    value, index = torch.randn(5, 6), torch.tensor([[1, 2], [3, 0]])
    for out in (torch.empty(0), torch.empty(2, 2), torch.empty(2, 4)[:, ::2]):
        agree(torch.gather(value.to("musa"), 1, index.to("musa"), out=on_device(out)), value.gather(1, index))
        agree(torch.index_select(value.to("musa"), 0, index[0].to("musa"), out=on_device(out)), value[index[0]])


def test_gradients() -> None:
    value = torch.randn(5, 6, dtype=torch.float64)
    index = torch.tensor([[1, 2, 2], [3, 0, 1]])
    for function in (
        lambda x: x[index[0].to(x.device)],
        lambda x: x[index[0].to(x.device), index[1].to(x.device)],
        lambda x: x.gather(1, index.to(x.device)),
        lambda x: x.index_select(1, index[0].to(x.device)),
        lambda x: x.scatter_add(1, index.to(x.device), x[:2, :3]),
        lambda x: x.index_add(0, index[0].to(x.device), x[:3]),
        lambda x: x.take(index.to(x.device)),
    ):
        compare(function, value.clone().requires_grad_(), gradients=True)


@pytest.mark.parametrize(
    "operation", ["x[i]", "x.gather(0, i)", "x.index_select(0, i)", "x.scatter_(0, i, x.clone())", "x.take(i)"]
)
def test_wrong_indices_are_asserted(operation: str) -> None:
    """As on CUDA, the kernel ends at a wrong index; the error comes with the next call that waits."""
    operands = "x = torch.ones(4, device='musa'); i = torch.tensor([9], device='musa')"
    program = f"import torch; {operands}; {operation}; torch.musa.synchronize()"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode != 0
    assert "index out of bounds" in done.stderr


@pytest.mark.parametrize("dtype", INTEGRAL)
def test_a_fraction_of_integers(dtype: torch.dtype) -> None:
    """A number becomes one of the tensors' type first."""
    value, source, index = numbers((4, 5), dtype), numbers((6, 5), dtype), torch.randint(0, 4, (6,))
    for alpha in (2.0, 1.5, 0.5):
        compare(torch.index_add, value, 0, index, source, keywords={"alpha": alpha})
        if dtype not in (torch.bool, torch.uint8):
            compare(torch.index_add, value, 0, index, source, keywords={"alpha": -alpha})


@pytest.mark.parametrize("index_type", (torch.int64, torch.int32))
def test_rows_of_sparse_matrices(index_type: torch.dtype) -> None:
    for rows, count in ((6, 40), (1, 3), (9, 0), (1000, 20)):
        indices = torch.randint(0, rows, (count,)).sort().values.to(index_type)
        for narrow in (False, True):
            compare(torch._convert_indices_from_coo_to_csr, indices, rows, keywords={"out_int32": narrow})
    for batch in ((), (3,), (2, 3)):
        for transpose in (False, True):
            one = torch._convert_indices_from_coo_to_csr(torch.tensor([0, 0, 2, 4, 4, 4]), 6).to(index_type)
            begins = one.expand(*batch, 7).contiguous()
            columns = torch.randint(0, 5, (*batch, 6)).to(index_type)
            for narrow in (False, True):
                compare(
                    torch._convert_indices_from_csr_to_coo, begins, columns,
                    keywords={"out_int32": narrow, "transpose": transpose},
                )  # fmt: skip
    assert_native("_convert_indices_from_coo_to_csr.out", "_convert_indices_from_csr_to_coo.out")
