"""The outcome of a program for MUSA on the simulated SDK: docs/moore-threads-programs.json, and the page made from it.

    python -m tests.programs.record     # the page once more, from the records

A script per program builds it with its own command, runs its tests and keeps a record.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
RECORDS, PAGE = DOCS / "moore-threads-programs.json", DOCS / "moore-threads-programs.md"

_HEAD = """# Moore Threads' own programs, and others written for MUSA

Programs that were written for the real SDK, unmodified, with the command that their own pages give, against the
simulated SDK (`MUSA_HOME=$(python -m musa_sim root)`). `python -m tests.programs.NAME` builds one, runs its tests and
writes this page. Their sources come from the package index, or from a checkout that a variable names, and are kept in a
cache. **Not verified on MUSA hardware.**
"""


@dataclass(frozen=True)
class Tests:
    """One of a program's own tests, or a comparison that its script makes, by cases."""

    what: str
    passed: int
    failed: int
    skipped: int = 0


@dataclass(frozen=True)
class Record:
    """The outcome of one program. `left`: what is left, and why, a sentence each."""

    program: str
    version: str
    date: str
    command: str
    files: int
    compiled: int
    tests: tuple[Tests, ...]
    left: tuple[str, ...]


def read_records() -> dict[str, Record]:
    """Return the records that are kept, by their programs."""
    if not RECORDS.is_file():
        return {}
    found = json.loads(RECORDS.read_text(encoding="utf-8"))
    return {
        name: Record(**{**one, "tests": tuple(Tests(**test) for test in one["tests"]), "left": tuple(one["left"])})
        for name, one in found.items()
    }


def page(records: Iterable[Record]) -> str:
    """Write the page."""
    rows = list(records)
    table = ["| program | version | date | files that compile | tests that pass | of |", "|---|---|---|---|---|---|"]
    for one in rows:
        run = sum(test.passed + test.failed for test in one.tests)
        files = f"{one.compiled} of {one.files}" if one.files else "-"
        counts = f"{files} | {sum(test.passed for test in one.tests)} | {run}"
        table.append(f"| {one.program} | {one.version} | {one.date} | {counts} |")
    return "\n".join([_HEAD, *table, *(line for one in rows for line in _section(one))]) + "\n"


def _section(one: Record) -> list[str]:
    tests = [f"| {test.what} | {test.passed} | {test.failed} | {test.skipped} |" for test in one.tests]
    head = ["| tests | passed | failed | not supported, or not run |", "|---|---|---|---|"] if tests else []
    return [
        *("", f"## {one.program}", "", "```sh", one.command, "```"),
        *(["", *head, *tests] if tests else []),
        *(["", "What is left:", "", *(f"- {sentence}" for sentence in one.left)] if one.left else []),
    ]


def keep(record: Record) -> None:
    """Replace the program's record, and write the page."""
    records = {**read_records(), record.program: record}
    texts = {name: asdict(records[name]) for name in sorted(records)}
    RECORDS.write_text(json.dumps(texts, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    PAGE.write_text(page(records[name] for name in sorted(records)), encoding="utf-8")


if __name__ == "__main__":
    PAGE.write_text(page(read_records().values()), encoding="utf-8")
