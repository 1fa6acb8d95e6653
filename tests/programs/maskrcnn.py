"""The extension of tutorial_on_musa's maskrcnn, unmodified, by its setup.py.

    TUTORIAL_ON_MUSA=CHECKOUT python -m tests.programs.maskrcnn
    TUTORIAL_ON_MUSA=CHECKOUT python -m tests.programs.musify_example record   # docs/moore-threads-programs.md

Its page says `python setup.py clean build develop`. The step `develop`, which would link the environment to the
checkout, is left out.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from . import kernels
from .record import Tests
from .sdk import simulated_sdk

VARIABLE, KEPT = "TUTORIAL_ON_MUSA", "maskrcnn"  # the second in outcomes/
PROGRAM = Path("pytorch", "cv", "maskrcnn")
LEFT = (
    "maskrcnn's extension needs an older PyTorch: its three kernels pass Tensor::type() to AT_DISPATCH_FLOATING_TYPES "
    "(ROIAlign.mu:289), which takes a ScalarType alone in torch 2.7.1 and 2.13. So its operators were not run."
)


def first_error(said: str) -> str:
    """Return the compiler's first error, without its file and line, or "failed"."""
    found = re.search(r":\d+:\d+: (?:fatal )?error: (.*)", said)
    return found[1] if found else "failed"


def build() -> str:
    """Build the extension in a copy of the program; return "ok" or the first error."""
    checkout = os.environ.get(VARIABLE, "")
    if not checkout:
        raise SystemExit(f"error: the variable {VARIABLE} must name a checkout")
    folder = kernels.kept_folder() / "maskrcnn"
    shutil.copytree(Path(checkout, PROGRAM), folder / "source", dirs_exist_ok=True)
    environment = {**os.environ, "MUSA_HOME": str(simulated_sdk())}
    command = [sys.executable, "setup.py", "build", "--build-lib", str(folder / "lib")]
    source = folder / "source"
    done = subprocess.run(command, cwd=source, env=environment, stderr=subprocess.PIPE, text=True, check=False)
    print(done.stderr[-4000:], file=sys.stderr)
    return "ok" if done.returncode == 0 else first_error(done.stderr)


def results() -> tuple[tuple[Tests, ...], tuple[str, ...]]:
    """Return the counts for the page, and its sentences."""
    ended = kernels.read_kept(KEPT)["extension"]
    good = ended == "ok"
    sentences = () if good else (LEFT, f"maskrcnn's extension: {ended}")
    return (Tests("maskrcnn's extension: built by its setup.py", int(good), int(not good)),), sentences


if __name__ == "__main__":
    kernels.write_kept(KEPT, {"extension": build()})
