"""The report of a conversion, for people and for programs: JSON, and a self-contained page."""

from __future__ import annotations

import difflib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path

from .edits import LEFT, UNCLEAR, UNSUPPORTED
from .results import Change, FileResult


@dataclass(frozen=True)
class Summary:
    """The numbers of a conversion."""

    files: int
    changed: int
    changes: int
    unsupported: int
    unclear: int
    left: int
    failed: int

    @classmethod
    def of(cls, results: Sequence[FileResult]) -> Summary:
        """Count."""
        levels = Counter(remark.level for result in results for remark in result.converted.remarks)
        return cls(
            len(results),
            sum(result.converted.content is not None for result in results),
            sum(len(result.converted.changes) for result in results),
            levels[UNSUPPORTED],
            levels[UNCLEAR],
            levels[LEFT],
            sum(result.converted.error is not None for result in results),
        )


def _interesting(results: Sequence[FileResult]) -> list[FileResult]:
    return [each for each in results if each.converted.changes or each.converted.remarks or each.converted.error]


def relative(path: str, root: Path) -> str:
    """Return a path as seen from the root, if it lies below it."""
    base = root if root.is_dir() else root.parent
    try:
        return str(Path(path).relative_to(base.resolve()))
    except ValueError:
        return path


def as_json(results: Sequence[FileResult], root: Path) -> str:
    """Return the report as JSON."""
    files = [
        {
            "path": relative(result.path, root),
            "error": result.converted.error,
            "changes": [asdict(change) for change in result.converted.changes],
            "notes": [asdict(remark) for remark in result.converted.remarks],
        }
        for result in _interesting(results)
    ]
    return json.dumps({"root": str(root), "summary": asdict(Summary.of(results)), "files": files}, indent=1) + "\n"


def diff(result: FileResult, root: Path) -> Iterator[str]:
    """Yield the lines of a unified diff. Line endings other than a newline are shown as they are."""
    content = result.converted.content
    if content is None:
        return
    name = relative(result.path, root)
    old = Path(result.path).read_bytes().decode("utf-8", "surrogateescape").splitlines(keepends=True)
    new = content.decode("utf-8", "surrogateescape").splitlines(keepends=True)
    for line in difflib.unified_diff(old, new, f"a/{name}", f"b/{name}"):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


_MOST = 100  # letters of the line on either side of a change
_STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8882; --old: #d33a; --new: #2a6a; --warn: #c70; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin: 0 } h2 { font: 600 1rem ui-monospace, monospace; margin: 0; display: inline }
.numbers { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1rem 0 }
.numbers div { background: var(--soft); border-radius: .5rem; padding: .5rem 1rem }
td:nth-child(2) { width: 10rem; white-space: nowrap }
.numbers b { display: block; font-size: 1.5rem }
details { border: 1px solid var(--line); border-radius: .5rem; margin: .5rem 0; padding: .5rem .75rem }
summary { cursor: pointer } summary span { float: right; opacity: .7 }
table { border-collapse: collapse; width: 100%; margin-top: .5rem; font-size: .9rem }
td { border-top: 1px solid var(--line); padding: .2rem .5rem; vertical-align: top }
td:first-child { width: 5rem; opacity: .7 }
code { font: .9em ui-monospace, monospace; padding: 0 .25rem; border-radius: .2rem; white-space: pre-wrap }
del { text-decoration: none; background: var(--old) } ins { text-decoration: none; background: var(--new) }
.unsupported td:nth-child(2), .unclear td:nth-child(2), .error { color: var(--warn); font-weight: 600 }
"""


def as_html(results: Sequence[FileResult], root: Path) -> str:
    """Return the report as a page: files that need a look come first."""
    summary = Summary.of(results)
    numbers = {
        "files looked at": summary.files,
        "files changed": summary.changed,
        "changes": summary.changes,
        "not supported on MUSA": summary.unsupported,
        "unclear": summary.unclear,
        "left as they are": summary.left,
        "files not read": summary.failed,
    }
    boxes = "".join(f"<div><b>{value}</b>{name}</div>" for name, value in numbers.items())
    files = sorted(_interesting(results), key=lambda result: (not _needs_a_look(result), result.path))
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>musa-converter: {escape(root.name)}</title><style>{_STYLE}</style>"
        f'<h1>musa-converter</h1><p>{escape(str(root))}</p><div class="numbers">{boxes}</div>'
        + "".join(_section(result, root) for result in files)
        + "</html>\n"
    )


def _needs_a_look(result: FileResult) -> bool:
    return bool(result.converted.error) or any(each.level != LEFT for each in result.converted.remarks)


def _section(result: FileResult, root: Path) -> str:
    converted = result.converted
    rows = [
        (remark.line, f'<tr class="{remark.level}"><td>{remark.line}<td>{remark.level}<td>{escape(remark.message)}')
        for remark in converted.remarks
    ]
    rows += [
        (
            change.line,
            f"<tr><td>{change.line}<td>{escape(change.rule)}<td><code>{_marked(change)}</code>",
        )
        for change in converted.changes
    ]
    table = "".join(row for _, row in sorted(rows))
    error = f'<p class="error">not converted: {escape(converted.error)}</p>' if converted.error else ""
    is_open = " open" if _needs_a_look(result) else ""
    counts = f"{_counted(len(converted.changes), 'change')}, {_counted(len(converted.remarks), 'note')}"
    return (
        f"<details{is_open}><summary><h2>{escape(relative(result.path, root))}</h2><span>{counts}</span></summary>"
        f"{error}<table>{table}</table></details>"
    )


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _marked(change: Change) -> str:
    """Return the line of a change, with the old and the new words in it."""
    start = change.column - 1
    words = f"<del>{escape(change.old)}</del><ins>{escape(change.new)}</ins>"
    before, after = change.source[:start], change.source[start + len(change.old) :]
    return escape(before.lstrip()[-_MOST:]) + words + escape(after[:_MOST])
