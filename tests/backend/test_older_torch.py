"""A PyTorch that is too old is refused in one sentence, before pip looks at what to install."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SETUP = Path(__file__).resolve().parents[2] / "backend" / "setup.py"
CODE = """
import runpy, sys, torch
torch.__version__ = sys.argv[1]
sys.argv = ["setup.py", "--version"]
runpy.run_path("setup.py", run_name="__main__")
"""


@pytest.mark.parametrize(
    ("version", "switches", "said"),
    [
        ("2.2.2+cu121", {}, "torch-musa-sim needs PyTorch 2.5 or newer, but finds 2.2.2+cu121"),
        ("2.5.1", {}, ""),
        (
            "2.7.1",
            {"MUSA_KERNELS": "1"},
            "the kernel library (MUSA_KERNELS, USE_MUDNN) needs PyTorch 2.8 or newer, but finds 2.7.1",
        ),
    ],
)
def test_the_build_says_what_it_needs(version: str, switches: dict[str, str], said: str) -> None:
    environment = {**os.environ, "TORCH_DEVICE_BACKEND_AUTOLOAD": "0", **switches}
    command = [sys.executable, "-W", "ignore", "-c", CODE, version]
    done = subprocess.run(command, cwd=SETUP.parent, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.strip()) == ((1, f"error: {said}") if said else (0, ""))
