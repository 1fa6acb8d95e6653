"""The errors of freqencoder for wrong input: in Python, and below it in C++."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
import torch


def musa(*shape: int, **options: Any) -> torch.Tensor:
    return torch.zeros(shape, **options).to("musa")


@pytest.mark.parametrize(
    ("make", "degree", "error", "message"),
    [
        (lambda: torch.zeros(2, 3), 2, ValueError, r"must be on a musa device, but are on cpu"),
        (lambda: musa(2, 3, dtype=torch.int32), 2, TypeError, r"float16.*found torch\.int32"),
        (lambda: musa(2, 3, dtype=torch.bfloat16), 2, TypeError, r"found torch\.bfloat16"),
        (lambda: musa(2, 3, dtype=torch.complex64), 2, TypeError, r"found torch\.complex64"),
        (lambda: musa(), 2, ValueError, "at least one dimension"),
        (lambda: musa(2, 3), -1, ValueError, "must not be negative, but is -1"),
        (lambda: musa(2, 3), 2.0, TypeError, "must be an integer, not float"),
        (lambda: musa(2, 3), True, TypeError, "must be an integer, not bool"),
        (lambda: [[1.0]], 2, TypeError, "must be a tensor, not list"),
    ],
)
def test_python(freqencoder: ModuleType, make: Any, degree: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        freqencoder.freq_encode(make(), degree)


@pytest.mark.parametrize("shape", [(2, 4), (3, 2), ()])
def test_module_checks_the_last_dimension(freqencoder: ModuleType, shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="last dimension must be 3"):
        freqencoder.FreqEncoder(input_dim=3)(musa(*shape))


@pytest.mark.parametrize(
    ("inputs", "degree", "message"),
    [
        (lambda: musa(3), 2, "must have two dimensions, not 1"),
        (lambda: musa(3, 2).t(), 2, "must be contiguous"),
        (lambda: musa(3, 2, dtype=torch.int64), 2, "not implemented for 'Long'"),
        (lambda: musa(3, 2), -1, "must not be negative"),
        (lambda: torch.zeros(3, 2), 2, "CPU"),
    ],
)
def test_operator(freqencoder: ModuleType, inputs: Any, degree: int, message: str) -> None:
    with pytest.raises((RuntimeError, NotImplementedError), match=message):
        torch.ops.freqencoder.encode(inputs(), degree)


@pytest.mark.parametrize(
    ("grad", "message"),
    [
        (lambda: musa(3, 9), "shape that encode returned"),
        (lambda: musa(2, 10), "shape that encode returned"),
        (lambda: musa(3, 10, dtype=torch.float64), "the same type"),
        (lambda: musa(10, 3).t(), "must be contiguous"),
    ],
)
def test_backward_operator(freqencoder: ModuleType, grad: Any, message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        torch.ops.freqencoder.encode_backward(grad(), musa(3, 2), 2)
