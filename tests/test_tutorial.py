"""The tutorial's commands, run to their end in the order of the page."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```(sh|sh fails)\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.slow
@pytest.mark.compiles
def test_the_tutorial(tmp_path: Path, sim_sdk_root: Path) -> None:
    blocks = BLOCK.findall((ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8"))
    # what is installed is that of the tests' own environment
    assert "pip install" in blocks[0][1] and "mkdir histogram" in blocks[1][1]
    site = tmp_path / "site"
    environment = {
        **os.environ,
        "MUSA_BUILD_SIMULATOR": "1",
        "FORCE_MUSA": "1",
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PIP_TARGET": str(site),
        "PIP_UPGRADE": "1",  # or pip would leave what an earlier step installed there
        "PYTHONPATH": str(site),
        "MAX_JOBS": "2",
    }
    said = []
    for number, (kind, commands) in enumerate(blocks[1:]):
        folder = tmp_path if number == 0 else tmp_path / "histogram"
        done = subprocess.run(
            ["bash", "-ec", commands], cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        said.append(done.stdout + done.stderr)
        assert (done.returncode != 0) == (kind == "sh fails"), f"{commands}\n{said[-1]}"
    found = [text for text in said if "[musa-sim] race: " in text]
    assert len(found) == 1 and "histogram.mu" in found[0] and "1 failed" in found[0]
    project = tmp_path / "histogram"
    assert "The checks found nothing." in (project / "findings.html").read_text(encoding="utf-8")
    assert [path.name.split("-")[0] for path in (project / "dist").glob("*.whl")] == ["histogram"]
    workflow = yaml.safe_load((project / ".github/workflows/test.yml").read_text(encoding="utf-8"))
    assert workflow["jobs"]["test"]["env"] == {"MUSA_BUILD_SIMULATOR": "1", "FORCE_MUSA": "1"}
