"""The counts of ctest's last lines, by which a program's own tests are recorded: tests/programs/ggml.py."""

from __future__ import annotations

import pytest
from programs.ggml import outcome

FAILED = """
The following tests FAILED:
\t  2 - second (Failed)
\t 10 - tenth (Timeout)                    main
Errors while running CTest
"""


@pytest.mark.parametrize(
    ("said", "counts"),
    [
        ("100% tests passed, 0 tests failed out of 9", (9, 0)),
        # ctest 4 names no failures where there are none
        ("100% tests passed out of 9", (9, 0)),
        ("96% tests passed, 2 tests failed out of 51" + FAILED, (49, 2)),
        ("98% tests passed, 1 test failed out of 51", (50, 1)),
    ],
)
def test_the_counts_are_those_of_the_summary(said: str, counts: tuple[int, int]) -> None:
    found = outcome(f"2/9 Test #2: second .....   Passed   26.14 sec\n\n{said}\n\nTotal Test time (real) = 6.61 sec\n")
    assert found is not None and (found["passed"], found["failed"]) == counts


def test_the_failures_have_their_names_and_their_ends() -> None:
    found = outcome("96% tests passed, 2 tests failed out of 51" + FAILED)
    assert found is not None and found["which"] == ["second (Failed)", "tenth (Timeout)                    main"]


def test_a_folder_without_tests_has_no_outcome() -> None:
    assert outcome("No tests were found!!!") is None
