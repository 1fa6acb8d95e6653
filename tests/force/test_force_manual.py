"""The way of Moore Threads' manual: a setup.py with a branch for FORCE_MUSA=1, its own porting and MUSAExtension.

The package has the shape of the manual's mmcv; the hook sees that it knows MUSA and stays out of its way.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from forcing import Project

PROGRAMS = Path(__file__).with_name("programs")
SETUP = (PROGRAMS / "setup_of_the_manual.py").read_text(encoding="utf-8")

RUN = (PROGRAMS / "runs_affine_of_the_manual.py").read_text(encoding="utf-8")


@pytest.mark.compiles
def test_the_manuals_way(new_project: Callable[[str], Project], tmp_path: Path) -> None:
    project = new_project("")
    source = Path(__file__).parent.parent / "packages" / "affine_cuda" / "csrc"
    csrc = project.folder / "demo" / "csrc"
    (csrc / "npu").mkdir(parents=True)
    (csrc / "npu" / "broken.cu").write_text("not for MUSA\n")
    shutil.copytree(source, csrc / "cuda")
    bindings = (csrc / "cuda" / "bindings.cpp").read_text()
    (csrc / "cuda" / "bindings.cpp").unlink()
    only_for_musa = '#ifdef DEMO_WITH_CUDA\n#define GREETING "ported"\n#endif\n'
    (csrc / "bindings.cpp").write_text(only_for_musa + bindings)
    (project.folder / "demo" / "__init__.py").write_text("")
    (project.folder / "setup.py").write_text(SETUP)
    site = tmp_path / "site"
    outcome = project.setup(
        "install", "--single-version-externally-managed", "--record", str(tmp_path / "record"),
        "--install-lib", str(site), ENABLE_COMPILE_FP64="1",
    )  # fmt: skip
    assert outcome.returncode == 0, outcome.output
    assert (project.folder / "demo" / "csrc_musa" / "cuda" / "affine.mu").exists()
    assert not (project.folder / "demo" / "csrc_musa" / "npu").exists()
    done = subprocess.run([sys.executable, "-c", RUN], cwd=site, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "[1.0, 3.0, 5.0, 7.0, 9.0] ('ported', 0)", done.stderr
