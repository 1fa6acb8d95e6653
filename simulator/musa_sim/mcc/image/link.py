"""Link device objects into images, shared objects without undefined symbols, and pack these for the program.

An image must be complete, also that of a device link. A symbol that is not in the image, in libmusart, in
the C library or in the program's C++ library would still be missing when a kernel is launched.
"""

from __future__ import annotations

import os
import re
import struct
import subprocess
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..commands import Commands
from ..errors import CompileFailed
from ..ir.text import symbol
from ..runtime_abi.names import (
    ARGUMENT_SIZES_PREFIX,
    ENTRY_PREFIX,
    FAT_BINARY_MAGIC,
    GLOBAL_VARIABLES,
    LAUNCH_BOUNDS_PREFIX,
    LOOP_PREFIX,
    SHARED_VARIABLES_PREFIX,
    STATIC_SHARED_PREFIX,
)
from ..sdk import Sdk

if TYPE_CHECKING:
    import ctypes

    from ..ir.module import Module

#: symbols that every program has, and only once: no version distinguishes them
_OF_DYNAMIC_LINKER = {"__tls_get_addr"}

_REFERENCE = re.compile(r"undefined references? to [`']([^'\n]+)'")
#: libraries that g++ links into every program; device code reaches it through inline functions of the C++ library
_PROGRAM_LIBRARIES = ("libstdc++.so.6", "libgcc_s.so.1")
_HINT = (
    "note: a __device__ function or variable must be defined in the file that uses it, "
    "or all files must be compiled and linked with '-fgpu-rdc'\n"
)

#: the beginning of the names of an image's functions and variables for libmusart
_PREFIXES = (
    ENTRY_PREFIX,
    LOOP_PREFIX,
    ARGUMENT_SIZES_PREFIX,
    LAUNCH_BOUNDS_PREFIX,
    STATIC_SHARED_PREFIX,
    SHARED_VARIABLES_PREFIX,
)
#: of the images in a fat binary
_ALIGN = 64


def link_image(
    sdk: Sdk,
    commands: Commands,
    object_file: Path,
    *,
    variables: Sequence[str],
    elsewhere: Collection[str],
    module: Module,
    arch: str,
    objects: Mapping[str, Sequence[str]] | None = None,
) -> bytes:
    """Link a device object into an image that shows its kernels and these variables.

    Code that no kernel reaches is left out. Raises CompileFailed when the image uses undefined symbols other than
    `elsewhere` and those of libmusart and the program's libraries. `module` shows which function uses them; in a device
    link, `objects` says which object.
    """
    script = object_file.with_suffix(".version")
    script.write_text(version_script(variables), encoding="utf-8")
    linked = object_file.with_suffix(".so")
    argv = [
        *(sdk.toolchain.linker, "-shared", "-Bsymbolic", "--build-id=none", "-z", "nodelete"),
        *("--gc-sections", "-z", "defs", "--warn-unresolved-symbols", "--no-demangle"),
        *("--version-script", str(script), "-o", str(linked), str(object_file)),
        f"{sdk.library}/libmusart.so",
    ]
    env = {**os.environ, "LC_ALL": "C"}
    run = commands.capture(argv, env)
    # ld takes longer to read the C library than for all else, and most small kernels call nothing of it
    if references(run.stderr) - _OF_DYNAMIC_LINKER or any(
        each.head.startswith("declare extern_weak") for each in module.declarations.values()
    ):
        # by name and version: an unversioned expf would bind to glibc's oldest, which is half as fast
        run = commands.capture([*argv, "-lm", "-lc"], env)
    missing = undefined_names(run.stderr, {*elsewhere, *_OF_DYNAMIC_LINKER})
    if missing:
        raise CompileFailed(diagnostics(missing, module, arch, sdk.toolchain.linker, objects))
    commands.finish(run.returncode, run.stdout + without_references(run.stderr), arch)
    return linked.read_bytes()


def references(said: str) -> set[str]:
    """Return the symbols that the linker missed."""
    return set(_REFERENCE.findall(said))


def without_references(said: str) -> str:
    """Return the linker's messages without those about undefined references and their locations."""
    lines = [line for line in said.splitlines(keepends=True) if not _REFERENCE.search(line)]
    return "".join(line for line in lines if not re.search(r": in function [`'][^\n]*':$", line.rstrip()))


def undefined_names(said: str, elsewhere: Collection[str]) -> list[str]:
    """Return the undefined symbols, without those that `elsewhere` or the program's own libraries define."""
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
    """Write mcc's error message about these symbols of a device module.

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


def version_script(variables: Sequence[str]) -> str:
    """Export kernels and these variables only: an image's own copies of library templates must not meet the host's."""
    names = [*(f"{prefix}*" for prefix in _PREFIXES), GLOBAL_VARIABLES, *map(_pattern, variables)]
    return "{ global: " + " ".join(f"{name};" for name in names) + " local: *; };\n"


def _pattern(variable: str) -> str:
    """Spell a variable's symbol as the linker's scripts do: in quotes if it has a letter outside of ASCII."""
    name = symbol(variable)
    return name if name.isascii() else f'"{name}"'


def pack(images: Mapping[str, bytes], checks: int = 0, cpu: int = 0) -> bytes:
    """Pack ELF images by architecture into the blob that the registration wrapper points to, the fat binary.

    Its layout (runtime/base/device_abi.h): magic number, count, checks, CPU; for each image architecture, offset and
    size; then the ELF images, each once.

    `checks`: bits of the checks that the images were compiled for; 0 when they are not instrumented. `cpu`: the number
    of the CPU that they need (clang/cpu.py).
    """
    head = 16 + 32 * len(images)
    first = -(-head // _ALIGN) * _ALIGN
    offsets: dict[bytes, int] = {}  # architectures with one image share it
    end = first
    for image in images.values():
        if image not in offsets:
            offsets[image] = end
            end += -(-len(image) // _ALIGN) * _ALIGN
    table = [struct.pack("<16sQQ", arch.encode(), offsets[image], len(image)) for arch, image in images.items()]
    body = [image + b"\0" * (-len(image) % _ALIGN) for image in offsets]
    header = struct.pack("<8sIHH", FAT_BINARY_MAGIC, len(images), checks, cpu)
    return header + b"".join(table) + b"\0" * (first - head) + b"".join(body)
