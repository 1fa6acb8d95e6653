"""`make matrix`: build and test in a fresh virtual environment for each combination of versions, and write the table.

    python -m tests.matrix                       all cells that have no outcome yet
    python -m tests.matrix torch-2.7.1 --again   the cells whose names begin so, also those that have one
    python -m tests.matrix --table               only write docs/supported-versions.md from the outcomes

An outcome is kept as soon as a cell has it: a run that was stopped continues with the next cell. Each needs up to 8 GB
of disk while it runs (build/matrix), and a quarter of an hour on two cores.
"""

from __future__ import annotations

import argparse
import datetime
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from .cells import CELLS, CHECKS, CHECKS_WITHOUT_DEVICE, Cell
from .outcomes import Outcome, read, write, write_table

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "build" / "matrix"
NO_DEVICE = re.compile(r"torch-musa-sim needs PyTorch [\d.]+ or newer, but finds \S+")
COUNTS = re.compile(
    r"^(?:=+ )?((?:\d+ (?:passed|failed|skipped|errors?|deselected|warnings?)(?:, )?)+) in ", re.MULTILINE
)
FACTS = (
    "import platform, setuptools, torch; print(platform.python_version(), setuptools.__version__, torch.__version__)"
)


class StepFailedError(Exception):
    """A step before the tests failed; the text is its reason in one line."""


class Skipped(Exception):
    """A cell that cannot be run here; the text says why."""


