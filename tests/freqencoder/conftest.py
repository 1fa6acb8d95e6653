"""The example, built once for the simulated SDK."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from types import ModuleType

import pytest
from freqencoder_project import EXAMPLE, Project, copy_sources

from musa_build.system.process import locked


@pytest.fixture(scope="session")
def project(sim_sdk_root: Path, request: pytest.FixtureRequest) -> Project:
    """The example, built in place by setup_musa.py. It is kept between runs, so that only changes are compiled."""
    assert request.config.cache is not None
    folder = request.config.cache.mkdir("freqencoder")
    environment = {**os.environ, "MUSA_HOME": str(sim_sdk_root), "TORCH_MUSA_ARCH_LIST": "22"}
    environment.pop("PYTHONPATH", None)
    with locked(folder / "lock"):  # the processes of one run share it
        project = Project(copy_sources(EXAMPLE, folder / "project"), environment)
        project.run("setup_musa.py", "build_ext", "--inplace")
    return project


@pytest.fixture(scope="session")
def freqencoder(project: Project) -> ModuleType:
    """The package freqencoder, imported from the folder where it was built."""
    sys.path.insert(0, str(project.root))
    module = importlib.import_module("freqencoder")
    assert project.root in Path(str(module.__file__)).parents, "another freqencoder was imported before"
    return module
