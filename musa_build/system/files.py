"""Write files atomically, and only if their content changed.

ninja, ccache and make decide by time stamps and content. Rewriting a file with the same bytes would cause a rebuild. A
half-written file would break one. musa_build writes all its files with this module.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Optional

#: Porting writes this file into its output. It marks the code as ported from CUDA.
PORTING_MANIFEST = ".musa_build_porting.json"
#: The suffixes of sources that Cython and SWIG turn into other sources.
GENERATED_FROM = (".pyx", ".i")


def replace_atomically(path: Path, content: bytes) -> None:
    """Write `content` to `path` in one step: a reader sees the old file or the new one, never a part.

    The file keeps the mode of the one it replaces; a new file gets what the umask allows. Parent directories are
    created. A device, a pipe or a link is written to: replacing it would destroy it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    if not _is_replaceable(path):
        path.write_bytes(content)
        return
    # Not tempfile's: its import takes 5 ms, and its files are private (0600), which would leak into wheels.
    temporary = path.with_name(f".{path.name}.{os.urandom(6).hex()}")
    try:
        with temporary.open("xb") as stream:
            stream.write(content)
        if path.exists():
            temporary.chmod(path.stat().st_mode & 0o7777)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _is_replaceable(path: Path) -> bool:
    """Return whether `path` is a regular file or does not exist yet."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except FileNotFoundError:
        return True


def write_if_changed(path: Path, content: str | bytes) -> bool:
    """Write `content` (str: as UTF-8, line ends kept) unless `path` has it already. Return whether it was written."""
    data = content.encode("utf-8") if isinstance(content, str) else content
    if path.is_file() and path.read_bytes() == data:  # reading a pipe would wait for a writer
        return False
    replace_atomically(path, data)
    return True


def digest(*parts: str | bytes) -> str:
    """Return the SHA-256 of `parts` as 64 hex digits.

    The digest includes the length of each part, so ("ab", "c") and ("a", "bc") differ.
    """
    state = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part
        state.update(len(data).to_bytes(8, "little"))
        state.update(data)
    return state.hexdigest()


def digest_files(paths: Iterable[Path]) -> str:
    """Return the SHA-256 of the contents of `paths`, in this order and without their names."""
    return digest(*(path.read_bytes() for path in paths))


def identity(path: Optional[Path]) -> str:
    """Return the path, size and time stamp of a file as text; "no PATH" if it does not exist."""
    try:
        status = path.stat() if path else None
    except OSError:
        status = None
    return f"{path} {status.st_size} {status.st_mtime_ns}" if status else f"no {path}"


def porting_manifests(sources: Iterable[str]) -> tuple[str, ...]:
    """Return the manifests of porting in the folders above `sources`. They mark the sources as ported from CUDA.

    The search ends at the project's root. That is the current directory or, for sources outside it, the root of their
    git repository. It skips the home directory and those above it: a manifest there does not belong to a project.
    """
    root, home = Path.cwd().resolve(), Path.home()
    manifests: set[str] = set()
    visited: set[Path] = set()
    for source in sources:
        folders = Path(source).resolve().parents
        for folder in folders:
            if folder in visited or (folder != root and (folder == home or folder in home.parents)):
                break
            visited.add(folder)
            if (folder / PORTING_MANIFEST).is_file():
                manifests.add(str(folder / PORTING_MANIFEST))
            if folder == root or (root not in folders and (folder / ".git").exists()):
                break
    return tuple(sorted(manifests))
