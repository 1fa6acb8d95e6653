"""The program `musa-converter`, of which Moore Threads' torch_musa has one, too.

An environment has one file of that name: that of the package that was installed last. So ours runs torch_musa's where
that is installed. `musa-tools convert` is always ours.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import metadata
from typing import Optional

NAME = "musa-converter"
_VENDOR = "torch_musa"  # the simulator's is another distribution, torch-musa-sim, and has no such program


def main() -> object:
    """Run torch_musa's converter if it is installed, otherwise ours. Return the exit status."""
    vendors = _vendors_program()
    if vendors is not None:
        print(f"{NAME}: this is torch_musa's; that of musa_tools is: musa-tools convert", file=sys.stderr, flush=True)
        return vendors()
    from .command_line import main as convert

    return convert()


def _vendors_program() -> Optional[Callable[[], object]]:
    try:
        distribution = metadata.distribution(_VENDOR)
    except metadata.PackageNotFoundError:
        return None
    programs = (entry for entry in distribution.entry_points if entry.group == "console_scripts" and entry.name == NAME)
    entry = next(programs, None)
    program: Optional[Callable[[], object]] = entry.load() if entry is not None else None
    return program
