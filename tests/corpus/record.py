"""Record the results of the packages of the corpus: docs/corpus-records.json, from which the gallery is made.

    python -m tests.corpus.record                          # all packages; hours
    python -m tests.corpus.record monai==1.6.1 --checks    # one of them, and once more compiled with the checks
    python -m tests.corpus.record rwkv==0.8.32 --checks    # a package of wall.tsv that has a comparison, the same way
    python -m tests.corpus.record --fresh 5                # the next 5 of wall.tsv (docs/wall.md) that have no record

Each package is built by `FORCE_MUSA=1 pip install` with empty caches, then its script compares it with references, with
warps of 32 and of 128. Records of packages that are not named stay as they are.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # sdists.py, which pytest finds by itself

from musa_build.force_musa.report import VARIABLE, Report
from musa_build.system import files

from . import wall
from .forced import (
    CHECK_VARIABLES,
    PACKAGES,
    SCRIPTS,
    WALL,
    WRITTEN_FOR_32,
    force_install,
    install_dependencies,
    run_script,
)

RECORDS = Path(__file__).resolve().parents[2] / "docs" / "corpus-records.json"
FRESH_RECORDS = RECORDS.with_name("wall-records.json")
CHECKS = "memory,race,sync,init"
AGREES = "agrees"


@dataclass(frozen=True)
class Build:
    """One installation. `seconds` are CPU time of pip and all compilers."""

    seconds: float
    extensions: int
    sources: int
    level: int
    files: int
    edits: int
    warnings: int


@dataclass(frozen=True)
class Checked:
    """A run under the checks. `ended` is "to its end", or the last line of the error that ended it."""

    checks: str
    ended: str
    findings: tuple[str, ...]


@dataclass(frozen=True)
class Record:
    """All that was seen of a package. `build` is None for a package that compiles when it is used."""

    date: str
    build: Build | None
    warps: dict[str, str]
    checked: Checked | None


def main() -> None:
    """Record the packages that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", nargs="*", metavar="PACKAGE==VERSION", help=f"of {', '.join(SCRIPTS)}")
    parser.add_argument("--checks", action="store_true", help=f"also compile and run with {CHECKS}")
    parser.add_argument("--fresh", type=int, metavar="N", help="install the next N packages of wall.tsv")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="with --fresh: where what is installed stays")
    chosen = parser.parse_args()
    unknown = sorted({*chosen.packages} - SCRIPTS.keys())
    if unknown:
        parser.error(f"not in the corpus: {', '.join(unknown)}")
    root = [sys.executable, "-m", "musa_sim", "root"]
    sdk = Path(subprocess.run(root, capture_output=True, text=True, check=True).stdout.strip())
    if chosen.fresh:
        return fresh(chosen.fresh, sdk, chosen.keep)
    for requirement in chosen.packages or PACKAGES:
        print(f"{requirement} ...", flush=True)
        record = recorded(requirement, sdk, with_checks=chosen.checks)
        print(f"{requirement}: {record}", flush=True)
        keep_record(requirement, record)


def keep_record(requirement: str, record: Record) -> None:
    """Write a record to its file. That of a package of wall.tsv goes beside its first try, which stays."""
    file = FRESH_RECORDS if requirement in WALL else RECORDS
    records = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    first_try = records.get(requirement, {})
    before = first_try.get("compared", {}) if requirement in WALL else first_try
    made = {**asdict(record), "checked": asdict(record)["checked"] or before.get("checked")}
    if requirement in WALL:
        records[requirement] = {**first_try, "compared": made}
    else:
        records = dict(sorted({**records, requirement: made}.items()))
    files.write_if_changed(file, json.dumps(records, indent=1) + "\n")


