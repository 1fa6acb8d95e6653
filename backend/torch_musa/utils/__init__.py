"""The build tools under the names that Moore Threads' torch_musa gives them; they live in musa_build."""

from __future__ import annotations


def __getattr__(name: str) -> object:
    """Import BuildExtension and MUSAExtension at their first use: musa_build is not loaded by `import torch`."""
    if name in ("BuildExtension", "MUSAExtension"):
        from torch_musa.utils import musa_extension

        return getattr(musa_extension, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
