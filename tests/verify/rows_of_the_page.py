"""Write musa_build/verify/rows.json from docs/unverified.md: the wheel has no docs.

python tests/verify/rows_of_the_page.py
"""

from __future__ import annotations

import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "unverified.md"
ROWS = ROOT / "musa_build" / "verify" / "rows.json"
KEYS = ("id", "question", "assumed", "where")


def rows() -> list[dict[str, str]]:
    """The rows of the page's table, as text without markup."""
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    cells = [re.split(r"(?<!\\)\s*\|\s*", line.strip("| ")) for line in lines[1:]]
    assert all(len(row) == len(KEYS) for row in cells), [row for row in cells if len(row) != len(KEYS)]
    return [dict(zip(KEYS, (cell.replace("`", "") for cell in row))) for row in cells]


def text() -> str:
    return json.dumps(rows(), indent=1) + "\n"


if __name__ == "__main__":
    ROWS.write_text(text(), encoding="utf-8")
