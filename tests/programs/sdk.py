"""The simulated SDK that the programs are built against."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def simulated_sdk() -> Path:
    """Return its folder, which is laid out where it is not there yet."""
    root = subprocess.run([sys.executable, "-m", "musa_sim", "root"], capture_output=True, text=True, check=True)
    return Path(root.stdout.strip())
