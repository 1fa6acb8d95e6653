"""Addresses of shared memory in 32 bits give the pointer back, at any distance of the two kinds of memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from library_programs import Build

import musa_build

HEADERS = Path(musa_build.__file__).parent / "toolchain/cxx_headers"
GIB = 1 << 30
# where the halves of the two kinds, or the numbers of one, meet
EDGES = [0, 2**32, 2**31, 1 << 20, 2 << 20, 3 << 20, 2**31 + (2 << 20), 2**32 - (1 << 20)]


def layouts(rng: np.random.Generator, n: int) -> np.ndarray:
    """Return n rows: the dynamic array, a static variable, a pointer into one of them, and a step from there."""
    dynamic = rng.integers(GIB, 2**47 - GIB, n) // 256 * 256
    near = rng.integers(GIB, 2**47 - GIB, n)
    # most of them where lower halves meet: those of the two variables, and the edges
    meets = np.where(rng.random(n) < 0.5, dynamic, rng.choice(EDGES, n)) % 2**32
    near = np.where(rng.random(n) < 0.9, near // 2**32 * 2**32 + meets + rng.integers(-(1 << 19), 1 << 19, n), near)
    static = near + rng.integers(-(1 << 18), 1 << 18, n)
    inside = dynamic + rng.integers(0, 200 << 10, n)
    step = rng.integers(0, 48 << 10, n)
    return np.stack([dynamic, near, np.where(rng.random(n) < 0.5, static, inside), step], axis=1).astype(np.uint64)


@pytest.mark.parametrize("header", ["ported", "sdk"])
def test_the_pointer_comes_back(build: Build, rng: np.random.Generator, header: str) -> None:
    rows = layouts(rng, 100_000)
    program = build("shared_addresses.mu", flags=[f"-I{HEADERS}"])
    got = program.array(np.uint8, header, len(rows), inputs=[rows])
    pointers, addresses = got[: 8 * len(rows)].view(np.uint64), got[8 * len(rows) :].view(np.uint32)
    np.testing.assert_array_equal(pointers, rows[:, 2] + rows[:, 3])
    np.testing.assert_array_equal(addresses % 2**16, rows[:, 2] % 2**16)


@pytest.mark.parametrize("fibers", ["0", "1"])
@pytest.mark.parametrize("case", ["spaces", "waiting"])
def test_the_space_of_an_address(build: Build, case: str, fibers: str) -> None:
    program = build("shared_addresses.mu", flags=[f"-I{HEADERS}"])
    got = program.array(np.int32, case, 0, env={"MUSA_SIM_FIBERS": fibers}).reshape(64, 6)
    np.testing.assert_array_equal(got, [[1, 1, 2, 2, 4, 4]] * 64)


def test_addresses_take_no_shared_memory(build: Build) -> None:
    """A kernel that converts addresses may have all that a block can have."""
    got = build("shared_addresses.mu", flags=[f"-I{HEADERS}"]).array(np.int32, "all", 0)
    np.testing.assert_array_equal(got, 3 * np.arange(63, -1, -1))
