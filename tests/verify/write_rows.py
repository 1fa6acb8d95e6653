"""Write musa_build/verify/rows.json from docs/unverified.md and the rows of docs/known.md: the wheel has no docs.

python tests/verify/write_rows.py
"""

from __future__ import annotations

import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
UNVERIFIED, KNOWN = ROOT / "docs" / "unverified.md", ROOT / "docs" / "known.md"
ROWS = ROOT / "musa_build" / "verify" / "rows.json"
KEYS = ("id", "question", "assumed", "where")


def table(page: Path) -> list[dict[str, str]]:
    """The rows of the page's table whose first column is `id`, as text without markup."""
    (head, *lines) = re.findall(r"^\| id \|.*\n(?:\|.*\n)+", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert not lines, f"{page} has several tables of rows"
    written = [line for line in head.splitlines()[1:] if line.startswith("| ")]
    cells = [re.split(r"(?<!\\)\s*\|\s*", line.strip("| ")) for line in written]
    assert all(len(row) == len(KEYS) for row in cells), [row for row in cells if len(row) != len(KEYS)]
    return [dict(zip(KEYS, (plain(cell) for cell in row))) for row in cells]


def plain(cell: str) -> str:
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", cell).replace("`", "")


def rows() -> list[dict[str, str]]:
    """Both pages' rows: each is probed."""
    return [*table(UNVERIFIED), *table(KNOWN)]


def text() -> str:
    return json.dumps(rows(), indent=1) + "\n"


if __name__ == "__main__":
    ROWS.write_text(text(), encoding="utf-8")
