"""torch_musa's own unit tests, unchanged, against the simulated device: a table.

    make peer-tests CHECKOUT=/path/to/torch_musa      # writes docs/peer-tests.md
    python tests/torch_musa_tests/table.py --checkout /path/to/torch_musa --operators      # docs/peer-operator-tests.md

The tests stay in the checkout. A copy of them runs, one process per file; `torch_musa.testing`, which they use, is the
checkout's as well. Exits with 1 if a test did not pass for a reason that reasons.py does not know.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Optional

import click

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from reasons import reason_for  # noqa: E402

DOCS = HERE.parents[1] / "docs"
DEVICES = 2
#: tests that fail for one reason and share one line
MANY = 5
MOST_STARTS = 30


@dataclass(frozen=True)
class Outcome:
    """The outcome of one test. `result` is "passed", "failed" or "skipped", `said` the error or why it was skipped."""

    file: str
    test: str
    result: str
    said: str = ""


@dataclass(frozen=True)
class Part:
    """Some of torch_musa's tests, and the page about them."""

    page: str
    title: str
    folders: tuple[str, ...]
    with_library: bool
    command: str

    @property
    def words(self) -> str:
        """Return the folders in words."""
        *others, last = self.folders
        return f"folders {', '.join(others)} and {last}" if others else f"folder {last}"


ALL_BUT_OPERATORS = Part(
    "peer-tests.md",
    "torch_musa's own unit tests",
    ("core", "amp", "optim", "miscs", "profiler", "graph", "jit", "sparse", "functorch", "dynamo"),
    with_library=False,
    command="make peer-tests CHECKOUT=...",
)
OPERATORS = Part(
    "peer-operator-tests.md",
    "torch_musa's own tests of operators",
    ("operator",),
    with_library=True,
    command="python tests/torch_musa_tests/table.py --checkout ... --operators",
)


def files_of(checkout: Path, part: Part) -> list[str]:
    """Return the test files, relative to tests/unittest."""
    unittest = checkout / "tests" / "unittest"
    found = [path for folder in part.folders for path in sorted((unittest / folder).glob("test_*.py"))]
    if not found:
        raise click.UsageError(
            f"{checkout} has no tests/unittest/{part.folders[0]}/test_*.py; want a checkout of torch_musa"
        )
    return [path.relative_to(unittest).as_posix() for path in found]


