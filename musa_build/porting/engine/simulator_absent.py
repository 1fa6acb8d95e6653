"""Names of CUDA whose counterpart the simulated MUSA SDK does not have.

`tables/simulator-absent.txt` is written by tests/porting/absent_in_simulator.py, with docs/simulator-absent.md.
"""

from __future__ import annotations

from pathlib import Path

_FILE = Path(__file__).parent / "tables" / "simulator-absent.txt"


def absent_in_simulator() -> frozenset[str]:
    """Read the names."""
    return frozenset(_FILE.read_text(encoding="ascii").split())
