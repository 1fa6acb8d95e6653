"""Run a script, or a module (-m), with CUDA's names meaning MUSA's device."""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path

from ..convert.environment import translate_environment
from ..errors import ToolError

_USAGE = """\
usage: python -m musa_tools.cuda_compat [-q] SCRIPT [ARGUMENTS ...]
       python -m musa_tools.cuda_compat [-q] -m MODULE [ARGUMENTS ...]

Run a script written for CUDA on MUSA, without changing it. At its end, what was translated is listed (not with -q).
"""


def main(argv: Sequence[str]) -> int:
    """Run the command."""
    words = list(argv)
    quiet = words[:1] == ["-q"]
    words = words[quiet:]
    if words[:1] in (["-h"], ["--help"]):
        print(_USAGE, end="")
        return 0
    if not words or words == ["-m"]:
        print(_USAGE, end="", file=sys.stderr)
        return 2
    translate_environment()
    from .shim import install, report

    try:
        install()
    except ToolError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    try:
        _run(words)
    finally:
        if not quiet:
            print(report(), file=sys.stderr)
    return 0


def _run(words: list[str]) -> None:
    """Run a script or module as Python itself would."""
    if words[0] == "-m":
        sys.argv = words[1:]
        sys.path[0:1] = [str(Path.cwd())]
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = words
        sys.path[0:1] = [os.path.dirname(os.path.abspath(words[0]))]  # noqa: PTH100, PTH120 (as Python does)
        runpy.run_path(words[0], run_name="__main__")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
