"""`pytest` without arguments, as `make test` runs it, finds all tests."""

from __future__ import annotations

import fnmatch
from pathlib import Path

import pytest
from longest_first import LONGEST, longest_first

ROOT = Path(__file__).resolve().parent


def test_no_folder_of_tests_is_skipped(pytestconfig: pytest.Config) -> None:
    folders = {name for path in ROOT.rglob("test_*.py") for name in path.relative_to(ROOT).parts[:-1]}
    assert "build" in folders, "a name that pytest skips by default"
    patterns = pytestconfig.getini("norecursedirs")
    assert not [name for name in folders for pattern in patterns if fnmatch.fnmatch(name, pattern)]


@pytest.mark.parametrize("processes", [1, 2, 3, 5])
def test_the_longest_tests_begin_each_part_and_the_others_keep_their_order(processes: int) -> None:
    long = [f"{beginning}{number}" for beginning in LONGEST[:2] for number in range(2)]
    others = [f"tests/a/test_{number:02}.py::test" for number in range(20)]
    names = [*others[:7], *reversed(long), *others[7:]]
    ordered = longest_first([(name, name) for name in names], processes)
    assert sorted(ordered) == sorted(names) and [name for name in ordered if name in others] == others
    begin = 0
    for process in range(processes):  # pytest-xdist's parts
        size = (len(names) - begin) // (processes - process)
        part = ordered[begin : begin + size]
        longest = [name for name in part if name in long]
        assert part[: len(longest)] == longest and abs(len(longest) - len(long) / processes) < 1
        begin += size


def test_the_longest_tests_exist() -> None:
    for beginning in LONGEST:
        path, _, test = beginning.partition("::")
        assert f"\ndef {test}" in (ROOT.parent / path).read_text(encoding="utf-8"), beginning
