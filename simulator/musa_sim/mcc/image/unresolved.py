"""Report functions and variables that device code uses and no code defines, as a linker does.

An image must be complete, also that of a device link. A symbol that is not in the image, in libmusart, in
the C library or in the program's C++ library would still be missing when a kernel is launched.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..ir.text import symbol

if TYPE_CHECKING:
    import ctypes

    from ..ir.module import Module

_REFERENCE = re.compile(r"undefined references? to [`']([^'\n]+)'")
#: libraries that g++ links into every program; device code reaches it through inline functions of the C++ library
_PROGRAM_LIBRARIES = ("libstdc++.so.6", "libgcc_s.so.1")
_HINT = (
    "note: a __device__ function or variable must be defined in the file that uses it, "
    "or all files must be compiled and linked with '-fgpu-rdc'\n"
)


def references(said: str) -> set[str]:
    """Return the symbols that the linker missed."""
    return set(_REFERENCE.findall(said))


def without_references(said: str) -> str:
    """Return the linker's words, less those about undefined references and the lines that say where they are."""
    lines = [line for line in said.splitlines(keepends=True) if not _REFERENCE.search(line)]
    return "".join(line for line in lines if not re.search(r": in function [`'][^\n]*':$", line.rstrip()))


def names(said: str, elsewhere: Collection[str]) -> list[str]:
    """Return the symbols that the linker missed, less those `elsewhere` and those of the program's own libraries."""
    missed = [name for name in dict.fromkeys(_REFERENCE.findall(said)) if name not in elsewhere]
    if not missed:
        return []
    libraries = [library for name in _PROGRAM_LIBRARIES if (library := _loaded(name))]
    return [name for name in missed if not any(hasattr(library, name) for library in libraries)]


def _loaded(name: str) -> ctypes.CDLL | None:
    import ctypes  # only images that miss something pay for loading it

    try:
        return ctypes.CDLL(name)
    except OSError:
        return None


def diagnostics(
    symbols: Sequence[str], module: Module, arch: str, linker: str, objects: Mapping[str, Sequence[str]] | None
) -> str:
    """Say in mcc's words what is wrong with these symbols of a device module.

    `objects`: in a device link, the objects that want each symbol; None for the module of one source.
    """
    mentions = {symbol(name): set(map(symbol, function.mentions)) for name, function in module.functions.items()}
    users = {missed: [name for name, mentioned in mentions.items() if missed in mentioned] for missed in symbols}
    readable = demangled([*symbols, *(name for used in users.values() for name in used)], linker)
    lines = [
        f"error: undefined reference to '{readable[missed]}'"
        + (f" in {', '.join(map(repr, objects[missed]))}" if objects and missed in objects else "")
        + (f", used by {', '.join(readable[name] for name in used)}" if used else "")
        + "\n"
        for missed, used in users.items()
    ]
    count = f"{len(lines)} error{'s' if len(lines) > 1 else ''} generated when compiling for {arch}.\n"
    return "".join([*lines, _HINT if objects is None else "", count])


def demangled(symbols: Sequence[str], linker: str) -> dict[str, str]:
    """Return the names as the source has them; c++filt belongs to the same package as the linker."""
    import shutil  # as above

    tool = shutil.which("c++filt", path=str(Path(linker).parent)) or shutil.which("c++filt")
    if not tool:
        return {name: name for name in symbols}
    run = subprocess.run([tool], input="\n".join(symbols), capture_output=True, text=True, check=False)
    return dict(zip(symbols, run.stdout.splitlines()))
