"""Draw docs/images/demo.svg: what `musa-build demo` prints, as a terminal shows it.

pip install rich
python docs/site/terminal.py        # in the environment of `make env`
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

PICTURE = Path(__file__).resolve().parents[1] / "images" / "demo.svg"
COMMAND = "musa-build demo"
#: The machine's own paths, and what a reader need not see
HIDDEN = (
    (re.compile(r" in \S+ \(from MUSA_BUILD_SIMULATOR\)"), ""),
    (re.compile(r"wrote \S*/"), "wrote musa-demo/"),
    (re.compile(r"^ *still compiling .*\n", re.MULTILINE), ""),
)
_LETTER = 12.2  # pixels
STYLES = {r"^\[\d/\d\].*": "bold cyan", r"max error \S+": "green", r"(musa agrees.*|passed)": "bold green"}


def shown(said: str) -> str:
    """Return the lines of the demo's output that the picture shows."""
    for pattern, text in HIDDEN:
        said = pattern.sub(text, said)
    return f"$ export MUSA_BUILD_SIMULATOR=1\n$ {COMMAND}\n{said.rstrip()}\n"


def text_of(picture: str) -> str:
    """Return the lines that a picture shows."""
    rows: dict[float, list[tuple[float, str]]] = {}
    for each in ET.fromstring(picture).iter("{http://www.w3.org/2000/svg}text"):
        if "title" not in each.get("class", ""):
            rows.setdefault(float(each.get("y", "0")), []).append((float(each.get("x", "0")), each.text or ""))
    lines = [_line(rows[height]) for height in sorted(rows)]
    return "\n".join(lines).rstrip() + "\n"


def _line(parts: list[tuple[float, str]]) -> str:
    """Return a line of parts with their positions in pixels: rich draws no part that is blank."""
    line = ""
    for left, text in sorted(parts):
        line = line.ljust(round(left / _LETTER)) + text.replace("\u00a0", " ")
    return line.rstrip()


def main() -> None:
    """Run the demo and draw what it prints."""
    from rich.console import Console
    from rich.text import Text

    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", *COMMAND.replace("-", "_").split()]
        said = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True, check=True).stdout
    lines = Text(shown(said))
    for expression, style in STYLES.items():
        lines.highlight_regex(re.compile(expression, re.MULTILINE), style)
    console = Console(record=True, width=104, file=sys.stderr, force_terminal=False)
    console.print(lines)
    PICTURE.write_text(console.export_svg(title="a CUDA extension on the simulated MUSA device"), encoding="utf-8")


if __name__ == "__main__":
    main()
