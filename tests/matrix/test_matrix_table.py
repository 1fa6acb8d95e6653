"""The matrix of versions: its table, and how it reads what pip and pytest say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.matrix import __main__ as matrix
from tests.matrix import outcomes
from tests.matrix.cells import CELLS, OLDEST_FOR_DEVICE, Cell
from tests.matrix.outcomes import Outcome

BACKEND = Path(__file__).resolve().parents[2] / "backend"


def test_the_page_has_the_table_of_the_outcomes() -> None:
    table = outcomes.PAGE.read_text(encoding="utf-8").partition(outcomes.BEGIN)[2].partition(outcomes.END)[0]
    assert table.strip() == outcomes.table(outcomes.read()).strip()


def test_each_outcome_is_of_a_cell() -> None:
    assert outcomes.read().keys() <= {cell.name for cell in CELLS}


def test_a_row_has_the_versions_that_ran_and_only_what_does_not_hold() -> None:
    cell = Cell("2.7.1", "3.10")
    versions = {"torch": "2.7.1+cu126", "python": "3.10.13", "setuptools": "84.0", "cxx": "g++ 12.2.0"}
    row = f"| {' | '.join((versions['torch'], '3.10.13', '84.0', 'g++ 12.2.0'))} |"
    good = Outcome("2026-01-02", versions, {"device is built": "passed", "device": "3 passed"})
    assert f"{row} passed | 2026-01-02 | device is built; device: 3 passed |" in outcomes.table({cell.name: good})
    bad = Outcome(
        "2026-01-02", versions, {"device is built": "passed", "device": "failed: 1 failed, 3 passed: test_it"}
    )
    assert f"{row} failed | 2026-01-02 | device: 1 failed, 3 passed: test_it |" in outcomes.table({cell.name: bad})
    absent = Outcome("2026-01-02", {}, {}, skipped="no Python 3.10 here")
    assert "2.7.1" not in outcomes.table({cell.name: absent})


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("2 passed, 3 deselected, 1 warning in 1.20s\n", "2 passed"),
        (
            "FAILED tests/a.py::test_it[x] - boom\nERROR tests/a.py::test_no\n1 failed, 1 error in 3.00s",
            "failed: 1 failed, 1 error: test_it, test_no",
        ),
        (
            "1 failed, 29 passed, 2 skipped, 3 deselected in 61.20s (0:01:01)",
            "failed: 1 failed, 29 passed, 2 skipped: ",
        ),
        ("ImportError while loading it\nE   RuntimeError: it broke", "failed: ImportError while loading it"),
    ],
)
def test_what_pytest_said(said: str, found: str, monkeypatch: pytest.MonkeyPatch) -> None:
    room = matrix.Room(CELLS[0])
    monkeypatch.setattr(room, "call", lambda *command: ("failed" in found, said))
    assert matrix.checked(room, ("tests/a.py",)) == found


def test_one_header_says_how_releases_of_torch_differ() -> None:
    """Other sources ask its macro; what they do not ask, they cannot get wrong."""
    asking = {
        path.name
        for path in (BACKEND / "torch_musa").rglob("*")
        if path.suffix in {".h", ".cpp", ".mu", ".muh"}
        and re.search(r"\bTORCH_VERSION_M", path.read_text(encoding="utf-8"))
    }
    assert asking == {"TorchVersion.h"}


def test_setup_and_matrix_name_the_same_oldest_release() -> None:
    assert f"OLDEST_TORCH = {OLDEST_FOR_DEVICE}\n" in (BACKEND / "setup.py").read_text(encoding="utf-8")
