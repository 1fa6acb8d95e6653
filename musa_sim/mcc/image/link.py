"""Link a device object into an image: a shared object without undefined symbols."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from pathlib import Path

from ..commands import Commands
from ..errors import CompileFailed
from ..sdk import Sdk
from . import unresolved
from .exports import version_script

#: what every program has, and only once: no version tells it apart
_OF_DYNAMIC_LINKER = {"__tls_get_addr"}


def link_image(
    sdk: Sdk,
    commands: Commands,
    object_file: Path,
    *,
    variables: Sequence[str],
    elsewhere: Collection[str],
    module: str,
    arch: str,
) -> bytes:
    """Link a device object into an image that shows its kernels and these variables.

    What no kernel reaches is left out. Raises CompileFailed when the image uses what nobody defines, the symbols
    `elsewhere` and those of libmusart and the program's libraries left aside; `module` tells who uses it.
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
    if unresolved.references(run.stderr) - _OF_DYNAMIC_LINKER or "declare extern_weak" in module:
        # by name and version: an unversioned expf would bind to glibc's oldest, which is half as fast
        run = commands.capture([*argv, "-lm", "-lc"], env)
    missing = unresolved.names(run.stderr, elsewhere)
    if missing:
        raise CompileFailed(unresolved.diagnostics(missing, module, arch, sdk.toolchain.linker))
    commands.finish(run.returncode, run.stdout + unresolved.without_references(run.stderr), arch)
    return linked.read_bytes()
