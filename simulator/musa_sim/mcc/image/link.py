"""Link device objects into images, shared objects without undefined symbols, and pack these for the program."""

from __future__ import annotations

import os
import struct
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..commands import Commands
from ..contract.names import (
    ARGUMENT_SIZES_PREFIX,
    ENTRY_PREFIX,
    FAT_BINARY_MAGIC,
    GLOBAL_VARIABLES,
    LAUNCH_BOUNDS_PREFIX,
    LOOP_PREFIX,
    SHARED_VARIABLES_PREFIX,
    STATIC_SHARED_PREFIX,
)
from ..errors import CompileFailed
from ..ir.text import symbol
from ..sdk import Sdk
from . import unresolved

if TYPE_CHECKING:
    from ..ir.module import Module

#: symbols that every program has, and only once: no version distinguishes them
_OF_DYNAMIC_LINKER = {"__tls_get_addr"}

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
    if unresolved.references(run.stderr) - _OF_DYNAMIC_LINKER or any(
        each.head.startswith("declare extern_weak") for each in module.declarations.values()
    ):
        # by name and version: an unversioned expf would bind to glibc's oldest, which is half as fast
        run = commands.capture([*argv, "-lm", "-lc"], env)
    missing = unresolved.names(run.stderr, {*elsewhere, *_OF_DYNAMIC_LINKER})
    if missing:
        raise CompileFailed(unresolved.diagnostics(missing, module, arch, sdk.toolchain.linker, objects))
    commands.finish(run.returncode, run.stdout + unresolved.without_references(run.stderr), arch)
    return linked.read_bytes()


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
