"""The summary of a comparison on a terminal, with colours where rich is installed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from musa_tools.compare_dumps.report.words import headline, paragraphs, section_facts
from musa_tools.compare_dumps.result import Comparison

_MOST_SECTIONS = 12


def show(comparison: Comparison, written: Sequence[Path]) -> None:
    """Print a summary.

    Args:
        comparison: What to say.
        written: The files that hold it all.
    """
    try:
        from rich.console import Console
    except ImportError:
        _show_plainly(comparison)
    else:
        _show_richly(comparison, Console(highlight=False))
    for path in written:
        click.echo(f"written: {path}")


def _show_plainly(comparison: Comparison) -> None:
    click.echo(headline(comparison))
    for line in paragraphs(comparison):
        click.echo(f"  {line}")
    rows = [section_facts(section) for section in comparison.sections[:_MOST_SECTIONS]]
    widths = {key: max(len(key), *(len(row[key]) for row in rows)) for key in rows[0]}
    click.echo("  ".join(key.ljust(widths[key]) for key in widths))
    for row in rows:
        click.echo("  ".join(row[key].ljust(widths[key]) for key in widths))
    _left_out(comparison)


def _left_out(comparison: Comparison) -> None:
    if len(comparison.sections) > _MOST_SECTIONS:
        click.echo(f"... and {len(comparison.sections) - _MOST_SECTIONS} more")


def _show_richly(comparison: Comparison, console: object) -> None:
    from rich.console import Console
    from rich.panel import Panel
    from rich.table import Table
    from rich.text import Text

    assert isinstance(console, Console)
    style = "red" if comparison.differs else "yellow" if comparison.first else "green"
    body = Text("\n".join(paragraphs(comparison)) or "Every value agrees.")
    console.print(Panel(body, title=Text(headline(comparison)), border_style=style, title_align="left"))
    table = Table(box=None, padding=(0, 2, 0, 0))
    rows = [section_facts(section) for section in comparison.sections[:_MOST_SECTIONS]]
    for key in rows[0]:
        table.add_column(key, justify="left" if key in ("run", "first divergence") else "right")
    for row in rows:
        bad = {"error": "red", "warning": "yellow", "unmatched": "magenta"}
        table.add_row(*(Text(cell, style=bad.get(key, "") if cell != "0" else "dim") for key, cell in row.items()))
    console.print(table)
    _left_out(comparison)
