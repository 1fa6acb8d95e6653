"""The differences between the processors of hosts: x86-64, and aarch64 as in ARM servers with MTT cards."""

from __future__ import annotations

import os

_MACHINE = os.uname().machine


def word_size_flags(machine: str = _MACHINE) -> tuple[str, ...]:
    """Return -m64 for a compiler that knows it: those for x86-64 do, those for aarch64 end with an error."""
    return ("-m64",) if machine in ("x86_64", "amd64") else ()


def cuda_target(machine: str = _MACHINE) -> str:
    """Return the name of the folder that a CUDA toolkit for this machine has in targets/."""
    return {"aarch64": "sbsa-linux"}.get(machine, "x86_64-linux")
