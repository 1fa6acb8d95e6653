"""Running ninja on a build.ninja that was written.

Progress passes through as it comes; what failed is kept back, whole, for the error that ends the build, so that it is
the last thing on the screen.

A build with nothing to do needs this much of ninja and no more, so nothing here knows what the graph is made of.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Optional, TextIO

from . import process
from .errors import CompileFailedError, ToolNotFoundError
from .launcher import sharing_environment

FILE_NAME = "build.ninja"

_FAILED = re.compile(r"FAILED: (?:\[code=(?P<code>\d+)\] )?(?P<output>.*?) *$")
_PROGRESS = re.compile(r"\[\d+/\d+\] ")
_KILLED_HINT = "a compiler was killed, most likely for lack of memory: set MAX_JOBS to a smaller number"
_OUT_OF_MEMORY = re.compile(r"\bKilled\b|out of memory|cannot allocate memory", re.IGNORECASE)


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
    without it they go to stdout. Raises CompileFailedError with every failed command and all its text, and
    ToolNotFoundError without ninja.
    """
    command = [str(find_ninja()), "-f", str(file), "-j", str(jobs)]
    command += ["-v"] if verbose else []
    command += ["-k", "0"] if keep_going else []
    progress = None if tell else Progress(sys.stdout)
    listener = _Listener(tell or progress or print)
    environment = {"NINJA_STATUS": "[%f/%t] ", "CLICOLOR_FORCE": "0", **sharing_environment(Path.cwd())}
    status = process.stream([*command, *targets], listener.hear, extra_environment=environment)
    if progress:
        progress.finish()
    if status:
        raise failure_error(descriptions, listener.failures, "\n".join(listener.complaints))


class Failure(NamedTuple):
    """One failed step as ninja reports it: its output file, its exit code ("" where ninja is too old to say), text."""

    output: str
    code: str
    text: list[str]


class _Listener:
    """Sorts what ninja prints: progress goes on, failed steps and ninja's own complaints are kept."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self.failures: list[Failure] = []
        self.complaints: list[str] = []
        self._failing = False

    def hear(self, line: str) -> None:
        failed = _FAILED.match(line)
        if failed:
            self._failing = True
            self.failures.append(Failure(failed["output"], failed["code"] or "", []))
        elif line.startswith(("ninja: error:", "ninja: fatal:")):
            self.complaints.append(line)
        elif line.startswith("ninja: build stopped"):
            self._failing = False
        elif self._failing and not _PROGRESS.match(line):
            self.failures[-1].text.append(line)
        else:
            self._failing = False
            self._tell(line)


def failure_error(
    descriptions: Mapping[str, str], failures: Sequence[Failure], complaint: str = ""
) -> CompileFailedError:
    """The error for failed steps. The first line of a failure's text is its command."""
    blocks = []
    for failure in failures:
        name = descriptions.get(failure.output, failure.output)
        code = f" (exit code {failure.code})" if failure.code else ""
        blocks.append("\n".join([f"{name}{code}", *failure.text]))
    killed = any(f.code == "137" or _OUT_OF_MEMORY.search("\n".join(f.text[1:])) for f in failures)
    count = len(failures)
    return CompileFailedError(
        f"{count} step{'s' if count > 1 else ''} failed" if count else "ninja could not build",
        output="\n\n".join([*blocks, *([complaint] if complaint else [])]),
        hint=_KILLED_HINT if killed else "",
        failed=tuple((failure.output, "\n".join(failure.text[1:])) for failure in failures),
    )
