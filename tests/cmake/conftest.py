"""Fixtures of the tests that run a real cmake."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from cmake_runner import CMake

PACKAGES = Path(__file__).parent.parent / "packages"


@pytest.fixture(scope="session")
def cmake_environment(sim_sdk_root: Path) -> dict[str, str]:
    unwanted = ("MUSA_", "TORCH_", "CXX", "CC", "CFLAGS", "CXXFLAGS", "CMAKE_", "MCC")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(unwanted)}
    # The Python that runs the tests is the one that has musa_build.
    path = os.pathsep.join([str(Path(sys.executable).parent), kept.get("PATH", "")])
    return {**kept, "PATH": path, "MUSA_HOME": str(sim_sdk_root), "TORCH_MUSA_ARCH_LIST": "22"}


@pytest.fixture(scope="session")
def cmake(cmake_program: str, cmake_environment: dict[str, str]) -> CMake:
    return CMake(cmake_program, cmake_environment)


@pytest.fixture
def sample(tmp_path: Path) -> Callable[[str], Path]:
    """Copies a package of tests/packages to a folder with an awkward name."""

    def copy(name: str) -> Path:
        return Path(shutil.copytree(PACKAGES / name, tmp_path / "my (odd) project" / name))

    return copy
