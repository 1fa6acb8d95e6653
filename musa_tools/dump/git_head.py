"""The commit that a program's folder is at, read from git's own files: git need not be installed, and is not run."""

from __future__ import annotations

from pathlib import Path
from typing import Optional

_HASHES = (40, 64)


def git_head(start: Path) -> Optional[str]:
    """Return the commit of the working tree that a folder is in, or None.

    Args:
        start: The folder.
    """
    try:
        found = next((each / ".git" for each in (start, *start.parents) if (each / ".git").exists()), None)
        return _commit(found) if found is not None else None
    except (OSError, UnicodeDecodeError):
        return None


def _commit(dot_git: Path) -> Optional[str]:
    folder = dot_git
    if dot_git.is_file():  # a worktree or submodule: "gitdir: PATH"
        folder = dot_git.parent / _text(dot_git).partition("gitdir:")[2].strip()
    head = _text(folder / "HEAD")
    if not head.startswith("ref:"):
        return _hash(head)
    name = head.partition("ref:")[2].strip()
    shared = folder / "commondir"
    common = folder / _text(shared) if shared.is_file() else folder
    for each in (folder, common):
        if (each / name).is_file():
            return _hash(_text(each / name))
    packed = common / "packed-refs"
    lines = packed.read_text(encoding="utf-8").splitlines() if packed.is_file() else []
    return next((_hash(line.split()[0]) for line in lines if line.endswith(f" {name}")), None)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8").strip()


def _hash(text: str) -> Optional[str]:
    return text if len(text) in _HASHES and set(text) <= set("0123456789abcdef") else None
