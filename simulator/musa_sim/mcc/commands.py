"""Run compilers, and pass on their messages."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from .clang.cc1 import name_arch
from .errors import CompileFailed, DriverError

#: LLVM prints names as bytes; latin-1 keeps every byte as it is.
IR_ENCODING = "latin-1"

_Key = TypeVar("_Key")
_Result = TypeVar("_Result")


class Reporter(NamedTuple):
    """Writes messages to the user."""

    verbose: bool = False

    def command(self, argv: Sequence[str]) -> None:
        """Show a command that is run."""
        if self.verbose:
            print(" " + " ".join(f'"{word}"' for word in argv), file=sys.stderr)

    def note(self, text: str) -> None:
        """Print a note if -v was given."""
        if self.verbose:
            self.say(f"mcc: note: {text}")

    def say(self, text: str) -> None:
        """Say something."""
        if text:
            sys.stderr.write(text if text.endswith("\n") else text + "\n")


class Commands(NamedTuple):
    """Runs the commands of one compilation."""

    reporter: Reporter

    def capture(
        self, argv: Sequence[str], env: Mapping[str, str] | None = None, cwd: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a command; keep its output."""
        self.reporter.command(argv)
        return subprocess.run(
            argv, capture_output=True, encoding="utf-8", errors="replace", check=False, env=env, cwd=cwd
        )

    def run(self, argv: Sequence[str], target: str) -> None:
        """Run a command that must succeed."""
        done = self.capture(argv)
        self.finish(done.returncode, done.stdout + done.stderr, target)

    def finish(self, status: int, said: str, target: str) -> None:
        """Pass on a command's output; raise CompileFailed with it if the command failed."""
        text = name_arch(said, target)
        if status:
            killed = f"mcc: error: the compiler was killed by signal {-status}\n" if status < 0 else ""
            raise CompileFailed(text + killed, 1 if status < 0 else status)
        self.reporter.say(text)


def write_output(path: str, data: bytes) -> None:
    """Write an output completely or not at all; an empty path is standard output.

    A device, a pipe or a link is not replaced but written to, as compilers do: to replace /dev/null would destroy it.
    """
    if path in ("", "-"):
        sys.stdout.buffer.write(data)
        return
    try:
        _write_file(Path(path), data)
    except OSError as error:
        raise DriverError(f"unable to open output file '{path}': '{error.strerror}'") from None


def _write_file(path: Path, data: bytes) -> None:
    if os.path.lexists(path) and not stat.S_ISREG(path.lstat().st_mode):
        path.write_bytes(data)
        return
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        partial.write_bytes(data)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def two_at_a_time(jobs: Mapping[_Key, Callable[[], _Result]]) -> dict[_Key, _Result]:
    """Return the results of the jobs under their names.

    The standard library's executors take longer to load than a small file to parse.
    Once a job fails, at most the one beside it continues. The exception of the first is raised.
    """
    results: dict[_Key, _Result] = {}
    failures: dict[_Key, BaseException] = {}
    waiting = iter(list(jobs.items()))
    lock = threading.Lock()

    def work() -> None:
        while True:
            with lock:
                name, job = next(waiting, (None, None))
            if name is None or job is None:
                return
            try:
                results[name] = job()
            except BaseException as failure:
                failures[name] = failure
                return

    helpers = [threading.Thread(target=work) for _ in range(min(2, len(jobs)) - 1)]
    for helper in helpers:
        helper.start()
    work()
    for helper in helpers:
        helper.join()
    for name in jobs:
        if name in failures:
            raise failures[name]
    return {name: results[name] for name in jobs}
