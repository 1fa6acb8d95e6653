"""The rows of docs/unverified.md, and the probe of each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from .probes import compiler, libraries, whole
from .program_probe import program_probes
from .row import Probe, Row
from .verdict import undecided

ROWS = Path(__file__).with_name("rows.json")  # tests/verify/rows_of_the_page.py writes it

#: rows that no program can decide, and what to ask a person
QUESTIONS: Mapping[str, str] = {
    "emulated-cuda-version": "Which CUDA do the packages that you port expect? Does one fail because it sees 11.8?",
    "smid-and-clock": "Does the SDK's documentation name a multiprocessor's number, or a clock in ns?",
}


def asked(question: str) -> Probe:
    """Return a probe that leaves a question to a person."""
    return lambda lab: undecided(question)


def probes() -> dict[str, Probe]:
    """Return {row: probe} of the rows of docs/unverified.md."""
    people = {name: asked(question) for name, question in QUESTIONS.items()}
    return {**program_probes(), **compiler.PROBES, **libraries.PROBES, **people}


def assumptions() -> list[dict[str, str]]:
    """Return the rows of docs/unverified.md as they are shipped: id, question, assumed, where."""
    content: list[dict[str, str]] = json.loads(ROWS.read_text(encoding="utf-8"))
    return content


def every_row() -> list[Row]:
    """Return all rows, in the order of the report."""
    known = probes()
    of_page = [Row(row["id"], "assumption", row["question"], row["assumed"], known[row["id"]]) for row in assumptions()]
    return [*of_page, *(Row(*entry) for entry in whole.ENTRIES)]
