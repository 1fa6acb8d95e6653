"""The one door to other programs: start one, collect or stream what it says, and say clearly when it is not there."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Optional

from ..errors import ToolNotFoundError


class Completed(NamedTuple):
    """What a finished program left: its exit status and its text (decoded leniently: compilers quote any bytes)."""

    returncode: int
    stdout: str
    stderr: str


def find_program(name: str) -> Optional[Path]:
    """The absolute path of a program on PATH (or of `name` itself where it is a path), None where there is none."""
    found = shutil.which(name)
    return Path(found).absolute() if found else None


def run(
    argv: Sequence[str], *, extra_environment: Optional[Mapping[str, str]] = None, timeout: Optional[float] = None
) -> Completed:
    """Run `argv` to its end and collect its text. A non-zero exit is the caller's to judge.

    After `timeout` seconds it is killed, and the exit is 124, as of the program `timeout`.
    Raises ToolNotFoundError when the program cannot be started at all.
    """
    try:
        done = subprocess.run(
            list(argv),
            env={**os.environ, **(extra_environment or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=timeout,
        )
    except subprocess.TimeoutExpired:
        return Completed(124, "", f"no answer within {timeout:g} s")
    except OSError as error:
        raise _cannot_start(argv[0], error) from error
    return Completed(done.returncode, done.stdout, done.stderr)


def stream(
    argv: Sequence[str],
    on_line: Callable[[str], None],
    *,
    extra_environment: Optional[Mapping[str, str]] = None,
) -> int:
    """Run `argv`, handing over each line (without its line end, stdout and stderr together) as it comes.

    Returns the exit status. Raises ToolNotFoundError when the program cannot be started at all.
    """
    try:
        child = subprocess.Popen(
            list(argv),
            env={**os.environ, **(extra_environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
    except OSError as error:
        raise _cannot_start(argv[0], error) from error
    with child:
        assert child.stdout is not None
        for line in child.stdout:
            on_line(line.rstrip("\r\n"))
    return child.returncode


def _cannot_start(program: str, error: OSError) -> ToolNotFoundError:
    return ToolNotFoundError(
        f"cannot run {program}",
        found=error.strerror or str(error),
        wanted="an executable program",
        hint="install it or put it on PATH; `musa-build doctor` lists what a build needs",
    )
