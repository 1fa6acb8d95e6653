"""Names of calls as names of files: they may hold anything, as the names of modules do."""

from __future__ import annotations

import hashlib
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
