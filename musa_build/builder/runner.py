"""Run the steps of a build, with ninja or one after the other, and report those that fail.

Progress is shown as it comes. The output of failed steps is held back for the error that ends the build, so that the
cause is last on the screen. The error shows the cause of each; the whole output is in a log beside the output file.

A build with nothing to do imports this module, so it does not import the modules that plan and write a graph.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Optional, TextIO

from ..errors import CompileFailedError, ToolNotFoundError, counted
from ..system import files, process
from ..system.install_hints import install_hint

if TYPE_CHECKING:
    from .plan import BuildPlan
    from .reasons import StepReasons

_FEW = 3  # up to so many failed steps show several errors each

_KILLED_HINT = "a compiler was killed, probably because memory ran out: set MAX_JOBS to a smaller number"
_KILLED_CODE = "137"  # as a shell reports SIGKILL
# Messages of g++, clang, mcc, ld and the shell. Source lines have a bar and do not count.
_OUT_OF_MEMORY = re.compile(
    r"^[^|\n]*(?:\bKilled(?: signal|\]?$)|killed by signal 9|out of memory|memory exhausted|cannot allocate memory"
    r"|bad_alloc)",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True)
class Failure:
    """One failed step.

    `exit_code` is "" if ninja is too old to report it. `lines` are the step's command and its output.
    """

    output: str
    exit_code: str
    lines: list[str]

    @property
    def message(self) -> str:
        """The step's output."""
        return "\n".join(self.lines[1:])

    @property
    def log(self) -> Path:
        return _log(self.output)


def _log(output: str) -> Path:
    return Path(f"{output}.log")


def failure_error(
    descriptions: Mapping[str, str], failures: Sequence[Failure], complaint: str = "", *, verbose: bool = False
) -> CompileFailedError:
    """Write the log of each failed step and return the error, which shows the cause of each.

    With `verbose` it shows their commands and their whole output. `complaint` is ninja's own error message.
    """
    from ..toolchain.diagnostics import missing_header  # most builds succeed

    errors = 3 if len(failures) <= _FEW else 1
    blocks = [_block(descriptions, failure, errors, verbose) for failure in failures]
    killed = any(failure.exit_code == _KILLED_CODE or _OUT_OF_MEMORY.search(failure.message) for failure in failures)
    count = len(failures)
    header = next(filter(None, (missing_header(failure.message) for failure in failures)), "")
    included = f"the source needs #include {header}, which other headers no longer bring" if header else ""
    return CompileFailedError(
        f"{counted(count, 'step')} failed{_first(descriptions, failures)}" if count else "ninja could not build",
        output="\n\n".join([*blocks, *([complaint] if complaint else [])]),
        hint=_KILLED_HINT if killed else included,
        failed=tuple((failure.output, failure.message) for failure in failures),
    )


def _first(descriptions: Mapping[str, str], failures: Sequence[Failure]) -> str:
    """Return the first failed step, and its first error with its line: one line is all that some people see."""
    from ..toolchain.diagnostics import first_error  # most builds succeed

    failure = failures[0]
    name = descriptions.get(failure.output, failure.output)
    where, error = first_error(failure.message)
    path, _, line = where.rpartition(":")
    if path and name.endswith(f" {path}"):
        name, where = f"{name}:{line}", ""
    said = ": ".join(filter(None, [where, error]))
    return f"{': ' if len(failures) == 1 else ', the first: '}{name}{said and f': {said}'}"


def _block(descriptions: Mapping[str, str], failure: Failure, errors: int, verbose: bool) -> str:
    whole = "\n".join(failure.lines)
    details = [f"exit code {failure.exit_code}"] if failure.exit_code else []
    try:
        files.replace_atomically(failure.log, f"{whole}\n".encode("utf-8", "replace"))
        details.append(f"log: {failure.log}")
    except OSError:
        verbose = True
    name = descriptions.get(failure.output, failure.output)
    title = f"{name} ({', '.join(details)})" if details else name
    if verbose:
        shown = whole
    else:
        from ..toolchain.diagnostics import summarise  # most builds succeed

        shown = summarise(failure.message, errors=errors, root=str(Path.cwd()))
    return "\n".join([title, *([shown] if shown else [])])


def remove_stale_logs(outputs: Iterable[str]) -> None:
    """Remove the logs of steps that have succeeded since."""
    for output in outputs:
        log = _log(output)
        with contextlib.suppress(OSError):
            if log.stat().st_mtime_ns <= Path(output).stat().st_mtime_ns:
                log.unlink()


FILE_NAME = "build.ninja"

_FAILED = re.compile(r"FAILED: (?:\[code=(?P<code>\d+)\] )?(?P<output>.*?) *$")
_PROGRESS = re.compile(r"\[(\d+)/(\d+)\] ")
_EXPLANATION = "ninja explain: "


