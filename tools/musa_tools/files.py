"""Files of musa_tools: written whole or not at all, under names that every file system takes.

Names of calls may hold anything, as the names of modules do.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

_KEPT = " !#$&'()+,;=@[]^`{}~"  # besides letters, digits and _.-~; not what Windows refuses, and not the escape itself
_LONGEST = 200  # bytes: most file systems allow 255, and a name gets an ending while its file is written


def file_name(name: str) -> str:
    """Return a name that every file system takes: others' characters become ``%2F``, the end of a long one a checksum.

    Args:
        name: As ``Module.a/b.Linear.forward.0.input.0.pt``.
    """
    plain = quote(name, safe=_KEPT, errors="surrogatepass")
    if len(plain) <= _LONGEST and not plain.startswith("."):
        return plain
    stem, dot, ending = plain.rpartition(".")
    checksum = hashlib.blake2b(name.encode(errors="surrogatepass"), digest_size=8).hexdigest()
    return f"{stem.lstrip('.')[: _LONGEST - len(ending) - 18]}-{checksum}{dot}{ending}"


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield a temporary path; when the block ends well, its content becomes that of `path` in one step.

    A device, a pipe or a link is written to: replacing it would destroy it.

    Args:
        path: The file to write. Its folder exists.
    """
    replace = _is_replaceable(path)
    # A folder of devices, as /dev, may refuse new files.
    folder = path.parent if replace else Path(tempfile.gettempdir())
    temporary = folder / f"{path.name}.{os.getpid()}.tmp"
    try:
        yield temporary
        if replace:
            temporary.replace(path)
        else:
            with temporary.open("rb") as source, path.open("wb") as target:
                shutil.copyfileobj(source, target)
    finally:
        with suppress(OSError):
            temporary.unlink()


def _is_replaceable(path: Path) -> bool:
    """Return whether `path` is a regular file or does not exist yet."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except FileNotFoundError:
        return True
