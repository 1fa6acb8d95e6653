"""`musa-build sim`: run a program on the simulator, with its checks.

This module only sets the environment. The simulator is a separate program (`python -m musa_sim`) and the library that
the user's program loads.
"""

from __future__ import annotations

import os
import sys
from typing import Optional

import click

from ..errors import ToolNotFoundError
from ..system import process

_CHECKS = {
    "memory": "out of bounds, after free, misaligned; guard pages around allocations",
    "race": "threads of a block that touch the same shared memory without a barrier",
    "init": "reads of memory that nobody wrote",
    "sync": "barriers and masks that not all threads agree on",
    "leaks": "device memory that is never freed",
    "host": "host code that touches device memory (PyTorch's CPU fallback does so by design)",
}

_RUN_EXAMPLES = "\n".join(
    [
        "\b",
        "Examples:",
        "  musa-build sim run -- python train.py",
        "  musa-build sim run --check=memory,race -- pip install --no-build-isolation --force-reinstall .",
        "  musa-build sim run --check=memory,race -- pytest tests",
        "  musa-build sim run --seed=7 -- python train.py",
        "",
        "\b",
        "Checks:",
        *(f"  {name:8}{meaning}" for name, meaning in _CHECKS.items()),
        "  all     every one but host",
        "",
        "race, init, and memory and sync down to the line see only kernels that were compiled with the same --check: "
        "build the extension under `sim run` as well. A program with findings ends with 86 instead of 0.",
    ]
)


def _checks(_: click.Context, __: click.Parameter, text: Optional[str]) -> Optional[str]:
    names = [name.strip() for name in (text or "").split(",") if name.strip()]
    for name in names:
        if name not in (*_CHECKS, "all", "none"):
            raise click.BadParameter(f"'{name}' is not a check; choose from {', '.join(_CHECKS)}, all and none")
    return ",".join(names) or None


@click.group(name="sim")
def sim() -> None:
    """Run programs on the simulated MUSA device and find errors in their kernels."""


@sim.command(epilog=_RUN_EXAMPLES, context_settings={"ignore_unknown_options": True})
@click.option("--check", metavar="CHECKS", callback=_checks, help="What to watch for: a list such as memory,race.")
@click.option("--seed", type=click.IntRange(0, 2**62), help="Shuffle the order of blocks and threads, repeatably.")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def run(check: Optional[str], seed: Optional[int], command: tuple[str, ...]) -> None:
    """Run COMMAND with the simulator chosen for whatever it builds, and with the checks and the order asked for."""
    settings = {"MUSA_BUILD_SIMULATOR": "1", "MUSA_SIM_CHECK": check, "MUSA_SIM_SEED": seed}
    os.environ.update({name: str(value) for name, value in settings.items() if value is not None})
    try:
        os.execvp(command[0], command)
    except OSError as error:
        raise ToolNotFoundError(
            what=f"cannot run {command[0]}",
            found=error.strerror or str(error),
            wanted="a program on PATH after `--`",
        ) from None


@sim.command()
def root() -> None:
    """Print the path of the simulated SDK. The first call creates it."""
    _run_simulator_command("root")


@sim.command()
def env() -> None:
    """Print the exports that make a shell use the simulated SDK."""
    _run_simulator_command("env")


def _run_simulator_command(command: str) -> None:
    done = process.run([sys.executable, "-m", "musa_sim", command])
    click.echo(done.stderr, nl=False, err=True)
    click.echo(done.stdout, nl=False)
    sys.exit(done.returncode)
