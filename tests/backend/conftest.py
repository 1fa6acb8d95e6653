"""Fixtures of the tests of torch_musa, the `musa` device. They need the backend to be installed (`make env`)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import pytest
import torch

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The backend is compiled code: `make unit` runs without it."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.compiles)


@pytest.fixture(scope="session", autouse=True)
def backend() -> None:
    """Fail, not skip, if torch_musa is missing: these tests are what says that it works."""
    import torch_musa  # noqa: F401


@pytest.fixture(autouse=True)
def fixed_seed() -> Iterator[None]:
    """Random data that is the same in every run."""
    torch.manual_seed(2026)
    yield


class RunPython(Protocol):
    """Runs a script in a fresh Python: `run_python(code, MUSA_SIM_DEVICES="2")`."""

    def __call__(self, code: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]: ...


@pytest.fixture
def run_python(tmp_path: Path) -> RunPython:
    """Run code in another process, for tests of other devices, other environments, and crashes."""

    def run(code: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", code, *arguments],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={**os.environ, **environment},
            timeout=300,
            check=False,
        )

    return run
