"""Several devices in one process: torch.nn.DataParallel and torch.nn.parallel.comm."""

from __future__ import annotations

from pathlib import Path

from .conftest import PROGRAMS, RunPython, needs_2_13


@needs_2_13  # before, torch.nn.DataParallel asked for CUDA's streams
def test_data_parallel(run_python: RunPython, tmp_path: Path) -> None:
    done = run_python(PROGRAMS / "data_parallel.py", MUSA_SIM_DEVICES="3")
    assert done.returncode == 0 and "parallel" in done.stdout, done.stderr
