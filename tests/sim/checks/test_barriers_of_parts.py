"""Barriers of a part of a block's threads in inline PTX: bar.sync and bar.arrive with a number, and mbarrier."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from checked_programs import SOURCES, Build
from sim_programs import Program

from musa_build.porting import SimplePorting
from musa_build.toolchain.compile_flags import OLDER_CXX_FLAGS

Array = npt.NDArray[np.int32]
PART = 64


def in_tiles(x: Array, tile: int, of: Callable[[Array], Array]) -> Array:
    """Apply a function to each tile; what the last one lacks is zeros."""
    padded = np.zeros(-(-len(x) // tile) * tile, np.int32)
    padded[: len(x)] = x
    return np.concatenate([of(padded[at : at + tile]) for at in range(0, len(padded), tile)])[: len(x)]


def with_reverse(x: Array) -> Array:
    return x + x[::-1]


def at_most(count: int, of: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """A kernel of so many threads, which leaves the rest zero."""

    def result(x: Array) -> Array:
        y = np.zeros_like(x)
        y[:count] = of(x[:count])
        return y

    return result


def counts_of_the_second_phase(x: Array) -> Array:
    """32 threads are left, and each sees another count, in the order of arrival."""
    return np.arange(32, 0, -1, dtype=np.int32)


CASES = {
    "halves": lambda x: in_tiles(x, PART, lambda tile: tile[::-1]),
    "ragged": at_most(48, lambda x: in_tiles(x, 48, lambda tile: tile[::-1])),
    "handed_over": lambda x: in_tiles(x, PART, with_reverse),
    "stages": lambda x: in_tiles(x, PART, with_reverse),
    "tokens": lambda x: in_tiles(x, 2 * PART, with_reverse),
    "copies": at_most(PART, lambda x: in_tiles(x, PART, with_reverse)),
}


@pytest.fixture(scope="module")
def ported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tree = tmp_path_factory.mktemp("port") / "cuda"
    tree.mkdir()
    (tree / "barriers.cu").write_text((SOURCES / "barriers_of_parts.cu").read_text())
    return SimplePorting(tree).run().output / "barriers.mu"


@pytest.fixture(scope="module", params=["-O2", "-O0", "--sim-check=memory,race,init"])
def program(build: Build, ported: Path, request: pytest.FixtureRequest) -> Program:
    return build(ported, [str(request.param), *OLDER_CXX_FLAGS])


@pytest.fixture(scope="module")
def checked(build: Build, ported: Path) -> Program:
    return build(ported, ["--sim-check=memory,race,init", *OLDER_CXX_FLAGS])


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(7)


@pytest.mark.parametrize("env", [{}, {"MUSA_SIM_WARP": "128"}, {"MUSA_SIM_SEED": "11"}], ids=str)
@pytest.mark.parametrize("n", [1, 48, 300, 1000])
@pytest.mark.parametrize("case", CASES)
def test_a_part_of_the_threads_waits(
    program: Program, rng: np.random.Generator, case: str, n: int, env: dict[str, str]
) -> None:
    x = rng.integers(-1000, 1000, n).astype(np.int32)
    got = program.array(np.int32, case, n, inputs=[x], env=env)
    np.testing.assert_array_equal(got, CASES[case](x))


def test_threads_that_drop_out_are_not_awaited(program: Program) -> None:
    y = program.array(np.int32, "dropped", PART, inputs=[np.zeros(PART, np.int32)])
    np.testing.assert_array_equal(np.sort(y[::2])[::-1], counts_of_the_second_phase(y))
    assert not y[1::2].any()


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        ("no_second_barrier", "race: "),
        ("no_empty", "race: "),
        ("no_full", "race: read of 4 bytes at "),
    ],
)
def test_a_missing_barrier_is_a_race(checked: Program, case: str, expected: str) -> None:
    result = checked(case, 256, inputs=[np.ones(256, np.int32)])
    assert result.status == 86, result.stderr
    assert expected in result.stderr and "with no barrier between them" in result.stderr


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        ("bad_count", "bar.sync: for 96 threads, at a barrier where others wait for 64"),
        ("bad_threads", "bar.sync: 50 threads, which are no whole warps of 32"),
        ("bad_number", "bar.sync: barrier 16; they are numbered below 16"),
        ("bad_wait", "deadlock: 32 threads wait at bar.sync, 32 have exited"),
    ],
)
def test_misuse_is_named(program: Program, case: str, expected: str) -> None:
    result = program(case, 1, inputs=[np.zeros(1, np.int32)])
    assert result.status == 3
    assert expected in result.stderr
