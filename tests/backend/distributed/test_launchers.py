"""The usual ways to start ranks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = str(Path(__file__).parent / "launched.py")
TORCHRUN = ["-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"]


@pytest.mark.slow
@pytest.mark.parametrize("launcher", [[], TORCHRUN], ids=["spawn", "torchrun"])
def test_launcher(launcher: list[str], tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, *launcher, PROGRAM],
        cwd=tmp_path,
        env={**os.environ, "MUSA_SIM_DEVICES": "2", "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "trained in rank 0" in done.stdout and "trained in rank 1" in done.stdout, done.stdout
