"""The outcomes of the matrix, in outcomes.json, and the table of docs/supported-versions.md that is made of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from .cells import CELLS

FILE = Path(__file__).with_name("outcomes.json")
PAGE = Path(__file__).resolve().parents[2] / "docs" / "supported-versions.md"
BEGIN, END = "<!-- the matrix: written by make matrix -->\n", "<!-- end of the matrix -->\n"


@dataclass(frozen=True)
class Outcome:
    """The outcome of a cell: when, with which releases exactly, and what each check found."""

    date: str
    versions: Mapping[str, str]
    results: Mapping[str, str]
    skipped: str = ""

    @property
    def failed(self) -> bool:
        return any(result.startswith("failed") for result in self.results.values())

    @property
    def verdict(self) -> str:
        if self.skipped:
            return f"not run: {self.skipped}"
        return "failed" if self.failed else "passed"

    @property
    def details(self) -> str:
        """Return the checks that fail; of a cell that passed, all."""
        shown = {name: text.replace("failed: ", "") for name, text in self.results.items()}
        if self.failed:
            shown = {name: shown[name] for name, text in self.results.items() if text.startswith("failed")}
        return "; ".join(name if text == "passed" else f"{name}: {text}" for name, text in shown.items())


def read() -> dict[str, Outcome]:
    """Return the outcomes by the names of their cells."""
    if not FILE.exists():
        return {}
    return {name: Outcome(**fields) for name, fields in json.loads(FILE.read_text(encoding="utf-8")).items()}


def write(outcomes: Mapping[str, Outcome]) -> None:
    text = json.dumps({name: asdict(outcome) for name, outcome in sorted(outcomes.items())}, indent=1)
    FILE.write_text(text + "\n", encoding="utf-8")


def table(outcomes: Mapping[str, Outcome]) -> str:
    """Return the table, in the order of the cells: the ones that ran here."""
    lines = ["| PyTorch | Python | setuptools | compiler | outcome | when | what |", "|---|---|---|---|---|---|---|"]
    for cell in CELLS:
        outcome = outcomes.get(cell.name)
        if outcome is None or outcome.skipped:
            continue
        found = {"torch": cell.torch, "python": cell.python, "setuptools": cell.setuptools, "cxx": cell.cxx}
        found.update(outcome.versions)
        columns = (found["torch"], found["python"], found["setuptools"], found["cxx"])
        lines.append(f"| {' | '.join((*columns, outcome.verdict, outcome.date, outcome.details))} |")
    return "\n".join(lines) + "\n"


def write_table() -> None:
    """Write the table between its marks in docs/supported-versions.md."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(before + BEGIN + "\n" + table(read()) + "\n" + END + after, encoding="utf-8")
