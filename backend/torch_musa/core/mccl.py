"""torch.musa.mccl: what torch.cuda.nccl is for CUDA, as far as it makes sense without the library."""

from __future__ import annotations

VERSION = (2, 11, 4)
"""The release of NCCL whose interface MCCL follows is not published: this is a guess (docs/unverified.md)."""


def version() -> tuple[int, int, int]:
    """Return the version of MCCL that is simulated."""
    return VERSION
