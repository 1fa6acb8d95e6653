"""musa_build's build of extensions, under torch_musa's names."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Optional

from musa_build import BuildExtension, MUSAExtension, include_paths, library_paths, load, load_inline
from musa_build.environment.sdk import MusaSdk
from musa_build.environment.settings import Settings
from musa_build.errors import SdkNotFoundError

__all__ = [
    "COMMON_MCC_FLAGS",
    "MUDNN_HOME",
    "MUSA_HOME",  # noqa: F822  by __getattr__
    "TORCH_MUSA_LIB_PATH",
    "BuildExtension",
    "MUSAExtension",
    "include_paths",
    "library_paths",
    "load",
    "load_inline",
]

MUDNN_HOME: Optional[str] = os.environ.get("MUDNN_HOME") or os.environ.get("MUDNN_PATH")
TORCH_MUSA_LIB_PATH = str(Path(__file__).resolve().parents[1] / "lib")
COMMON_MCC_FLAGS: list[str] = []
"""Options that each source of MUSA gets: none."""


def __getattr__(name: str) -> Optional[str]:
    """Look for the SDK at the first use of MUSA_HOME, and not before: that may unpack the simulated one."""
    if name != "MUSA_HOME":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return str(MusaSdk.find(Settings.read()).root)
    except SdkNotFoundError:
        return None  # as torch.utils.cpp_extension.CUDA_HOME
