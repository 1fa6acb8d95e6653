"""An unchanged CUDA project with Meson's own support of CUDA, and with autoconf and automake."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import sdists

pytestmark = [pytest.mark.compiles, pytest.mark.slow]
Run = Callable[..., "subprocess.CompletedProcess[str]"]
PROJECT = Path(__file__).parents[1] / "packages" / "cuda_other_builds"


def test_meson(run: Run, tmp_path: Path) -> None:
    try:
        folder = sdists.installed_package("meson", "1.9.1")
    except sdists.Unavailable as error:
        pytest.skip(str(error))
    meson = (sys.executable, "-m", "mesonbuild.mesonmain")
    source = shutil.copytree(PROJECT, tmp_path / "my project")
    run(*meson, "setup", tmp_path / "build", source, PYTHONPATH=str(folder))
    said = run(*meson, "test", "-C", tmp_path / "build", PYTHONPATH=str(folder)).stdout
    assert "Ok:                2" in said and "Fail:              0" in said, said


def test_autoconf_and_automake(run: Run, tmp_path: Path) -> None:
    if shutil.which("autoreconf") is None or shutil.which("automake") is None:
        pytest.skip("there is no autoreconf or automake here: apt install autoconf automake")
    source = shutil.copytree(PROJECT, tmp_path / "project")
    for command in (("autoreconf", "-fi"), ("./configure",)):
        run("env", "-C", source, *command)
    said = run("make", "-C", source, "check").stdout
    assert "# PASS:  1" in said and "# FAIL:  0" in said, said
