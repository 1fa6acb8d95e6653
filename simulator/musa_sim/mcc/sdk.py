"""The SDK root that this mcc is in."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from .clang.toolchain import Toolchain

LAST_USED = Path("share", "musa_sim", "last_used")


class Sdk(NamedTuple):
    """An SDK root, and the compilers that were found when it was created."""

    root: Path
    toolchain: Toolchain

    @property
    def include(self) -> str:
        """Its headers."""
        return str(self.root / "include")

    @property
    def library(self) -> str:
        """Its libraries."""
        return str(self.root / "lib")

    @property
    def last_used(self) -> Path:
        """The file whose time stamp says when this root was last used. The runtime sets it too (base/last_use.cpp)."""
        return self.root / LAST_USED

    @property
    def precompiled(self) -> Path:
        """Its precompiled headers, made as they are needed."""
        return self.root / "share" / "musa_sim" / "precompiled"
