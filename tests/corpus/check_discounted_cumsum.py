"""torch-discounted-cumsum on `musa` against its own sequential code on the CPU."""

from __future__ import annotations

from collections.abc import Callable

import torch
from comparing import on_both, run_all
from torch_discounted_cumsum import discounted_cumsum_left, discounted_cumsum_right

Function = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def check_forward_and_backward() -> None:
    """The CPU's code in double precision: in float32 its own gradients of gamma are wrong by more than the kernel's."""
    for function in (discounted_cumsum_left, discounted_cumsum_right):

        def wide(x: torch.Tensor, gamma: torch.Tensor, function: Function = function) -> torch.Tensor:
            return function(x.double(), gamma.double()).to(x.dtype)

        for dtype in (torch.float32, torch.float64):
            for rows, columns in ((1, 1), (1, 2), (3, 63), (5, 64), (2, 1000), (70, 129)):
                x = torch.randn(rows, columns, dtype=dtype, requires_grad=True)
                gamma = torch.rand(rows, dtype=dtype).mul(0.2).add(0.8).requires_grad_()
                on_both(wide, [x, gamma], other_device=function, rtol=1e-4, atol=1e-4)


def check_one_gamma_for_all_rows() -> None:
    """1.1.0 reads past the end of a single gamma on the CPU, so there it gets one for each row."""
    for function in (discounted_cumsum_left, discounted_cumsum_right):

        def repeated(x: torch.Tensor, gamma: torch.Tensor, function: Function = function) -> torch.Tensor:
            return function(x, gamma.repeat(x.shape[0]))

        x, gamma = torch.randn(7, 129, dtype=torch.float64, requires_grad=True), torch.tensor([0.93]).double()
        on_both(repeated, [x, gamma], other_device=function)


def check_against_a_matrix() -> None:
    """An independent reference: the sum as a matrix of powers of gamma, in double precision."""
    n, gamma = 300, 0.97
    distance = torch.arange(n)[:, None] - torch.arange(n)[None, :]
    matrix = torch.where(distance >= 0, torch.tensor(gamma, dtype=torch.float64) ** distance.clamp(min=0), 0.0)
    x = torch.randn(4, n, dtype=torch.float64)
    got = discounted_cumsum_left(x.musa(), torch.tensor([gamma], dtype=torch.float64).musa())
    torch.testing.assert_close(got.cpu(), x @ matrix.T)


if __name__ == "__main__":
    run_all()
