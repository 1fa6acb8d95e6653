"""Programs that ask libmtml and mthreads-gmi for the cards: each must start, and show the simulated one.

    python -m tests.programs.management     # runs them, and writes docs/moore-threads-programs.md

They come from the package index, with what they need, and are kept in the cache.
"""

from __future__ import annotations

import datetime
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # sdists.py, which pytest finds by itself

from sdists import installed_package

from .record import Record, Tests, keep
from .sdk import simulated_sdk

PSUTIL, PYNVML, PYMTML = ("psutil", "7.2.2"), ("nvidia-ml-py", "13.590.44"), ("mthreads-ml-py", "2.4.3")
CARD, UUID = "MUSA simulator (mp_31)", "6d757361-2d73-696d-2d30-000000000000"
_QUERY = "from pymtml import *; nvmlInit(); print(nvmlDeviceGetName(nvmlDeviceGetHandleByIndex(0)))"


class Command(NamedTuple):
    """Python's arguments, what is printed where the card is shown, and how the command ends then."""

    arguments: tuple[str, ...]
    shows: str
    status: int = 0


class Program(NamedTuple):
    """A program of the index, what it needs, and its commands."""

    name: str
    version: str
    needs: tuple[tuple[str, str], ...]
    commands: tuple[Command, ...]
    left: tuple[str, ...] = ()


PROGRAMS = (
    Program(*PYMTML, (), (Command(("-m", "example"), f"<uuid>{UUID}</uuid>"), Command(("-c", _QUERY), CARD))),
    Program(
        "musatop",
        "0.2.1",
        (PSUTIL,),
        (Command(("-m", "musatop", "--once"), CARD), Command(("-m", "musatop", "--json"), f'"uuid": "{UUID}"')),
    ),
    Program(
        "nvitop-musa",
        "1.6.1",
        (PSUTIL, PYNVML, PYMTML),
        # a table of 79 columns shortens the name
        (
            Command(("-m", "nvitop", "--once"), "simulator (mp_31)", 1),
            Command(("-m", "nvitop.select", "--format", "uuid"), UUID),
        ),
        (
            "It shows N/A where a card has a sensor, and says once of each such function that it is not found.",
            "It ends with status 1 and says that nvidia-ml-py is corrupted, as it looks for `_nvmlGetFunctionPointer`, "
            "which pymtml 2.4.3 leaves out on purpose (a comment there says so).",
        ),
    ),
)


def shows_the_card(program: Program, command: Command) -> bool:
    """Run a command; return whether it ends as expected and shows the card."""
    home = simulated_sdk()
    folders = [str(installed_package(*each)) for each in ((program.name, program.version), *program.needs)]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(folders),
        "PATH": f"{home}/bin:{os.environ['PATH']}",
        "LD_LIBRARY_PATH": f"{home}/lib",
        "MUSA_SIM_ARCH": "mp_31",
    }
    words = [sys.executable, *command.arguments]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    print(done.stdout, done.stderr)
    return done.returncode == command.status and command.shows in done.stdout


def main() -> None:
    """Run each program, keep what was found, and write the page."""
    today = datetime.date.today().isoformat()
    for program in PROGRAMS:
        tests = []
        for command in program.commands:
            passed = int(shows_the_card(program, command))
            tests.append(Tests(f"shows the card: `python {' '.join(command.arguments)}`", passed, 1 - passed))
        install = f"pip install {program.name}"
        keep(Record(program.name, program.version, today, install, 0, 0, tuple(tests), program.left))


if __name__ == "__main__":
    main()
