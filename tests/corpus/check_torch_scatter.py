"""torch-scatter on `musa` against the same operators on the CPU."""

from __future__ import annotations

from collections.abc import Iterator

import torch
import torch_scatter
from comparing import on_both, run_all

FLOATS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
# The kernels treat one column (shuffles within a warp) and several (no shuffles) differently.
SHAPES = ((1, 1), (37, 1), (200, 1), (500, 5), (64, 33))
DISTINCT_BFLOAT16 = 256  # consecutive integers that bfloat16 tells apart


def values(rows: int, columns: int, dtype: torch.dtype) -> torch.Tensor:
    """Small integers, whose sums are exact in any order and in every dtype."""
    data = torch.randint(-3, 4, (rows, columns))
    return (data if columns > 1 else data.squeeze(1)).to(dtype)


def distinct_values(rows: int, columns: int, dtype: torch.dtype) -> torch.Tensor:
    """All different, so that only one element is the minimum."""
    data = torch.randperm(rows * columns).reshape(rows, columns) - rows * columns // 2
    return (data if columns > 1 else data.squeeze(1)).to(dtype)


def cases(rows: int, columns: int) -> Iterator[tuple[torch.Tensor, str]]:
    """Source and reduction, for every dtype that can represent them."""
    for dtype in FLOATS:
        for reduce in ("sum", "mean"):
            yield values(rows, columns, dtype).requires_grad_(), reduce
        if rows * columns <= DISTINCT_BFLOAT16 or dtype.itemsize > 2:
            for reduce in ("min", "max"):
                yield distinct_values(rows, columns, dtype).requires_grad_(), reduce


def grouped(rows: int) -> tuple[torch.Tensor, torch.Tensor]:
    """A sorted index with gaps, and its pointer form."""
    index = torch.randint(0, max(rows // 3, 1) + 1, (rows,)).sort().values
    pointer = torch.searchsorted(index, torch.arange(int(index.max()) + 2))
    return index, pointer


def check_scatter() -> None:
    for rows, columns in SHAPES:
        index = torch.randint(0, rows // 2 + 1, (rows,))
        for source, reduce in cases(rows, columns):
            on_both(lambda x, i, reduce=reduce: torch_scatter.scatter(x, i, dim=0, reduce=reduce), [source, index])


def check_scatter_of_integers() -> None:
    """Not int16: 2.1.2 writes the sign of a negative result over the neighbour, whatever the device."""
    for dtype in (torch.int32, torch.int64):
        source, index = torch.randint(-50, 50, (300,), dtype=dtype), torch.randint(0, 40, (300,))
        for reduce in ("sum", "min", "max"):
            on_both(lambda x, i, reduce=reduce: torch_scatter.scatter(x, i, dim=0, reduce=reduce), [source, index])


def check_positions_of_minimum_and_maximum() -> None:
    source, index = distinct_values(400, 1, torch.float32), torch.randint(0, 20, (400,))
    for function in (torch_scatter.scatter_min, torch_scatter.scatter_max):
        on_both(lambda x, i, function=function: function(x, i, dim=0), [source, index])


def check_segment_csr_and_gather() -> None:
    for rows, columns in SHAPES:
        _, pointer = grouped(rows)
        for source, reduce in cases(rows, columns):
            on_both(lambda x, p, reduce=reduce: torch_scatter.segment_csr(x, p, reduce=reduce), [source, pointer])
        for dtype in FLOATS:
            on_both(torch_scatter.gather_csr, [values(pointer.numel() - 1, columns, dtype).requires_grad_(), pointer])


def check_segment_coo_and_gather() -> None:
    for rows, columns in SHAPES:
        index, _ = grouped(rows)
        for source, reduce in cases(rows, columns):
            on_both(lambda x, i, reduce=reduce: torch_scatter.segment_coo(x, i, reduce=reduce), [source, index])
        for dtype in FLOATS:
            on_both(torch_scatter.gather_coo, [values(int(index.max()) + 1, columns, dtype).requires_grad_(), index])


def check_composite() -> None:
    x, index = torch.randn(300, requires_grad=True), torch.randint(0, 30, (300,))
    for function in (torch_scatter.scatter_softmax, torch_scatter.scatter_logsumexp, torch_scatter.scatter_std):
        on_both(lambda a, i, function=function: function(a, i, dim=0), [x, index], rtol=1e-4, atol=1e-5)


if __name__ == "__main__":
    run_all()
