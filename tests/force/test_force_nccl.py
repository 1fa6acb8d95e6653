"""A CUDA package that calls NCCL from C++, built with FORCE_MUSA=1 and nothing else, and run on four devices."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from forcing import Project

PROGRAMS = Path(__file__).with_name("programs")

RUN = (PROGRAMS / "sums_of_all_devices.py").read_text(encoding="utf-8")


@pytest.mark.compiles
def test_it_links_and_agrees(new_project: Callable[[str], Project]) -> None:
    project = new_project("nccl_cuda")
    outcome = project.setup("build_ext", "--inplace")
    assert outcome.returncode == 0, outcome.output
    environment = {**project.environment, "MUSA_SIM_DEVICES": "4", "MUSA_SIM_MCCL_TIMEOUT": "30"}
    command = [sys.executable, "-c", RUN]
    done = subprocess.run(
        command, cwd=project.folder, env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
