"""Draw the charts of docs/benchmarks.md from the tables on that page: `python docs/site/charts.py`.

A chart is a row of bars for each row of a table, on one scale. The SVG follows the reader's light or dark setting.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "benchmarks.md"
IMAGES = ROOT / "docs" / "images"
LETTER, BAR, ROW, TOP = 7, 330, 26, 12  # in pixels; LETTER is the widest that a label needs for each of its letters
STYLE = """
  .paper { fill: #ffffff } .a { fill: #2f5fd0 } .b { fill: #b9c0d0 } .line { stroke: #d7263d; stroke-dasharray: 4 3 }
  text { fill: #1d2330; font: 12.5px system-ui, "DejaVu Sans", sans-serif }
  .small { fill: #4a5268; font-size: 11.5px }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #1b202b } .a { fill: #7aa2ff } .b { fill: #4a5268 } text { fill: #e6e9f2 } .small { fill: #b4bbd0 }
  }
"""


@dataclass(frozen=True)
class Chart:
    """A chart: the section of the page, the columns of its first table to draw, and the unit.

    `line` is a value to mark, such as 1 for "as fast as the other". `rows` keeps the rows that begin so, or all.
    """

    name: str
    section: str
    columns: Sequence[str]
    unit: str
    line: float = 0.0
    line_means: str = ""
    rows: Sequence[str] = ()


CHARTS = (
    Chart("first-result", "First result", ("with wheels", "from source"), "s"),
    Chart("build", "Build", ("ratio",), "", 1.0, "the other's time", ("cold build / torch's", "nothing changed")),
    Chart(
        "simulator",
        "Simulator",
        ("now, ziglang's clang",),
        "",
        1.0,
        "plain C++ loops",
        (
            "elementwise `2a",
            "grid-stride loop",
            "one barrier",
            "shared-memory tree",
            "reduction by",
            "512 GEMM",
            "histogram",
        ),
    ),
    Chart("compiling", "Compiling for the simulator", ("mcc / nvcc 13 for sm_80",), "", 1.0, "nvcc's time"),
)


def table(section: str, text: str) -> list[dict[str, str]]:
    """Return the first table of a section, as rows by the headings."""
    part = text[text.index(f"\n## {section}\n") :]
    found = re.search(r"(?:^\|.*\n)+", part, re.MULTILINE)
    assert found, section
    lines = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in found[0].splitlines()]
    return [dict(zip(lines[0], line)) for line in lines[2:]]


def bars(chart: Chart, text: str) -> list[tuple[str, list[float]]]:
    """Return the label and the values of each row that has all of them."""
    found = []
    for row in table(chart.section, text):
        label = next(iter(row.values()))
        numbers = [re.match(r"\**([\d.]+)(?:/(\d+))?", row[column]) for column in chart.columns]
        if all(numbers) and (not chart.rows or label.startswith(tuple(chart.rows))):
            values = [float(number[1]) / float(number[2] or 1) for number in numbers if number]
            found.append((label.replace("`", ""), values))
    return found


def draw(chart: Chart, text: str) -> str:
    """Return a chart as SVG."""
    rows = bars(chart, text)
    high = max([chart.line, *(value for _, values in rows for value in values)])
    left = LETTER * max(len(label) for label, _ in rows) + 16
    scale, thick = BAR / high, 16 if len(chart.columns) == 1 else 9
    several = len(chart.columns) > 1
    height = TOP * 2 + ROW * len(rows) + 22
    parts = []
    for index, (label, values) in enumerate(rows):
        y = TOP + index * ROW
        parts.append(f'<text x="{left - 8}" y="{y + 14}" text-anchor="end">{escape(label)}</text>')
        for position, value in enumerate(values):
            top, width = y + 2 + position * (thick + 1), max(value * scale, 1.5)
            parts.append(f'<rect class="{"ab"[position]}" x="{left}" y="{top}" width="{width:.1f}" height="{thick}"/>')
        said = " / ".join(f"{value:.3g}" for value in values) + (f" {chart.unit}" if chart.unit else "")
        end = left + max(values) * scale + 6
        parts.append(f'<text class="small" x="{end:.1f}" y="{y + 14}">{said}</text>')
    bottom = TOP + ROW * len(rows)
    if chart.line:
        x = left + chart.line * scale
        parts.append(f'<path class="line" d="M{x:.1f} {TOP - 4}V{bottom + 2}"/>')
        parts.append(
            f'<text class="small" x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">1 = {chart.line_means}</text>'
        )
    if several:
        legend = zip("ab", chart.columns)
        for position, (kind, name) in enumerate(legend):
            x = left + position * 120
            parts.append(f'<rect class="{kind}" x="{x}" y="{bottom + 7}" width="10" height="10"/>')
            parts.append(f'<text class="small" x="{x + 15}" y="{bottom + 16}">{escape(name)}</text>')
    width = left + BAR + 110
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
        f"<style>{STYLE}</style>"
        f'<rect class="paper" width="{width}" height="{height}" rx="8"/>{"".join(parts)}</svg>\n'
    )


def picture(chart: Chart) -> Path:
    """Return the path of a chart's file."""
    return IMAGES / f"chart-{chart.name}.svg"


def main() -> None:
    """Write all charts."""
    text = PAGE.read_text(encoding="utf-8")
    for chart in CHARTS:
        picture(chart).write_text(draw(chart, text), encoding="utf-8")


if __name__ == "__main__":
    main()
