"""Flags for fast math change no result of a kernel: NaN, infinity, -0 and the order of sums stay, in every form."""

from __future__ import annotations

import subprocess
from itertools import product
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from sim_programs import SOURCES, Build, Program

_LIMITS = [0, 1, np.inf, np.nan, 1e-45, 1e-40, 1.2e-38, 2e38, 3e38, 0.1, 3, 7.5, 90, 104, 1e10, 16777216]
VALUES = np.array([sign * value for value in _LIMITS for sign in (1, -1)], np.float32)
X, Y = (np.ascontiguousarray(side) for side in np.array(list(product(VALUES, VALUES)), np.float32).T)
#: the positions of some operations in the program
SILU, SIGMOID, DIFFERENCE, IS_NAN, IS_INFINITE, IS_FINITE = 8, 10, 16, 25, 26, 27
SOFTMAX = -1
FLAGS = [
    ["-ffast-math"],
    ["-use_fast_math", "-fmusa-flush-denormals-to-zero"],
    *(
        pytest.param(flags, marks=pytest.mark.slow)
        for flags in (
            ["-Ofast"],
            ["-ffast-math", "-O0"],
            ["-ffast-math", "-O3"],
            ["-ffinite-math-only"],
            ["-freciprocal-math", "-mrecip=all"],
            ["-funsafe-math-optimizations"],
            ["-fno-signed-zeros", "-fno-trapping-math", "-fno-math-errno"],
            ["-ffp-contract=fast"],
        )
    ),
]


def results(program: Program, form: str, fibers: str) -> npt.NDArray[np.float32]:
    """One row per operation, the last of softmax."""
    env = {"MUSA_SIM_FIBERS": fibers}
    got: npt.NDArray[np.float32] = program.array(np.float32, form, len(X), inputs=[X, Y], env=env)
    return got.reshape(-1, len(X))


@pytest.fixture(scope="module")
def plain(build: Build) -> npt.NDArray[np.float32]:
    return results(build("fast_math.mu", flags=["-Wno-everything"]), "loop", "0")


def test_without_flags_they_are_ieee_s(plain: npt.NDArray[np.float32]) -> None:
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(plain[0], X / Y)
        np.testing.assert_allclose(plain[SILU], X / (1 + np.exp(-X)), rtol=1e-6, atol=1e-44)
        np.testing.assert_array_equal(plain[DIFFERENCE], X - X)
    assert not np.isnan(plain[SILU][np.isfinite(X)]).any()
    assert not plain[SIGMOID][np.isneginf(X)].any()
    np.testing.assert_array_equal(plain[IS_NAN], np.isnan(X))
    np.testing.assert_array_equal(plain[IS_INFINITE], np.isinf(X))
    np.testing.assert_array_equal(plain[IS_FINITE], np.isfinite(X))
    rows = [(X[at : at + 64], plain[SOFTMAX][at : at + 64]) for at in range(0, len(X), 64)]
    for x, got in rows:
        if np.isfinite(x).all():
            np.testing.assert_allclose(got.sum(), 1, rtol=1e-5)


@pytest.mark.parametrize("flags", FLAGS, ids=" ".join)
def test_flags_change_nothing(build: Build, plain: npt.NDArray[np.float32], flags: list[str]) -> None:
    program = build("fast_math.mu", flags=[*flags, "-Wno-everything"])
    for form, fibers in product(("loop", "barrier"), "01"):
        got = results(program, form, fibers)
        wrong = (got.view(np.uint32) != plain.view(np.uint32)) & ~(np.isnan(got) & np.isnan(plain))
        assert not wrong.any(), [
            f"{form}, fibers {fibers}, operation {operation}, x = {X[at]}, y = {Y[at]}: {got[operation, at]} for "
            f"{plain[operation, at]}"
            for operation, at in np.argwhere(wrong)[:5]
        ]


def test_host_code_is_what_the_flags_say(sim_sdk_root: Path, tmp_path: Path) -> None:
    """clang's -ffast-math takes no value for a NaN; the macro is there in both passes."""
    source = tmp_path / "host.mu"
    source.write_text(
        "#ifndef __FAST_MATH__\n#error\n#endif\n"
        'extern "C" bool is_nan(float x) { return x != x; }\n__global__ void kernel(float* x) { *x = *x != *x; }\n'
    )
    command = [str(sim_sdk_root / "bin/mcc"), "-O2", "-ffast-math", "-S", str(source), "-o", "-"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")
    body = run.stdout.split("\nis_nan:")[1].split("ret")[0]
    assert "xorl\t%eax, %eax" in body


def test_infinity_under_fast_math_is_no_warning(sim_sdk_root: Path) -> None:
    """Mcc is clang 14, which has none; -W asks for clang's."""
    command = [
        str(sim_sdk_root / "bin/mcc"),
        "-ffast-math",
        "-fsyntax-only",
        "-std=c++17",
        str(SOURCES / "fast_math.mu"),
    ]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")
    asked = subprocess.run([*command, "-Wnan-infinity-disabled"], capture_output=True, text=True, check=False)
    assert "[-Wnan-infinity-disabled]" in asked.stderr


@pytest.mark.parametrize("level", ["-O2", "-O0"])
def test_overloads_for_float(level: str, build: Build) -> None:
    """`rcbrt(float)` and its like are float's own functions, not those of double."""
    assert build("float_overloads.mu", flags=[level])().text == "0 no error\n"
