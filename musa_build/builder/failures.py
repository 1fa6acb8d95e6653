"""Report failed steps: show the cause of each, and write its whole output to a log beside the output file."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import CompileFailedError
from ..system import files
from ..system.text import counted
from ..toolchain.diagnostics import summarise

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

    `exit_code` is "" if ninja is too old to report it. `lines` are the step's command and all that it printed.
    """

    output: str
    exit_code: str
    lines: list[str]

    @property
    def message(self) -> str:
        """All that the step printed."""
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

    With `verbose` it shows their commands and all that they printed. `complaint` is ninja's own error message.
    """
    errors = 3 if len(failures) <= _FEW else 1
    blocks = [_block(descriptions, failure, errors, verbose) for failure in failures]
    killed = any(failure.exit_code == _KILLED_CODE or _OUT_OF_MEMORY.search(failure.message) for failure in failures)
    count = len(failures)
    return CompileFailedError(
        f"{counted(count, 'step')} failed" if count else "ninja could not build",
        output="\n\n".join([*blocks, *([complaint] if complaint else [])]),
        hint=_KILLED_HINT if killed else "",
        failed=tuple((failure.output, failure.message) for failure in failures),
    )


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
    shown = whole if verbose else summarise(failure.message, errors=errors, root=str(Path.cwd()))
    return "\n".join([title, *([shown] if shown else [])])


def remove_stale_logs(outputs: Iterable[str]) -> None:
    """Remove the logs of steps that have succeeded since."""
    for output in outputs:
        log = _log(output)
        with contextlib.suppress(OSError):
            if log.stat().st_mtime_ns <= Path(output).stat().st_mtime_ns:
                log.unlink()