class Room:
    """The folder of a cell: a copy of the files of this checkout, a virtual environment, and a log."""

    def __init__(self, cell: Cell) -> None:
        self.cell = cell
        self.folder = WORK / cell.name
        self.source = self.folder / "source"
        self.log = WORK / f"{cell.name}.log"
        self.python = self.folder / "venv" / "bin" / "python"

    def prepare(self) -> None:
        """Create it anew. Raises Skipped if the interpreter or the compiler is absent."""
        interpreter = interpreter_of(self.cell.python)
        for program in (self.cell.cxx, *(["clang"] if "clang" in self.cell.cxx else [])):
            if shutil.which(program) is None:
                raise Skipped(f"no {program} here")
        shutil.rmtree(self.folder, ignore_errors=True)
        self.source.mkdir(parents=True)
        self.log.write_text("")
        files = ("git", "ls-files", "--cached", "--others", "--exclude-standard", "-z")
        for name in filter(
            None, subprocess.run(files, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
        ):
            if (ROOT / name).is_file():
                (self.source / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self.source / name)
        self.call(interpreter, "-m", "venv", str(self.folder / "venv"))

    def environment(self) -> dict[str, str]:
        """Return the user's own, without what another environment or an earlier build set."""
        unwanted = ("MUSA_", "PYTHON", "VIRTUAL_ENV", "PYTEST_", "CXX", "CC")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(unwanted)}
        path = os.pathsep.join((str(self.python.parent), os.environ["PATH"]))
        chosen = (
            {}
            if self.cell.cxx == "g++"
            else {"CXX": self.cell.cxx, "CC": self.cell.cxx.replace("++", "cc" if self.cell.cxx[0] == "g" else "")}
        )
        return {**kept, "PATH": path, "MUSA_BUILD_SIMULATOR": "1", "OMP_WAIT_POLICY": "passive", **chosen}

    def call(self, *command: str) -> tuple[int, str]:
        """Run a command in the copy; return its exit status and its output, which the log gets too."""
        done = subprocess.run(
            command, cwd=self.source, env=self.environment(), text=True, errors="replace", check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        with self.log.open("a", encoding="utf-8") as log:
            log.write(f"$ {' '.join(command)}\n{done.stdout}\n[{done.returncode}]\n")
        return done.returncode, done.stdout

    def pip(self, *arguments: str) -> tuple[int, str]:
        command = (
            str(self.python),
            "-m",
            "pip",
            "install",
            "--disable-pip-version-check",
            "--no-cache-dir",
            "--no-compile",
        )
        return self.call(*command, *arguments)

    def pip_or_fail(self, *arguments: str) -> None:
        status, output = self.pip(*arguments)
        if status:
            raise StepFailedError(reason_in(output))


def interpreter_of(version: str) -> str:
    """Return the command of a Python (3.10): on PATH, or pyenv's. Raises Skipped."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = [*(str(path) for path in sorted(pyenv.glob(f"{version}.*/bin/python"))), shutil.which(f"python{version}")]
    usable = [
        path
        for path in found
        if path and not subprocess.run([path, "-c", ""], capture_output=True, check=False).returncode
    ]
    if not usable:
        raise Skipped(f"no Python {version} here")
    return usable[0]


def reason_in(output: str) -> str:
    """Return the line that says why a command failed."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    said = [line for line in lines if re.search(r"error\b", line, re.IGNORECASE) and "subprocess-exited" not in line]
    return (said or lines or ["no output"])[0][:200]


def checked(room: Room, tests: Sequence[str]) -> str:
    """Run tests; return "19 passed, 1 skipped", or beside the counts the names of those that failed."""
    command = (str(room.python), "-m", "pytest", "-q", "--no-header", "--tb=short", "-m", "not slow", *tests)
    status, output = room.call(*command)
    counts = COUNTS.findall(output)
    if not counts:
        return f"failed: {reason_in(output)}"
    text = re.sub(r", \d+ (?:deselected|warnings?)|\d+ deselected, ", "", counts[-1].strip(", "))
    failed = sorted(set(re.findall(r"^(?:FAILED|ERROR) \S+?::(\w+)", output, re.MULTILINE)))
    return f"failed: {text}: {', '.join(failed)}" if status else text


def run_cell(cell: Cell) -> Outcome:
    """Build and check a cell; never raises for something that is wrong with it."""
    room, results = Room(cell), {}
    versions: Mapping[str, str] = {}
    today = datetime.date.today().isoformat()
    try:
        room.prepare()
        status, output = room.pip(*cell.requirements)
        if "No matching distribution found for torch" in output:
            raise Skipped("no wheel of this PyTorch for this Python")
        if status:
            raise StepFailedError(reason_in(output))
        room.pip_or_fail(".", "./simulator", "./tools")
        status, said = room.call(str(room.python), "-c", FACTS)
        if status:
            raise StepFailedError(reason_in(said))
        versions = dict(zip(("python", "setuptools", "torch"), said.split()[-3:]))
        compiler = subprocess.run(
            [cell.cxx, "-dumpfullversion", "-dumpversion"], capture_output=True, text=True, check=True
        )
        versions["cxx"] = f"{cell.cxx.partition('-')[0]} {compiler.stdout.strip()}"
        status, output = room.pip("--no-build-isolation", "--no-deps", "./backend")
        if cell.has_device:
            results["device is built"] = f"failed: {reason_in(output)}" if status else "passed"
        else:
            refusal = NO_DEVICE.search(output)
            results["device is refused in a sentence"] = "passed" if status and refusal else "failed"
        if not any(result.startswith("failed") for result in results.values()):
            for name, tests in (CHECKS if cell.has_device else CHECKS_WITHOUT_DEVICE).items():
                results[name] = checked(room, tests)
                print(f"    {name}: {results[name]}", flush=True)
    except Skipped as reason:
        return Outcome(today, versions, results, skipped=str(reason))
    except StepFailedError as reason:
        results["installation"] = f"failed: {reason}"
    finally:
        shutil.rmtree(room.folder, ignore_errors=True)
    return Outcome(today, versions, results)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.matrix", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("cells", nargs="*", help="beginnings of the names of cells; all if there are none")
    parser.add_argument("--again", action="store_true", help="also those that have an outcome")
    parser.add_argument("--table", action="store_true", help="run nothing, write the table")
    chosen = parser.parse_args(arguments)
    failures = 0
    for cell in CELLS if not chosen.table else ():
        outcomes = read()
        known = outcomes.get(cell.name)
        wanted = not chosen.cells or any(cell.name.startswith(name) for name in chosen.cells)
        if not wanted or (known and not known.skipped and not chosen.again):
            continue
        print(cell.name, flush=True)
        outcome = run_cell(cell)
        print(f"    {outcome.verdict}", flush=True)
        failures += outcome.failed
        if not (outcome.skipped and known):  # a machine that lacks a compiler leaves the outcome of another one alone
            write({**read(), cell.name: outcome})
    write_table()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
