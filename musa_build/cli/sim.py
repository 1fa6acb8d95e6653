"""`musa-build sim`: run a program on the simulator, with its checks.

This module only sets the environment. The simulator is a separate program (`python -m musa_sim`) and the library that
the user's program loads.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Optional

import click

from .. import sim_report
from ..environment.sdk import run_simulator
from ..errors import ToolNotFoundError, UnwritableError
from ..system import process
from .help_text import Group, epilog

CHECKS = {
    "memory": "out of bounds, after free, misaligned; with guard pages",
    "race": "threads that touch the same shared memory, without a barrier",
    "init": "reads of memory that nobody wrote",
    "sync": "barriers and masks that not all threads agree on",
    "leaks": "device memory that is never freed",
    "host": "host code that touches device memory, as PyTorch's fallback does",
}

_EXAMPLES = (
    "musa-build sim run -- python train.py",
    "musa-build sim run --check=memory,race -- pytest tests",
)
_RUN_EXAMPLES = (
    "musa-build sim run -- python train.py",
    "musa-build sim run --check=memory,race -- pip install --no-build-isolation .",
    "musa-build sim run --check=memory,race -- pytest tests",
    "musa-build sim run --check=all --report=findings.html -- pytest tests",
    "musa-build sim run --seed=7 -- python train.py",
)
_SETS = {"all": "all of them but host", "none": "no check"}
_CHECK_LIST = "\n".join(["\b", "Checks:", *(f"  {name:8}{meaning}" for name, meaning in {**CHECKS, **_SETS}.items())])
_CHECKED_KERNELS = (
    "The checks race and init, and the lines in reports of memory and sync, need kernels that were compiled with the "
    "same --check: build the extension under `sim run` as well."
)
_RUN_STATUS = "that of COMMAND; 86 instead of 0 if there are findings, 1 if COMMAND was not found, 2 for wrong usage."


def _checks(_: click.Context, __: click.Parameter, text: Optional[str]) -> Optional[str]:
    names = [name.strip() for name in (text or "").split(",") if name.strip()]
    for name in names:
        if name not in (*CHECKS, "all", "none"):
            raise click.BadParameter(f"'{name}' is not a check; choose from {', '.join(CHECKS)}, all and none")
    return ",".join(names) or None


def _report_path(_: click.Context, __: click.Parameter, path: Optional[Path]) -> Optional[Path]:
    if path is not None and path.suffix not in sim_report.FORMATS:
        raise click.BadParameter(f"'{path}' ends in none of {', '.join(sim_report.FORMATS)}")
    return path


@click.group(name="sim", cls=Group, epilog=epilog(_EXAMPLES))
def sim() -> None:
    """Run programs on the simulated MUSA device and find errors in their kernels."""


@sim.command(
    epilog=epilog(_RUN_EXAMPLES, _CHECK_LIST, _CHECKED_KERNELS, status=_RUN_STATUS),
    context_settings={"ignore_unknown_options": True},
)
@click.option("--check", metavar="CHECKS", callback=_checks, help="The checks to run: a list such as memory,race.")
@click.option("--seed", type=click.IntRange(0, 2**62), help="Shuffle the order of blocks and threads, reproducibly.")
@click.option(
    "--report",
    type=click.Path(dir_okay=False, path_type=Path),
    callback=_report_path,
    help="Write the findings to this file: .html (with the sources around them) or .json.",
)
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def run(check: Optional[str], seed: Optional[int], report: Optional[Path], command: tuple[str, ...]) -> None:
    """Run COMMAND on the simulator, with checks and a chosen order of threads. It also builds for the simulator."""
    settings = {"MUSA_BUILD_SIMULATOR": "1", "MUSA_SIM_CHECK": check, "MUSA_SIM_SEED": seed}
    os.environ.update({name: str(value) for name, value in settings.items() if value is not None})
    if report is None:
        _become(command)
        return
    status, findings = _run_and_read(command, report)
    checks = check or os.environ.get("MUSA_SIM_CHECK", "")
    result = sim_report.Run(command, checks, seed, status, findings)
    _write_report(result, report)
    click.echo(f"{sim_report.headline(result)} Report: {report}", err=True)
    sys.exit(status)


def _become(command: tuple[str, ...]) -> None:
    try:
        os.execvp(command[0], command)
    except OSError as error:
        raise ToolNotFoundError(
            what=f"cannot run {command[0]}",
            found=error.strerror or str(error),
            wanted="a program on PATH after `--`",
        ) from None


def _run_and_read(command: tuple[str, ...], report: Path) -> tuple[int, tuple[sim_report.Finding, ...]]:
    """Run a command to its end. Return its exit status and the findings of the checks."""
    _require_folder(report)
    with tempfile.TemporaryDirectory(prefix="musa-sim-") as folder:
        log = Path(folder) / "findings.jsonl"
        status = process.run_in_place(command, extra_environment={"MUSA_SIM_CHECK_LOG": str(log)})
        text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    return status, sim_report.read_log(text)


def _require_folder(report: Path) -> None:
    """Refuse a report that cannot be written before the command runs, which may take long."""
    folder = report.absolute().parent
    if not os.access(folder, os.W_OK):
        found = "no permission to write there" if folder.is_dir() else f"there is no folder {folder}"
        raise UnwritableError(what=f"cannot write {report}", found=found, wanted="a folder that exists and is writable")


def _write_report(run: sim_report.Run, report: Path) -> None:
    try:
        sim_report.write(run, report)
    except OSError as error:
        raise UnwritableError(what=f"cannot write {report}", found=error.strerror or str(error)) from None


@sim.command(epilog=epilog(('export MUSA_HOME="$(musa-build sim root)"',)))
def root() -> None:
    """Print the path of the simulated SDK. The first call creates it."""
    _run_simulator_command("root")


@sim.command(epilog=epilog(('eval "$(musa-build sim env)"',)))
def env() -> None:
    """Print shell commands that select the simulated SDK."""
    _run_simulator_command("env")


def _run_simulator_command(command: str) -> None:
    done = run_simulator(command)
    click.echo(done.stderr, nl=False, err=True)
    click.echo(done.stdout, nl=False)
    sys.exit(done.returncode)
