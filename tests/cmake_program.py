"""The CMake that the tests run."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def cmake_program() -> str:
    """Return the cmake beside the Python that runs the tests, or the one on the path; skip where there is none."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    program = shutil.which("cmake", path=path)
    if program is None:
        pytest.skip("there is no cmake; `pip install cmake` brings one")
    return program
