"""`musa-build verify`: check our assumptions on a real card and SDK, and write a report."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Optional

import click

from .. import __version__
from ..environment.sdk import MusaSdk
from ..environment.settings import Settings
from ..errors import MusaBuildError
from ..system.exit_status import INTERRUPTED
from ..system.terminal import show
from ..system.waiting import Waiting
from .help_text import epilog

if TYPE_CHECKING:
    from ..verify.assumptions import Assumption
    from ..verify.run import ProbeResult

_EXAMPLES = (
    "musa-build verify                     everything, on this machine's SDK",
    "musa-build verify --list              the rows, and what we assume",
    "musa-build verify --only 'capture-*' --only fp-contract",
    "musa-build verify --only assumption   without the suite and the example",
    "musa-build verify --out report --jobs 2 --limit 120",
    "MUSA_BUILD_SIMULATOR=1 musa-build verify",
)
_STATUS = (
    "0 if nothing is refuted (all rows are confirmed or not decided), 1 if a row is refuted, 2 if it could "
    "not run, 130 if it was interrupted."
)
_SAFE = (
    "It writes into the output folder and a temporary directory only, and sends nothing. Each probe is a process of "
    "its own with a time limit. A probe that hangs or crashes is stopped, and its row is not decided."
)
_COLOURS = {"confirmed": "green", "refuted": "red", "not decided": "yellow"}


@click.command(epilog=epilog(_EXAMPLES, _SAFE, status=_STATUS))
@click.option("--list", "listing", is_flag=True, help="List the rows and what we assume, and exit.")
@click.option(
    "--only", metavar="ROW", multiple=True, help="Probe this row only: a name, a pattern, or a group. May be repeated."
)
@click.option(
    "--jobs", type=click.IntRange(1), default=min(4, os.cpu_count() or 1), show_default=True, help="Probes at once."
)
@click.option("--limit", type=click.FloatRange(1), default=60.0, show_default=True, help="Seconds for one program.")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), default=Path("musa-verify"), show_default=True,
              help="Folder for verify.json and verify.html.")  # fmt: skip
@click.option("--checkout", metavar="DIR", type=click.Path(exists=True, file_okay=False, resolve_path=True),
              help="A checkout of musa_build, for its suite and example.")  # fmt: skip
def verify(listing: bool, only: tuple[str, ...], jobs: int, limit: float, out: Path, checkout: Optional[str]) -> None:
    """Compile and run a probe for everything that we assume about MUSA, on this machine's card, and write a report."""
    from ..verify.assumptions import all_assumptions  # not above: the other commands need no probes

    rows = _chosen(all_assumptions(), only)
    if listing:
        for row in rows:
            click.echo(f"{row.id}\n    {row.question}\n    we assume: {row.assumed}")
        return
    try:
        sdk = MusaSdk.find(Settings.read())
    except MusaBuildError as error:
        show(error)
        sys.exit(2)
    sys.exit(_verify(sdk, rows, jobs, limit, out, checkout or ""))


def _chosen(rows: Sequence[Assumption], patterns: Sequence[str]) -> list[Assumption]:
    def named(row: Assumption, pattern: str) -> bool:
        return fnmatchcase(row.id, pattern) or row.group == pattern

    for pattern in patterns:
        if not any(named(row, pattern) for row in rows):
            raise click.UsageError(f"no row is called {pattern}; `musa-build verify --list` names all")
    return [row for row in rows if not patterns or any(named(row, pattern) for pattern in patterns)]


def _verify(sdk: MusaSdk, rows: Sequence[Assumption], jobs: int, limit: float, out: Path, checkout: str) -> int:
    """Run the probes and write the report. Return the exit status."""
    from ..verify import report
    from ..verify.run import environment, machine, run_probes

    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        click.echo(f"error: the output folder cannot be made: {error}", err=True)
        return 2
    scratch = Path(tempfile.mkdtemp(prefix="musa-verify-"))
    try:
        os.environ.update(environment(sdk, scratch, checkout))
        with Waiting(sys.stdout) as waiting:
            waiting.begins("still asking the machine")
            about = machine(sdk, scratch)
        click.echo(f"{sdk}\ncard: {about.get('card')} ({about.get('architecture', 'of unknown architecture')})\n")
        with Waiting(sys.stdout) as waiting:
            waiting.begins("still probing")
            found, complete = run_probes(rows, scratch, limit, jobs, _Progress(len(rows), waiting.before(click.echo)))
        result = report.content(found, about, __version__, complete)
        click.echo("\n" + _end(result, report.write(out, result)))
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    if not complete:
        click.echo("interrupted", err=True)
        sys.stdout.flush()
        os._exit(INTERRUPTED)  # threads still wait for probes, which end with this process
    return 1 if result["summary"]["refuted"] else 0


class _Progress:
    """Prints a line for each result: the progress, the state, the row, and the observation unless it is as assumed."""

    def __init__(self, total: int, show: Callable[[str], None]) -> None:
        self._total = total
        self._show = show
        self._done = 0

    def __call__(self, answer: ProbeResult) -> None:
        self._done += 1
        state = answer.verdict.state.value
        width = len(str(self._total))
        mark = click.style(f"{state:11}", fg=_COLOURS[state])
        seen = "" if state == "confirmed" else f": {answer.verdict.seen}"
        self._show(f"[{self._done:{width}}/{self._total}] {mark} {answer.row.id} ({answer.seconds:.0f} s){seen}")


def _end(result: dict[str, object], paths: tuple[Path, Path]) -> str:
    from ..verify import report

    summary = result["summary"]
    assert isinstance(summary, dict)
    text = ", ".join(f"{count} {state}" for state, count in summary.items())
    return f"{text}\n{report.headline(summary)}\n\n{paths[0]}\n{paths[1]}\n\n{report.SENDING}"
