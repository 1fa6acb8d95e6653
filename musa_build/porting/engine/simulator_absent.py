"""Names of CUDA, and those whose counterpart the simulated MUSA SDK does not have.

`tables/cuda-names.txt` has the names of the runtime, the driver and the libraries that are ported by renaming.
`tables/simulator-absent.txt` is written by tests/porting/absent_in_simulator.py, with docs/simulator-absent.md.
"""

from __future__ import annotations

from pathlib import Path

_TABLES = Path(__file__).parent / "tables"


def absent_in_simulator() -> frozenset[str]:
    """Read the names that the simulator lacks."""
    return _names("simulator-absent.txt")


def names_of_cuda() -> frozenset[str]:
    """Read the names of CUDA."""
    return _names("cuda-names.txt")


def _names(table: str) -> frozenset[str]:
    return frozenset((_TABLES / table).read_text(encoding="ascii").split())
