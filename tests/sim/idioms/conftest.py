"""Runs the programs of this directory, each once per way of compiling it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from kept_programs import KeptPrograms

PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture(scope="session")
def verdicts(sim_sdk_root: Path, kept_programs: KeptPrograms) -> Callable[[str, str, str], dict[str, str]]:
    """{idiom: what the program said of it} of a program, an optimisation level and a value of MUSA_SIM_FIBERS."""

    @cache
    def run(program: str, level: str, fibers: str) -> dict[str, str]:
        command = [str(sim_sdk_root / "bin/mcc"), "-std=c++17", level, "-w"]
        built = kept_programs.build(command, [PROGRAMS / f"{program}.mu"], ["-lmusart"])
        clean = {name: value for name, value in os.environ.items() if not name.startswith("MUSA_")}
        env = {**clean, "MUSA_SIM_FIBERS": fibers, "MUSA_SIM_WATCHDOG": "20"}
        done = subprocess.run([built], capture_output=True, text=True, check=False, timeout=120, env=env)
        said = dict(line.split(" ", 1) for line in done.stdout.splitlines() if " " in line)
        return {**said, "the program": f"exit status {done.returncode}\n{done.stderr}"}

    return run
