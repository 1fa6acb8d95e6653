"""What a build for MUSA needs before it starts."""

from __future__ import annotations

import sys

from ..environment.torch_info import TorchMusa
from ..errors import TorchNotFoundError


def require_torch_musa() -> None:
    """Look for torch_musa.

    Raises:
        TorchNotFoundError: This Python has none.
    """
    if TorchMusa.find() is None:
        raise TorchNotFoundError(
            "torch_musa is not installed",
            found=f"none in {sys.prefix}",
            wanted="the torch_musa that the package will run with",
            hint="install Moore Threads' torch_musa, or the simulated one of musa_build (backend/)",
        )
