"""Run the probes, each in a process of its own with a time limit, and collect their verdicts."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from ..environment.sdk import MusaSdk
from ..system import process
from .probe_context import PROGRAMS, TIME_LIMIT, ProbeContext, facts_of
from .verdict import State, UndecidedError, Verdict, undecided

if TYPE_CHECKING:
    from .assumptions import Assumption

MARGIN = 120.0  # seconds that a probe has in addition to its programs' limit
#: Variables that keep the files of programs below the scratch directory.
_WRITABLE = {
    "TMPDIR": "tmp",
    "XDG_CACHE_HOME": "cache",
    "CCACHE_DIR": "ccache",
    "TORCH_EXTENSIONS_DIR": "torch_extensions",
}


@dataclass(frozen=True)
class ProbeResult:
    """The verdict about one assumption, and how long its probe took."""

    row: Assumption
    verdict: Verdict
    seconds: float

    @property
    def as_json(self) -> dict[str, object]:
        """The result for programs. The keys are stable."""
        row = self.row
        described = {"id": row.id, "group": row.group, "question": row.question, "assumed": row.assumed}
        return {**described, **self.verdict.as_json, "seconds": round(self.seconds, 1)}


def environment(sdk: MusaSdk, scratch: Path, checkout: str = "") -> dict[str, str]:
    """Return the variables of the probes' processes: the SDK, and caches below the scratch directory."""
    folders = {name: scratch / folder for name, folder in _WRITABLE.items()}
    for folder in folders.values():
        folder.mkdir(parents=True, exist_ok=True)
    cards = sdk.cards()
    return {
        **{name: str(folder) for name, folder in folders.items()},
        "MUSA_HOME": str(sdk.root),
        "MUSA_BUILD_SIMULATOR": "0",
        "PYTHONDONTWRITEBYTECODE": "1",  # modules that are compiled already load in half the time
        "VERIFY_RUNTIME": str(sdk.runtime_library),
        "VERIFY_ARCH": cards[0].name if cards else "",
        "VERIFY_CHECKOUT": checkout,
    }


def machine(sdk: MusaSdk, scratch: Path) -> dict[str, str]:
    """Describe card, driver and SDK for the report, without anything that names a person or a host."""
    context = ProbeContext(sdk, scratch)
    found = {"sdk": f"{'simulated, ' if sdk.simulated else ''}{sdk.version or 'of unknown version'}"}
    version = context.run([context.mcc, "--version"]).stdout.splitlines()
    found["mcc"] = next((line for line in version if "mcc version" in line), version[0] if version else "does not run")
    try:
        built = context.link(PROGRAMS / "card.mu")
        found.update(
            facts_of(context.run(["./program"])) if built.returncode == 0 else {"card": "a program does not compile"}
        )
    except UndecidedError as error:
        found["card"] = f"none that answers: {error}"
    found["python"] = sys.version.split()[0]
    found["torch"] = _installed("torch")
    found["torch_musa"] = _installed("torch-musa", "torch-musa-sim")
    return found


def _installed(*names: str) -> str:
    """Return the version of the first distribution that is installed, from its metadata: importing torch is slow."""
    for name in names:
        with suppress(metadata.PackageNotFoundError):
            return metadata.version(name)
    return "not installed"


def run_probe(row: Assumption, scratch: Path, limit: float) -> ProbeResult:
    """Run one probe in a process of its own, which may crash or hang."""
    folder = scratch / row.id
    folder.mkdir(parents=True)
    result = folder / "verdict.json"
    seconds = max(limit, row.limit if row.group != "assumption" else 0.0)
    command = [sys.executable, "-m", "musa_build.verify.worker", row.id, str(folder), str(result)]
    begin = time.monotonic()
    done = process.run_group(command, extra_environment={"VERIFY_LIMIT": str(seconds)}, timeout=seconds + MARGIN)
    verdict = _verdict(result, done)
    home = str(Path.home())
    seen = verdict.seen.replace(f"{folder}/", "").replace(str(folder), ".").replace(str(scratch), "").replace(home, "~")
    return ProbeResult(row, Verdict(verdict.state, seen), time.monotonic() - begin)


def _verdict(result: Path, done: process.Completed) -> Verdict:
    if result.is_file():
        return Verdict.from_json(json.loads(result.read_text(encoding="utf-8")))
    if done.returncode == TIME_LIMIT:
        return undecided("the probe did not end in time and was stopped")
    last = (done.stderr.strip() or done.stdout.strip() or "it said nothing").splitlines()[-1]
    return undecided(f"the probe ended without an answer (status {done.returncode}): {last[:300]}")


def run_probes(
    rows: Sequence[Assumption], scratch: Path, limit: float, jobs: int, progress: Callable[[ProbeResult], None]
) -> tuple[list[ProbeResult], bool]:
    """Run the probes of `rows`, `jobs` at once. Return the results in the order of `rows`, and whether all probes ran.

    After Ctrl-C the rows without a result are not decided. Their processes end when this one does.
    """
    found: dict[str, ProbeResult] = {}
    pool = ThreadPoolExecutor(jobs)
    waiting: list[Future[ProbeResult]] = [pool.submit(run_probe, row, scratch, limit) for row in rows]
    try:
        for future in as_completed(waiting):
            done = future.result()
            found[done.row.id] = done
            progress(done)
    except KeyboardInterrupt:
        pool.shutdown(wait=False, cancel_futures=True)
    else:
        pool.shutdown()
    missing = undecided("interrupted before it was probed")
    return [found.get(row.id, ProbeResult(row, missing, 0.0)) for row in rows], len(found) == len(rows)


def counts(found: Sequence[ProbeResult]) -> dict[str, int]:
    """Count the results of each state."""
    return {state.value: sum(each.verdict.state is state for each in found) for state in State}
