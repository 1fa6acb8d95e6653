"""Running ninja on a build.ninja that was written.

Progress passes through as it comes; what failed is kept back for the error that ends the build, so that its cause is
the last thing on the screen.

A build with nothing to do needs this much of ninja and no more, so nothing here knows what the graph is made of.
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
    """Shows lines as they come: on a terminal a step takes the place of the one before, in a log each has its line."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        # Programs put objects of their own in the place of stdout, which need not know what a terminal is.
        self._terminal = bool(getattr(stream, "isatty", bool)())
        self._unfinished = False

    def __call__(self, line: str) -> None:
        passing = self._terminal and _PROGRESS.match(line) is not None
        if passing:
            text = f"\r\x1b[K{line[: shutil.get_terminal_size().columns - 1]}"
        else:
            text = f"{self._line_end}{line}\n"
        self._unfinished = passing
        print(text, end="", file=self._stream, flush=True)

    def finish(self) -> None:
        """Leaves the last step where it stands."""
        print(end=self._line_end, file=self._stream, flush=True)
        self._unfinished = False

    @property
    def _line_end(self) -> str:
        return "\n" if self._unfinished else ""


def find_ninja() -> Path:
    """ninja on PATH, else the one of the `ninja` wheel: a virtual environment need not be activated."""
    found = process.find_program("ninja")
    if found is None:
        try:
            from ninja import BIN_DIR
        except ImportError:
            BIN_DIR = ""
        found = process.find_program(str(Path(BIN_DIR) / "ninja")) if BIN_DIR else None
    if found is None:
        raise ToolNotFoundError(
            "ninja was not found",
            found="none on PATH and none in this Python",
            wanted="ninja 1.5 or newer",
            hint="pip install ninja, or use BuildExtension.with_options(use_ninja=False)",
        )
    return found


def run(
    descriptions: Mapping[str, str],
    file: Path,
    targets: Sequence[str],
    *,
    jobs: int,
    verbose: bool,
    keep_going: bool = False,
    tell: Optional[Callable[[str], None]] = None,
) -> None:
    """Runs ninja on `targets`, from the current directory: the commands' relative paths are the project's own.

    `descriptions` are what to call outputs in errors (a plan has them), `tell` gets each line of progress as it comes;
    without it they go to stdout. Raises CompileFailedError with the cause of every failure (with `verbose`, all its
    text), and ToolNotFoundError without ninja.
    """
    command = [str(find_ninja()), "-f", str(file), "-j", str(jobs)]
    command += ["-v"] if verbose else []
    command += ["-k", "0"] if keep_going else []
    progress = None if tell else Progress(sys.stdout)
    listener = _Listener(descriptions, verbose, tell or progress or print)
    environment = {"NINJA_STATUS": "[%f/%t] ", "CLICOLOR_FORCE": "0", **sharing_environment(Path.cwd())}
    status = process.stream([*command, *targets], listener.hear, extra_environment=environment)
    if progress:
        progress.finish()
    remove_stale_logs(descriptions)
    if status:
        raise failure_error(descriptions, listener.failures, "\n".join(listener.complaints), verbose=verbose)


class _Listener:
    """Sorts what ninja prints: progress goes on, failed steps and ninja's own complaints are kept.

    A compiler may print a line that looks like ninja's; `descriptions` tell which outputs and steps there are.
    """

    def __init__(self, descriptions: Mapping[str, str], verbose: bool, tell: Callable[[str], None]) -> None:
        self._outputs = {os.path.normpath(output): output for output in descriptions}  # ninja normalises paths
        self._steps = None if verbose else frozenset(descriptions.values())  # with -v ninja prints commands
        self._tell = tell
        self.failures: list[Failure] = []
        self.complaints: list[str] = []
        self._failing = False

    def hear(self, line: str) -> None:
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
            self.failures[-1].text.append(line)
        else:
            self._failing = False
            self._tell(line)

    def _is_progress(self, line: str) -> bool:
        found = _PROGRESS.match(line)
        return found is not None and (self._steps is None or line[found.end() :] in self._steps)
