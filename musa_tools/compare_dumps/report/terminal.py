"""The summary of a comparison on a terminal, with colours where rich is installed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

_MOST_SECTIONS = 12
_COLOURS = {"error": "red", "warning": "yellow", "only in one": "magenta"}


def show_content(content: dict[str, Any], written: Sequence[Path]) -> None:
    """Print a summary.

    Args:
        content: What ``content.summary`` returns.
        written: The files that hold it all.
    """
    try:
        import rich  # noqa: F401
    except ImportError:
        _show_plainly(content)
    else:
        _show_richly(content)
    for line in _about_the_runs(content):
        print(line)
    left_out = len(content["sections"]) - _MOST_SECTIONS
    if left_out > 0:
        print(f"... and {left_out} more")
    for path in written:
        print(f"written: {path}")


def _about_the_runs(content: dict[str, Any]) -> list[str]:
    """Return which runs these are, and what makes them hard to compare; an older file does not say."""
    sources = content.get("sources") or ("", "")
    lines = [f"{name}: {text or 'unknown'}" for name, text in zip(("run", "reference"), sources) if any(sources)]
    return lines + [f"warning: {text}" for text in content.get("warnings") or ()]


def _facts(content: dict[str, Any]) -> list[dict[str, str]]:
    return [section["facts"] for section in content["sections"][:_MOST_SECTIONS]]


def _show_plainly(content: dict[str, Any]) -> None:
    print(content["headline"])
    for line in content["paragraphs"]:
        print(f"  {line}")
    rows = _facts(content)
    widths = {key: max(len(key), *(len(row[key]) for row in rows)) for key in rows[0]}
    for row in [{key: key for key in widths}, *rows]:
        print("  ".join(row[key].ljust(width) for key, width in widths.items()).rstrip())


def _show_richly(content: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.panel import Panel
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    style = "red" if content["differs"] else "yellow" if content["cause"] == "accumulated" else "green"
    body = Text("\n".join(content["paragraphs"]) or "Every value agrees.")
    console.print(Panel(body, title=Text(content["headline"], style="bold"), border_style=style, title_align="left"))
    table = Table(box=None, padding=(0, 2, 0, 0))
    rows = _facts(content)
    for key in rows[0]:
        table.add_column(key, justify="left" if key in ("run", "first divergence") else "right", overflow="fold")
    for row in rows:
        cells = (Text(cell, style="dim" if cell == "0" else _COLOURS.get(key, "")) for key, cell in row.items())
        table.add_row(*cells)
    console.print(table)
