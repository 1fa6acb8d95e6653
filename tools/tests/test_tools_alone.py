"""The tools by themselves, on the CPU. The repository's tests/tools has the rest."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).with_name("programs")

COMMAND = ("-c", "from musa_tools.cli import main; main()")
MODEL = (PROGRAMS / "dumped_model.py").read_text(encoding="utf-8")


def run(*command: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}  # no other distribution takes part
    return subprocess.run(
        [sys.executable, *map(str, command)], env=environment, capture_output=True, text=True, check=False
    )


def test_the_operator_that_makes_nan_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    torch = pytest.importorskip("torch")
    from musa_tools.compare_tool import NanInfTracker

    with NanInfTracker():
        torch.log(torch.tensor([1.0, -1.0])) + 1
    shown = capsys.readouterr()
    assert "torch.ops.aten.log(forward) created NaN" in shown.out + shown.err


def test_two_runs_are_compared(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    (tmp_path / "model.py").write_text(MODEL, encoding="utf-8")
    for name in ("right", "again", "wrong"):
        done = run(tmp_path / "model.py", tmp_path / name, name)
        assert done.returncode == 0, done.stderr
    same = run(*COMMAND, "compare", tmp_path / "again", tmp_path / "right", "-o", tmp_path / "same")
    assert same.returncode == 0, same.stdout + same.stderr
    other = run(*COMMAND, "compare", tmp_path / "wrong", tmp_path / "right", "-o", tmp_path / "other")
    assert other.returncode == 1 and "linear.1" in other.stdout, other.stdout + other.stderr


def test_a_script_is_converted(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text('import torch\nx = torch.ones(3, device="cuda")\nx = x.cuda()\n', encoding="utf-8")
    done = run(*COMMAND, "convert", "-r", script)
    text = script.read_text(encoding="utf-8")
    assert done.returncode == 0, done.stderr
    assert 'device="musa"' in text and "x.musa()" in text
