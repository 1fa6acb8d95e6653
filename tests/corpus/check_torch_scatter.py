"""torch-scatter on `musa` against the same operators on the CPU."""

from __future__ import annotations

import torch
import torch_scatter
from comparing import on_both, run_all

FLOATS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
TOLERANCE = {torch.float16: 2e-2, torch.bfloat16: 1e-1, torch.float32: 1e-4, torch.float64: 1e-8}
# The kernels treat one column (shuffles within a warp) and several (no shuffles) differently.
SHAPES = ((1, 1), (37, 1), (200, 1), (500, 5), (64, 33))


def values(rows: int, columns: int, dtype: torch.dtype) -> torch.Tensor:
    """Different numbers, so that the place of a minimum is unambiguous in every dtype but where they repeat."""
    data = torch.randperm(rows * columns).reshape(rows, columns).sub(rows * columns // 2).div(16)
    data = data if columns > 1 else data.squeeze(1)
    return data.to(dtype)


def grouped(rows: int) -> tuple[torch.Tensor, torch.Tensor]:
    """A sorted index with gaps, and its pointer form."""
    index = torch.randint(0, max(rows // 3, 1) + 1, (rows,)).sort().values
    pointer = torch.searchsorted(index, torch.arange(int(index.max()) + 2))
    return index, pointer


def check_scatter() -> None:
    for rows, columns in SHAPES:
        index = torch.randint(0, rows // 2 + 1, (rows,))
        for dtype in FLOATS:
            source = values(rows, columns, dtype).requires_grad_()
            for reduce in ("sum", "mean", "min", "max"):
                on_both(
                    lambda x, i, reduce=reduce: torch_scatter.scatter(x, i, dim=0, reduce=reduce),
                    [source, index],
                    rtol=TOLERANCE[dtype],
                    atol=TOLERANCE[dtype] * 10,
                )


def check_scatter_of_integers() -> None:
    for dtype in (torch.int16, torch.int32, torch.int64):
        source, index = torch.randint(-50, 50, (300,), dtype=dtype), torch.randint(0, 40, (300,))
        for reduce in ("sum", "min", "max"):
            on_both(lambda x, i, reduce=reduce: torch_scatter.scatter(x, i, dim=0, reduce=reduce), [source, index])


def check_positions_of_minimum_and_maximum() -> None:
    index = torch.randint(0, 20, (400,))
    for name in ("scatter_min", "scatter_max"):
        on_both(
            lambda x, i, name=name: getattr(torch_scatter, name)(x, i, dim=0), [values(400, 1, torch.float32), index]
        )


def check_segment_csr_and_gather() -> None:
    for rows, columns in SHAPES:
        _, pointer = grouped(rows)
        for dtype in FLOATS:
            source = values(rows, columns, dtype).requires_grad_()
            for reduce in ("sum", "mean", "min", "max"):
                on_both(
                    lambda x, p, reduce=reduce: torch_scatter.segment_csr(x, p, reduce=reduce),
                    [source, pointer],
                    rtol=TOLERANCE[dtype],
                    atol=TOLERANCE[dtype] * 10,
                )
            groups = values(pointer.numel() - 1, columns, dtype).requires_grad_()
            on_both(torch_scatter.gather_csr, [groups, pointer], rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype] * 10)


def check_segment_coo_and_gather() -> None:
    for rows, columns in SHAPES:
        index, _ = grouped(rows)
        for dtype in FLOATS:
            source = values(rows, columns, dtype).requires_grad_()
            for reduce in ("sum", "mean", "min", "max"):
                on_both(
                    lambda x, i, reduce=reduce: torch_scatter.segment_coo(x, i, reduce=reduce),
                    [source, index],
                    rtol=TOLERANCE[dtype],
                    atol=TOLERANCE[dtype] * 10,
                )
            groups = values(int(index.max()) + 1, columns, dtype).requires_grad_()
            on_both(torch_scatter.gather_coo, [groups, index], rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype] * 10)


def check_composite() -> None:
    x, index = torch.randn(300, requires_grad=True), torch.randint(0, 30, (300,))
    for function in (torch_scatter.scatter_softmax, torch_scatter.scatter_logsumexp, torch_scatter.scatter_std):
        on_both(lambda a, i, function=function: function(a, i, dim=0), [x, index], rtol=1e-4, atol=1e-5)


if __name__ == "__main__":
    run_all()
