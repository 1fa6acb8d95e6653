"""Draw what the encoder computed, and how far it is from the reference, as an SVG. It needs no package but NumPy."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

import numpy as np

LEFT, PLOT, RIGHT = 110, 640, 50
TOP, ROW, AMPLITUDE = 72, 36, 13
STYLE = """
  .paper { fill: #ffffff } .curve { stroke: #2f5fd0; stroke-width: 1.3; fill: none; stroke-linejoin: round }
  .dot { fill: #2f5fd0 } .zero { fill: none; stroke: #2f5fd0; stroke-width: 2 }
  .axis { stroke: #68708a; fill: none } .grid { stroke: #dfe3ec } .limit { stroke: #d7263d; stroke-width: 2 }
  text { fill: #1d2330; font: 13px system-ui, "DejaVu Sans", sans-serif }
  .title { font-size: 17px; font-weight: 600 }
  .small { fill: #4a5268; font-size: 11.5px } .tiny { fill: #4a5268; font-size: 9px }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #1b202b } .curve { stroke: #7aa2ff } .dot { fill: #7aa2ff } .zero { stroke: #7aa2ff }
    .axis { stroke: #98a1ba } .grid { stroke: #343c4f } .limit { stroke: #ff5c6f }
    text { fill: #e6e9f2 } .small, .tiny { fill: #b4bbd0 }
  }
"""


def picture(
    device: str, x: np.ndarray, channels: Mapping[str, np.ndarray], errors: Mapping[str, Sequence[float]]
) -> str:
    """Return a picture as SVG.

    Args:
        device: Where the encoder ran.
        x: The inputs, from -pi to pi.
        channels: The name of each channel -> its values, from -1 to 1.
        errors: The name of each type -> the largest error, and the largest that is allowed.
    """
    bottom = TOP + ROW * len(channels)
    end = bottom + 132 + 28 * len(errors)
    width, height = LEFT + PLOT + RIGHT, end + 50
    title = f"freqencoder on {device}"
    about = f"{len(channels)} channels of the encoding of x from -π to π, and the largest errors beside NumPy"
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">',
        f"<title>{escape(title)}</title><desc>{escape(about)}</desc><style>{STYLE}</style>",
        f'<rect class="paper" width="{width}" height="{height}"/>',
        _text(LEFT, 30, title, "title"),
        _text(LEFT, 52, "Each row is a channel of the encoding of x, in float32. Its axis goes from -1 to 1.", "small"),
        *_channels(x, channels, bottom),
        _text(LEFT, bottom + 90, "The largest error beside NumPy in float64", "title"),
        _text(LEFT, bottom + 112, "The dot is the error, the red mark the largest that is allowed.", "small"),
        *_errors(errors, bottom + 128, end),
        "</svg>\n",
    ]
    return "\n".join(parts)


def _text(x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> str:
    return f'<text class="{kind}" x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(text)}</text>'


def _channels(x: np.ndarray, channels: Mapping[str, np.ndarray], bottom: int) -> list[str]:
    """Return the curves, each with its axis of values, above the axis of x."""
    parts = []
    at = LEFT + (x + np.pi) / (2 * np.pi) * PLOT
    for quarter, name in enumerate(("-π", "-π/2", "0", "π/2", "π")):
        tick = LEFT + PLOT * quarter / 4
        parts.append(f'<path class="grid" d="M{tick:g} {TOP}V{bottom}"/><path class="axis" d="M{tick:g} {bottom}v5"/>')
        parts.append(_text(tick, bottom + 19, name, "small", "middle"))
    for row, (name, values) in enumerate(channels.items()):
        middle = TOP + ROW * (row + 0.5)
        parts.append(f'<path class="grid" d="M{LEFT} {middle:g}h{PLOT}"/>')
        parts.append(_text(LEFT - 30, middle + 4, name, "", "end"))
        for value in (-1, 1):
            y = middle - value * AMPLITUDE
            parts.append(
                f'<path class="axis" d="M{LEFT} {y:g}h-5"/>' + _text(LEFT - 8, y + 3, f"{value}", "tiny", "end")
            )
        parts.append(f'<path class="curve" d="{_curve(at, middle - AMPLITUDE * np.clip(values, -1.2, 1.2))}"/>')
    parts.append(f'<path class="axis" d="M{LEFT} {TOP}V{bottom}h{PLOT}"/>')
    parts.append(_text(LEFT + PLOT / 2, bottom + 38, "x (radians)", "", "middle"))
    return parts


def _curve(x: np.ndarray, y: np.ndarray) -> str:
    """Return the path through points. It has a gap where a result is no number: wrong results are drawn too."""
    pen, parts = "M", []
    for across, down in zip(x, y):
        if np.isfinite(down):
            parts.append(f"{pen}{across:.1f} {down:.1f}")
        pen = "L" if np.isfinite(down) else "M"
    return "".join(parts)


def _errors(errors: Mapping[str, Sequence[float]], top: int, bottom: int) -> list[str]:
    """Return a dot for each type at its error, and a mark at the error that is allowed, on a scale of powers of ten."""
    low, high = -18, 0

    def position(value: float) -> float:
        power = low if value == 0 else math.log10(value) if value > 0 else high  # not a number: the worst
        return LEFT + PLOT * (min(max(power, low), high) - low) / (high - low)

    parts = []
    for power in range(low, high + 1, 2):
        tick = position(10.0**power)
        parts.append(f'<path class="grid" d="M{tick:g} {top}V{bottom}"/><path class="axis" d="M{tick:g} {bottom}v5"/>')
        parts.append(_text(tick, bottom + 19, f"1e{power}", "small", "middle"))
    for row, (name, (error, allowed)) in enumerate(errors.items()):
        y = top + 28 * row + 16
        said = f"{error:.1e}" if error else "0"
        kind = "dot" if error else "zero"  # the scale has no zero: its circle is empty, at the left end
        parts.append(f'<path class="grid" d="M{LEFT} {y}h{PLOT}"/>' + _text(LEFT - 12, y + 4, name, "", "end"))
        parts.append(f'<circle class="{kind}" cx="{position(error):.1f}" cy="{y}" r="5"/>')
        parts.append(f'<path class="limit" d="M{position(allowed):.1f} {y - 9}v18"/>')
        parts.append(_text(position(allowed) + 8, y + 4, f"{said} (allowed {allowed:.0e})", "small"))
    parts.append(f'<path class="axis" d="M{LEFT} {top}V{bottom}h{PLOT}"/>')
    parts.append(_text(LEFT + PLOT / 2, bottom + 38, "largest absolute error of results from -1 to 1", "", "middle"))
    return parts
