"""What ``musa-tools compare``, ``report`` and ``parse`` do."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Optional

from musa_tools.compare_dumps.parse import find_calls, shown
from musa_tools.compare_dumps.read import read_dump
from musa_tools.compare_dumps.rename import renamed
from musa_tools.compare_dumps.report.content import as_content, summary
from musa_tools.compare_dumps.report.files import FORMATS, write_files
from musa_tools.compare_dumps.report.json_file import read_json
from musa_tools.compare_dumps.report.page import write_page
from musa_tools.compare_dumps.report.terminal import show_content
from musa_tools.compare_dumps.table import compare
from musa_tools.errors import ToolError


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
        output: Where files go; None for no files.
        formats: Which ones, with commas between them.
        profile: Whose rules and columns.
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
    comparison = compare(renamed(read_dump(run, data[0]), rename), read_dump(reference, data[1]), profile)
    content = as_content(comparison) if output is not None and {"json", "html"} & set(wanted) else None
    written = write_files(comparison, output, wanted, content) if output is not None else []
    if not quiet:
        show_content(content or summary(comparison), written)
    return int(comparison.differs)


def _wanted(formats: str) -> list[str]:
    wanted = [each.strip() for each in formats.split(",") if each.strip()]
    unknown = [each for each in wanted if each not in FORMATS]
    if unknown:
        raise ToolError(f"there is no format {unknown[0]!r}; wanted some of {', '.join(FORMATS)}")
    return wanted


def parse_command(dump: Path, prefix: str) -> int:
    """Print calls of a dump; return the exit status.

    Args:
        dump: The dump.
        prefix: How their names begin.
    """
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
        html: Where to write the page.
    """
    content = read_json(result)
    written = []
    if html is not None:
        write_page(html, content)
        written.append(html)
    show_content(content, written)
    return int(bool(content["differs"]))
