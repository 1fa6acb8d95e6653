"""`pytest` without arguments, as `make test` runs it, finds all tests."""

from __future__ import annotations

import fnmatch
import os
import subprocess
import sys
from pathlib import Path

import pytest
from imported_to_collect import IMPORTED_TO_COLLECT
from longest_first import LONGEST, longest_first
from slow_parts import part_of

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


def test_pytest_finds_the_modules_that_python_m_pytest_finds() -> None:
    """`python -m` puts the current directory on sys.path; `pytest` needs the setting for that."""
    command = [str(Path(sys.executable).with_name("pytest")), "--collect-only", "-q", "tests/fuzz"]
    done = subprocess.run(command, cwd=ROOT.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_make_lets_python_keep_what_it_compiles() -> None:
    """Containers often forbid it; then each process that imports torch would compile its modules anew."""
    command = ["make", "--no-print-directory", "--eval", "shown: ; @env", "shown"]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=ROOT.parent, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "MUSA_BUILD_SIMULATOR=1" in done.stdout and "PYTHONDONTWRITEBYTECODE" not in done.stdout


@pytest.mark.parametrize("module", ["torch._dynamo", "torch.testing._internal.common_methods_invocations"])
def test_collecting_imports_no_compiler_and_no_database(module: str, pytestconfig: pytest.Config) -> None:
    """Each process of a run collects all tests; these take longer to import than all else."""
    assert module not in pytestconfig.stash[IMPORTED_TO_COLLECT], "import it in the test that needs it"


def test_every_slow_test_is_in_one_part_and_parts_are_alike() -> None:
    names = [f"tests/a/test_b.py::test_c[{number}]" for number in range(1000)]
    parts = [part_of(name, 5) for name in names]
    assert {*parts} == {1, 2, 3, 4, 5} and all(150 < parts.count(part) < 250 for part in range(1, 6))
    assert parts == [part_of(name, 5) for name in names], "not the same on each machine"


@pytest.mark.parametrize(("part", "status"), [("1/2", 0), ("2/2", 0), ("3/2", 4), ("0/2", 4), ("half", 4)])
def test_a_part_of_the_slow_tests(part: str, status: int, tmp_path: Path) -> None:
    """In a folder with the hook alone: the quick test is in each part, each of the slow ones in one."""
    (tmp_path / "conftest.py").write_text(
        "from slow_parts import leave_out_other_parts\n"
        "def pytest_addoption(parser):\n    parser.addoption('--slow-part')\n"
        "def pytest_configure(config):\n    config.addinivalue_line('markers', 'slow')\n"
        "def pytest_collection_modifyitems(config, items):\n"
        "    leave_out_other_parts(config, items, config.getoption('--slow-part'))\n"
    )
    (tmp_path / "test_some.py").write_text(
        "import pytest\ndef test_quick(): pass\n"
        "@pytest.mark.slow\n@pytest.mark.parametrize('n', range(20))\ndef test_slow(n): pass\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--rootdir={tmp_path}", "--slow-part"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("PYTEST_XDIST_WORKER_COUNT", None)
    done = subprocess.run(
        [*command, part, "test_some.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == status, done.stdout + done.stderr
    if status:
        assert f"--slow-part {part}: not a part of several" in done.stderr
    else:
        chosen = sum(part_of(f"test_some.py::test_slow[{n}]", 2) == int(part[0]) for n in range(20))
        assert f"{chosen + 1} passed, {20 - chosen} deselected" in done.stdout
