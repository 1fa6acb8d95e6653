"""Write the tables of docs/wall.md from the records: `python -m tests.corpus.wall_page`.

wall-verdicts.tsv has the rest: whether results agree, and whose defect a failure is.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from musa_build.system import files

from .wall import COUNTED, INSTALLS, LIST, Entry, listed

DOCS = Path(__file__).resolve().parents[2] / "docs"
RECORDS, PAGE = DOCS / "wall-records.json", DOCS / "wall.md"
VERDICTS = LIST.with_name("wall-verdicts.tsv")
DROPPED = "dropped"  # a package that cannot be had whole, for the reason in `remark`
BEGIN, END = "<!-- written by tests/corpus/wall_page.py -->", "<!-- end -->"


@dataclass(frozen=True)
class Verdict:
    """A finding by hand: `agrees` (or "" if not compared), `whose` defect a failure is, and a remark."""

    agrees: str = ""
    whose: str = ""
    remark: str = ""


def main() -> None:
    """Write the page."""
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    records = json.loads(RECORDS.read_text(encoding="utf-8"))
    tables = written(listed(), records, verdicts())
    files.write_if_changed(PAGE, f"{before}{BEGIN}\n\n{tables}\n{END}{after}")


def verdicts() -> dict[str, Verdict]:
    """Read the findings by requirement."""
    rows = [line.split("\t") for line in VERDICTS.read_text(encoding="utf-8").splitlines()[1:]]
    return {row[0]: Verdict(*row[1:4]) for row in rows}


def written(entries: list[Entry], records: Mapping[str, Any], found: Mapping[str, Verdict]) -> str:
    """Return the first-try rate, the table of tries, and the list of packages that do not count."""
    tried = [(entry, records[entry.requirement]) for entry in entries if entry.requirement in records]
    dropped = {entry.requirement for entry, _ in tried if found.get(entry.requirement, Verdict()).whose == DROPPED}
    counted = [(e, record) for e, record in tried if record["outcome"] in COUNTED and e.requirement not in dropped]
    installed = [entry for entry, record in counted if record["outcome"] == INSTALLS]
    agreed = [entry for entry in installed if found.get(entry.requirement, Verdict()).agrees]
    failed = [entry for entry, record in counted if record["outcome"] != INSTALLS]
    own = [entry for entry in failed if "package" in found.get(entry.requirement, Verdict()).whose]
    share = f"{len(installed)} of {len(counted)}"
    lines = [
        f"**At the first try, {share} installed.** Of these, {len(agreed)} were compared and agree.",
        f"{len(failed)} failed, {len(own)} of them by defects of their own, with CUDA too.",
        "",
        "| package | rank | date, commit | installs | CPU time, memory | agrees | checks | what stopped it |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for entry, record in counted:
        verdict = found.get(entry.requirement, Verdict())
        level = f", level {record['level']}" if record["level"] > 1 else ""
        does = f"yes{level}" if record["outcome"] == INSTALLS else "no"
        cost = f"{record['seconds']} s, {record['megabytes'] / 1000:.1f} GB"
        why = f"{verdict.whose}: {verdict.remark}" if verdict.whose else verdict.remark or "-"
        cells = (entry.requirement.replace("==", " "), entry.rank or "-", f"{record['date']}, {record['commit']}")
        lines.append(f"| {' | '.join(cells)} | {does} | {cost} | {verdict.agrees or '-'} | {checks(record)} | {why} |")
    others: dict[str, list[str]] = {}
    for entry, record in tried:
        if entry.requirement in dropped:
            others.setdefault(found[entry.requirement].remark, []).append(entry.name)
        elif record["outcome"] not in COUNTED:
            others.setdefault(record["outcome"], []).append(entry.name)
    for entry in entries:
        if entry.note:
            others.setdefault(entry.note, []).append(entry.name)
    left = sum(1 for entry in entries if not entry.note and entry.requirement not in records)
    lines += ["", "Not counted:", ""]
    lines += [f"- {reason}: {', '.join(names)}." for reason, names in others.items()]
    lines += ["", f"{left} packages of the list were not reached yet."]
    return "\n".join(lines) + "\n"


def checks(record: Mapping[str, Any]) -> str:
    """Return the findings of the checks in a package's comparison, or "-" if it did not run with them."""
    found = (record.get("compared") or {}).get("checked")
    if not found:
        return "-"
    said = list(found["findings"])
    if found["ended"] != "to its end":
        said.append(f"ended: {found['ended']}")
    return "; ".join(f"`{each}`" for each in said).replace("|", "/") or "silent"


if __name__ == "__main__":
    main()
