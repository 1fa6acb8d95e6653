"""Running `musa-build verify` as a person does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from verify_runs import Verified, Verify


@pytest.fixture
def verify(sim_sdk_root: Path, tmp_path: Path) -> Verify:
    """Run the command with an SDK; by default the simulated one."""

    def run(*options: str, sdk: Path = sim_sdk_root) -> Verified:
        folder = tmp_path / "report"
        clean = {name: value for name, value in os.environ.items() if not name.startswith("MUSA_")}
        environment = {**clean, "MUSA_HOME": str(sdk)}
        command = [sys.executable, "-m", "musa_build", "verify", "--out", str(folder), *options]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=1500)
        return Verified(done.returncode, done.stdout + done.stderr, folder)

    return run
