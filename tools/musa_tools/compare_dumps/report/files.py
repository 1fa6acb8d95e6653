"""The files of a comparison, with a time in their names: csv, JSON, and one HTML page that needs nothing else.

The page holds the content in few bytes: every text once, numbers to five digits, lists for objects. ``unpack`` in
page_files/page.js undoes it.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any, Optional

from musa_tools.compare_dumps.report.columns import (
    Columns,
    default_columns,
    lines,
    msprobe_columns,
    output_file,
    ptdbg_columns,
    write_csv,
)
from musa_tools.compare_dumps.report.content import FORMAT
from musa_tools.compare_dumps.result import Comparison
from musa_tools.errors import ToolError
from musa_tools.statistic_fields import STATISTICS

FORMATS = ("csv", "json", "html")


def write_files(
    comparison: Comparison, folder: Path, formats: list[str], content: Optional[dict[str, Any]]
) -> list[Path]:
    """Write the files of a comparison; return their paths.

    Args:
        comparison: The comparison.
        folder: It is made.
        formats: Some of ``csv``, ``json`` and ``html``.
        content: The same as plain values, for the last two.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ToolError(f"cannot make the folder {folder}", found=str(error.strerror or error)) from error
    base = folder / f"compare_result_{time.strftime('%Y%m%d%H%M%S')}"
    written = []
    for kind in formats:
        path = base.with_suffix(f".{kind}")
        if kind == "csv":
            write_csv(path, comparison, columns_of(comparison))
        elif content is not None:
            (write_json if kind == "json" else write_page)(path, content)
        written.append(path)
    return written


def columns_of(comparison: Comparison) -> Columns:
    """Return the columns that belong to the rules of a comparison."""
    if comparison.profile == "ptdbg":
        return ptdbg_columns(stacks=True)
    measured = [line.row.measures for line in lines(comparison) if line.row.measures is not None]
    elements = any(each.elements is not None for each in measured)
    if comparison.profile == "default":
        return default_columns(elements)
    return msprobe_columns(elements, any(each.digest_equal is not None for each in measured))


_FILES = Path(__file__).with_name("page_files")


def write_page(path: Path, content: dict[str, Any]) -> None:
    """Write the page of a comparison.

    Args:
        path: The file.
        content: The result of ``as_content``.
    """
    with output_file(path) as temporary:
        temporary.write_text(page(content), encoding="utf-8", errors="backslashreplace")


def page(content: dict[str, Any]) -> str:
    """Return the page of a comparison as text.

    Args:
        content: The result of ``as_content``.
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
    """Return JSON for a script element: no name in a dump can end it."""
    text = json.dumps(content, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


_STATISTICS = tuple(each.name for each in STATISTICS)
_ELEMENTS = ("cosine", "max_abs", "max_rel", "one_thousandth")


def compact(content: dict[str, Any]) -> dict[str, Any]:
    """Return the data of the page.

    Args:
        content: The result of ``as_content``.
    """
    texts = _Texts()
    sections = [
        {**section, "calls": [_call(call, texts) for call in section["calls"]]} for section in content["sections"]
    ]
    names = {"statistics": _STATISTICS, "elements": _ELEMENTS}
    return {**names, "notes": content["notes"], "sections": sections, "texts": texts.known}


class _Texts:
    """Texts, each with a number."""

    def __init__(self) -> None:
        self.known: list[str] = []
        self._numbers: dict[str, int] = {}

    def of(self, text: Optional[str]) -> int:
        """Return the number of a text, -1 for none."""
        if text is None:
            return -1
        if text not in self._numbers:
            self._numbers[text] = len(self.known)
            self.known.append(text)
        return self._numbers[text]


def _call(call: dict[str, Any], texts: _Texts) -> list[Any]:
    name, other = call.get("name"), call.get("other")
    return [
        name,
        1 if other == name else other,
        texts.of(call["direction"]),
        texts.of(call["module"]),
        texts.of(call["mark"]),
        int(call.get("moved", False)),
        _short(call.get("inputs")),
        _short(call.get("result")),
        [texts.of(line) for line in call.get("stack", ())],
        [_row(row, texts) for row in call["rows"]],
    ]


def _row(row: dict[str, Any], texts: _Texts) -> list[Any]:
    facts = row.get("elements", {})
    packed = [
        texts.of(row["value"]),
        _value(row.get("left"), texts),
        _value(row.get("right"), texts),
        texts.of(row["mark"]),
        [texts.of(reason) for reason in row.get("reasons", ())],
        _short(row.get("error")),
    ]
    return packed + ([_short(facts.get(key)) for key in _ELEMENTS] if facts else [])


def _value(value: Optional[dict[str, Any]], texts: _Texts) -> Any:
    if value is None:
        return 0
    if "shape" not in value:
        return [texts.of(value["type"]), texts.of(str(value.get("value")))]
    shape = ", ".join(map(str, value["shape"]))
    return [texts.of(value["dtype"]), texts.of(shape), *(_short(value.get(key)) for key in _STATISTICS)]


def _short(number: Any) -> Any:
    return float(f"{number:.5g}") if isinstance(number, float) else number


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write a comparison to a file.

    Args:
        path: The file.
        content: The result of ``as_content``.
    """
    with output_file(path) as temporary:
        temporary.write_text(json.dumps(content), encoding="utf-8")


def read_json(path: Path) -> dict[str, Any]:
    """Read a file of ``write_json``."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ToolError(f"{path} cannot be read", found=str(error.strerror or error)) from error
    except ValueError as error:
        raise ToolError(f"{path} is no JSON", found=str(error)) from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ToolError(f"{path} is no comparison", wanted="a compare_result_*.json of musa-tools compare")
    return content
