"""Every row of docs/unverified.md and docs/known.md has a probe, and the wheel has both."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import write_rows

from musa_build.verify.assumptions import all_assumptions, probes, shipped_rows
from musa_build.verify.probe_context import PROGRAMS
from musa_build.verify.program_probe import ProgramProbe

ROOT = Path(__file__).resolve().parents[2]
PAGES = (write_rows.UNVERIFIED, write_rows.KNOWN)


def test_the_shipped_rows_are_those_of_the_page() -> None:
    wanted = write_rows.text()
    assert write_rows.ROWS.read_text(encoding="utf-8") == wanted, "run tests/verify/write_rows.py"


def test_nothing_is_unverified_and_known() -> None:
    guesses, facts = ({row["id"] for row in write_rows.table(page)} for page in PAGES)
    assert guesses and facts
    assert sorted(guesses & facts) == [], "a row is in docs/unverified.md and in docs/known.md"


def test_every_fact_says_where_it_is_from() -> None:
    page = write_rows.KNOWN.read_text(encoding="utf-8")
    rows = [re.split(r"\s*\|\s*", line.strip("| ")) for line in page.splitlines() if line.startswith("| ")]
    assert [row for row in rows if not all(row)] == []


def test_ids_are_names_that_stand_once() -> None:
    ids = [row.id for row in all_assumptions()]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", each) for each in ids), ids


def test_every_row_has_a_probe_and_every_probe_a_row() -> None:
    rows = {row["id"] for row in shipped_rows()}
    assert sorted(rows - set(probes())) == [], "docs/unverified.md or docs/known.md has rows without a probe"
    assert sorted(set(probes()) - rows) == [], "probes without a row of docs/unverified.md or docs/known.md"


def test_every_program_says_what_it_should_print() -> None:
    shared = {"card.mu", "torch_probe.py", "ported.cu", "probe.h"}
    by_hand = {"fp-contract.mu", "murand-seeds.mu"}  # compared by a function
    for path in PROGRAMS.iterdir():
        if path.is_file() and path.name not in shared | by_hand:
            probe = ProgramProbe.read(path)
            assert probe.expected or probe.must_not_compile, path.name
            for name in probe.expected:
                assert re.fullmatch(r"\w+", name), (path.name, name)  # no line could say it
                assert name in path.read_text(encoding="utf-8").split("expect", 1)[1], (path.name, name)


def test_the_page_about_verifying_has_every_row() -> None:
    page = (ROOT / "docs" / "verify.md").read_text(encoding="utf-8")
    missing = [row.id for row in all_assumptions() if f"`{row.id}`" not in page and row.group != "conformance"]
    assert missing == []


def test_the_list_names_every_row_and_needs_no_sdk() -> None:
    command = [sys.executable, "-m", "musa_build", "verify", "--list"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert all(
        f"{row.id}\n    {row.question}\n    we assume: {row.assumed}\n" in done.stdout for row in all_assumptions()
    )


@pytest.mark.parametrize("folder", ["programs", "report_files"])
def test_the_data_is_in_the_wheel(folder: str) -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f'"verify/{folder}/*"' in text and '"verify/rows.json"' in text


@pytest.mark.slow
def test_a_wheel_lists_its_rows(built_wheels: dict[str, Path]) -> None:
    with zipfile.ZipFile(built_wheels["musa_build"]) as wheel:
        files = wheel.namelist()
    shipped = [*PROGRAMS.iterdir(), *(PROGRAMS.parent / "report_files").iterdir(), PROGRAMS.parent / "rows.json"]
    missing = [path.name for path in shipped if path.is_file() and path.relative_to(ROOT).as_posix() not in files]
    assert missing == []
