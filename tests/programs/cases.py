"""muThrust's own test programs, each compiled whole, linked with its framework and run: the page counts their cases.

MUTHRUST=CHECKOUT MUALG=CHECKOUT python -m tests.programs.cases --minutes 60 reduce scan sort   # resumes
MUTHRUST=CHECKOUT MUALG=CHECKOUT python -m tests.programs.cases --every 4   # each fourth file
MUTHRUST=CHECKOUT MUALG=CHECKOUT python -m tests.programs.cases --record    # docs/moore-threads-programs.md
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from . import kernels
from .record import Tests

NAME = "muThrust"
FRAMEWORK = ("testing/unittest/testframework.cu", "testing/unittest/musa/testframework.cu")


class Run(NamedTuple):
    """How a test program ended: "ok", "time", a message; and its cases."""

    ended: str
    passed: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()

    def sentence(self, file: str) -> str:
        """Return the text of the page about it."""
        failed = f"failed: {', '.join(self.failed)}" if self.failed else ""
        ended = {"time": "stopped for time", "ok": ""}.get(self.ended, self.ended)
        return f"{file}, run: {'; '.join(filter(None, (ended, failed)))}"


def known_runs() -> dict[str, Run]:
    """Return the known runs, by the paths of their files."""
    known = kernels.read_kept(f"{NAME}-cases")
    return {file: Run(one[0], tuple(one[1]), tuple(one[2])) for file, one in known.items()}


def tests_of(runs: dict[str, Run]) -> tuple[tuple[Tests, ...], list[str]]:
    """Return the counts of all cases that ended, and a sentence for each program that did not pass."""
    if not runs:
        return (), []
    passed, failed = (sum(len(cases) for cases in all_cases) for all_cases in zip(*(run[1:] for run in runs.values())))
    ran = [run for run in runs.values() if run.passed or run.failed]
    left = [run.sentence(file) for file, run in sorted(runs.items()) if run.ended != "ok" or run.failed]
    return (Tests(f"its own tests, {len(ran)} of its programs, by cases", passed, failed),), left


def read_cases(said: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the cases that passed and those that failed, as `--verbose` names them. A known failure is neither."""
    passed = tuple(re.findall(r"\[PASS\] +[\d.e+-]+ ms (\w+)", said))
    return passed, tuple(re.findall(r"\[(?:FAILURE|ERROR)\] +(\w+)", said))


def _framework(mcc: Sequence[str], checkout: Path, folder: Path) -> list[str]:
    """Compile the framework, unless it is there and newer than the compiler."""
    objects = [folder / f"{file.replace('/', '_')}.o" for file in FRAMEWORK]
    for file, made in zip(FRAMEWORK, objects):
        if not made.is_file() or made.stat().st_mtime < Path(mcc[0]).stat().st_mtime:
            subprocess.run([*mcc, "-c", str(checkout / file), "-o", str(made)], check=True)
    return [str(made) for made in objects]


def _run(program: Path, seconds: float) -> Run:
    environment = {**os.environ, "MUSA_SIM_ARCH": kernels.ARCHITECTURE}
    with program.with_suffix(".log").open("w+", encoding="utf-8") as log:
        try:
            command = [str(program), "--verbose"]
            code = subprocess.run(command, env=environment, stdout=log, stderr=log, check=False, timeout=seconds)
            ended = "ok" if code.returncode in (0, 1) else f"status {code.returncode}"
        except subprocess.TimeoutExpired:
            ended = "time"
        log.seek(0)
        said = log.read()
    cases = read_cases(said)
    if ended.startswith("status"):  # the case that was running ended the program
        started = re.findall(r"Running (\w+)\.\.\.", said)
        notes = re.findall(r"\[musa-sim\] (?:.*, block \([\d,]+\): )?(.*)", said)
        return Run(", ".join((ended, *notes[-1:])), cases[0], (*cases[1], *started[-1:]))
    return Run(ended, *cases)


def run_files(files: Sequence[str], minutes: float, seconds: float) -> None:
    """Compile, link and run for so long; a program that was seen to pass is left out."""
    checkout, mcc = kernels.command_of(NAME)
    mcc, folder, known = [*mcc, "-w"], kernels.kept_folder() / NAME, known_runs()
    folder.mkdir(parents=True, exist_ok=True)
    framework, end = _framework(mcc, checkout, folder), time.monotonic() + 60 * minutes
    for file in sorted(files, key=lambda each: each in known):
        left = end - time.monotonic()
        if left <= 0 or (file in known and known[file].ended == "ok" and not known[file].failed):
            continue
        program = folder / Path(file).stem
        built = kernels.compile_one([*mcc, "-c", f"{checkout}/{file}", "-o", f"{program}.o"], left, whole=True)
        if built.ended == "time":
            break
        kernels.keep_outcome(NAME, file, built)
        if built.ended == "ok":
            link = [*mcc[:1], f"{program}.o", *framework, "-o", str(program), "-lmusart"]
            built = kernels.compile_one(link, max(1.0, end - time.monotonic()), whole=True)
        known[file] = _run(program, seconds) if built.ended == "ok" else Run(built.ended)
        kernels.write_kept(f"{NAME}-cases", known)
        print(f"{file}: {len(known[file].passed)} passed. {known[file].sentence(file)} ({built.seconds} s)", flush=True)
        Path(f"{program}.o").unlink(missing_ok=True)


def main() -> None:
    """Run the programs that are named, or each Nth."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="files of testing/, without .cu")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seconds", type=float, default=300, help="for each program's run")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--record", action="store_true")
    given = parser.parse_args()
    if given.record:
        kernels.record(NAME, *tests_of(known_runs()))
        return
    checkout, _ = kernels.command_of(NAME)
    every = sorted(f"testing/{path.name}" for path in checkout.glob("testing/*.cu"))[:: given.every]
    run_files([f"testing/{name}.cu" for name in given.names] or every, given.minutes, given.seconds)


if __name__ == "__main__":
    main()
