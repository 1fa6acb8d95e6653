"""cuda-kernels' sums and autocorrelations by its kernels against NumPy in double precision. It needs no torch."""

from __future__ import annotations

import sys
import warnings

import cuda_kernels
import numpy as np

SIZES = (1, 2, 31, 256, 257, 1000, 5003)


def check_reduction() -> None:
    random = np.random.default_rng(2026)
    for size in SIZES:
        numbers = random.standard_normal(size).astype(np.float32)
        wanted, scale = numbers.astype(np.float64).sum(), np.abs(numbers).sum()
        assert abs(cuda_kernels.reduction_sum(numbers) - wanted) <= 1e-6 * max(scale, 1), size


def check_autocorrelation() -> None:
    random = np.random.default_rng(2027)
    for size in SIZES[1:]:
        numbers = random.standard_normal(size).astype(np.float32)
        exact = numbers.astype(np.float64)
        for lags in sorted({1, size // 2 + 1, size - 1}):
            wanted = [exact[: size - lag] @ exact[lag:] for lag in range(lags)]
            np.testing.assert_allclose(cuda_kernels.autocorrelation(numbers, lags), wanted, rtol=1e-4, atol=1e-3)


if __name__ == "__main__":
    warnings.simplefilter("error")  # it warns when it falls back to NumPy, if it has a library
    assert all(sys.modules[f"cuda_kernels.{name}"]._cuda_available for name in ("reduction", "autocorrelation"))
    for check in (check_reduction, check_autocorrelation):
        check()
        print(f"{check.__name__}: agrees", flush=True)
