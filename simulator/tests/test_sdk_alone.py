"""The SDK by itself: a program compiles, runs and is checked. The repository's tests/sim has the rest."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).with_name("programs")

SUMS = (PROGRAMS / "sums.mu").read_text(encoding="utf-8")

RACE = (PROGRAMS / "race.mu").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def sdk() -> Path:
    done = subprocess.run([sys.executable, "-m", "musa_sim", "root"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return Path(done.stdout.strip())


def compiled(sdk: Path, source: str, folder: Path, *flags: str) -> Path:
    (folder / "program.mu").write_text(source, encoding="utf-8")
    command = [sdk / "bin" / "mcc", *flags, "-O2", "program.mu", "-lmusart", "-o", "program"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "program"


def test_a_kernel_computes(sdk: Path, tmp_path: Path) -> None:
    program = compiled(sdk, SUMS, tmp_path)
    for n in (1, 127, 1000):
        numbers = random.Random(n)
        x, y = ([numbers.randrange(-999, 1000) for _ in range(n)] for _ in range(2))
        text = f"{n} 3 {' '.join(map(str, [*x, *y]))}"
        done = subprocess.run([program], input=text, capture_output=True, text=True, check=True)
        assert [float(line) for line in done.stdout.split()] == [3 * a + b for a, b in zip(x, y)]


def test_a_race_is_found(sdk: Path, tmp_path: Path) -> None:
    program = compiled(sdk, RACE, tmp_path, "--sim-check=race")
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert done.returncode == 86
    assert "race" in done.stderr and "program.mu:7" in done.stderr


def test_the_exports_select_the_sdk(sdk: Path) -> None:
    done = subprocess.run([sys.executable, "-m", "musa_sim", "env"], capture_output=True, text=True, check=True)
    shell = subprocess.run(
        ["sh", "-c", f'{done.stdout}\necho "$MUSA_HOME"; command -v mcc'],
        env={**os.environ, "MUSA_HOME": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    assert shell.stdout.split() == [str(sdk), str(sdk / "bin" / "mcc")]
