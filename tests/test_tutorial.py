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


@pytest.mark.slow
@pytest.mark.compiles
def test_the_setup_script_for_both(
    tmp_path: Path, sim_sdk_root: Path, fresh_environment: Callable[..., Mapping[str, str]]
) -> None:
    """Build the tutorial's kernel by the setup.py of docs/from-cuda-extension.md."""
    page = (ROOT / "docs" / "from-cuda-extension.md").read_text(encoding="utf-8")
    (script,) = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    tutorial = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
    files = dict(re.findall(r"^cat > (\S+) <<'END'\n(.*?)^END$", tutorial, re.MULTILINE | re.DOTALL))
    (tmp_path / "csrc").mkdir()
    (tmp_path / "setup.py").write_text(script, encoding="utf-8")
    kernel = files["histogram.cu"].replace("= 0;\n", "= 0;\n  __syncthreads();\n")  # as the tutorial mends it
    assert kernel != files["histogram.cu"]
    (tmp_path / "csrc" / "kernels.cu").write_text(kernel, encoding="utf-8")
    (tmp_path / "csrc" / "bindings.cpp").write_text(files["bindings.cpp"], encoding="utf-8")
    environment = fresh_environment(MUSA_BUILD_SIMULATOR="1")
    use = "import torch, torch_musa, my_ops._C as ops; print(ops.histogram(torch.zeros(9).int().to('musa'))[0].item())"
    for command in (["pip", "install", "--no-build-isolation", "--no-deps", "."], ["python", "-c", use]):
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.split()[-1] == "9"
