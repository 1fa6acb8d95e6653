"""muFFT against numpy.fft, in double precision."""

from __future__ import annotations

import numpy as np
import pytest
from library_programs import Build
from sim_programs import Program

# by type: what goes in, what comes out, the relative error
TYPES = {
    "C2C": (np.complex64, np.complex64, 3e-7),
    "Z2Z": (np.complex128, np.complex128, 1e-14),
    "R2C": (np.float32, np.complex64, 3e-7),
    "D2Z": (np.float64, np.complex128, 1e-14),
    "C2R": (np.complex64, np.float32, 3e-7),
    "Z2D": (np.complex128, np.float64, 1e-14),
}
FORWARD, INVERSE = -1, 1


@pytest.fixture(scope="module")
def mufft(build: Build) -> Program:
    return build("mufft.cpp", libraries=["mufft"])


def random(rng: np.random.Generator, dtype: type[np.generic], shape: tuple[int, ...]) -> np.ndarray:
    values = rng.standard_normal(shape)
    return (values + 1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else values).astype(dtype)


def reference(values: np.ndarray, kind: str, sizes: tuple[int, ...], direction: int) -> np.ndarray:
    """Of batches of `sizes`; not scaled."""
    axes = tuple(range(1, 1 + len(sizes)))
    wide = values.astype(np.complex128 if values.dtype.kind == "c" else np.float64)
    if kind in ("R2C", "D2Z"):
        return np.fft.rfftn(wide, axes=axes)
    if kind in ("C2R", "Z2D"):
        return np.fft.irfftn(wide, s=sizes, axes=axes, norm="forward")
    return np.fft.fftn(wide, axes=axes) if direction == FORWARD else np.fft.ifftn(wide, axes=axes, norm="forward")


def half_spectrum(values: np.ndarray, kind: str, sizes: tuple[int, ...]) -> np.ndarray:
    """A spectrum that real data can have, as type's input."""
    return reference(values.real, "D2Z", sizes, FORWARD).astype(TYPES[kind][0])


def close(found: np.ndarray, expected: np.ndarray, kind: str) -> None:
    np.testing.assert_allclose(found, expected, rtol=0, atol=TYPES[kind][2] * np.abs(expected).max())


# small factors; primes above 64, which take another way; two and three dimensions
SIZES = [((1,), 1), ((60,), 3), ((134,), 2), ((1009,), 1), ((6, 35), 2), ((3, 4, 10), 2), ((5, 4, 3), 1)]


@pytest.mark.parametrize(("sizes", "batch"), SIZES)
@pytest.mark.parametrize("kind", list(TYPES))
@pytest.mark.parametrize("output", ["out", "xt"])
def test_dense(
    mufft: Program, rng: np.random.Generator, output: str, kind: str, sizes: tuple[int, ...], batch: int
) -> None:
    values = random(rng, TYPES[kind][0], (batch, *sizes))
    if kind in ("C2R", "Z2D"):
        values = half_spectrum(values, kind, sizes)
    for direction in (FORWARD, INVERSE):
        expected = reference(values, kind, sizes, direction)
        size = expected.size * np.dtype(TYPES[kind][1]).itemsize
        arguments = (kind, output, direction, values.nbytes, size, batch, len(sizes), *sizes)
        found = mufft.array(TYPES[kind][1], *arguments, inputs=[values])
        close(found.reshape(expected.shape), expected, kind)


@pytest.mark.parametrize("size", [12, 60, 127, 1000])
def test_digits(mufft: Program, rng: np.random.Generator, size: int) -> None:
    """As good as numpy's, to half a unit in the last place: the roots of unity are exact to the last digit."""
    values = random(rng, np.complex128, (1, size))
    nbytes = values.nbytes
    found = mufft.array(np.complex128, "Z2Z", "out", FORWARD, nbytes, nbytes, 1, 1, size, inputs=[values]).reshape(size)
    step = -2 * np.arctan2(np.longdouble(0), np.longdouble(-1)) / size
    angles = step * (np.outer(np.arange(size), np.arange(size)) % size)
    exact = (np.cos(angles) + 1j * np.sin(angles)) @ values[0].astype(np.clongdouble)

    def error(result: np.ndarray) -> float:
        return float(np.linalg.norm(result - exact) / np.linalg.norm(exact))

    assert error(found) < error(np.fft.fft(values[0])) + 0.5 * np.finfo(np.float64).eps


@pytest.mark.parametrize("sizes", [(12,), (7,), (4, 9)])
def test_real_data_in_place_is_padded(mufft: Program, rng: np.random.Generator, sizes: tuple[int, ...]) -> None:
    row = 2 * (sizes[-1] // 2 + 1)
    values = np.full((2, *sizes[:-1], row), np.nan)
    values[..., : sizes[-1]] = random(rng, np.float64, (2, *sizes))
    spectrum = reference(values[..., : sizes[-1]], "D2Z", sizes, FORWARD)
    arguments = (values.nbytes, 1, 2, len(sizes), *sizes)
    forth = mufft.array(np.complex128, "D2Z", "in", FORWARD, *arguments, inputs=[values])
    close(forth.reshape(spectrum.shape), spectrum, "D2Z")
    back = mufft.array(np.float64, "Z2D", "in", INVERSE, *arguments, inputs=[spectrum]).reshape(values.shape)
    close(back[..., : sizes[-1]], values[..., : sizes[-1]] * np.prod(sizes), "Z2D")


@pytest.mark.parametrize("output", ["out", "xt"])
def test_layouts(mufft: Program, rng: np.random.Generator, output: str) -> None:
    """Rows within larger rows, elements apart, batches interleaved: nothing else is touched."""
    values = random(rng, np.complex64, (2, 5, 9, 3))  # batch, x, y in rows of 9, every third
    layout = (5, 9, 3, 5 * 9 * 3, 4, 6, 2, 1)  # and out: rows of 6, two batches side by side
    arguments = ("C2C", output, FORWARD, values.nbytes, 4 * 6 * 2 * 8, 2, 2, 4, 6, *layout)
    found = mufft.array(np.complex64, *arguments, inputs=[values]).reshape(4, 6, 2)
    expected = reference(values[:, :4, :6, 0], "C2C", (4, 6), FORWARD)
    close(np.moveaxis(found, 2, 0), expected, "C2C")
