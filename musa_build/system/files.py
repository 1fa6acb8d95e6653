"""Writing files so that nobody ever sees half of one, and so that nothing unchanged gets a new time stamp.

ninja, ccache and make decide by time stamps and content: a file rewritten with the same bytes costs a rebuild, and a
file torn by a crash costs an afternoon. Everything musa_build writes goes through this module.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Optional

#: Porting leaves this file in its output; who builds that output knows by it that the code was CUDA's.
PORTING_MANIFEST = ".musa_build_porting.json"


def replace_atomically(path: Path, content: bytes) -> None:
    """Write `content` to `path` in one step: a reader sees the old file or the new one, never a part.

    The new file keeps the mode of the file it replaces; a new one gets what the umask allows. Parents are made.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # Not tempfile's: to import it takes 5 ms, and its files are private (0600), which would leak into wheels.
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


def write_if_changed(path: Path, content: str | bytes) -> bool:
    """Write `content` (str: UTF-8, line ends kept) unless `path` holds it already. Returns whether it wrote."""
    data = content.encode("utf-8") if isinstance(content, str) else content
    try:
        if path.read_bytes() == data:
            return False
    except (FileNotFoundError, IsADirectoryError):
        pass
    replace_atomically(path, data)
    return True


def digest(*parts: str | bytes) -> str:
    """SHA-256 of `parts` as 64 hex digits. Each part is framed by its length: ("ab", "c") is not ("a", "bc")."""
    state = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part
        state.update(len(data).to_bytes(8, "little"))
        state.update(data)
    return state.hexdigest()


def digest_files(paths: Iterable[Path]) -> str:
    """SHA-256 over the contents of `paths`, in the order given (not over their names)."""
    return digest(*(path.read_bytes() for path in paths))


def identity(path: Optional[Path]) -> str:
    """A file as a build system knows it: its path, size and time stamp; "no PATH" where there is none."""
    try:
        found = path.stat() if path else None
    except OSError:
        found = None
    return f"{path} {found.st_size} {found.st_mtime_ns}" if found else f"no {path}"


def porting_manifests(sources: Iterable[str]) -> tuple[str, ...]:
    """The manifests of porting in the folders above `sources`: who finds one knows that this code was CUDA's.

    The search ends at the project's root, which is the current directory, or for sources outside it the root of their
    git repository. It never looks at the home directory or above: a manifest there says nothing about a project.
    """
    root, home = Path.cwd().resolve(), Path.home()
    found: set[str] = set()
    seen: set[Path] = set()
    for source in sources:
        folders = Path(source).resolve().parents
        for folder in folders:
            if folder in seen or (folder != root and (folder == home or folder in home.parents)):
                break
            seen.add(folder)
            if (folder / PORTING_MANIFEST).is_file():
                found.add(str(folder / PORTING_MANIFEST))
            if folder == root or (root not in folders and (folder / ".git").exists()):
                break
    return tuple(sorted(found))


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock file `path` for the length of the block, across processes and threads.

    The lock is the operating system's (flock), so a killed process cannot leave one behind that hangs the next. It is
    the one that filelock takes on Unix, without the import of filelock, which is a tenth of a build with nothing to do.
    """
    import fcntl

    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield  # closing the file gives the lock back
