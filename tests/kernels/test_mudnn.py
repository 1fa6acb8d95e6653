"""Products, convolutions and softmax of the kernel library, handed to muDNN.

The simulated muDNN sums in double precision and rounds once, which the kernels do not: so a result that is the exact
one, rounded, was made by muDNN.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
SOURCE = REPOSITORY / "backend/torch_musa/csrc/aten/mudnn/library/Functions.cpp"

PROGRAM = Path(__file__).parent / "programs" / "mudnn.py"


def test_work_is_handed_to_mudnn(tmp_path: Path) -> None:
    # in a process of its own: what is handed over stays so
    environment = {**os.environ, "MUSA_BUILD_SIMULATOR": "1", "MUSA_FALLBACK": "error"}
    command = [sys.executable, str(PROGRAM), str(tmp_path), str(SOURCE)]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout[-3000:] + ended.stderr[-6000:]
    assert "muDNN agrees with the CPU" in ended.stdout
