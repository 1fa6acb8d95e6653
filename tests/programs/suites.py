"""Suites of programs on the CUDA toolkit: the outcome of each program, the file that keeps them, and the page."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

from musa_build.cuda_toolkit.root import toolkit_root
from musa_build.cuda_toolkit.variables import exported
from musa_build.environment.sdk import MusaSdk
from musa_build.environment.settings import Settings

from .sdk import simulated_sdk

DOCS = Path(__file__).resolve().parents[2] / "docs"
_OF_AN_OUTER_MAKE = ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")
_ERROR = re.compile(r"(?:error|undefined reference|nvcc fatal|CMake Error|not found - will not build)[^\n]*", re.I)
GOOD = ("passed", "ran", "built")
RESULTS = ("passed", "ran", "waived", "built", "failed", "too slow", "not built", "not run")


@dataclass(frozen=True)
class Outcome:
    """The outcome of one program. `result` is one of RESULTS, `why` a line.

    "ran": it ended well and checks nothing. "built": it was not run yet.
    """

    files: int
    compiled: int
    result: str
    why: str = ""


class Suite(NamedTuple):
    """A suite's name for its programs, the text above its table, and its files in docs/ and beside this one."""

    noun: str
    file: str
    head: str

    @property
    def outcomes_file(self) -> Path:
        return DOCS / f"{self.file}.json"

    @property
    def page_file(self) -> Path:
        return DOCS / f"{self.file}.md"

    @property
    def reasons_file(self) -> Path:
        """The file that says why a program does not pass, where the recorded line does not: {program: sentence}."""
        return Path(__file__).with_name(f"{self.file.replace('-', '_')}_reasons.json")

    def outcomes(self) -> dict[str, Outcome]:
        """Return the outcomes that are kept."""
        if not self.outcomes_file.is_file():
            return {}
        kept = json.loads(self.outcomes_file.read_text(encoding="utf-8"))
        return {name: Outcome(**one) for name, one in kept.items()}

    def keep(self, name: str, outcome: Outcome) -> None:
        """Replace a program's outcome."""
        outcomes = {**self.outcomes(), name: outcome}
        texts = {key: asdict(outcomes[key]) for key in sorted(outcomes)}
        text = json.dumps(texts, indent=1, ensure_ascii=False, sort_keys=True)
        self.outcomes_file.write_text(text + "\n", encoding="utf-8")

    def reasons(self) -> dict[str, str]:
        """Return the sentences of `reasons_file`."""
        found: dict[str, str] = json.loads(self.reasons_file.read_text(encoding="utf-8"))
        return found

    def write_page(self) -> None:
        """Write the page from the files."""
        self.page_file.write_text(self.page(self.outcomes(), self.reasons()), encoding="utf-8")

    def page(self, outcomes: Mapping[str, Outcome], reasons: Mapping[str, str]) -> str:
        """Return the page: counts, the programs with good outcomes, and a row for each other."""
        results = [one.result for one in outcomes.values()]
        files = sum(one.files for one in outcomes.values())
        compiled = sum(one.compiled for one in outcomes.values())
        counts = [f"| {result} | {results.count(result)} |" for result in RESULTS if result in results]
        names = {result: [name for name in sorted(outcomes) if outcomes[name].result == result] for result in RESULTS}
        good = (line for result in GOOD if names[result] for line in _named(result, names[result]))
        rest = [
            f"| {name} | {one.result} | {one.compiled} of {one.files} | {_cell(reasons.get(name) or one.why)} |"
            for name, one in sorted(outcomes.items())
            if one.result not in GOOD
        ]
        tried = f"Tried so far: {len(outcomes)} {self.noun}, with {files} files of device code"
        whole = sum(one.result != "not built" for one in outcomes.values())
        lines = [
            f"{self.head}\n{tried}, of which {compiled} compile.",
            f"**{whole} of {len(outcomes)} {self.noun} compile.**",
            *("", f"| result | {self.noun} |", "|---|---|", *counts),
            *good,
            *(
                "",
                "## The others",
                "",
                f"| {self.noun[:-1]} | result | files that compile | reason |",
                "|---|---|---|---|",
            ),
            *rest,
        ]
        return "\n".join(lines) + "\n"


def _named(result: str, names: Iterable[str]) -> tuple[str, ...]:
    return ("", f"## {result.capitalize()}", "", ", ".join(f"`{name}`" for name in names))


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def first_error(text: str) -> str:
    """Return the first line that says what is wrong."""
    found = _ERROR.search(re.sub(r"/\S*/", "", text))
    return found.group(0).strip()[:200] if found else next(iter(text.strip().splitlines()[-1:]), "")[:200]


def call(command: Iterable[object], folder: Path, environment: Mapping[str, str], seconds: int) -> tuple[int, str]:
    """Run a command; return its status, -1 if it took too long, and what it said.

    One that takes too long ends with all that it started: `make` does not end the program that it runs. A `make` that
    this runs under does not pass its options on: with them, `make -n` says which folder it enters.
    """
    with subprocess.Popen(
        [str(word) for word in command],
        cwd=folder,
        env={name: value for name, value in environment.items() if name not in _OF_AN_OUTER_MAKE},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as process:
        try:
            said, status = process.communicate(timeout=seconds)[0], process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            said, status = process.communicate()[0], -1
    return status, said.decode(errors="replace")


def toolkit_variables() -> dict[str, str]:
    """Return the environment of `musa-build cuda-env` on the simulated SDK."""
    sdk = MusaSdk.find(Settings({"MUSA_HOME": str(simulated_sdk())}, {}))
    return {**os.environ, **exported(toolkit_root(sdk), sdk.root, os.environ)}
