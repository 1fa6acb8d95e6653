"""Whether version control could bring a folder back as it is."""

from __future__ import annotations

from pathlib import Path

from ..errors import ToolNotFoundError
from ..system.process import run


def is_clean(folder: Path) -> bool:
    """Whether `folder` lies in a git repository and holds neither changes nor files that git does not keep."""
    try:
        done = run(["git", "-C", str(folder), "status", "--porcelain", "--ignored", "--", "."])
    except ToolNotFoundError:
        return False
    return done.returncode == 0 and not done.stdout.strip()
