"""expf, logf and so on are the SDK's own: within these errors, of all floats, the same in every form of a kernel."""

from __future__ import annotations

import math
from statistics import NormalDist

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
    "sinf": (1.6, 1.6),
    "cosf": (1.6, 1.6),
    "tanf": (2.5, 2.5),
    "asinf": (1.4, 1.4),
    "acosf": (1.1, 1.1),
    "atanf": (1.4, 1.5),
    "sinhf": (1.7, 1.7),
    "coshf": (1.5, 1.5),
    "atanhf": (2.0, 2.0),
    "sqrtf": (0.5, 0.5),
    "erfinvf": (1.9, 2.0),
    "atan2f": (1.5, 1.6),
    "fmodf": (0, 0),
    "nextafterf": (0, 0),
}
#: functions that have these names in NumPy
NUMPY_S = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atanh": "arctanh", "atan2": "arctan2"}
#: of two operands
BINARY = ("atan2f", "fmodf", "nextafterf")
ODD = ("expm1f", "log1pf", "tanhf", "erff", "sinf", "tanf", "asinf", "atanf", "sinhf", "atanhf", "sqrtf", "erfinvf")
SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 88.7228, 88.7229, -87.4, -103.97, -104, 128]
#: the least and the greatest normal number, and what is close to multiples of pi/2
SPECIAL += [1.17549435e-38, 3.40282347e38, 3.14159274, 1.57079637, 0.785398185, 16367173 * 2.0**72, 89.41, 89.42]
#: of the bit patterns that are tried
STEP = 21_481


def inputs() -> npt.NDArray[np.float32]:
    patterns = np.arange(0, 2**32, STEP, dtype=np.uint64).astype(np.uint32).view(np.float32)
    near_one = np.random.default_rng(3).uniform(-2, 2, 20_000).astype(np.float32)
    return np.concatenate([np.array(SPECIAL, np.float32), patterns, near_one])


def second_inputs(x: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Second operands: all pairs of special ones, then some of the first's size and some of any."""
    rng = np.random.default_rng(4)
    with np.errstate(all="ignore"):
        near = (x * rng.uniform(-2, 2, len(x))).astype(np.float32)
    y = np.where(np.arange(len(x)) % 2, near, rng.permutation(x))
    pairs = len(SPECIAL) ** 2
    x[-pairs:], y[-pairs:] = np.array([(a, b) for a in SPECIAL for b in SPECIAL], np.float32).T
    return y


def exact(name: str, *operands: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    with np.errstate(all="ignore"):  # signalling NaNs, too
        if name == "nextafterf":
            return np.nextafter(*operands).astype(np.float64)
        x, y = (floats.astype(np.float64) for floats in operands)
        if name == "erff":
            return np.array([math.erf(value) for value in x])
        if name == "erfinvf":
            return np.array([erfinv(value) for value in x])
        function: np.ufunc = getattr(np, NUMPY_S.get(name[:-1], name[:-1]))
        return np.asarray(function(x, y) if name in BINARY else function(x))


def erfinv(x: float) -> float:
    """Return the y of erf(y) = x, by Newton's steps, from a quantile of the normal distribution."""
    size = abs(x)
    if not size < 1:
        return math.copysign(math.inf, x) if size == 1 else math.nan
    y = size * math.sqrt(math.pi) / 2 if size < 0.1 else NormalDist().inv_cdf((1 + size) / 2) / math.sqrt(2)
    for _ in range(3 if size < 0.1 else 1):
        off = math.erf(y) - size if size < 0.5 else (1 - size) - math.erfc(y)
        y -= off * math.sqrt(math.pi) / 2 * math.exp(y * y)
    return math.copysign(y, x)


def units(found: npt.NDArray[np.float32], wanted: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the distance in ulps of a float of that size."""
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


def rows(
    program: Program, form: str, x: npt.NDArray[np.float32], y: npt.NDArray[np.float32], **env: str
) -> npt.NDArray[np.float32]:
    return program.array(np.float32, form, len(x), inputs=[x, y], env=env).reshape(len(VECTOR_MATH_ERRORS), len(x))


def test_the_errors_of_all_floats(vector_math: Program) -> None:
    x = inputs()
    y = second_inputs(x)
    for (name, allowed), found in zip(VECTOR_MATH_ERRORS.items(), rows(vector_math, "loop", x, y)):
        wanted = exact(name, x, y)
        far = units(found, wanted)
        worst = int(np.argmax(far))
        at = f"{name}({x[worst]!r}, {y[worst]!r})" if name in BINARY else f"{name}({x[worst]!r})"
        assert far[worst] <= allowed[cpu.of_this_machine() != cpu.V3], f"{at}: {far[worst]:.3f} units"
        if name in BINARY:
            numbers = ~np.isnan(wanted)
            assert np.array_equal(np.signbit(found[numbers]), np.signbit(wanted[numbers])), name


def test_exp_of_doubles(vector_math: Program) -> None:
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 709.782712893384, 709.7827128933841, -745.1332191019411, -745.14]
    x = np.concatenate([special, np.random.default_rng(5).uniform(-760, 715, 100_000), np.linspace(-1, 1, 100_000)])
    found = vector_math.array(np.float64, "doubles", len(x), inputs=[x])
    with np.errstate(all="ignore"):
        wanted = np.exp(x.astype(np.longdouble))
        _, exponent = np.frexp(wanted)
        far = np.abs(found - wanted) / np.ldexp(np.longdouble(1), np.maximum(exponent, -1021) - 53)
        same = (found == wanted.astype(np.float64)) | (np.isnan(found) & np.isnan(x))
    assert np.where(same, 0, far).max() <= 0.9


def test_the_sign_of_zero_is_kept(vector_math: Program) -> None:
    x = np.array([0.0, -0.0], np.float32)
    for name, found in zip(VECTOR_MATH_ERRORS, rows(vector_math, "loop", x, x)):
        if name in ODD:
            assert np.signbit(found).tolist() == [False, True], name


@pytest.mark.parametrize("form", ["loop", "barrier"])
def test_every_form_computes_the_same(vector_math: Program, form: str) -> None:
    x = inputs()[:: 16 + 1]
    y = second_inputs(x)
    loops = rows(vector_math, "loop", x, y).view(np.uint32)
    for env in ({}, {"MUSA_SIM_FIBERS": "1"}):
        assert np.array_equal(rows(vector_math, form, x, y, **env).view(np.uint32), loops)


def test_the_library_s_scalar_functions_are_not_called(vector_math: Program) -> None:
    names = vector_math.path.read_bytes()
    assert b"_Z9loop_expfPKfS0_Pfi" in names
    for name in (*VECTOR_MATH_ERRORS, "exp"):
        assert f"\0{name}\0".encode() not in names
