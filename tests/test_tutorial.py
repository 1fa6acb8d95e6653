"""The tutorial's commands, run to their end in the order of the page, in a new environment with the built wheel."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```(sh|sh fails)\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.slow
@pytest.mark.compiles
def test_the_tutorial(tmp_path: Path, sim_sdk_root: Path, fresh_environment: Callable[..., Mapping[str, str]]) -> None:
    blocks = BLOCK.findall((ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8"))
    # the first block installs musa-build, which the new environment has, and PyTorch, which is the tests' own
    assert "pip install" in blocks[0][1] and "mkdir histogram" in blocks[1][1]
    environment = fresh_environment(MUSA_BUILD_SIMULATOR="1", FORCE_MUSA="1")
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
