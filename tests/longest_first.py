"""The order of the tests: the longest begin, so that no process is left with one of them when the others have ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

#: Files and tests that take longest (10 to 100 s of CPU time for each slow test), the longest first.
LONGEST = (
    "tests/test_tutorial.py::",
    "tests/verify/test_verify.py::",
    "tests/force/test_force_with_toolkit.py::test_a_package_that_finds_torch",
    "tests/force/test_force_with_toolkit.py::test_nanobind_and_an_editable_install",
    "tests/sim/libraries/test_headers.py::test_each_alone_with_the_host_compiler",
    "tests/doc_examples/test_examples_run.py::test_the_examples_of_a_page_that_compiles",
    "tests/tools/test_op_db.py::",
    "tests/test_new_project.py::",
    "tests/test_demo.py::",
    "tests/test_distributions.py::test_a_distribution_works_alone",
    "tests/tools/test_unusual_tensors.py::",
)

Test = TypeVar("Test")


def longest_first(tests: Sequence[tuple[str, Test]], processes: int) -> list[Test]:
    """Return pairs of a name and a test in the order to run them: the longest are dealt to the processes.

    pytest-xdist (--dist worksteal) gives each process an equal part of the list, one after another. So the longest are
    at the beginning of each part. All others keep their order: the tests of a module share its fixtures.
    """
    longest = [test for beginning in LONGEST for name, test in tests if name.startswith(beginning)]
    others = [test for name, test in tests if not name.startswith(LONGEST)]
    ordered: list[Test] = []
    for process in range(processes):
        part = longest[process::processes]
        size = (len(tests) - len(ordered)) // (processes - process)
        count = max(size - len(part), 0)
        ordered += [*part, *others[:count]]
        del others[:count]
    return [*ordered, *others]