def fresh(count: int, sdk: Path, keep: Path | None) -> None:
    """Try the next packages of the list that have no record, until `count` of them count; record each at once."""
    records = json.loads(FRESH_RECORDS.read_text(encoding="utf-8")) if FRESH_RECORDS.exists() else {}
    for entry in wall.listed():
        if count == 0:
            return
        if entry.note or entry.requirement in records:
            continue
        print(f"{entry.requirement} ...", flush=True)
        with tempfile.TemporaryDirectory() as name:
            attempt = wall.attempt(entry, sdk, Path(name), RECORDS.parents[1] / "build" / "wall")
            if keep is not None and attempt.outcome == wall.INSTALLS:
                shutil.copytree(Path(name) / "library", keep / entry.name, dirs_exist_ok=True)
        print(f"{entry.requirement}: {attempt}", flush=True)
        records[entry.requirement] = asdict(attempt)
        files.write_if_changed(FRESH_RECORDS, json.dumps(records, indent=1) + "\n")
        count -= attempt.outcome in wall.COUNTED


def recorded(requirement: str, sdk: Path, *, with_checks: bool) -> Record:
    """Build a package and run its script."""
    with tempfile.TemporaryDirectory() as name:
        folder, checked = Path(name), None
        build = built(requirement, folder, folder / "plain", sdk, {})
        warps = {str(warp): agreement(requirement, folder / "plain", sdk, warp) for warp in (32, 128)}
        if with_checks:  # host code is not compiled again
            built(requirement, folder, folder / "checked", sdk, {"MUSA_SIM_CHECK": CHECKS})
            checked = checked_run(requirement, folder / "checked", sdk)
    return Record(datetime.date.today().isoformat(), build, warps, checked)


def built(requirement: str, folder: Path, library: Path, sdk: Path, variables: Mapping[str, str]) -> Build | None:
    """Install a package in `library`, with our caches, empty at first, in `folder`."""
    environment = {"XDG_CACHE_HOME": str(folder / "cache"), "CCACHE_DISABLE": "1", **variables}
    install_dependencies(requirement, library, sdk, environment)
    report, before = folder / "report.json", cpu_seconds()
    force_install(requirement, library, sdk, {VARIABLE: str(report), **environment})
    if not report.exists():
        return None
    seconds, done = cpu_seconds() - before, Report.load(report)
    extensions = [extension for extension in done.extensions if extension.for_musa]
    ported = done.ported
    return Build(
        round(seconds),
        len(extensions),
        sum(extension.sources for extension in extensions),
        done.level,
        ported.files,
        ported.edits,
        ported.warnings,
    )


def cpu_seconds() -> float:
    """Return the CPU time of all processes that this one started and that ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def agreement(requirement: str, library: Path, sdk: Path, warp: int) -> str:
    """Run a package's script: AGREES, or what was said."""
    variables = {**CHECK_VARIABLES, "MUSA_HOME": str(sdk)}
    done = run_script(SCRIPTS[requirement], library, warp, variables)
    if done.returncode == 0:
        return AGREES
    expected = WRITTEN_FOR_32.get(requirement, "") if warp != 32 else ""
    if expected and re.search(expected, done.stdout + done.stderr):
        return f"written for 32: {expected}"
    return last_line(done.stderr)


def checked_run(requirement: str, library: Path, sdk: Path) -> Checked:
    """Run a package's script with the checks that its kernels were compiled for."""
    report = library.with_suffix(".json")
    command = [sys.executable, "-m", "musa_build", "sim", "run", f"--check={CHECKS}", f"--report={report}", "--"]
    variables = {**CHECK_VARIABLES, "MUSA_HOME": str(sdk)}
    done = run_script(SCRIPTS[requirement], library, 32, variables, command)
    found = json.loads(report.read_text(encoding="utf-8"))
    exit_code = int(os.environ.get("MUSA_SIM_CHECK_EXITCODE", "86"))
    ended = "to its end" if done.returncode in (0, exit_code) else last_line(done.stderr)
    return Checked(CHECKS, ended, tuple(dict.fromkeys(described(finding) for finding in found["findings"])))


def described(finding: Mapping[str, str]) -> str:
    """Return a finding as a line, with the names of files instead of their paths, and without columns."""
    return re.sub(r"(?<=\d):\d+(?=[,; )]|$)", "", re.sub(r"[^\s,]*/", "", f"{finding['kind']}: {finding['headline']}"))


def last_line(text: str) -> str:
    """Return the last line of an error that is one."""
    ours = ("[musa-sim]", "The checks found ")
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith(ours)]
    return lines[-1][:300] if lines else "no message"


if __name__ == "__main__":
    main()
