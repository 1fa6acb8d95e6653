"""CUDA's environment variables in a running program, for code that is not converted."""

from __future__ import annotations

import os

from .vocabulary import environment_variable

#: The variables that were set here. Child processes set them again: they may get other devices.
DERIVED = "MUSA_CUDA_COMPAT_DERIVED"


def translate_environment() -> None:
    """Set MUSA's environment variables from CUDA's, unless the user has set them. Call it before torch is imported."""
    derived = set(os.environ.get(DERIVED, "").split())
    for name, value in list(os.environ.items()):
        new = environment_variable(name)
        if new and (new in derived or new not in os.environ):
            os.environ[new] = value
            derived.add(new)
    if derived:
        os.environ[DERIVED] = " ".join(sorted(derived))
