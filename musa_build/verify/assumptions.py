"""The assumptions about MUSA: rows of docs/unverified.md and known.md, and end-to-end checks, each with its probe."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from .probe_context import ProbeContext
from .probes import compiler, end_to_end, libraries
from .program_probe import program_probes
from .verdict import Verdict, undecided

Probe = Callable[[ProbeContext], Verdict]

ROWS = Path(__file__).with_name("rows.json")  # tests/verify/write_rows.py writes it

#: Rows that no program can decide, and the question to a person.
QUESTIONS: Mapping[str, str] = {
    "barriers-by-number": "Does the SDK's documentation name a barrier for a part of a block's threads?",
    "emulated-cuda-version": "Which CUDA do the packages that you port expect? Does one fail because it sees 12.4?",
    "smid-and-clock": "Does the SDK's documentation name a multiprocessor's number, or a clock in ns?",
}


@dataclass(frozen=True)
class Assumption:
    """An assumption and its probe: a row of docs/unverified.md or docs/known.md, or an end-to-end check."""

    id: str
    group: str
    question: str
    assumed: str
    probe: Probe
    limit: float = 60.0  # seconds for one program


def asked(question: str) -> Probe:
    """Return a probe that leaves a question to a person."""
    return lambda context: undecided(question)


def probes() -> dict[str, Probe]:
    """Return {row: probe} for the rows of both pages."""
    people = {name: asked(question) for name, question in QUESTIONS.items()}
    return {**program_probes(), **compiler.PROBES, **libraries.PROBES, **people}


def shipped_rows() -> list[dict[str, str]]:
    """Return the rows of both pages as they are shipped: id, question, assumed (or known), where."""
    content: list[dict[str, str]] = json.loads(ROWS.read_text(encoding="utf-8"))
    return content


def all_assumptions() -> list[Assumption]:
    """Return all assumptions, in the order of the report."""
    known = probes()
    of_page = [
        Assumption(row["id"], "assumption", row["question"], row["assumed"], known[row["id"]]) for row in shipped_rows()
    ]
    return [*of_page, *(Assumption(*entry) for entry in end_to_end.ENTRIES)]
