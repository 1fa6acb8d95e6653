"""Runs the programs of this directory, each once per way of compiling it, on random inputs."""

from __future__ import annotations

import os
import secrets
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path
from subprocess import PIPE

import pytest
from idiom_runs import Run, read_records
from kept_programs import KeptPrograms

PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture(scope="session")
def idiom_seed() -> int:
    """Another one in every run; IDIOM_SEED repeats one."""
    return int(os.environ.get("IDIOM_SEED") or secrets.randbits(32))


@pytest.fixture(scope="session")
def run_program(
    sim_sdk_root: Path, kept_programs: KeptPrograms, tmp_path_factory: pytest.TempPathFactory, idiom_seed: int
) -> Callable[[str, str, str], Run]:
    """Runs a program, compiled at an optimisation level, with a value of MUSA_SIM_FIBERS."""
    folder = tmp_path_factory.mktemp("records")

    @cache
    def run(program: str, level: str, fibers: str) -> Run:
        command = [str(sim_sdk_root / "bin/mcc"), "-std=c++17", level, "-w"]
        built = kept_programs.build(command, [PROGRAMS / f"{program}.mu"], ["-lmusart"])
        clean = {name: value for name, value in os.environ.items() if not name.startswith("MUSA_")}
        env = {**clean, "MUSA_SIM_FIBERS": fibers, "MUSA_SIM_WATCHDOG": "20"}
        record = folder / f"{program}{level}-{fibers}"
        record.touch()
        command = [str(built), str(idiom_seed), str(record)]
        with subprocess.Popen(command, stdout=PIPE, stderr=PIPE, text=True, env=env) as process:
            try:
                stdout, stderr = process.communicate(timeout=120)
            except subprocess.TimeoutExpired:  # is an ending too: not every idiom of the program waits for it
                process.kill()
                stdout, stderr = process.communicate()
        said = dict(line.split(" ", 1) for line in stdout.splitlines() if " " in line)
        ending = f"exit status {process.returncode}\n{stderr}"
        return Run(idiom_seed, said, read_records(record.read_bytes()), ending)

    return run
