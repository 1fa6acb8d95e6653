"""The operators of pytorch_sparse's device code against dense PyTorch on the CPU, forward and backward.

    python -m tests.programs.pytorch_sparse_operators FOLDER     # of its libraries; one line of JSON

The package's own Python code needs a torch-scatter for MUSA; these are its C++ operators, on random matrices.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from .comparisons import Case, print_differences

SHAPES = ((1, 1, 1), (7, 5, 3), (40, 70, 33), (300, 200, 64), (65, 1000, 1))
TOLERANCE = {torch.float16: 3e-3, torch.float32: 1e-5, torch.float64: 1e-12}
INTEGERS = (torch.int32, torch.int64)


class Matrix:
    """A random sparse matrix: rows that are sorted, and the orders that the operators ask for."""

    def __init__(self, rows: int, columns: int) -> None:
        mask = torch.rand(rows, columns) < min(0.5, 8 / columns)
        if rows > 2:
            mask[1] = False  # a row without entries
        mask[0, 0] = True  # its backward launches no thread, and indexes nothing, for a matrix without entries
        self.shape = (rows, columns)
        self.row, self.col = mask.nonzero(as_tuple=True)
        self.rowptr = torch.cat([torch.zeros(1, dtype=torch.long), mask.sum(1).cumsum(0)])
        self.colptr = torch.cat([torch.zeros(1, dtype=torch.long), mask.sum(0).cumsum(0)])
        self.csr2csc = (self.col * rows + self.row).argsort()
        self.rowcount = mask.sum(1)


def operators() -> Any:
    return torch.ops.torch_sparse


def check(got: Tensor, wanted: Tensor, tolerance: float) -> None:
    found, expected = got.detach().cpu().double(), wanted.detach().double()
    assert found.shape == expected.shape, f"shape {tuple(found.shape)}, not {tuple(expected.shape)}"
    error = (found - expected).abs().max().item() if found.numel() else 0.0
    most = tolerance * max(1.0, expected.abs().max().item() if expected.numel() else 0.0)
    assert error <= most, f"error {error:.3g}, at most {most:.3g}"


def values(shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
    return torch.randint(-9, 9, shape).to(dtype) if dtype in INTEGERS else torch.randn(shape).to(dtype)


def reduced(matrix: Matrix, weight: Tensor, mat: Tensor, reduce: str) -> Tensor:
    """Return the reduction over each row's entries: 0 for a row without entries."""
    entries = weight[:, None] * mat[..., matrix.col, :]
    shape = (*mat.shape[:-2], matrix.shape[0], mat.shape[-1])
    index = matrix.row[:, None].expand_as(entries)
    how = {"sum": "sum", "mean": "sum", "min": "amin", "max": "amax"}[reduce]
    result = torch.zeros(shape, dtype=entries.dtype).scatter_reduce(-2, index, entries, how, include_self=False)
    return result / matrix.rowcount.clamp(min=1)[:, None] if reduce == "mean" else result


def on_device(matrix: Matrix, weight: Tensor | None, mat: Tensor, reduce: str) -> Tensor:
    m = {name: each.musa() for name, each in vars(matrix).items() if isinstance(each, Tensor)}
    ops = operators()
    if reduce == "sum":
        return ops.spmm_sum(m["row"], m["rowptr"], m["col"], weight, m["colptr"], m["csr2csc"], mat)
    if reduce == "mean":
        given = (m["row"], m["rowptr"], m["col"], weight, m["rowcount"], m["colptr"], m["csr2csc"], mat)
        return ops.spmm_mean(*given)
    function = ops.spmm_min if reduce == "min" else ops.spmm_max
    return function(m["rowptr"], m["col"], weight, mat)[0]


def product(reduce: str, shape: tuple[int, int, int], dtype: torch.dtype, batch: tuple[int, ...]) -> None:
    matrix = Matrix(*shape[:2])
    weight, mat = values((len(matrix.row),), dtype), values((*batch, shape[1], shape[2]), dtype)
    if dtype in INTEGERS:
        wanted = reduced(matrix, weight, mat, "sum" if reduce == "mean" else reduce)
        got = on_device(matrix, weight.musa(), mat.musa(), reduce)
        if reduce == "mean":
            wanted = wanted.div(matrix.rowcount.clamp(min=1)[:, None], rounding_mode="trunc")
        assert torch.equal(got.cpu(), wanted), "other values"
        return
    inputs = [each.double().requires_grad_() for each in (weight, mat)]
    wanted = reduced(matrix, inputs[0], inputs[1], reduce)
    device = [each.musa().requires_grad_() for each in (weight, mat)]
    got = on_device(matrix, device[0], device[1], reduce)
    check(got, wanted, TOLERANCE[dtype])
    if batch:
        return  # the values' gradients are those of one matrix
    grad = torch.randn_like(wanted).to(dtype)
    expected = torch.autograd.grad([wanted], inputs, [grad.double()])
    if dtype != torch.float16 or reduce in ("sum", "mean"):  # ties have several extremes
        for each, other in zip(torch.autograd.grad([got], device, [grad.musa()]), expected):
            check(each, other, 20 * TOLERANCE[dtype])


