"""Device functions of MUSA's own, which TileLang, MUTLASS, mate and vllm-musa call."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from library_programs import Build
from results import results
from sim_programs import Program

FORMS = {
    "cut": {},
    "fibers": {"MUSA_SIM_FIBERS": "1"},
    "shuffled": {"MUSA_SIM_SEED": "5"},
    "mp_31": {"MUSA_SIM_ARCH": "mp_31"},
}


@pytest.fixture(scope="module")
def own(build: Build) -> Program:
    return build("own_functions.mu", flags=["--offload-arch=mp_22", "--offload-arch=mp_31"])


@pytest.fixture(scope="module")
def checked(build: Build) -> Program:
    return build("own_functions.mu", flags=["--sim-check=memory,race,init"])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("tiles", [1, 2, 9])
@pytest.mark.parametrize("case", ["pipeline", "elected"])
def test_warps_wait_for_each_other(own: Program, rng: np.random.Generator, case: str, tiles: int, form: str) -> None:
    x = rng.standard_normal((tiles, 64)).astype(np.float32)
    got = own.array(np.float32, case, tiles, inputs=[x], env=FORMS[form])
    np.testing.assert_array_equal(got.reshape(tiles, 64), x[:, ::-1])


@pytest.mark.parametrize("form", FORMS)
def test_announced_bytes_are_awaited(own: Program, rng: np.random.Generator, form: str) -> None:
    x = rng.integers(-(2**31), 2**31, 32).astype(np.int32)
    got = own.array(np.int32, "transactions", 0, inputs=[x], env=FORMS[form])
    np.testing.assert_array_equal(got, np.tile(x[::-1], 2))


def test_the_check_for_races_knows_them(checked: Program, rng: np.random.Generator) -> None:
    x = rng.standard_normal((9, 64)).astype(np.float32)
    for case in ("pipeline", "elected"):
        np.testing.assert_array_equal(checked.array(np.float32, case, 9, inputs=[x]).reshape(9, 64), x[:, ::-1])
    result = checked("unordered", 9, inputs=[x])
    assert result.status != 0 and "race: " in result.stderr and "own_functions.mu:" in result.stderr


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("blocks", [1, 5])
def test_blocks_hand_on_by_flags(own: Program, rng: np.random.Generator, blocks: int, form: str) -> None:
    x = rng.integers(-1000, 1000, (blocks, 64)).astype(np.int32)
    got = own.array(np.int32, "handed_on", blocks, inputs=[x], env=FORMS[form])
    np.testing.assert_array_equal(got.reshape(blocks, 64), np.cumsum(x, axis=0))


def test_bursts(own: Program, rng: np.random.Generator) -> None:
    x = rng.standard_normal((3, 4)).astype(np.float32)
    read = results(own, "bursts", 0, x)
    a, b, c = x.astype(np.float64)
    s = a[3]
    wanted = [a + b, s + b, a * b, s * b, np.maximum(a, b), np.maximum(s, b)]
    wanted += [a * b + c, s * b + c, a * b + c[3], s * b + c[3], np.exp2(a)]
    np.testing.assert_allclose(read.take(44, np.float32).reshape(11, 4), wanted, rtol=2e-6, atol=1e-7)
    pairs = [(a + b)[:2], np.maximum(s, b)[:2], (a * b + c)[:2], np.exp2(a)[:2]]
    np.testing.assert_allclose(read.take(8, np.float32).reshape(4, 2), pairs, rtol=2e-6, atol=1e-7)
    read.end()


def test_conversions_to_eight_bits_and_back(own: Program, rng: np.random.Generator) -> None:
    codes = rng.permutation(256).astype(np.uint8)
    x = (rng.standard_normal((64, 4)) * 10.0 ** rng.integers(-3, 2, (64, 4))).astype(np.float32)
    read = results(own, "conversions", 64, codes, x)
    halves = read.take(512, np.float16).reshape(64, 2, 4)
    for form, dtype in enumerate((torch.float8_e4m3fn, torch.float8_e5m2)):
        wanted = torch.from_numpy(codes).view(dtype).to(torch.float16).numpy()
        np.testing.assert_array_equal(halves[:, form].reshape(-1), wanted)
    made = read.take(1024, np.uint8).reshape(64, 4, 4)
    half = torch.from_numpy(x.astype(np.float16))
    given = [(torch.from_numpy(x), torch.float8_e4m3fn), (torch.from_numpy(x), torch.float8_e5m2)]
    given += [(half, torch.float8_e4m3fn), (half, torch.float8_e5m2)]
    for row, (values, dtype) in enumerate(given):
        np.testing.assert_array_equal(made[:, row], values.to(dtype).view(torch.uint8).numpy())
    read.end()


@pytest.mark.parametrize("n", [0, 1, 13, 40])
def test_what_is_outside_reads_as_zero(own: Program, rng: np.random.Generator, n: int) -> None:
    x = rng.integers(1, 2**31, 80).astype(np.int32)
    read = results(own, "robust", n, x)
    position = np.arange(64)
    inside = (position >= 8) & (position < 8 + n)
    np.testing.assert_array_equal(read.take(64), np.where(inside, x[:64], 0))
    whole = (position >= 8) & (position + 4 <= 8 + n)
    vectors = np.where(whole[:, None], x[position[:, None] + np.arange(4)], 0)
    np.testing.assert_array_equal(read.take(256).reshape(64, 4), vectors)
    np.testing.assert_array_equal(read.take(64), np.where(inside, x[:64], 0))
    read.end()
