"""Fixtures for building packages with FORCE_MUSA=1 and nothing else."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest
from forcing import Project

PACKAGES = Path(__file__).parent.parent / "packages"
HOOK = Path(sysconfig.get_path("purelib")) / "musa_build_force.pth"


@pytest.fixture(scope="session")
def hook() -> Path:
    """The start-up hook, as an install of musa-build put it there."""
    if not HOOK.exists():
        pytest.fail(f"{HOOK} is missing: install this checkout again (make env)", pytrace=False)
    return HOOK


@pytest.fixture(scope="session")
def force_environment(sim_sdk_root: Path, hook: Path) -> dict[str, str]:
    """FORCE_MUSA=1 and an SDK; nothing of what the tests' own environment may have set."""
    unwanted = ("MUSA_", "TORCH_", "CUDA", "FORCE_", "CC", "CXX", "MAX_JOBS", "PIP_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(unwanted)}
    return {
        **kept,
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), "/usr/local/bin", "/usr/bin", "/bin"]),
        "FORCE_MUSA": "1",
        "MUSA_HOME": str(sim_sdk_root),
        "TORCH_MUSA_ARCH_LIST": "22",
        "MUSA_BUILD_LAUNCHER": "none",
    }


@pytest.fixture(scope="session")
def new_project(
    force_environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Project]:
    """Copies a package of tests/packages; or an empty folder for the name ""."""

    def make(name: str) -> Project:
        root = tmp_path_factory.mktemp("force")
        folder = root / "package"
        if name:
            shutil.copytree(PACKAGES / name, folder)
        else:
            folder.mkdir()
        # Builds in temporary folders keep their objects in the user's cache: here, in the test's own.
        return Project(folder, {**force_environment, "XDG_CACHE_HOME": str(root / "cache")})

    return make
