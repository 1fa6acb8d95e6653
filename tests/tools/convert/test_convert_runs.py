"""A training script for CUDA, converted, runs on the simulated device; so does torch_musa's name of the command."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from musa_tools.convert.command_line import main

pytestmark = pytest.mark.compiles  # `musa` is compiled code

PROGRAMS = Path(__file__).parent / "programs"


@pytest.mark.slow
def test_a_converted_script_runs(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    shutil.copyfile(PROGRAMS / "train_on_cuda.py", script)
    assert main(["-r", str(tmp_path), "-l", str(script), "--strict"]) == 0
    done = subprocess.run([sys.executable, script.name], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("musa:0 ") and done.stdout.endswith(" True\n")


@pytest.mark.slow
def test_torch_musas_name_of_the_command(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import torch\ntorch.cuda.synchronize()\n")
    command = [sys.executable, "-m", "torch_musa.utils.musa_converter", "-r", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "Scripts conversion done!!!" in done.stderr, done.stderr
    assert (tmp_path / "a.py").read_text() == "import torch\ntorch.musa.synchronize()\n"
