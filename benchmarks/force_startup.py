"""Measure the cost of the start-up hook of FORCE_MUSA=1 for a Python without it: medians, in milliseconds.

    python benchmarks/force_startup.py [RUNS]

Compares `python -c pass` with and without the line of musa_build_force.pth, in two folders that site reads alike.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HOOK = Path(__file__).parent.parent / "musa_build_force.pth"


def start(folder: Path) -> float:
    """Milliseconds of one Python that reads the .pth files of `folder`."""
    code = f"import site; site.addsitedir({str(folder)!r})"
    environment = {name: value for name, value in os.environ.items() if name != "FORCE_MUSA"}
    began = time.perf_counter()
    subprocess.run([sys.executable, "-I", "-S", "-c", code], check=True, env=environment)
    return (time.perf_counter() - began) * 1000


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with tempfile.TemporaryDirectory() as name:
        without, with_hook = Path(name) / "without", Path(name) / "with"
        for folder in (without, with_hook):
            folder.mkdir()
        # A line that does nothing: reading a file is no cost of this hook alone.
        (without / HOOK.name).write_text("import os\n")
        (with_hook / HOOK.name).write_text(HOOK.read_text())
        pairs = [(start(without), start(with_hook)) for _ in range(runs)]
    difference = statistics.median(hook - plain for plain, hook in pairs)
    print(f"start: {statistics.median(plain for plain, _ in pairs):.2f} ms; with the hook {difference:+.3f} ms")


if __name__ == "__main__":
    main()
