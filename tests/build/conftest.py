"""Fixtures of the tests that build projects."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from demo_project import BINDINGS, COMMON, KERNEL, Project


@pytest.fixture
def build_environment(sim_sdk_root: Path) -> dict[str, str]:
    """The environment of a build for the simulated SDK, without what the developer's own shell may set."""
    unwanted = ("MUSA_", "TORCH_", "CXX", "CC", "CFLAGS", "CXXFLAGS", "MAX_JOBS", "PYTORCH_MCC")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(unwanted)}
    return {
        **kept,
        "MUSA_HOME": str(sim_sdk_root),
        "TORCH_MUSA_ARCH_LIST": "22",
        "TORCH_NO_COMPILER_WRAPPER": "1",
        # a build needs torch's files, not its devices
        "TORCH_DEVICE_BACKEND_AUTOLOAD": "0",
        "MAX_JOBS": "2",
    }


@pytest.fixture
def make_project(build_environment: dict[str, str]) -> Callable[[Path], Project]:
    """Makes the demo project in a folder."""

    def make(root: Path) -> Project:
        project = Project(root, build_environment)
        project.write("csrc/bindings.cpp", BINDINGS)
        project.write("csrc/kernel.mu", KERNEL)
        project.write("include/common.h", COMMON)
        project.configure()
        return project

    return make


@pytest.fixture
def project(make_project: Callable[[Path], Project], tmp_path: Path) -> Project:
    """The demo project: an extension `demo` of csrc/bindings.cpp and csrc/kernel.mu."""
    return make_project(tmp_path / "project")
