"""The reports of musa_build and of musa_tools look alike: the same colours, in the light, in the dark and on paper."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BASE = ROOT / "musa_build" / "html_pages" / "files" / "base.css"
COMPARISON = ROOT / "tools" / "musa_tools" / "compare_dumps" / "report" / "page_files" / "page.css"
SHARED = {"paper", "card", "ink", "faint", "line", "soft", "accent", "wash"}


def colours(sheet: Path) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """The variables of the light, of the dark and of the printed page."""
    text = sheet.read_text(encoding="utf-8")
    light, dark = re.findall(r":root \{(.*?)\}", text, re.DOTALL)[:2]
    printed = re.search(r"@media print \{.*?:root \{(.*?)\}", text, re.DOTALL)
    assert printed is not None, f"{sheet} has no print layout"
    return tuple(dict(re.findall(r"--(\w+): ([^;]+?)\s*(?:;|$)", part.strip())) for part in (light, dark, printed[1]))


def test_both_kinds_of_pages_have_the_same_colours() -> None:
    for one, other in zip(colours(BASE), colours(COMPARISON)):
        common = SHARED & one.keys()
        assert len(common) >= len(SHARED) - 1  # on paper nothing is a link
        assert {name: one[name] for name in common} == {name: other[name] for name in common}
