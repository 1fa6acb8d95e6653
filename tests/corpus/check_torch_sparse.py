"""torch-sparse on `musa` against its own CPU code, forward and backward."""

from __future__ import annotations

from itertools import product

import torch
from comparing import on_both, run_all
from torch_sparse import SparseTensor, coalesce, spmm, spspmm, transpose

SPARSE = torch.ops.torch_sparse
SIZES = ((1, 1, 0.9), (7, 5, 0.4), (40, 70, 0.1), (300, 9, 0.2))  # rows, columns, share of values; some rows are empty
WIDTHS = (1, 7, 33, 100)


def matrix(rows: int, columns: int, share: float) -> tuple[torch.Tensor, torch.Tensor]:
    """Where the values of a sparse matrix are, sorted by rows. There is at least one."""
    present = torch.rand(rows, columns) < share
    present[rows // 2, columns // 2] = True
    row, column = present.nonzero().unbind(1)
    return row.contiguous(), column.contiguous()


def product_of(
    reduce: str, rows: int, columns: int, row: torch.Tensor, column: torch.Tensor, *given: torch.Tensor
) -> torch.Tensor:
    """The matrix with the values given, or with ones, times what is given last."""
    *values, dense = given
    value = values[0] if values else None
    sparse = SparseTensor(row=row, col=column, value=value, sparse_sizes=(rows, columns), is_sorted=True)
    return sparse.matmul(dense, reduce=reduce)


def check_products() -> None:
    for (rows, columns, share), width, batch in product(SIZES, WIDTHS, ((), (3,))):
        row, column = matrix(rows, columns, share)
        for dtype, reduce in product((torch.float32, torch.float64), ("sum", "mean", "min", "max")):
            value = torch.randn(len(row), dtype=dtype, requires_grad=True)
            dense = torch.randn(*batch, columns, width, dtype=dtype, requires_grad=True)

            def function(*a: torch.Tensor, r: str = reduce, m: int = rows, n: int = columns) -> torch.Tensor:
                return product_of(r, m, n, *a)

            on_both(function, [row, column, value, dense], rtol=1e-4, atol=1e-4)
            on_both(function, [row, column, dense], rtol=1e-4, atol=1e-4)


def check_products_of_other_types() -> None:
    """Backward is for floating types; the kernels of float16 add in float16."""
    for (rows, columns, share), width, reduce in product(SIZES, (7, 33), ("sum", "mean", "min", "max")):
        row, column = matrix(rows, columns, share)

        def function(*a: torch.Tensor, r: str = reduce, m: int = rows, n: int = columns) -> torch.Tensor:
            return product_of(r, m, n, *a)

        value, dense = torch.rand(len(row)), torch.rand(columns, width)
        on_both(function, [row, column, value, dense], dtype=torch.float16, rtol=2e-2, atol=2e-2)
        for dtype in (torch.int32, torch.int64):
            value, dense = torch.randint(-9, 9, (len(row),), dtype=dtype), torch.randint(-9, 9, (columns, width))
            on_both(function, [row, column, value, dense.to(dtype)])


def check_pointers() -> None:
    """Rows as indices and as pointers."""
    for rows, columns, share in SIZES:
        row, _ = matrix(rows, columns, share)
        on_both(lambda r, m=rows: SPARSE.ind2ptr(r, m), [row])
        pointer = SPARSE.ind2ptr(row, rows)
        on_both(lambda p, r=row: SPARSE.ptr2ind(p, len(r)), [pointer])
    on_both(lambda r: SPARSE.ind2ptr(r, 5), [torch.zeros(0, dtype=torch.long)])


def check_diagonals() -> None:
    def with_diagonal(row: torch.Tensor, column: torch.Tensor, value: torch.Tensor) -> list[torch.Tensor]:
        sparse = SparseTensor(row=row, col=column, value=value, sparse_sizes=size, is_sorted=True)
        changed = sparse.set_diag(torch.arange(min(size), device=row.device) + 100.0, 0)
        return [*changed.coo(), sparse.fill_diag(3.0, 1).storage.value(), sparse.get_diag()]

    for rows, columns, share in SIZES[1:]:
        size = (rows, columns)
        row, column = matrix(rows, columns, share)
        for k in (-rows + 1, -2, 0, 1, columns - 1):  # the mask is for a matrix without that diagonal
            off = column - row != k
            on_both(lambda r, c, k=k, s=size: SPARSE.non_diag_mask(r, c, *s, k), [row[off], column[off]])
        on_both(with_diagonal, [row, column, torch.randn(len(row))])


def check_matrices() -> None:
    """Functions composed of these operators and PyTorch's: their results must stay on the device."""
    for rows, columns, share in SIZES:
        row, column = matrix(rows, columns, share)
        index, value = torch.stack([row, column]), torch.randn(len(row), requires_grad=True)
        twice, both = torch.cat([index, index], 1), torch.cat([value, value]).detach().requires_grad_()
        on_both(lambda i, v, m=rows, n=columns: coalesce(i, v, m, n), [twice, both])
        on_both(lambda i, v, m=rows, n=columns: transpose(i, v, m, n), [index, value])
        dense = torch.randn(columns, 5, requires_grad=True)
        on_both(lambda i, v, d, m=rows, n=columns: spmm(i, v, m, n, d), [index, value, dense], rtol=1e-4, atol=1e-4)
        for dim, reduce in product((0, 1), ("sum", "mean", "min", "max")):
            on_both(
                lambda r, c, v, m=rows, n=columns, d=dim, f=reduce: getattr(
                    SparseTensor(row=r, col=c, value=v, sparse_sizes=(m, n)), f
                )(d),
                [row, column, value],
                rtol=1e-5,
                atol=1e-5,
            )


def check_sparse_times_sparse() -> None:
    row, column = matrix(40, 30, 0.2)
    other_row, other_column = matrix(30, 50, 0.2)

    def function(a: torch.Tensor, v: torch.Tensor, b: torch.Tensor, w: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return spspmm(a, v, b, w, 40, 30, 50)

    given = [torch.stack([row, column]), torch.randn(len(row))]
    given += [torch.stack([other_row, other_column]), torch.randn(len(other_row))]
    on_both(function, given, rtol=1e-4, atol=1e-4)


def check_selection() -> None:
    row, column = matrix(40, 70, 0.1)
    chosen = torch.randint(40, (25,))

    def function(r: torch.Tensor, c: torch.Tensor, v: torch.Tensor, i: torch.Tensor) -> list[torch.Tensor]:
        sparse = SparseTensor(row=r, col=c, value=v, sparse_sizes=(40, 70))
        parts = (sparse[i], sparse[:, i], sparse[5:20], sparse.t(), SparseTensor.from_dense(sparse.to_dense()))
        return [piece for part in parts for piece in part.coo()]

    on_both(function, [row, column, torch.randn(len(row), requires_grad=True), chosen])


def check_random_walks() -> None:
    """Chance differs between devices; but every step goes along an edge, and every edge is gone along."""
    present = torch.rand(60, 60) < 0.1
    present[torch.arange(60), (torch.arange(60) + 1) % 60] = True  # from everywhere to somewhere
    row, column = present.nonzero().unbind(1)
    sparse = SparseTensor(row=row.musa(), col=column.musa(), sparse_sizes=(60, 60))
    start = torch.arange(60).repeat(30)
    walks = sparse.random_walk(start.musa(), 20)
    assert walks.device.type == "musa" and walks.shape == (1800, 21)
    walks = walks.cpu()
    assert torch.equal(walks[:, 0], start)
    gone = torch.zeros_like(present)
    gone[walks[:, :-1].flatten(), walks[:, 1:].flatten()] = True
    assert torch.equal(gone, present)


if __name__ == "__main__":
    run_all()
