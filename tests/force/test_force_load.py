"""torch.utils.cpp_extension.load and load_inline of CUDA sources, in a program that runs with FORCE_MUSA=1."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from forcing import Project, contents

PROGRAM = Path(__file__).parent / "programs/loads.py"


@pytest.mark.compiles
def test_load_ports_and_runs(new_project: Callable[[str], Project]) -> None:
    project = new_project("affine_cuda")
    (project.folder / "more headers").mkdir()
    (project.folder / "csrc" / "offset.cuh").rename(project.folder / "more headers" / "offset.cuh")
    before = contents(project.folder)
    outcome = project.run("-c", PROGRAM.read_text(encoding="utf-8"))
    assert outcome.returncode == 0, outcome.output
    assert "[1.0, 3.0, 5.0, 7.0, 9.0] ('two words', 7)" in outcome.output
    assert "[libmurand.so" in outcome.output and "$ORIGIN/more libraries" in outcome.output
    assert "[3.0, 5.0, 7.0, 9.0, 11.0]" in outcome.output
    assert contents(project.folder) == before
