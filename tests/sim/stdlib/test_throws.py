"""An exception in a kernel ends the launch with a report that names it and its cause."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from sim_programs import Program

CASES = {
    "array_at": "std::out_of_range thrown in device code: array::at: __n (which is 4) >= _Nm (which is 4)",
    "view_at": "std::out_of_range thrown in device code: basic_string_view::substr: __pos (which is 7)",
    "optional_value": "std::bad_optional_access thrown in device code",
    "variant_get": "std::bad_variant_access thrown in device code: ",
    "expected_value": "bad_expected_access thrown in device code",
    "call_abort": "abort() called in device code",
    "builtin_abort": "abort() called in device code",
}


@pytest.fixture(scope="module")
def throws(build: Callable[..., Program]) -> Program:
    source = Path(__file__).parent / "programs/throws.mu"
    return build(source, "23", "-O2", "-D_GLIBCXX_ASSERTIONS")


@pytest.mark.parametrize("case", CASES)
def test_throw_ends_the_launch_and_not_the_process(throws: Program, case: str) -> None:
    result = throws(case)
    if result.status == 77:
        pytest.skip("the C++ library has no <expected>")
    assert (result.status, result.text) == (0, "musaErrorLaunchFailure\ncaught\n")
    assert f"[musa-sim] kernel {case}(int*), block (0,0,0), thread " in result.stderr
    assert CASES[case] in result.stderr


def test_report_names_the_thread(throws: Program) -> None:
    result = throws("optional_value", env={"MUSA_SIM_FIBERS": "1"})
    assert "thread (39,0,0): std::bad_optional_access" in result.stderr


def test_assertion_of_the_library(throws: Program) -> None:
    result = throws("library_assertion")
    assert (result.status, result.text) == (0, "musaErrorAssert\ncaught\n")
    assert "array:" in result.stderr and "failed" in result.stderr
