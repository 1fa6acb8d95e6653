"""Fourier transforms against PyTorch's CPU: dimensions, sizes, normalizations, layouts, gradients."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from .compare import agree, compare, computed_by_cpu, numbers

NORMALIZATIONS = ("backward", "ortho", "forward")


@pytest.fixture(autouse=True)
def computed_by_kernels() -> Iterator[None]:
    yield
    assert not [name for name in computed_by_cpu() if "_fft" in name]


@pytest.mark.parametrize("normalization", NORMALIZATIONS)
@pytest.mark.parametrize("dims", ((-1,), (0,), (0, 2), (0, 1, 2)))
def test_transforms(dims: tuple[int, ...], normalization: str) -> None:
    keywords = {"dim": dims, "norm": normalization}
    for dtype in (torch.float32, torch.float64):
        close = {"rtol": 1e-4, "atol": 1e-4}
        real = numbers((5, 4, 7), dtype)
        complexes = numbers((5, 4, 7), torch.complex128).to(torch.complex64 if dtype == torch.float32 else None)
        for function in (torch.fft.fftn, torch.fft.ifftn, torch.fft.irfftn):
            for given in (complexes, complexes.transpose(0, 2), complexes.conj(), complexes[:, 1:]):
                compare(function, given, keywords=keywords, close=close)
            compare(function, complexes.clone().requires_grad_(), keywords=keywords, gradients=True, close=close)
        for function in (torch.fft.rfftn, torch.fft.ihfftn, torch.fft.fftn):
            compare(function, real.transpose(0, 1), keywords=keywords, close=close)
            compare(function, real.clone().requires_grad_(), keywords=keywords, gradients=True, close=close)


def test_sizes_and_given_results() -> None:
    value = numbers((3, 9), torch.float32)
    for size in (1, 2, 8, 9, 16):
        compare(torch.fft.rfft, value, size, close={"rtol": 1e-4, "atol": 1e-4})
        compare(torch.fft.irfft, value.to(torch.complex64), size, close={"rtol": 1e-4, "atol": 1e-4})
    assert torch.fft.fft(value[:0].to("musa")).shape == (0, 9)
    out = torch.empty(3, 9, dtype=torch.complex64, device="musa")
    close = {"rtol": 1e-4, "atol": 1e-4}
    agree(torch.fft.fft(value.to("musa").to(torch.complex64), out=out), torch.fft.fft(value), close)


def test_short_time_transform() -> None:
    window = torch.hann_window(16)
    compare(
        lambda x, w: torch.stft(x, 16, window=w, return_complex=True), torch.randn(2, 80), window,
        close={"rtol": 1e-4, "atol": 1e-4},
    )  # fmt: skip


def test_half_is_refused() -> None:
    with pytest.raises(RuntimeError, match="Unsupported dtype"):
        torch.fft.fft(torch.ones(4, dtype=torch.float16, device="musa"))
