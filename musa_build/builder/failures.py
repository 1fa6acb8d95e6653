"""What the user sees of steps that failed: the cause of each. A log beside the output keeps all that a step said."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ..errors import CompileFailedError
from ..system import files
from ..toolchain.diagnostics import summarise

_FEW = 3  # so many failed steps show several errors each, more of them one each

_KILLED_HINT = "a compiler was killed, most likely for lack of memory: set MAX_JOBS to a smaller number"
_KILLED_CODE = "137"  # as a shell reports SIGKILL
# The words of g++, clang, mcc, ld and the shell. Source lines, which have a bar, may hold any words.
_OUT_OF_MEMORY = re.compile(
    r"^[^|\n]*(?:\bKilled(?: signal|\]?$)|killed by signal 9|out of memory|memory exhausted|cannot allocate memory"
    r"|bad_alloc)",
    re.IGNORECASE | re.MULTILINE,
)


class Failure(NamedTuple):
    """One failed step: its output file, its exit code ("" where ninja is too old to say), its command and what it
    said."""

    output: str
    code: str
    text: list[str]

    @property
    def said(self) -> str:
        return "\n".join(self.text[1:])

    @property
    def log(self) -> Path:
        return _log(self.output)


def _log(output: str) -> Path:
    return Path(f"{output}.log")


def failure_error(
    descriptions: Mapping[str, str], failures: Sequence[Failure], complaint: str = "", *, verbose: bool = False
) -> CompileFailedError:
    """Write the log of each failed step and return the error, which shows the cause of each.

    With `verbose` it shows their commands and all that they said. `complaint` is what ninja itself said.
    """
    errors = 3 if len(failures) <= _FEW else 1
    blocks = [_block(descriptions, failure, errors, verbose) for failure in failures]
    killed = any(failure.code == _KILLED_CODE or _OUT_OF_MEMORY.search(failure.said) for failure in failures)
    count = len(failures)
    return CompileFailedError(
        f"{count} step{'s' if count > 1 else ''} failed" if count else "ninja could not build",
        output="\n\n".join([*blocks, *([complaint] if complaint else [])]),
        hint=_KILLED_HINT if killed else "",
        failed=tuple((failure.output, failure.said) for failure in failures),
    )


def _block(descriptions: Mapping[str, str], failure: Failure, errors: int, verbose: bool) -> str:
    whole = "\n".join(failure.text)
    facts = [f"exit code {failure.code}"] if failure.code else []
    try:
        files.replace_atomically(failure.log, f"{whole}\n".encode("utf-8", "replace"))
        facts.append(f"log: {failure.log}")
    except OSError:
        verbose = True
    name = descriptions.get(failure.output, failure.output)
    title = f"{name} ({', '.join(facts)})" if facts else name
    said = whole if verbose else summarise(failure.said, errors=errors, root=str(Path.cwd()))
    return "\n".join([title, *([said] if said else [])])


def remove_stale_logs(outputs: Iterable[str]) -> None:
    """Remove the logs of steps that have succeeded since they were written."""
    for output in outputs:
        log = _log(output)
        with contextlib.suppress(OSError):
            if log.stat().st_mtime_ns <= Path(output).stat().st_mtime_ns:
                log.unlink()