class Workplace:
    """A copy of the checkout's tests, and the environment that they run in."""

    def __init__(self, checkout: Path, folder: Path, timeout: float) -> None:
        self._tests = folder / "unittest"
        shutil.copytree(checkout / "tests" / "unittest", self._tests)
        installed = folder / "installed"
        installed.mkdir()
        # One test installs an extension: there, and not into the caller's environment.
        example = self._tests / "miscs" / "musa_extension_test"
        example.mkdir(parents=True, exist_ok=True)
        (example / "setup.cfg").write_text(f"[install]\ninstall_lib = {installed}\n")
        self._outcomes = folder / "outcomes"
        self._environment = {
            "MUSA_BUILD_SIMULATOR": "1",
            **os.environ,
            "PYTHONDONTWRITEBYTECODE": "1",  # the checkout stays as it is
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
            "PYTHONPATH": os.pathsep.join(map(str, [HERE / "startup", installed])),
            "PEER_CHECKOUT": str(checkout),
            "PEER_OUTCOMES": str(self._outcomes),
            "PEER_TIMEOUT": str(timeout),
            "MUSA_SIM_DEVICES": str(DEVICES),
            "TORCH_EXTENSIONS_DIR": str(folder / "torch_extensions"),
        }

    def run(self, file: str) -> list[Outcome]:
        """Run a file; again, without what has run, where a test ends or holds up the process."""
        results: dict[str, tuple[str, str]] = {}
        for _ in range(MOST_STARTS):
            ended = self._start(file, sorted(results))
            seen: dict[str, tuple[str, str]] = {}
            for line in self._outcomes.read_text(encoding="utf-8").splitlines():
                test, result, said = json.loads(line)
                seen[test] = (result, said)
            unfinished = [test for test, (result, _) in seen.items() if result == "started"]
            results.update(seen)
            results.update(dict.fromkeys(unfinished, ("failed", ended)))
            if not unfinished:
                break
        if not results:
            results[file] = ("failed", ended)
        self._try_alone(file, results)
        return [Outcome(file, test.partition("::")[2], *result) for test, result in results.items()]

    def _try_alone(self, file: str, results: dict[str, tuple[str, str]]) -> None:
        """Run those that failed once more, each alone: tensors of a test that failed live as long as its process."""
        failed = [test for test, (result, _) in results.items() if result == "failed" and "::" in test]
        if len(failed) > MOST_STARTS:
            return
        for test in failed:
            if results[test][1].startswith("did not end"):
                continue
            self._start(test, [])
            last = [json.loads(line) for line in self._outcomes.read_text(encoding="utf-8").splitlines()]
            passed = [found for found, result, _ in last if result == "passed"]
            if passed == [test]:
                results[test] = ("passed", "")

    def _start(self, selected: str, known: Sequence[str]) -> str:
        """Run a file, or a test, but for `known` tests, and return how the process ended."""
        self._outcomes.write_text("")
        command = [sys.executable, "-m", "pytest", "-q", "-p", "peer_outcomes", "-p", "no:cacheprovider"]
        command += [f"--rootdir={self._tests}", selected, *(f"--deselect={test}" for test in known)]
        process = subprocess.Popen(
            command,
            cwd=self._tests,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            code = process.wait()
        finally:
            end_group(process)
        if code == -signal.SIGALRM:
            return f"did not end within {self._environment['PEER_TIMEOUT']} s"
        return f"the process ended with {signal.Signals(-code).name if code < 0 else f'exit status {code}'}"


def end_group(process: subprocess.Popen[bytes]) -> None:
    """End what a test left running: it may have children of its own."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    process.wait()


def in_a_cell(text: str) -> str:
    """Return text as code: not in backquotes, in which a page names this project's tests."""
    shortened = " ".join(re.sub(r"\b0x[0-9a-f]+", "0x...", text).replace("|", "/").split())[:160]
    return f"<code>{escape(shortened, quote=False)}</code>"


def page(part: Part, outcomes: Sequence[Outcome], versions: str) -> str:
    """Return the page for docs/."""
    total = Counter(outcome.result for outcome in outcomes)
    files = list(dict.fromkeys(outcome.file for outcome in outcomes))
    by_library = ", by the kernel library" if part.with_library else ""
    tried = total["passed"] + total["failed"]
    lines = [
        f"# {part.title}",
        "",
        f"Written by `{part.command}`, with {versions}. The tests of Moore Threads' torch_musa in",
        f"the {part.words}, unchanged, run on",
        f"{DEVICES} simulated devices{by_library}. One process runs a file; "
        f"what fails runs again alone (unless it is more than {MOST_STARTS} of a file), because tensors of a test that",
        "failed stay alive. Nothing here was verified on MUSA hardware.",
        "",
        f"**{total['passed']:,} of {tried:,}** tests pass; {total['skipped']} skip themselves.",
        "",
        "| file | passed | failed | skipped |",
        "|---|---|---|---|",
    ]
    for file in files:
        counts = Counter(outcome.result for outcome in outcomes if outcome.file == file)
        lines.append(f"| {file} | {counts['passed']} | {counts['failed']} | {counts['skipped']} |")
    lines += ["", "## Tests that fail", "", "| test | reason | error |", "|---|---|---|", *failures(outcomes)]
    lines += ["", "## Tests that are skipped", "", "| test | what it says |", "|---|---|"]
    skipped = [outcome for outcome in outcomes if outcome.result == "skipped"]
    lines += [f"| {in_a_cell(name_of(outcome))} | {in_a_cell(outcome.said)} |" for outcome in skipped]
    return "\n".join(lines) + "\n"


def failures(outcomes: Sequence[Outcome]) -> list[str]:
    """Return a row for each test that failed; one for all of a function's if there are many."""
    groups: dict[tuple[str, str], list[Outcome]] = {}
    for outcome in outcomes:
        if outcome.result == "failed":
            function = f"{outcome.file}::{outcome.test.partition('[')[0]}"
            reason = reason_for(outcome.file, outcome.test, outcome.said) or "not explained"
            groups.setdefault((function, reason), []).append(outcome)
    rows: list[str] = []
    for (function, reason), group in groups.items():
        if len(group) > MANY:
            rows.append(f"| {in_a_cell(function)}, {len(group)} times | {reason} | {in_a_cell(group[0].said)} |")
        else:
            rows += [f"| {in_a_cell(name_of(each))} | {reason} | {in_a_cell(each.said)} |" for each in group]
    return rows


def name_of(outcome: Outcome) -> str:
    return f"{outcome.file}::{outcome.test}" if outcome.test else outcome.file


@click.command()
@click.option("--checkout", required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--only", default="", help="files whose path holds this text; the page is then printed")
@click.option("--without", default="", help="leave out files whose path holds this text")
@click.option("--operators", is_flag=True, help="the tests of operators, on the kernel library")
@click.option("--timeout", default=600.0, help="seconds for one test")
@click.option("--write", type=click.Path(path_type=Path), help="write the page there")
def main(checkout: Path, only: str, without: str, operators: bool, timeout: float, write: Optional[Path]) -> None:
    """Run the tests and write the page."""
    import torch
    import torch_musa  # noqa: F401

    part = OPERATORS if operators else ALL_BUT_OPERATORS
    if part.with_library and torch.musa.operator_kinds()["aten::mul.out"] != "native":
        raise click.UsageError("the kernel library is not installed: make kernels")
    files = [file for file in files_of(checkout, part) if only in file and not (without and without in file)]
    outcomes: list[Outcome] = []
    with tempfile.TemporaryDirectory() as folder:
        workplace = Workplace(checkout.resolve(), Path(folder), timeout)
        for file in files:
            outcomes += workplace.run(file)
            counts = Counter(outcome.result for outcome in outcomes if outcome.file == file)
            print(file, dict(counts), file=sys.stderr, flush=True)
    text = page(part, outcomes, f"PyTorch {torch.__version__.partition('+')[0]}")
    if (only or without) and write is None:
        print(text)
    else:
        (write or DOCS / part.page).write_text(text, encoding="utf-8")
    failed = [outcome for outcome in outcomes if outcome.result == "failed"]
    unexplained = [outcome for outcome in failed if not reason_for(outcome.file, outcome.test, outcome.said)]
    for outcome in unexplained:
        print(f"not explained: {name_of(outcome)}: {outcome.said.splitlines()[:1]}", file=sys.stderr)
    sys.exit(1 if unexplained else 0)


if __name__ == "__main__":
    main()
