"""The checks find what is wrong around libraries, arrays and memory pools, and are silent on the repaired twins."""

from __future__ import annotations

import re

import pytest
from checked_programs import SOURCES, Build
from sim_programs import Program

SOURCE = SOURCES / "libraries.mu"
LINES = {
    found.group(1): number
    for number, line in enumerate(SOURCE.read_text().splitlines(), 1)
    if (found := re.search(r"// BUG:(\w+)$", line))
}
FOUND = 86  # the exit status that says that there were findings
OUT_OF_BOUNDS, SUCCESS = "musaErrorIllegalAddress\n", "musaSuccess\n"

#: case -> its output, and patterns of the reports in their order; {line} is the line that the source marks
REPORTS = {
    "surface_outside": (
        OUT_OF_BOUNDS,
        [r"kernel surface_outside\(.*thread \(63,0,0\): a surface is used outside of its array", r"1 defect"],
    ),
    "texture_freed": (
        OUT_OF_BOUNDS,
        [r"kernel texture_freed\(.*the memory of a texture object was freed", r"1 defect"],
    ),
    "past_pool": (
        OUT_OF_BOUNDS,
        [
            r"memory: write of 4 bytes, out of bounds, at .*:{line}:",
            r"thread \(63,0,0\)",
            r"just after the end of 256 bytes of device memory",
        ],
    ),
    "pool_freed": (
        OUT_OF_BOUNDS,
        [r"memory: write of 4 bytes, freed memory, at .*:{line}:", r"freed by main \(", r"1 defect"],
    ),
    "pool_unwritten": (SUCCESS, [r"init: read of 4 bytes that nobody wrote, at .*:{line}:", r"device memory"]),
    "pool_leak": (SUCCESS, [r"leak: 256 bytes of device memory in 1 allocation were never freed", r"by main \("]),
    "copy_not_waited": (
        SUCCESS,
        [
            r"race: read of 4 bytes at .*:{line}:.* and an asynchronous copy at .*, which its thread has not waited",
            r"copy_not_waited\(.*\)::tile \(256 bytes\)",
        ],
    ),
    "storage_used_again": (
        SUCCESS,
        [r"race: write of 4 bytes at .* and a read at", r"sum_and_scan<false>\(.*::memory"],
    ),
    "histogram_read_early": (
        SUCCESS,
        [r"race: read of 4 bytes at .*:{line}:\d+ and a write at", r"::bins \(64 bytes\)"],
    ),
    "sparse_index": (OUT_OF_BOUNDS, [r"memory: library function .*musparse.* touched memory that is not its own"]),
    "small_matrix": (
        OUT_OF_BOUNDS,
        [
            r"memory: library function getrf<float>\(.* touched memory that is not its own",
            r"just after the end of 768 bytes of device memory",
            r"allocated by .*factorisation\(int, int\)",
        ],
    ),
    "range_too_long": (
        OUT_OF_BOUNDS,
        [
            r"memory: write of 4 bytes, out of bounds, at .*/thrust/",
            r"kernel void musa_sim_detail::one_thread<.*transform",
            r"just after the end of 2000 bytes of device memory",
        ],
    ),
}
TWINS = sorted(set(re.findall(r"\bgood_\w+", SOURCE.read_text())))


@pytest.fixture(scope="session")
def libraries(build: Build) -> Program:
    """The uses of libraries, compiled for all checks."""
    return build(SOURCE, ["--sim-check=all"], ["musparse", "musolver"])


def test_every_marked_line_is_tested() -> None:
    assert set(LINES) <= set(REPORTS)


@pytest.mark.parametrize("case", REPORTS)
def test_found_around_libraries(libraries: Program, case: str) -> None:
    printed, patterns = REPORTS[case]
    result = libraries(case)
    assert (result.status, result.text) == (FOUND, printed), result.stderr
    expected = ".*".join(pattern.replace("{line}", str(LINES.get(case))) for pattern in patterns)
    assert re.search(expected, result.stderr, re.S), result.stderr


@pytest.mark.parametrize("case", TWINS)
def test_silent_around_libraries(libraries: Program, case: str) -> None:
    result = libraries(case)
    assert (result.status, result.text, result.stderr) == (0, SUCCESS, "")


def test_a_fault_in_a_library_fails_the_device_without_checks(libraries: Program) -> None:
    result = libraries("sparse_far", env={"MUSA_SIM_CHECK": "none"})
    assert (result.status, result.text) == (0, OUT_OF_BOUNDS)
    assert re.fullmatch(
        r"\[musa-sim\] library function .*musparse.*: illegal memory access at address 0x\w+\n", result.stderr
    )
