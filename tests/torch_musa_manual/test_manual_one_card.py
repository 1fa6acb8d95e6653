"""The manual's programs for one card: 5.3 (inference), 5.4 (training), 5.7 and 8.2 (TF32, channels_last), 8.1 (the
profiler) and 10.1 (what YOLOv5 calls). They are shortened, have small sizes and what the manual forgets. Their results
are compared with the CPU's. The programs are in programs/.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., str]
PROGRAMS, CHECKS = Path(__file__).parent / "programs", Path(__file__).parent / "checks"


@pytest.mark.slow
def test_short_programs(run_with_pictures: Run, tmp_path: Path) -> None:
    """One process for all: the first asks what the flags are before anybody sets them."""
    for name in ("tf32_flags", "tf32_products", "inference", "channels_last", "yolo"):
        shutil.copy(PROGRAMS / f"{name}.py", tmp_path)
    assert "checked" in run_with_pictures(str(CHECKS / "check_short_programs.py"))


@pytest.mark.slow
def test_training(run_with_pictures: Run, tmp_path: Path) -> None:
    shutil.copy(PROGRAMS / "training.py", tmp_path)
    program = (PROGRAMS / "training.py").read_text()
    (tmp_path / "on_the_cpu.py").write_text(program.replace('"musa"', '"cpu"'))
    assert "trained" in run_with_pictures(str(CHECKS / "check_training.py"), PICTURES="80")


@pytest.mark.slow
def test_profiler(run_with_pictures: Run, tmp_path: Path) -> None:
    shutil.copy(PROGRAMS / "profiler.py", tmp_path)
    assert "profiled" in run_with_pictures(str(CHECKS / "check_profiler.py"), PICTURES="88")
