"""Draw the pictures of docs/how-it-works.md. Run it by `python docs/images/draw.py`.

A picture is a list of boxes on a grid and of arrows between them. The SVG follows the reader's light or dark setting.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

HERE = Path(__file__).parent
COLUMN, ROW = 210, 92
WIDTH, HEIGHT = 176, 56
MARGIN = 22
STYLE = """
  .paper { fill: #ffffff } .box { fill: #f0f2f7; stroke: #b9c0d0 } .tool { fill: #e3eafc; stroke: #2f5fd0 }
  .good { fill: #e5f5ec; stroke: #2f9e6e } .bad { fill: #fdecee; stroke: #d7263d }
  text { fill: #1d2330; font: 600 13px system-ui, "DejaVu Sans", sans-serif; text-anchor: middle }
  .small { font-weight: 400; font-size: 11.5px; fill: #4a5268 }
  .line { stroke: #68708a; stroke-width: 1.5; fill: none } .head { fill: #68708a }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #1b202b } .box { fill: #232938; stroke: #4a5268 } .tool { fill: #22304f; stroke: #7aa2ff }
    .good { fill: #18342b; stroke: #4cc38a } .bad { fill: #38202a; stroke: #ff5c6f }
    text { fill: #e6e9f2 } .small { fill: #b4bbd0 } .line { stroke: #98a1ba } .head { fill: #98a1ba }
  }
"""


@dataclass(frozen=True)
class Box:
    """A box in a column and a row, with a name and a line below it. `kind`: box, tool, good or bad."""

    name: str
    column: float
    row: float
    title: str
    below: str = ""
    kind: str = "box"


@dataclass(frozen=True)
class Arrow:
    """An arrow from one box to another. `sideways`: it leaves and enters at the sides, though the rows differ."""

    start: str
    end: str
    sideways: bool = False


@dataclass(frozen=True)
class Picture:
    """A picture, with a text for those who cannot see it."""

    about: str
    boxes: Sequence[Box]
    arrows: Sequence[Arrow]


def _centre(box: Box) -> tuple[float, float]:
    return MARGIN + box.column * COLUMN + WIDTH / 2, MARGIN + box.row * ROW + HEIGHT / 2


def _arrow(start: Box, end: Box, *, sideways: bool) -> str:
    (x1, y1), (x2, y2) = _centre(start), _centre(end)
    if sideways or start.row == end.row:
        side = 1 if x2 > x1 else -1
        x1, x2 = x1 + side * WIDTH / 2, x2 - side * (WIDTH / 2 + 7)
        path = f"M{x1:g} {y1:g}H{(x1 + x2) / 2:g}V{y2:g}H{x2:g}"
        head = f"M{x2 + side * 7:g} {y2:g}l{-side * 8} -4v8z"
    else:
        side = 1 if y2 > y1 else -1
        y1, y2 = y1 + side * HEIGHT / 2, y2 - side * (HEIGHT / 2 + 7)
        path = f"M{x1:g} {y1:g}V{(y1 + y2) / 2:g}H{x2:g}V{y2:g}"
        head = f"M{x2:g} {y2 + side * 7:g}l-4 {-side * 8}h8z"
    return f'<path class="line" d="{path}"/><path class="head" d="{head}"/>'


def _box(box: Box) -> str:
    x, y = _centre(box)
    left, top = x - WIDTH / 2, y - HEIGHT / 2
    shape = f'<rect class="{box.kind}" x="{left:g}" y="{top:g}" width="{WIDTH}" height="{HEIGHT}" rx="8"/>'
    if not box.below:
        return shape + f'<text x="{x:g}" y="{y + 5:g}">{escape(box.title)}</text>'
    lines = f'<text x="{x:g}" y="{y - 4:g}">{escape(box.title)}</text>'
    return shape + lines + f'<text class="small" x="{x:g}" y="{y + 14:g}">{escape(box.below)}</text>'


def svg(picture: Picture) -> str:
    """Return a picture as SVG."""
    boxes = {box.name: box for box in picture.boxes}
    width = 2 * MARGIN + max(box.column for box in picture.boxes) * COLUMN + WIDTH
    height = 2 * MARGIN + max(box.row for box in picture.boxes) * ROW + HEIGHT
    parts = [_arrow(boxes[arrow.start], boxes[arrow.end], sideways=arrow.sideways) for arrow in picture.arrows]
    parts += [_box(box) for box in picture.boxes]
    size = f'width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{escape(picture.about)}">',
            f"<style>{STYLE}</style>",
            f'<rect class="paper" width="{width:g}" height="{height:g}" rx="10"/>',
            *parts,
            "</svg>\n",
        ]
    )


PICTURES = {
    "build": Picture(
        "A build: setup.py, recorded commands, one graph, ninja, an extension",
        [
            Box("setup", 0, 0, "setup.py", "MUSAExtension"),
            Box("record", 1, 0, "record", "torch's own commands", "tool"),
            Box("plan", 2, 0, "plan", "flags of mcc and g++", "tool"),
            Box("graph", 3, 0, "build.ninja", "one for all extensions"),
            Box("same", 0, 1, "nothing changed?", "then only ninja runs", "good"),
            Box("mcc", 2, 1, "mcc", "kernels.mu"),
            Box("cxx", 3, 1, "g++", "bindings.cpp"),
            Box("link", 2.5, 2, "my_ops/_C.so", "links torch and libmusart", "good"),
        ],
        [
            Arrow("setup", "record"),
            Arrow("record", "plan"),
            Arrow("plan", "graph"),
            Arrow("setup", "same"),
            Arrow("graph", "mcc"),
            Arrow("graph", "cxx"),
            Arrow("mcc", "link"),
            Arrow("cxx", "link"),
        ],
    ),
    "port": Picture(
        "A port: CUDA sources and rules go into the translator, which writes MUSA sources and findings",
        [
            Box("rules", 2, 0, "rules", "yours win over the tables"),
            Box("source", 0, 1, "csrc/k.cu", "never changed"),
            Box("scan", 1, 1, "scan", "code, not comments", "tool"),
            Box("translate", 2, 1, "translate", "names, guards, PTX", "tool"),
            Box("output", 3, 1, "csrc_musa/k.mu", "all files or none", "good"),
            Box("findings", 2, 2, "findings", "what needs a person", "bad"),
            Box("report", 3, 2, "port.html", "before and after"),
        ],
        [
            Arrow("source", "scan"),
            Arrow("scan", "translate"),
            Arrow("translate", "output"),
            Arrow("rules", "translate"),
            Arrow("translate", "findings"),
            Arrow("findings", "report"),
        ],
    ),
    "kernel": Picture(
        "A kernel in the simulator: mcc compiles it twice, and libmusart runs its blocks in one of three forms",
        [
            Box("host", 0, 0.5, "mcc, host pass", "launches of k.mu", "tool"),
            Box("device", 0, 1.5, "mcc, device pass", "per architecture", "tool"),
            Box("program", 1, 1, "program", "holds an image for each"),
            Box("runtime", 2, 1, "libmusart", "blocks on worker threads", "tool"),
            Box("loop", 3, 0, "a loop over threads", "no thread waits", "good"),
            Box("cut", 3, 1, "loops between waits", "barriers, shuffles", "good"),
            Box("fiber", 3, 2, "a fiber per thread", "everything else; checks", "good"),
        ],
        [
            Arrow("host", "program", sideways=True),
            Arrow("device", "program", sideways=True),
            Arrow("program", "runtime"),
            Arrow("runtime", "loop", sideways=True),
            Arrow("runtime", "cut"),
            Arrow("runtime", "fiber", sideways=True),
        ],
    ),
    "dump": Picture(
        "A dump: the same script on two devices, two dumps, one comparison, the first call that differs",
        [
            Box("musa", 0, 0, "train.py on musa", "PrecisionDebugger"),
            Box("cuda", 0, 1, "train.py on cuda", "PrecisionDebugger"),
            Box("first", 1, 0, "dump_musa", "calls and their values"),
            Box("second", 1, 1, "dump_cuda", "calls and their values"),
            Box("align", 2, 0.5, "align and judge", "which call is which", "tool"),
            Box("result", 3, 0.5, "first divergence", "call, module, your line", "bad"),
        ],
        [
            Arrow("musa", "first"),
            Arrow("cuda", "second"),
            Arrow("first", "align", sideways=True),
            Arrow("second", "align", sideways=True),
            Arrow("align", "result"),
        ],
    ),
}


def main() -> int:
    """Write all pictures beside this file."""
    for name, picture in PICTURES.items():
        (HERE / f"{name}.svg").write_text(svg(picture), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
