"""Draw docs/images/demo.svg: what `musa-build demo` prints, as a terminal shows it.

pip install rich
python docs/site/terminal.py        # in the environment of `make env`
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

PICTURE = Path(__file__).resolve().parents[1] / "images" / "demo.svg"
COMMAND = "musa-build demo"
#: The machine's own paths, and what a reader need not see
HIDDEN = (
    (re.compile(r" in \S+ \(from MUSA_BUILD_SIMULATOR\)"), ""),
    (re.compile(r"wrote \S*/"), "wrote musa-demo/"),
    (re.compile(r"^ *still compiling .*\n", re.MULTILINE), ""),
)
STYLES = {r"^\[\d/\d\].*": "bold cyan", r"max error \S+": "green", r"(musa agrees.*|passed)": "bold green"}


def main() -> None:
    """Run the demo and draw what it prints."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", *COMMAND.replace("-", "_").split()]
        said = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True, check=True).stdout
    for pattern, text in HIDDEN:
        said = pattern.sub(text, said)
    shown = Text(f"$ export MUSA_BUILD_SIMULATOR=1\n$ {COMMAND}\n{said.rstrip()}\n")
    for expression, style in STYLES.items():
        shown.highlight_regex(re.compile(expression, re.MULTILINE), style)
    console = Console(record=True, width=104, file=sys.stderr, force_terminal=False)
    console.print(shown)
    PICTURE.write_text(console.export_svg(title="a CUDA extension on the simulated MUSA device"), encoding="utf-8")


if __name__ == "__main__":
    main()
