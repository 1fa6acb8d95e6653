"""Shuffles in segments of any width, against PTX's description of shfl.

CUDA defines widths that are powers of two up to the warp. muAlg's own headers give others, and use no result of them.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from sim_programs import Build, Program

FORMS = {"fibers": {"MUSA_SIM_FIBERS": "1"}, "default": {}}
UP, DOWN, EXCLUSIVE_OR, INDEX = range(4)
FULL = 0xFFFFFFFF


@pytest.fixture(scope="module")
def widths(build: Build) -> Program:
    return build("shuffle_widths.mu")


def shfl(mode: int, lane: int, b: int, c: int, lanes: int) -> int:
    """Return the source lane as the PTX ISA's pseudocode has it, for a warp of so many lanes."""
    bits = lanes - 1
    bval, cval, segment_mask = b & bits, c & bits, c >> 8 & bits
    max_lane = (lane & segment_mask) | (cval & ~segment_mask)
    min_lane = lane & segment_mask
    if mode == UP:
        j = lane - bval
        valid = j >= max_lane
    elif mode == DOWN:
        j = lane + bval
        valid = j <= max_lane
    elif mode == EXCLUSIVE_OR:
        j = lane ^ bval
        valid = j <= max_lane
    else:
        j = min_lane | (bval & ~segment_mask)
        valid = j <= max_lane
    return j if valid else lane


def operand(mode: int, width: int, lanes: int) -> int:
    """Return the operand c that CUDA's headers give."""
    return (lanes - width) % lanes << 8 | (0 if mode == UP else lanes - 1)


def expected(lanes: int, last: int, argument_step: int, width_step: int, mask: int = FULL) -> NDArray[np.int32]:
    """Return which lane each lane reads: by mode, width, argument, lane. -1: the lane is not in the mask."""
    source = np.full((4, last, lanes, lanes), -1, np.int32)
    for (mode, width, argument, lane), _ in np.ndenumerate(source):
        if not mask >> lane % 32 & 1:
            continue
        own_width = (width + lane * width_step) % last + 1
        own_argument = (argument + lane * argument_step) % lanes
        read = shfl(mode, lane, own_argument, operand(mode, own_width, lanes), lanes)
        # a lane that takes no part gives nothing, with a partial mask also a lane outside the reader's 32
        takes_part = mask == FULL or (mask >> read % 32 & 1 and read // 32 == lane // 32)
        source[mode, width, argument, lane] = read if takes_part else lane
    return source


def found(result: str) -> NDArray[np.int32]:
    error, numbers = result.split(":")
    assert error == "musaSuccess"
    return np.array(numbers.split(",")[:-1], np.int32)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("lanes", "last", "argument_step", "width_step"),
    [(32, 32, 0, 0), (32, 72, 0, 0), (32, 32, 3, 0), (32, 33, 5, 7), (128, 32, 0, 0), (128, 33, 37, 5)],
)
def test_each_width(widths: Program, form: str, lanes: int, last: int, argument_step: int, width_step: int) -> None:
    run = ("all", str(lanes), str(last), str(argument_step), str(width_step), "ffffffff")
    result = widths(*run, env={**FORMS[form], "MUSA_SIM_WARP": str(lanes)})
    wanted = expected(lanes, last, argument_step, width_step)
    np.testing.assert_array_equal(found(result.facts["all"]).reshape(wanted.shape), wanted)
    assert result.stderr.count("is no power of two up to the warp size") == 1


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("lanes", [32, 128])
@pytest.mark.parametrize("mask", [0x0000FFFF, 0x7FFFFFF7])
def test_each_width_with_some_lanes(widths: Program, form: str, lanes: int, mask: int) -> None:
    """Among 128 lanes a segment can be wider than the 32 lanes that the mask is of."""
    last = 64 if lanes == 32 else 40
    run = ("all", str(lanes), str(last), "0", "0", f"{mask:x}")
    result = widths(*run, env={**FORMS[form], "MUSA_SIM_WARP": str(lanes)})
    wanted = expected(lanes, last, 0, 0, mask)
    np.testing.assert_array_equal(found(result.facts["all"]).reshape(wanted.shape), wanted)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("lanes", [32, 128])
def test_constant_widths(widths: Program, form: str, lanes: int) -> None:
    result = widths("constant", str(lanes), env={**FORMS[form], "MUSA_SIM_WARP": str(lanes)})
    for width in (0, 24, 33):
        read = found(result.facts[str(width)]).reshape(2, 128)[:, :lanes]
        for row, (mode, argument) in enumerate(((DOWN, 1), (INDEX, 3))):
            c = operand(mode, width, lanes)
            assert read[row].tolist() == [shfl(mode, lane, argument, c, lanes) for lane in range(lanes)]
        assert result.stderr.count(f"width {width} is no power of two up to the warp size {lanes}") == 1


@pytest.mark.parametrize("form", FORMS)
def test_a_width_that_some_lanes_give(widths: Program, form: str) -> None:
    result = widths("some", "32", env={**FORMS[form], "MUSA_SIM_WARP": "32"})
    wanted = [shfl(DOWN, lane, 1, operand(DOWN, 16 if lane < 16 else 24, 32), 32) for lane in range(32)]
    assert found(result.facts["some"]).tolist() == wanted
    assert "kernel some(int*): __shfl_sync: width 24 is no power of two" in result.stderr


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("case", ["constant", "some"])
def test_the_check_ends_the_kernel(widths: Program, form: str, case: str) -> None:
    result = widths(case, "32", env={**FORMS[form], "MUSA_SIM_WARP": "32", "MUSA_SIM_CHECK": "sync"})
    assert "is no power of two up to the warp size 32" in result.stderr
    assert "musaErrorLaunchFailure" in result.text
