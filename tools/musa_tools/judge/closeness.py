"""Compare two tensors of the same shape and dtype, element by element."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from typing import Optional

import torch

from musa_tools.judge.numbers import (
    absolute_rounding,
    epsilon,
    exact,
    is_float,
    plain,
    relative_rounding,
    smallest,
)


@dataclass(frozen=True)
class Tolerance:
    """The tolerance of a user: the difference is at most ``atol + rtol * |expected|``."""

    atol: float
    rtol: float


def _find_memcmp() -> Optional[Callable[[int, int, int], int]]:
    try:
        memcmp = ctypes.CDLL(None).memcmp
    except (AttributeError, OSError, TypeError):  # no C library to ask: torch.equal does it
        return None
    memcmp.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
    memcmp.restype = ctypes.c_int
    return memcmp


_MEMCMP = _find_memcmp()


def identical(actual: torch.Tensor, expected: torch.Tensor) -> bool:
    """Return whether two tensors of the CPU, of one shape and dtype, are certainly equal."""
    if _MEMCMP is not None and _raw(actual) and _raw(expected):
        # Several times as fast as torch.equal. Zeros of autograd's own have no memory, and nothing is certain of them.
        left, right, size = actual.data_ptr(), expected.data_ptr(), actual.nbytes
        return not size or (left != 0 and right != 0 and _MEMCMP(left, right, size) == 0)
    return torch.equal(plain(actual), plain(expected))


def _raw(tensor: torch.Tensor) -> bool:
    return tensor.is_contiguous() and not tensor.is_neg() and not tensor.is_conj()


def same(actual: torch.Tensor, expected: torch.Tensor) -> bool:
    """Return whether two tensors have the same values, NaN for NaN."""
    actual, expected = plain(actual), plain(expected)
    if torch.equal(actual, expected):
        return True
    if not is_float(expected.dtype):
        return False
    both_nan = actual.isnan() & expected.isnan()
    return bool(((actual == expected) | both_nan).all())


def nonfinite_agree(actual: torch.Tensor, expected: torch.Tensor) -> bool:
    """Return whether two tensors have NaN, inf and -inf in the same elements."""
    if bool(_sums_finite(actual)) and bool(_sums_finite(expected)):
        return True
    return not bool(nonfinite_differ(actual, expected).any())


def _sums_finite(tensor: torch.Tensor) -> torch.Tensor:
    # One pass; isfinite().all() takes twenty times as long. A sum of finite numbers may overflow: then look closely.
    return torch.isfinite(plain(tensor).sum())


def nonfinite_differ(actual: torch.Tensor, expected: torch.Tensor) -> torch.Tensor:
    """Return a mask: the elements where one tensor has a NaN or an infinity that the other does not have."""
    actual, expected = plain(actual), plain(expected)
    if actual.dtype.is_complex:
        parts = nonfinite_differ(torch.view_as_real(actual.resolve_conj()), torch.view_as_real(expected.resolve_conj()))
        # an infinite complex number may have anything for its other part
        return parts.any(dim=-1) & (torch.isfinite(actual) | torch.isfinite(expected))
    nan = actual.isnan() != expected.isnan()
    infinite = actual.isinf() | expected.isinf()
    return nan | (infinite & (actual != expected) & ~actual.isnan() & ~expected.isnan())


def within(actual: torch.Tensor, expected: torch.Tensor, tolerance: Tolerance) -> bool:
    """Return whether every finite element is as close as a user allows."""
    return not bool(beyond(actual, expected, tolerance).any())


def beyond(actual: torch.Tensor, expected: torch.Tensor, tolerance: Tolerance) -> torch.Tensor:
    """Return a mask: the finite elements that are farther apart than a user allows."""
    a, b = exact(actual), exact(expected)
    finite = torch.isfinite(a) & torch.isfinite(b)
    return ((a - b).abs() > tolerance.atol + tolerance.rtol * b.abs()) & finite


def within_rounding(actual: torch.Tensor, expected: torch.Tensor, length: int, cancelling: bool) -> bool:
    """Return whether two results are as close as two correct implementations are. False may be a false alarm.

    Args:
        actual: The result to judge.
        expected: The result of the CPU.
        length: The number of terms of the sum for each element.
        cancelling: Whether these may cancel each other.
    """
    dtype = expected.dtype
    actual, expected = plain(actual), plain(expected)
    if dtype in (torch.float16, torch.bfloat16):
        actual, expected = actual.float(), expected.float()
    difference = torch.sub(actual, expected).abs()
    size = expected.abs()
    allowed = absolute_rounding(dtype, length if cancelling else 1, float(size.amax()))
    worst = torch.sub(difference, size, alpha=relative_rounding(dtype, length)).amax()
    return bool(worst <= allowed)  # False where NaN took part


def first_indices(differs: torch.Tensor, limit: int) -> tuple[int, list[tuple[int, ...]]]:
    """Return how many elements are marked, and the indices of the first ones."""
    marked = differs.nonzero()
    return marked.shape[0], [tuple(int(i) for i in row) for row in marked[:limit].tolist()]


def measures(actual: torch.Tensor, expected: torch.Tensor) -> Optional[str]:
    """Return how far two tensors are apart, in words, or None where they have no finite pair."""
    a, b = exact(actual).flatten(), exact(expected).flatten()
    finite = torch.isfinite(a) & torch.isfinite(b)
    a, b = a[finite], b[finite]
    if not a.numel():
        return None
    difference = (a - b).abs()
    size = b.abs()
    relative = torch.where(size > 0, difference / size, difference.sign() * float("inf"))
    scale = float(torch.maximum(a.abs().amax(), size.amax())) or 1.0
    a, b = a / scale, b / scale  # squares must not overflow
    norms = float(torch.linalg.vector_norm(a) * torch.linalg.vector_norm(b))
    cosine = float((a * b.conj()).sum().abs()) / norms if norms else float(bool(torch.equal(a, b)))
    if not actual.dtype.is_complex and float((a * b).sum()) < 0:
        cosine = -cosine
    ulps = ""
    if is_float(actual.dtype):
        unit = epsilon(actual.dtype) * torch.exp2(torch.floor(torch.log2(size.clamp_min(smallest(actual.dtype)))))
        ulps = f", {float((difference / unit).amax()):.3g} ulp"
    return (
        f"max abs error {float(difference.amax()):.3g}, max rel error {float(relative.amax()):.3g}{ulps}, "
        f"cosine {cosine:.6f}, within 1/1000 {float((relative < 1e-3).double().mean()):.1%}, "
        f"within 5/1000 {float((relative < 5e-3).double().mean()):.1%}"
    )
