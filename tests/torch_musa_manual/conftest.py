"""Scripts that users have from torch_musa's README and manual, run as they stand there."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., str]
STAND_INS = Path(__file__).parent / "stand_ins"


@pytest.fixture
def run(sim_sdk_root: Path, tmp_path: Path) -> Run:
    """Runs this Python with some arguments in a folder (default: a fresh one); returns its output, errors included."""

    def run_python(*arguments: str, cwd: Path = tmp_path, **environment: str) -> str:
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=cwd,
            env={**os.environ, "MUSA_HOME": str(sim_sdk_root), "TORCH_MUSA_ARCH_LIST": "22", **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout
        return done.stdout

    return run_python


@pytest.fixture
def run_with_pictures(run: Run) -> Run:
    """The same with torchvision's stand-in, whose data sets have as many pictures as PICTURES says."""

    def run_it(*arguments: str, **environment: str) -> str:
        return run(*arguments, PYTHONPATH=str(STAND_INS), OMP_NUM_THREADS="1", **environment)

    return run_it


@pytest.fixture
def kept_folder(request: pytest.FixtureRequest) -> Path:
    """A folder of this test that is kept between runs, so that only changes are compiled."""
    assert request.config.cache is not None
    return Path(request.config.cache.mkdir(f"seed-{request.node.name}"))
