"""Warps that are cut give what fibers give, in kernels written at random."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
import random_warps

KERNELS = 8


def run(program: Path, **env: str) -> str:
    done = subprocess.run([program], env={**os.environ, **env}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def check(root: Path, folder: Path, seed: int, level: str) -> None:
    source, program = folder / "warps.mu", folder / "warps"
    source.write_text(random_warps.program(seed, KERNELS))
    subprocess.run([root / "bin/mcc", level, source, "-lmusart", "-o", program], check=True)
    image = program.read_bytes()
    missing = [at for at in range(KERNELS) if f"__musa_sim_loop__Z8kernel_{at}Pj".encode() not in image]
    assert not missing, "not cut"
    by_fibers = run(program, MUSA_SIM_FIBERS="1")
    assert by_fibers.count("no error") == 7 * KERNELS, by_fibers
    assert run(program, MUSA_SIM_FIBERS="0") == by_fibers
    assert run(program, MUSA_SIM_FIBERS="0", MUSA_SIM_THREADS="1") == by_fibers


def test_cuts_and_fibers_agree(sim_sdk_root: Path, tmp_path: Path) -> None:
    check(sim_sdk_root, tmp_path, 1, "-O2")


@pytest.mark.slow
@pytest.mark.parametrize("level", ["-O1", "-O2", "-O3"])
@pytest.mark.parametrize("seed", range(100, 120))
def test_many_more_of_them(sim_sdk_root: Path, tmp_path: Path, seed: int, level: str) -> None:
    check(sim_sdk_root, tmp_path, seed, level)
