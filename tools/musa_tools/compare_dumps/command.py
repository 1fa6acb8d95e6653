"""The commands ``musa-tools compare``, ``report`` and ``parse``; with rich installed, their summary has colours."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Optional

from musa_tools.compare_dumps.parse import find_calls, shown
from musa_tools.compare_dumps.read import read_dump, renamed
from musa_tools.compare_dumps.report.content import as_content, summary
from musa_tools.compare_dumps.report.files import FORMATS, read_json, write_files, write_page
from musa_tools.compare_dumps.table import compare
from musa_tools.errors import ToolError

_STDERR = 2


def compare_command(
    run: Path,
    reference: Path,
    output: Optional[Path],
    formats: str,
    profile: str,
    data: tuple[Optional[Path], Optional[Path]],
    rename: tuple[str, ...],
    quiet: bool,
) -> int:
    """Compare two dumps, print a summary, write files; return the exit status.

    Args:
        run: The dump to judge.
        reference: The other.
        output: The folder of the files; None writes no files.
        formats: Their formats, separated by commas.
        profile: The rules and columns.
        data: The folders of the elements of both.
        rename: ``OLD=NEW`` for the names of the first.
        quiet: Print nothing.
    """
    with _without_collector():
        return _compare(run, reference, output, _wanted(formats), profile, data, rename, quiet)


@contextmanager
def _without_collector() -> Iterator[None]:
    """Stop Python's search for cycles: no record has one, and going over a million again and again doubles the time."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


@contextmanager
def _steps() -> Iterator[Callable[[str], None]]:
    """Yield a function that shows the present step on a terminal."""
    if not os.isatty(_STDERR):
        yield lambda _: None
        return
    from musa_tools.waiting import Waiting  # elsewhere it is not needed

    with Waiting(sys.stderr, quiet=0) as waiting:
        yield waiting.begins


def _compare(
    run: Path,
    reference: Path,
    output: Optional[Path],
    wanted: list[str],
    profile: str,
    data: tuple[Optional[Path], Optional[Path]],
    rename: tuple[str, ...],
    quiet: bool,
) -> int:
    with _steps() as begins:
        begins(f"reading {run}")
        judged = renamed(read_dump(run, data[0]), rename)
        begins(f"reading {reference}")
        trusted = read_dump(reference, data[1])
        begins("comparing")
        comparison = compare(judged, trusted, profile)
        content = as_content(comparison) if output is not None and {"json", "html"} & set(wanted) else None
        written = []
        if output is not None:
            begins(f"writing {output}")
            written = write_files(comparison, output, wanted, content)
        begins("summing up")
        shown = {} if quiet else content or summary(comparison)
        differs = comparison.differs
        del judged, trusted, comparison, content  # a million objects: the command ends right after its last line
    if not quiet:
        show_content(shown, written)
    return int(differs)


def _wanted(formats: str) -> list[str]:
    wanted = [each.strip() for each in formats.split(",") if each.strip()]
    unknown = [each for each in wanted if each not in FORMATS]
    if unknown:
        raise ToolError(f"there is no format {unknown[0]!r}", wanted=f"some of {', '.join(FORMATS)}")
    return wanted


def parse_command(dump: Path, prefix: str) -> int:
    """Print calls of a dump; return the exit status.

    Args:
        dump: The dump.
        prefix: The beginning of their names.
    """
    with _steps() as begins:
        begins(f"reading {dump}")
        found = find_calls(read_dump(dump), prefix)
    for run, call in found:
        label = ", ".join(each for each in (run.step and f"step {run.step}", run.rank and f"rank {run.rank}") if each)
        print("\n".join([*([f"[{label}]"] if label else []), *shown(call)]))
    if not found:
        print(f"no call begins with {prefix!r}")
    return 0 if found else 1


def report_command(result: Path, html: Optional[Path]) -> int:
    """Show a comparison again; return the exit status.

    Args:
        result: The JSON file.
        html: The path of the page.
    """
    written = []
    with _steps() as begins:
        begins(f"reading {result}")
        content = read_json(result)
        if html is not None:
            begins(f"writing {html}")
            write_page(html, content)
            written.append(html)
    show_content(content, written)
    return int(bool(content["differs"]))


_MOST_SECTIONS = 12
_COLOURS = {
    "error calls, rows": "red",
    "warning calls, rows": "yellow",
    "error rows": "red",  # this and the next three are in older files
    "warning rows": "yellow",
    "error": "red",
    "warning": "yellow",
    "only in one": "magenta",
}


def show_content(content: dict[str, Any], written: Sequence[Path]) -> None:
    """Print a summary.

    Args:
        content: The result of ``summary``.
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
    """Return the descriptions of the runs, and warnings; older files have none."""
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
        cells = (
            Text(cell, style="dim" if cell in ("0", "0, 0") else _COLOURS.get(key, "")) for key, cell in row.items()
        )
        table.add_row(*cells)
    console.print(table)