class Progress:
    """Show lines as they come. On a terminal a step replaces the one before; in a log each has its own line.

    ninja prints a step when it has ended. As a context, this says how long ago the last line was, where there is none
    for `quiet` seconds: on a terminal each second, in a log ever more rarely.
    """

    def __init__(self, stream: TextIO, quiet: float = 2) -> None:
        self._stream = stream
        # Programs may replace stdout by an object without isatty.
        self._terminal = bool(getattr(stream, "isatty", bool)())
        self._unfinished = False
        self._quiet = quiet
        self._count = ""
        self._last = time.monotonic()
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._watch = threading.Thread(target=self._say_what_runs, daemon=True)

    def __enter__(self) -> Progress:
        self._watch.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._watch.join()
        self.finish()

    def __call__(self, line: str) -> None:
        count = _PROGRESS.match(line)
        with self._lock:
            self._last = time.monotonic()
            self._count = f"{count[1]} of {count[2]}" if count else self._count
            self._print(line, transient=count is not None)

    def finish(self) -> None:
        """End the line of the last step."""
        print(end=self._line_end, file=self._stream, flush=True)
        self._unfinished = False

    def _print(self, line: str, *, transient: bool) -> None:
        transient = self._terminal and transient
        if transient:
            text = f"\r\x1b[K{line[: shutil.get_terminal_size().columns - 1]}"
        else:
            text = f"{self._line_end}{line}\n"
        self._unfinished = transient
        print(text, end="", file=self._stream, flush=True)

    def _say_what_runs(self) -> None:
        begin, due = self._last, self._quiet
        while not self._ended.wait(self._quiet / 2):
            with self._lock:
                if self._last != begin:
                    begin, due = self._last, self._quiet
                waited = time.monotonic() - begin
                if waited >= due:
                    done = f", {self._count} steps done" if self._count else ""
                    # a stream that is closed or broken is an error of the next line, in the thread of the build
                    with contextlib.suppress(OSError, ValueError):
                        self._print(f"still compiling this step after {waited:.0f} s{done}", transient=True)
                    due = waited + self._quiet / 2 if self._terminal else 3 * due

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
            "the build needs ninja",
            found="none on PATH and no ninja package in this Python",
            wanted="ninja 1.5 or newer",
            hint=f"{install_hint('ninja')}, or use BuildExtension.with_options(use_ninja=False)",
        )
    return ninja


def run_ninja(
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
    command = [str(find_ninja()), "-f", str(file), "-j", str(jobs), "-d", "explain"]
    command += ["-v"] if verbose else []
    command += ["-k", "0"] if keep_going else []
    environment = {"NINJA_STATUS": "[%f/%t] ", "CLICOLOR_FORCE": "0", **sharing_environment(Path.cwd())}
    with contextlib.nullcontext(on_line) if on_line else Progress(sys.stdout) as show:
        output = _OutputParser(descriptions, verbose, show, file.parent)
        status = process.stream([*command, *targets], output.add, extra_environment=environment)
    remove_stale_logs(descriptions)
    if status:
        raise failure_error(descriptions, output.failures, "\n".join(output.complaints), verbose=verbose)


class _OutputParser:
    """Split ninja's output: pass progress on, log why steps are repeated, keep failed steps and ninja's own errors.

    A compiler may print a line that looks like ninja's, so only the outputs and steps in `descriptions` count.
    """

    def __init__(
        self, descriptions: Mapping[str, str], verbose: bool, on_line: Callable[[str], None], directory: Path
    ) -> None:
        self._descriptions, self._verbose = descriptions, verbose
        # ninja explains a step when it has ended, and logged it. Earlier builds are above this offset.
        self._log = directory / ".ninja_log"
        self._log_size = self._log.stat().st_size if self._log.exists() else 0
        self._outputs = {os.path.normpath(output): output for output in descriptions}  # ninja normalises paths
        self._steps = None if verbose else frozenset(descriptions.values())  # with -v ninja prints commands
        self._on_line = on_line
        self.failures: list[Failure] = []
        self.complaints: list[str] = []
        self._failing = False

    def add(self, line: str) -> None:
        """Process one line of output."""
        if line.startswith(_EXPLANATION):
            self._reasons.log(line[len(_EXPLANATION) :])
            return
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

    @cached_property
    def _reasons(self) -> StepReasons:
        from .reasons import StepReasons

        names = {path: self._descriptions[output] for path, output in self._outputs.items()}
        return StepReasons(names, self._built_before(), self._verbose)

    def _built_before(self) -> str:
        """Return the part of ninja's log that earlier builds wrote."""
        return self._log.read_bytes()[: self._log_size].decode("utf-8", "replace") if self._log.exists() else ""

    def _is_progress(self, line: str) -> bool:
        found = _PROGRESS.match(line)
        return found is not None and (self._steps is None or line[found.end() :] in self._steps)


def run_in_order(plan: BuildPlan, *, verbose: bool) -> None:
    """Run all steps of a plan without ninja, one after the other. Raises CompileFailedError at the first that fails."""
    steps = plan.steps
    for number, step in enumerate(steps, start=1):
        line = shlex.join(step.command)
        print(f"[{number}/{len(steps)}] {line if verbose else step.description}", flush=True)
        Path(step.output).parent.mkdir(parents=True, exist_ok=True)
        output: list[str] = []
        status = process.stream(step.command, output.append, extra_environment=sharing_environment(Path.cwd()))
        if status:
            code = status if status > 0 else 128 - status  # a signal, as a shell reports it
            raise failure_error(plan.descriptions, [Failure(step.output, str(code), [line, *output])], verbose=verbose)
        remove_stale_logs([step.output])
        for message in output:  # warnings
            print(message, flush=True)


def sharing_environment(root: Path, environment: Path = Path(sys.prefix)) -> dict[str, str]:
    """Return the variables with which ccache shares results between copies of a tree in different folders.

    Each copy may have a virtual environment of its own, in `root` or in a folder above it: PyTorch's headers lie there.
    """
    if "CCACHE_BASEDIR" in os.environ:
        return {}
    beside = environment.parent
    is_of_the_tree = beside in (root, *root.parents) and beside != Path(beside.anchor)
    return {"CCACHE_BASEDIR": str(beside if is_of_the_tree else root)}
