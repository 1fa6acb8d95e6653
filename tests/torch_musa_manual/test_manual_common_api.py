"""The manual's variables of the environment (5.1), and its example programs 5.2 (common API) and 5.5 (mixed precision),
with their lost indentation put back. The programs are in programs/.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., str]
PROGRAMS, CHECKS = Path(__file__).parent / "programs", Path(__file__).parent / "checks"

VARIABLES = {
    "TORCH_SHOW_CPP_STACKTRACES": "1",
    "MUDNN_LOG_LEVEL": "INFO",
    "MUSA_VISIBLE_DEVICES": "0,1,2,3",
    "MUSA_LAUNCH_BLOCKING": "1",
}


def test_environment_variables(run: Run) -> None:
    run(str(CHECKS / "check_variables.py"), MUSA_SIM_DEVICES="6", **VARIABLES)


@pytest.mark.parametrize("devices", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_common_api(devices: int, run: Run, tmp_path: Path) -> None:
    shutil.copy(PROGRAMS / "common_api.py", tmp_path)
    run(str(CHECKS / "check_common_api.py"), str(devices), MUSA_SIM_DEVICES=str(devices))


@pytest.mark.slow
def test_mixed_precision(run: Run, tmp_path: Path) -> None:
    shutil.copy(PROGRAMS / "mixed_precision.py", tmp_path)
    run(str(CHECKS / "check_mixed_precision.py"))
