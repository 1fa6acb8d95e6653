"""The examples of chapter 6 of torch_musa's manual: generated, built, and compared with the CPU."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import REPOSITORY

LIBRARY = Path(__file__).parent / "library"
pytestmark = [pytest.mark.slow, pytest.mark.compiles]

PROGRAM = Path(__file__).parent / "programs" / "chapter_six.py"


def test_chapter_six(tmp_path: Path) -> None:
    command = [sys.executable, str(PROGRAM), str(LIBRARY), str(tmp_path)]
    environment = {**os.environ, "MUSA_BUILD_SIMULATOR": "1", "PYTHONPATH": str(REPOSITORY / "backend" / "codegen")}
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout[-3000:] + ended.stderr[-6000:]
    assert "all examples agree with the CPU" in ended.stdout
