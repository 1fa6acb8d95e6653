"""A project whose build backend is scikit-build-core: it finds our CMake package through an entry point."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from cmake_runner import CMake

from musa_build import SimplePorting

pytest.importorskip("scikit_build_core", reason="scikit-build-core is not installed")


@pytest.mark.slow
def test_a_wheel_by_scikit_build_core(
    cmake: CMake, sample: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    root = sample("scikit_build")
    shutil.copytree(sample("affine_cuda") / "csrc", root / "csrc")
    monkeypatch.chdir(root)
    SimplePorting(cuda_dir_path="csrc").run()
    site = tmp_path / "site"
    options = ("--no-build-isolation", "--no-deps", "--no-index", "--target", str(site))
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", *options, "."],
        env=dict(cmake.environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert cmake.import_affine(site) == "none|0"
