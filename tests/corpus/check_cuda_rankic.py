"""cuda-rankic on `musa`: rank correlations of rows with average ranks of ties, in double precision. No gradients."""

from __future__ import annotations

import torch
import torch_musa  # noqa: F401 - registers the musa device
from comparing import run_all
from cuda_rankic import rank_ic

TYPES = (torch.float32, torch.float16, torch.bfloat16)
SIZES = ((1, 2), (3, 5), (4, 33), (2, 257), (2, 1000))


def check_rows() -> None:
    for dtype in TYPES:
        for size in SIZES:
            agree(torch.randn(size).to(dtype), torch.randn(size).to(dtype))


def check_ties_and_numbers_that_are_not_finite() -> None:
    for strategy in ("auto", "block", "segmented"):
        first = torch.randint(-4, 5, (5, 300)).float()
        second = first + torch.randint(-3, 4, (5, 300))
        first[0, ::7], second[1, ::5], first[2, 3] = float("nan"), float("inf"), float("-inf")
        first[3] = 1.0  # no ranks
        second[4, 1:] = float("nan")  # a single pair
        agree(first, second, strategy=strategy)


def check_long_rows() -> None:
    agree(torch.randn(2, 7000), torch.randn(2, 7000), strategy="segmented")


def check_parts() -> None:
    agree(torch.randn(7, 64), torch.randn(7, 64), chunk_rows=3)


def agree(first: torch.Tensor, second: torch.Tensor, **options: object) -> None:
    wanted = torch.stack([correlation(*pair) for pair in zip(first.double(), second.double())])
    got = rank_ic(first.musa(), second.musa(), **options)
    assert got.device.type == "musa" and got.dtype == torch.float32
    torch.testing.assert_close(got.cpu().double(), wanted, rtol=1e-4, atol=1e-5, equal_nan=True)


def correlation(first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    finite = first.isfinite() & second.isfinite()
    if finite.sum() < 2:
        return torch.tensor(float("nan"), dtype=torch.float64)
    one, other = (ranks(values[finite]) for values in (first, second))
    return torch.corrcoef(torch.stack([one - one.mean(), other - other.mean()]))[0, 1]


def ranks(values: torch.Tensor) -> torch.Tensor:
    _, group, count = values.unique(return_inverse=True, return_counts=True)
    return (count.cumsum(0) - (count - 1) / 2.0).double()[group]


if __name__ == "__main__":
    run_all()
