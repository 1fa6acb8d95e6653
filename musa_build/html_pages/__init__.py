"""HTML reports: pages in one style that need nothing else, neither files nor a network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

FILES = Path(__file__).with_name("files")


def render(folder: Path, name: str, **values: Any) -> str:
    """Return the page `folder/name.html`, a Jinja2 template.

    The template extends `base.html` of this package, which has the style, the filter and the print layout. If
    `folder/name.css` exists, its rules follow those of the base. Text is escaped.
    """
    from jinja2 import Environment, FileSystemLoader

    own = folder / f"{name}.css"
    style = (FILES / "base.css").read_text(encoding="utf-8")
    if own.is_file():
        style += own.read_text(encoding="utf-8")
    environment = Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, loader=FileSystemLoader([str(folder), str(FILES)])
    )
    script = (FILES / "filter.js").read_text(encoding="utf-8")
    return environment.get_template(f"{name}.html").render(css=style, js=script, **values)
