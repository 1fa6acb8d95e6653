"""`python -m musa_build.porting`: answer a repeated command at once, and have command_line.py do all others.

A build runs porting every time. If the same command runs in the same folder, and every file and folder that it read or
wrote still has its time stamps, the answer is the same, with nothing written. It is given by the no-op cache, without
loading the engine. The cache is a file in the output folder; `api.inputs_and_outputs` lists its dependencies.

This module imports only `os` and `sys` at first, so that the answer comes before other modules are loaded.
"""
# ruff: noqa: PTH100, PTH109, PTH113, PTH116, PTH123
# (For the same reason there is no pathlib.)

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # typing's own constant costs the import of typing
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path
    from typing import Optional

NAME = ".musa_build_porting.last"

_GONE = "-"


def main(
    argv: Optional[Sequence[str]] = None,
    prog: str = "python -m musa_build.porting",
    is_clean: Optional[Callable[[Path], bool]] = None,
) -> int:
    """Run the porting command with the arguments `argv` (default: those of the process).

    Args:
        argv: The arguments.
        prog: The command's name in help and errors.
        is_clean: Returns whether version control could restore a folder. Without it, --in-place needs --allow-dirty.

    Returns:
        The exit code: 0 done; 1 --check found something to do, or --verify something unstable; 2 an error.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    output_text = cached_output(arguments)
    if output_text is not None:
        sys.stderr.write(output_text)
        return 0
    from .command_line import run

    return run(arguments, prog, is_clean, cache_entry)


def cached_output(arguments: Sequence[str]) -> Optional[str]:
    """Return the output of the command with these `arguments` if it has nothing to do; None if it may have work."""
    for argument in arguments:
        for folder in (os.path.abspath(argument) + "_musa", argument):
            if not os.path.isfile(f"{folder}/{NAME}"):  # to open a pipe would wait for a writer
                continue
            try:
                with open(f"{folder}/{NAME}", encoding="utf-8", errors="surrogateescape") as stream:
                    head, stamps, output_text = stream.read().split("\n\n", 2)
            except (OSError, ValueError):
                continue
            if head == _head(arguments) and all(map(_is_unchanged, stamps.split("\n"))):
                return output_text
    return None


def cache_entry(arguments: Sequence[str], stamps: Mapping[str, tuple[int, int, int]], output_text: str) -> bytes:
    """Return the content of the file `NAME`, by which `cached_output` recognises this command.

    `stamps` covers all files and folders whose change would change the answer: absolute path -> modification time,
    change time and size from before the path was read.
    """
    lines = "\n".join(f"{stamp[0]},{stamp[1]},{stamp[2]} {path}" for path, stamp in stamps.items())
    return f"{_head(arguments)}\n\n{lines}\n\n{output_text}".encode("utf-8", "surrogateescape")


def _head(arguments: Sequence[str]) -> str:
    parts = (sys.version.split()[0], os.getcwd(), *arguments)
    return " ".join(part.replace("%", "%25").replace("\n", "%0A").replace(" ", "%20") for part in parts)


def _is_unchanged(line: str) -> bool:
    stamp, _, path = line.partition(" ")
    return _stamp(path) == stamp


def _stamp(path: str) -> str:
    """Return both time stamps and the size. Those of a folder change when an entry is added or removed."""
    try:
        status = os.stat(path)
    except OSError:
        return _GONE
    return f"{status.st_mtime_ns},{status.st_ctime_ns},{status.st_size}"


if __name__ == "__main__":
    import gc

    # Porting makes no reference cycles, and the system frees the memory of a process at once. Collecting cycles, and
    # destroying every object at the end, would be a twentieth of a run.
    gc.disable()
    code = main()
    sys.stderr.flush()
    os._exit(code)
