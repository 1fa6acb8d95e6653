"""The command that runs torch_musa's unit tests, on a checkout of a few tests of ours: what it counts and writes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from musa_build.system.files import write_if_changed

TABLE = Path(__file__).parent / "table.py"
OUTCOMES = Path(__file__).parent / "programs" / "outcomes.py"
FILES = {
    "torch_musa/testing/__init__.py": 'WHOSE = "the checkout\'s"\n',
    "tests/unittest/core/test_outcomes.py": OUTCOMES.read_text(encoding="utf-8"),
    "tests/unittest/jit/test_no_import.py": "import nothing_of_this_name\n",
    "tests/unittest/operator/test_of_another_folder.py": "def test_fails():\n    assert False\n",
}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / "checkout" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_if_changed(path, text.encode())
    return tmp_path / "checkout"


def run(checkout: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(TABLE), "--checkout", str(checkout), *options]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


@pytest.mark.slow
@pytest.mark.compiles  # needs the backend
def test_every_test_is_counted_whatever_the_outcome_of_the_others(checkout: Path, tmp_path: Path) -> None:
    before = sorted(checkout.rglob("*"))
    done = run(checkout, "--timeout", "20", "--write", str(tmp_path / "page.md"))
    assert done.returncode == 1
    page = (tmp_path / "page.md").read_text()
    assert "**5 of 10** tests pass; 1 skip themselves." in page
    assert "| core/test_outcomes.py | 5 | 4 | 1 |" in page and "| jit/test_no_import.py | 0 | 1 | 0 |" in page
    code = "<code>core/test_outcomes.py::{}</code>".format
    assert f"| {code('test_fails')} | not explained | <code>assert (1 + 1) == 3</code> |" in page
    memory = "takes more memory than the machine had"
    assert f"| {code('test_wants_too_much_memory')} | {memory} | <code>torch.OutOfMemoryError: " in page
    ended = "<code>the process ended with exit status 7</code>"
    assert f"| {code('test_ends_the_process')} | not explained | {ended} |" in page
    assert f"| {code('test_hangs')} | not explained | <code>did not end within 20.0 s</code> |" in page
    assert "ModuleNotFoundError: No module named 'nothing_of_this_name'" in page
    assert f"| {code('test_skips')} | <code>not today</code> |" in page
    assert "another_folder" not in page
    assert sorted(checkout.rglob("*")) == before  # nothing is written there


@pytest.mark.slow
def test_a_folder_that_is_no_checkout(tmp_path: Path) -> None:
    done = run(tmp_path)
    assert done.returncode == 2 and "want a checkout of torch_musa" in done.stderr
