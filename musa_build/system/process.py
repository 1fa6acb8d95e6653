"""Run other programs, and lock files between processes.

A lock is the operating system's (flock): a killed process leaves no locked file behind. The library filelock takes the
same lock, but a build with nothing to do takes 5 to 6 % longer with it, mostly for its import. So no package here uses
it.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Optional

from ..errors import ToolNotFoundError

_GRACE = 3.0  # seconds
_PROGRESS = re.compile(r"\[\d+/\d+\] ")


@dataclass(frozen=True)
class Completed:
    """The exit status and output of a program. Bytes that are not UTF-8 are replaced: compilers quote any source."""

    returncode: int
    stdout: str
    stderr: str


def find_program(name: str) -> Optional[Path]:
    """Return the absolute path of a program on PATH, or of `name` if that is a path; None if there is none."""
    program = shutil.which(name)
    return Path(program).absolute() if program else None


def run(
    argv: Sequence[str], *, extra_environment: Optional[Mapping[str, str]] = None, timeout: Optional[float] = None
) -> Completed:
    """Run `argv` to its end and collect its output. A non-zero exit status is not an error here.

    After `timeout` seconds the program is killed and the exit status is 124, as with the program `timeout`.

    Raises:
        ToolNotFoundError: The program cannot be started.
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


def _start(
    argv: Sequence[str],
    *,
    stderr: int,
    cwd: Optional[Path] = None,
    env: Optional[Mapping[str, str]] = None,
    start_new_session: bool = False,
) -> subprocess.Popen[str]:
    """Start a program that has no input and whose output is read as text. Raises ToolNotFoundError."""
    try:
        return subprocess.Popen(
            list(argv),
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            errors="replace",
            start_new_session=start_new_session,
        )
    except OSError as error:
        raise _cannot_start(argv[0], error) from error


def run_with_progress(argv: Sequence[str]) -> Completed:
    """Run `argv` as `run` does, but show its lines of progress, "[3/9] ...", on stderr as they come.

    Raises:
        ToolNotFoundError: The program cannot be started.
    """
    lines: list[str] = []
    with _start(argv, stderr=subprocess.PIPE) as child, _ended_with_us(child):
        assert child.stdout is not None and child.stderr is not None
        for line in child.stderr:
            if _PROGRESS.match(line):
                print(line, end="", file=sys.stderr, flush=True)
            else:
                lines.append(line)
        output = child.stdout.read()  # some lines: a program that fills the pipe before it ends would wait for ever
    return Completed(child.returncode, output, "".join(lines))


def run_group(
    argv: Sequence[str],
    *,
    cwd: Optional[Path] = None,
    extra_environment: Optional[Mapping[str, str]] = None,
    timeout: Optional[float] = None,
) -> Completed:
    """Run `argv` as `run` does. After `timeout` seconds it is killed with all processes that it has started.

    If this process is interrupted, it is killed likewise. Its output until then is kept.

    Raises:
        ToolNotFoundError: The program cannot be started.
    """
    environment = {**os.environ, **(extra_environment or {})}
    child = _start(argv, stderr=subprocess.PIPE, cwd=cwd, env=environment, start_new_session=True)
    try:
        stdout, stderr = child.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        _kill_group(child)
        stdout, stderr = child.communicate()
        return Completed(124, stdout, f"{stderr}no answer within {timeout:g} s")
    except BaseException:
        _kill_group(child)
        raise
    return Completed(child.returncode, stdout, stderr)


def _kill_group(child: subprocess.Popen[str]) -> None:
    """End a child that leads its own session, and its own children there: politely, so that it can end its own."""
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            child.wait(_GRACE)
        os.killpg(child.pid, signal.SIGKILL)


@contextmanager
def _ended_with_us(child: subprocess.Popen[str]) -> Iterator[None]:
    """Interrupt a child if this process is interrupted: the signal may have come to this process alone."""
    try:
        yield
    except BaseException:
        child.send_signal(signal.SIGINT)
        try:
            child.wait(_GRACE)
        except subprocess.TimeoutExpired:
            child.kill()
        raise


def stream(
    argv: Sequence[str],
    on_line: Callable[[str], None],
    *,
    extra_environment: Optional[Mapping[str, str]] = None,
    folder: Optional[Path] = None,
) -> int:
    """Run `argv` and pass each line of stdout and stderr to `on_line` as it comes, without its line end.

    It runs in `folder`, or in the current directory.

    Returns:
        The exit status.

    Raises:
        ToolNotFoundError: The program cannot be started.
    """
    environment = {**os.environ, **(extra_environment or {})}
    with _start(argv, stderr=subprocess.STDOUT, cwd=folder, env=environment) as child, _ended_with_us(child):
        assert child.stdout is not None
        for line in child.stdout:
            on_line(line.rstrip("\r\n"))
    return child.returncode


class Conversation:
    """A program that answers lines by lines, until the end of the block. Its stderr is this process's."""

    def __init__(self, argv: Sequence[str], environment: Mapping[str, str]) -> None:
        self._argv = list(argv)
        self._environment = dict(environment)

    def __enter__(self) -> Conversation:
        try:
            self._process = subprocess.Popen(
                self._argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=self._environment, text=True
            )
        except OSError as error:
            raise _cannot_start(self._argv[0], error) from error
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()

    def ask(self, line: str) -> str:
        """Return the answer to a line, "" if the program has ended."""
        assert self._process.stdin is not None and self._process.stdout is not None
        with suppress(BrokenPipeError):
            self._process.stdin.write(f"{line}\n")
            self._process.stdin.flush()
        return self._process.stdout.readline()


def run_in_place(argv: Sequence[str], *, extra_environment: Optional[Mapping[str, str]] = None) -> int:
    """Run `argv` in the terminal of this process, as if it replaced it.

    The terminal sends Ctrl-C to the program too, and SIGTERM is passed on. This process ignores both from then on.

    Returns:
        The exit status as a shell gives it: 128 + N if signal N ended the program.

    Raises:
        ToolNotFoundError: The program cannot be started.
    """
    early: list[int] = []  # a SIGTERM from before the child exists
    signal.signal(signal.SIGINT, lambda *_: None)
    signal.signal(signal.SIGTERM, lambda number, _: early.append(number))
    try:
        child = subprocess.Popen(list(argv), env={**os.environ, **(extra_environment or {})})
    except OSError as error:
        raise _cannot_start(argv[0], error) from error
    signal.signal(signal.SIGTERM, lambda number, _: child.send_signal(number))
    for number in early:
        child.send_signal(number)
    status = child.wait()
    return status if status >= 0 else 128 - status


def _cannot_start(program: str, error: OSError) -> ToolNotFoundError:
    return ToolNotFoundError(
        f"cannot run {program}",
        found=error.strerror or str(error),
        wanted="an executable program",
        hint="install it or put it on PATH; `musa-build doctor` lists what a build needs",
    )


_SILENT_SECONDS = 1.0  # short waits are not logged
_POLL_SECONDS = 0.02


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock file `path` for the length of the block, across processes and threads.

    Wait while another process or thread holds it. Log a message after a second of waiting.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        _acquire(file, path)
        yield  # closing the file releases the lock


def _acquire(file: IO[str], path: Path) -> None:
    deadline = time.monotonic() + _SILENT_SECONDS
    while time.monotonic() < deadline:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            time.sleep(_POLL_SECONDS)
    from ..logger_util import LOGGER  # a build with nothing to do logs nothing

    LOGGER.info("waiting for another build to release the lock %s", path)
    fcntl.flock(file, fcntl.LOCK_EX)
