"""Run ninja on a build.ninja.

Progress is shown as it comes. The output of failed steps is held back for the error that ends the build, so that the
cause is last on the screen.

A build with nothing to do imports this module, so it does not import the modules that plan and write a graph.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Optional, TextIO

from ..errors import ToolNotFoundError
from ..system import process
from ..toolchain.launcher import sharing_environment
from .failures import Failure, failure_error, remove_stale_logs

FILE_NAME = "build.ninja"

_FAILED = re.compile(r"FAILED: (?:\[code=(?P<code>\d+)\] )?(?P<output>.*?) *$")
_PROGRESS = re.compile(r"\[\d+/\d+\] ")


class Progress:
    """Show lines as they come. On a terminal a step replaces the one before; in a log each has its own line."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        # Programs may replace stdout by an object without isatty.
        self._terminal = bool(getattr(stream, "isatty", bool)())
        self._unfinished = False

    def __call__(self, line: str) -> None:
        transient = self._terminal and _PROGRESS.match(line) is not None
        if transient:
            text = f"\r\x1b[K{line[: shutil.get_terminal_size().columns - 1]}"
        else:
            text = f"{self._line_end}{line}\n"
        self._unfinished = transient
        print(text, end="", file=self._stream, flush=True)

    def finish(self) -> None:
        """End the line of the last step."""
        print(end=self._line_end, file=self._stream, flush=True)
        self._unfinished = False

    @property
    def _line_end(self) -> str:
        return "\n" if self._unfinished else ""


def find_ninja() -> Path:
    """Return ninja on PATH, else that of the `ninja` wheel, so that a virtual environment need not be active."""
    ninja = process.find_program("ninja")
    if ninja is None:
        try:
            from ninja import BIN_DIR
        except ImportError:
            BIN_DIR = ""
        ninja = process.find_program(str(Path(BIN_DIR) / "ninja")) if BIN_DIR else None
    if ninja is None:
        raise ToolNotFoundError(
            "ninja was not found",
            found="none on PATH and no ninja package in this Python",
            wanted="ninja 1.5 or newer",
            hint="pip install ninja, or use BuildExtension.with_options(use_ninja=False)",
        )
    return ninja


def run(
    descriptions: Mapping[str, str],
    file: Path,
    targets: Sequence[str],
    *,
    jobs: int,
    verbose: bool,
    keep_going: bool = False,
    on_line: Optional[Callable[[str], None]] = None,
) -> None:
    """Run ninja on `targets` in the current directory, to which the relative paths of the commands refer.

    Args:
        descriptions: The names of outputs in errors (BuildPlan.descriptions).
        file: The build.ninja.
        targets: The outputs to build; none for all.
        jobs: How many steps may run at once.
        verbose: Show whole commands, and all output of failed steps.
        keep_going: Continue after a failure.
        on_line: Called with each line of progress, which otherwise goes to stdout.

    Raises:
        CompileFailedError: With the cause of every failure.
        ToolNotFoundError: There is no ninja.
    """
    command = [str(find_ninja()), "-f", str(file), "-j", str(jobs)]
    command += ["-v"] if verbose else []
    command += ["-k", "0"] if keep_going else []
    progress = None if on_line else Progress(sys.stdout)
    output = _OutputParser(descriptions, verbose, on_line or progress or print)
    environment = {"NINJA_STATUS": "[%f/%t] ", "CLICOLOR_FORCE": "0", **sharing_environment(Path.cwd())}
    status = process.stream([*command, *targets], output.add, extra_environment=environment)
    if progress:
        progress.finish()
    remove_stale_logs(descriptions)
    if status:
        raise failure_error(descriptions, output.failures, "\n".join(output.complaints), verbose=verbose)


class _OutputParser:
    """Split ninja's output: pass progress on, and keep failed steps and ninja's own error messages.

    A compiler may print a line that looks like ninja's, so only the outputs and steps in `descriptions` count.
    """

    def __init__(self, descriptions: Mapping[str, str], verbose: bool, on_line: Callable[[str], None]) -> None:
        self._outputs = {os.path.normpath(output): output for output in descriptions}  # ninja normalises paths
        self._steps = None if verbose else frozenset(descriptions.values())  # with -v ninja prints commands
        self._on_line = on_line
        self.failures: list[Failure] = []
        self.complaints: list[str] = []
        self._failing = False

    def add(self, line: str) -> None:
        """Process one line of output."""
        failed = _FAILED.match(line)
        output = self._outputs.get(os.path.normpath(failed["output"])) if failed else None
        if failed and (output or not self._failing):
            self._failing = True
            self.failures.append(Failure(output or failed["output"], failed["code"] or "", []))
        elif line.startswith(("ninja: error:", "ninja: fatal:")):
            self.complaints.append(line)
        elif line.startswith("ninja: build stopped"):
            self._failing = False
        elif self._failing and not self._is_progress(line):
            self.failures[-1].lines.append(line)
        else:
            self._failing = False
            self._on_line(line)

    def _is_progress(self, line: str) -> bool:
        found = _PROGRESS.match(line)
        return found is not None and (self._steps is None or line[found.end() :] in self._steps)
