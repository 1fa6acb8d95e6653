"""torch.musa.mccl: the part of torch.cuda.nccl that makes sense without the library."""

from __future__ import annotations

VERSION = (2, 11, 4)
"""The release of NCCL whose interface MCCL follows is not published: this is a guess (docs/unverified.md)."""


def version() -> tuple[int, int, int]:
    """Return the version of NCCL that programs compare with, as (major, minor, patch)."""
    return VERSION
