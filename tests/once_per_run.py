"""Results that all processes of one test run share: the first that asks makes them, the others wait for it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from musa_build.system.process import locked

OncePerRun = Callable[[str, Callable[[Path], None]], Path]


@pytest.fixture(scope="session")
def once_per_run(tmp_path_factory: pytest.TempPathFactory) -> OncePerRun:
    """Return a folder of this run that a function fills, once for all processes that pytest-xdist starts."""
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own

    def make(name: str, fill: Callable[[Path], None]) -> Path:
        folder, done = shared / f"shared-{name}", shared / f"shared-{name}.done"
        with locked(shared / f"shared-{name}.lock"):
            if not done.exists():
                folder.mkdir()
                fill(folder)
                done.touch()
        return folder

    return make
