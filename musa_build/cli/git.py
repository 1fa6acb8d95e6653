"""Check whether git could restore a folder."""

from __future__ import annotations

from pathlib import Path

from ..errors import ToolNotFoundError
from ..system.process import run


def is_clean(folder: Path) -> bool:
    """Return whether `folder` is in a git repository, without changes, untracked files or ignored files."""
    try:
        done = run(["git", "-C", str(folder), "status", "--porcelain", "--ignored", "--", "."])
    except ToolNotFoundError:
        return False
    return done.returncode == 0 and not done.stdout.strip()
