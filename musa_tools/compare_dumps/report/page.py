"""A comparison as one HTML page that needs nothing else: no network, no server, no other file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from musa_tools.compare_dumps.report.compact import compact
from musa_tools.compare_dumps.report.output_file import output_file

_FILES = Path(__file__).with_name("page_files")


def write_page(path: Path, content: dict[str, Any]) -> None:
    """Write the page of a comparison.

    Args:
        path: The file.
        content: What ``content.as_content`` returns.
    """
    with output_file(path) as temporary:
        temporary.write_text(page(content), encoding="utf-8", errors="backslashreplace")


def page(content: dict[str, Any]) -> str:
    """Return the page of a comparison as text.

    Args:
        content: What ``content.as_content`` returns.
    """
    from jinja2 import Environment
    from markupsafe import Markup

    template = (_FILES / "page.html").read_text(encoding="utf-8")
    parts = {name: Markup((_FILES / f"page.{name}").read_text(encoding="utf-8")) for name in ("css", "js")}
    return (
        Environment(autoescape=True)
        .from_string(template)
        .render(content=content, data=Markup(_embedded(compact(content))), **parts)
    )


def _embedded(content: dict[str, Any]) -> str:
    """Return JSON that can stand in a script element: no name in a dump can end it."""
    text = json.dumps(content, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
