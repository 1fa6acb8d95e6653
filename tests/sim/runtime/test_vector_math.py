"""expf and its kin are the SDK's own: within these errors, of all floats, and the same in every form of a kernel."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from sim_programs import Build, Program

from musa_sim.mcc.clang import cpu

#: units in the last place with fused multiply-adds, and without
VECTOR_MATH_ERRORS = {
    "expf": (1.0, 1.0),
    "exp2f": (1.0, 1.1),
    "expm1f": (1.4, 1.4),
    "logf": (0.8, 0.8),
    "log2f": (1.0, 1.9),
    "log10f": (1.0, 1.6),
    "log1pf": (0.9, 0.9),
    "tanhf": (1.4, 1.4),
    "erff": (1.2, 1.2),
}
SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 88.7228, 88.7229, -87.4, -103.97, -104, 128]
#: of the bit patterns that are tried
STEP = 21_481


def inputs() -> npt.NDArray[np.float32]:
    patterns = np.arange(0, 2**32, STEP, dtype=np.uint64).astype(np.uint32).view(np.float32)
    near_one = np.random.default_rng(3).uniform(-2, 2, 20_000).astype(np.float32)
    return np.concatenate([np.array(SPECIAL, np.float32), patterns, near_one])


def exact(name: str, floats: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    with np.errstate(all="ignore"):  # signalling NaNs, too
        x = floats.astype(np.float64)
        if name == "erff":
            return np.array([math.erf(value) for value in x])
        function: np.ufunc = getattr(np, name[:-1])
        return np.asarray(function(x))


def units(found: npt.NDArray[np.float32], wanted: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the distance in units of the last place that a float of that size has."""
    with np.errstate(all="ignore"):
        rounded = wanted.astype(np.float32)
        _, exponent = np.frexp(wanted)
        unit = np.ldexp(1.0, np.maximum(exponent, -125) - 24)
        distance = np.abs(found - wanted) / unit
    same = (found == rounded) | (np.isnan(found) & np.isnan(wanted))
    # a result beyond the largest float may be that or infinity
    at_the_end = np.isinf(rounded) != np.isinf(found)
    largest = np.abs(np.where(np.isinf(found), wanted, found)) > 3.4028e38
    return np.where(same, 0, np.where(at_the_end, np.where(largest, 0.6, np.inf), distance))


@pytest.fixture(scope="session")
def vector_math(build: Build) -> Program:
    return build("vector_math.mu")


def rows(program: Program, form: str, x: npt.NDArray[np.float32], **env: str) -> npt.NDArray[np.float32]:
    return program.array(np.float32, form, len(x), inputs=[x], env=env).reshape(len(VECTOR_MATH_ERRORS), len(x))


def test_the_errors_of_all_floats(vector_math: Program) -> None:
    x = inputs()
    for (name, allowed), found in zip(VECTOR_MATH_ERRORS.items(), rows(vector_math, "loop", x)):
        far = units(found, exact(name, x))
        worst = int(np.argmax(far))
        assert far[worst] <= allowed[cpu.of_this_machine() != cpu.V3], f"{name}({x[worst]!r}): {far[worst]:.3f} units"


def test_the_sign_of_zero_is_kept(vector_math: Program) -> None:
    x = np.array([0.0, -0.0], np.float32)
    for name, found in zip(VECTOR_MATH_ERRORS, rows(vector_math, "loop", x)):
        if name in ("expm1f", "log1pf", "tanhf", "erff"):
            assert np.signbit(found).tolist() == [False, True], name


@pytest.mark.parametrize("form", ["loop", "barrier"])
def test_every_form_computes_the_same(vector_math: Program, form: str) -> None:
    x = inputs()[:: 16 + 1]
    loops = rows(vector_math, "loop", x).view(np.uint32)
    for env in ({}, {"MUSA_SIM_FIBERS": "1"}):
        assert np.array_equal(rows(vector_math, form, x, **env).view(np.uint32), loops)


def test_the_library_s_scalar_functions_are_not_called(vector_math: Program) -> None:
    names = vector_math.path.read_bytes()
    assert b"_Z9loop_expfPKfPfi" in names
    for name in VECTOR_MATH_ERRORS:
        assert f"\0{name}\0".encode() not in names