def without_values(reduce: str, shape: tuple[int, int, int]) -> None:
    matrix = Matrix(*shape[:2])
    mat = torch.randn(shape[1], shape[2])
    wanted = reduced(matrix, torch.ones(len(matrix.row), dtype=torch.float64), mat.double(), reduce)
    check(on_device(matrix, None, mat.musa(), reduce), wanted, 1e-5)


def pointers(shape: tuple[int, int, int]) -> None:
    matrix = Matrix(*shape[:2])
    got = operators().ind2ptr(matrix.row.musa(), shape[0])
    assert torch.equal(got.cpu(), matrix.rowptr), "other pointers"
    assert torch.equal(operators().ptr2ind(got, len(matrix.row)).cpu(), matrix.row), "other indices"


def diagonal(shape: tuple[int, int, int], offset: int) -> None:
    matrix = Matrix(*shape[:2])
    rows, columns = shape[:2]
    kept = matrix.col - matrix.row != offset
    row, col = matrix.row[kept], matrix.col[kept]
    on = [(r, r + offset) for r in range(rows) if 0 <= r + offset < columns]
    merged = sorted([(r, c, True) for r, c in zip(row.tolist(), col.tolist())] + [(*each, False) for each in on])
    got = operators().non_diag_mask(row.musa(), col.musa(), rows, columns, offset)
    assert got.cpu().tolist() == [each[2] for each in merged], "other mask"


def walks() -> None:
    columns = 50
    mask = torch.rand(columns, columns) < 0.2
    mask[torch.arange(columns), (torch.arange(columns) + 1) % columns] = True
    col = mask.nonzero(as_tuple=True)[1]
    rowptr = torch.cat([torch.zeros(1, dtype=torch.long), mask.sum(1).cumsum(0)])
    start = torch.randint(0, columns, (2000,))
    walk = operators().random_walk(rowptr.musa(), col.musa(), start.musa(), 6).cpu()
    assert walk.shape == (2000, 7) and torch.equal(walk[:, 0], start), "other starts"
    assert mask[walk[:, :-1], walk[:, 1:]].all(), "a step along no edge"
    reached = torch.zeros_like(mask)
    reached[walk[:, :-1].flatten(), walk[:, 1:].flatten()] = True
    assert (reached == mask).float().mean() > 0.99, "edges that no walk takes"


def version() -> None:
    assert str(operators().musa_version()) == torch.version.musa, "the package refuses to be imported"


def products() -> Iterator[Case]:
    for reduce in ("sum", "mean", "min", "max"):
        for shape in SHAPES:
            for dtype in (*TOLERANCE, *INTEGERS):
                for batch in ((), (3,)):
                    given = (reduce, shape, dtype, batch)
                    yield f"spmm_{reduce} {shape} {dtype} {batch}", partial(product, *given)
            yield f"spmm_{reduce} {shape} no values", partial(without_values, reduce, shape)


def conversions() -> Iterator[Case]:
    for shape in SHAPES:
        yield f"pointers {shape}", partial(pointers, shape)


def diagonals() -> Iterator[Case]:
    for shape in SHAPES[1:]:
        for offset in (-2, 0, 1):
            yield f"non_diag_mask {shape} {offset}", partial(diagonal, shape, offset)


#: the comparisons of each extension, by its name
CASES: dict[str, Callable[[], Iterator[Case]]] = {
    "spmm": products,
    "convert": conversions,
    "diag": diagonals,
    "rw": lambda: iter([("random_walk", walks)]),
    "version": lambda: iter([("musa_version", version)]),
}


def main() -> None:
    """Compare, and print what differed ("" if nothing did) by the comparisons' names."""
    built = {path.stem.lstrip("_"): path for path in sorted(Path(sys.argv[1]).glob("torch_sparse/*.so"))}
    for library in built.values():
        torch.ops.load_library(str(library))
    print_differences(case for extension in CASES if extension in built for case in CASES[extension]())


if __name__ == "__main__":
    main()
