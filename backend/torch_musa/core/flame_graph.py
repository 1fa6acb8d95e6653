"""A flame graph as SVG: stacks as towers of boxes, as wide as their numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape

WIDTH = 1200.0
HEIGHT = 18.0
NARROWEST = 0.1
LETTER = 7.0
COLOURS = ("#f4a259", "#f6bd60", "#e76f51", "#e9c46a", "#f28482")


@dataclass
class _Frame:
    """A function, its share of the total, and its callees."""

    total: int = 0
    called: dict[str, _Frame] = field(default_factory=dict)


def drawn(lines: str) -> str:
    """Draw lines of `outermost;...;innermost NUMBER`, as flamegraph.pl takes them."""
    root = _Frame()
    for line in lines.splitlines():
        stack, _, number = line.rpartition(" ")
        frame = root
        frame.total += int(number)
        for name in stack.split(";"):
            frame = frame.called.setdefault(name, _Frame())
            frame.total += int(number)
    boxes = "\n".join(_boxes("all", root, 0, 0.0, WIDTH))
    height = HEIGHT * (_depth(root) + 1)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH:g}" height="{height:g}" '
        f'font-family="monospace" font-size="11">\n{boxes}\n</svg>\n'
    )


def _depth(frame: _Frame) -> int:
    return max((1 + _depth(child) for child in frame.called.values()), default=0)


def _boxes(name: str, frame: _Frame, level: int, left: float, width: float) -> Iterator[str]:
    if width < NARROWEST:
        return
    top = level * HEIGHT
    shown = escape(name[: int(width / LETTER)])
    yield (
        f"<g><title>{escape(name)}: {frame.total:,} bytes</title>"
        f'<rect x="{left:.1f}" y="{top:g}" width="{width:.1f}" height="{HEIGHT - 1:g}" '
        f'fill="{COLOURS[sum(name.encode()) % len(COLOURS)]}"/>'
        f'<text x="{left + 2:.1f}" y="{top + HEIGHT - 5:g}">{shown}</text></g>'
    )
    for called, child in sorted(frame.called.items()):
        part = width * child.total / frame.total if frame.total else 0.0
        yield from _boxes(called, child, level + 1, left, part)
        left += part
