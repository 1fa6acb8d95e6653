"""Draw the pictures of the gallery from records: the cost beside nvcc, the findings of the checks, mmcv's types.

A picture is a list of panels; a panel is a title, bars on one axis, and its unit. The SVG follows the reader's light
or dark setting. A package without these has the size of its build. One that
does not build has no picture, and its page says why.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

LABEL, BAR, RIGHT, ROW = 250, 380, 70, 26
STYLE = """
  .paper { fill: #ffffff } .a { fill: #2f5fd0 } .b { fill: #b9c0d0 }
  .axis { stroke: #68708a; fill: none } .grid { stroke: #dfe3ec }
  text { fill: #1d2330; font: 12.5px system-ui, "DejaVu Sans", sans-serif }
  .title { font-size: 15px; font-weight: 600 } .small { fill: #4a5268; font-size: 11.5px }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #1b202b } .a { fill: #7aa2ff } .b { fill: #5a6480 }
    .axis { stroke: #98a1ba } .grid { stroke: #343c4f }
    text { fill: #e6e9f2 } .small { fill: #b4bbd0 }
  }
"""
_COST = re.compile(r"([\d.]+) s, ([\d.]+) s \(`([^`]+)`\)")
CHECKS = ("memory", "race", "sync", "init")
TYPES = ("float16", "float32", "float64")


@dataclass(frozen=True)
class Panel:
    """Bars on one axis: `rows` are a label and a value for each of `series`. `unit` is the label of the axis."""

    title: str
    series: Sequence[str]
    rows: Sequence[tuple[str, Sequence[float]]]
    unit: str

    @property
    def about(self) -> str:
        """The panel in words, for those who cannot see it."""
        rows = []
        for label, values in self.rows:
            named = [f"{name} {value:g}" for name, value in zip(self.series, values)]
            rows.append(f"{label}: {', '.join(named)}" if len(named) > 1 else f"{label}: {values[0]:g}")
        return f"{self.title} ({self.unit}). {'; '.join(rows)}."


def cost(cell: str) -> list[Panel]:
    """Return the CPU time of mcc and of nvcc for each file that a cell of the table names."""
    rows = [(file, (float(mcc), float(nvcc))) for mcc, nvcc, file in _COST.findall(cell)]
    return [Panel("Compiling one file", ("mcc", "nvcc"), rows, "CPU time in seconds")] if rows else []


def findings(texts: Sequence[str]) -> list[Panel]:
    """Return how many findings each check has, if there are any."""
    counts = Counter(text.partition(":")[0] for text in texts)
    rows = [(check, (float(counts[check]),)) for check in (*CHECKS, *sorted(counts.keys() - {*CHECKS}))]
    return [Panel("What the checks found", ("findings",), rows, "number of findings")] if counts else []


def size(build: Mapping[str, int]) -> list[Panel]:
    """Return how much a build ported and compiled, if one is recorded: for a package that has no other figures."""
    names = {"files": "files ported", "warnings": "warnings", "sources": "files compiled", "extensions": "extensions"}
    rows = [(words, (float(build[name]),)) for name, words in names.items() if name in build]
    return [Panel("What the build did", ("number",), rows, "number")] if any(count[0] for _, count in rows) else []


def types(rows: Sequence[Mapping[str, str]], column: str) -> list[Panel]:
    """Return how many operators of a table agree with their reference in each type."""
    agree = [{kind for kind in TYPES if re.search(rf"\b{kind}\b", row[column])} for row in rows]
    counts = [(kind, (float(sum(kind in each for each in agree)),)) for kind in TYPES]
    title = f"Operators that agree with their reference, of {len(rows)}"
    return [Panel(title, ("operators",), counts, "number of operators")] if any(agree) else []


def ticks(high: float) -> list[float]:
    """Return the marks of an axis from 0 to at least `high`: about five, at round numbers."""
    power = 10.0 ** math.floor(math.log10(high / 4))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor * 5 >= high)
    if step < 1 <= high and float(high).is_integer():
        step = 1.0
    return [step * number for number in range(math.ceil(high / step) + 1)]


def svg(name: str, panels: Sequence[Panel]) -> str:
    """Return a picture of a package."""
    parts: list[str] = []
    top = 14
    for panel in panels:
        drawn, top = _panel(panel, top)
        parts += drawn
    width = LABEL + BAR + RIGHT
    about = escape(" ".join(panel.about for panel in panels))
    size = f'viewBox="0 0 {width} {top}" width="{width}" height="{top}"'
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img"><title>{escape(name)}</title><desc>{about}</desc>'
    )
    paper = f'<rect class="paper" width="{width}" height="{top}" rx="8"/>'
    return "\n".join([head, f"<style>{STYLE}</style>{paper}", *parts, "</svg>\n"])


def _text(x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> str:
    return f'<text class="{kind}" x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(text)}</text>'


def _panel(panel: Panel, top: int) -> tuple[list[str], int]:
    """Return a panel below `top`, and where it ends."""
    marks = ticks(max(value for _, values in panel.rows for value in values))
    scale = BAR / marks[-1]
    first = top + 30
    bottom = first + ROW * len(panel.rows) + 4
    parts = [_text(LABEL, top + 14, panel.title, "title")]
    for mark in marks:
        x = LABEL + mark * scale
        parts.append(f'<path class="grid" d="M{x:.1f} {first}V{bottom}"/><path class="axis" d="M{x:.1f} {bottom}v4"/>')
        parts.append(_text(round(x, 1), bottom + 17, f"{mark:g}", "small", "middle"))
    thick = 16 if len(panel.series) == 1 else 9
    for row, (label, values) in enumerate(panel.rows):
        y = first + ROW * row + 5
        parts.append(_text(LABEL - 10, y + 12, label, "", "end"))
        for index, value in enumerate(values):
            size = f'width="{value * scale:.1f}" height="{thick}"'
            parts.append(f'<rect class="{"ab"[index]}" x="{LABEL}" y="{y + index * thick}" {size}/>')
        said = " / ".join(f"{value:g}" for value in values)
        parts.append(_text(round(LABEL + max(values) * scale + 6, 1), y + 12, said, "small"))
    parts.append(f'<path class="axis" d="M{LABEL} {first}V{bottom}h{BAR}"/>')
    parts.append(_text(LABEL + BAR / 2, bottom + 35, panel.unit, "small", "middle"))
    if len(panel.series) > 1:
        for index, series in enumerate(panel.series):
            x = 24 + 70 * index
            parts.append(f'<rect class="{"ab"[index]}" x="{x}" y="{bottom + 26}" width="10" height="10"/>')
            parts.append(_text(x + 15, bottom + 35, series, "small"))
    return parts, bottom + 50
