"""Names in messages that only people with a checkout have: its folders, pages, and targets of make."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_FOLDERS = ("backend", "benchmarks", "docs", "examples", "release", "simulator", "tests", "tools")
_TARGETS = re.findall(r"^([a-z][a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
_NAME = re.compile(
    rf"(?<![\w./{{}}-])(?:\./)?(?:{'|'.join(_FOLDERS)})/[\w./-]*|\bmake (?:{'|'.join(_TARGETS)})\b(?! \w)"
    r"|\b(?:ARCHITECTURE|CONTRIBUTING)\b|\bin a checkout\b"
)


def of_a_checkout(text: str) -> list[str]:
    """Return the names in a text that only a checkout has."""
    return [match[0] for match in _NAME.finditer(text)]
