"""Fixtures of the tests of torch_musa, the `musa` device. They need the backend to be installed (`make env`)."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest
import torch

from musa_build.system.files import write_if_changed
from musa_build.system.process import locked

from .warm_python import WarmPython

HERE = Path(__file__).parent
IS_OLDER_TORCH = torch.__version__ < (2, 13)
"""backend/README.md says what is missing then."""
needs_2_13 = pytest.mark.skipif(IS_OLDER_TORCH, reason="what it tests is there with PyTorch 2.13 or newer")
PROBE = HERE / "extension"


def pytest_ignore_collect(config: pytest.Config) -> bool | None:
    """Modules here use torch_musa when they are imported. Runs without compiled code do without it; others fail."""
    left_out = "not compiles" in config.getoption("markexpr") and importlib.util.find_spec("torch_musa") is None
    return True if left_out else None


@pytest.fixture(scope="session", autouse=True)
def backend() -> None:
    """Fail, not skip, if torch_musa is missing: these tests are what says that it works."""
    import torch_musa  # noqa: F401


@pytest.fixture(autouse=True)
def fixed_seed() -> Iterator[None]:
    """Random data that is the same in every run."""
    torch.manual_seed(2026)
    yield


#: Scripts of these tests, for `run_python`.
PROGRAMS = Path(__file__).parent / "programs"


class RunPython(Protocol):
    """Runs a script, its code or its file, in a Python of its own: `run_python(code, MUSA_SIM_DEVICES="2")`."""

    def __call__(self, code: str | Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]: ...


def text_of(code: str | Path) -> str:
    return code if isinstance(code, str) else code.read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def warm_python() -> Iterator[WarmPython]:
    python = WarmPython()
    yield python
    python.close()


@pytest.fixture
def run_python(tmp_path: Path, warm_python: WarmPython) -> RunPython:
    """Run code in another process, for tests of other devices, other environments, and crashes.

    It begins with torch imported. `run_new_python` is for tests of that import itself.
    """

    def run(code: str | Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return warm_python.run(text_of(code), arguments, tmp_path, {**os.environ, **environment})

    return run


@pytest.fixture
def run_new_python(tmp_path: Path) -> RunPython:
    """Run code in a Python that starts with nothing imported."""

    def run(code: str | Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", text_of(code), *arguments],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={**os.environ, **environment},
            timeout=300,
            check=False,
        )

    return run


class BuildKept(Protocol):
    """Builds the extension of a folder of these tests by its setup.py: the library."""

    def __call__(self, folder: Path, *files: str) -> Path: ...


@pytest.fixture(scope="session")
def build_kept(sim_sdk_root: Path, request: pytest.FixtureRequest) -> BuildKept:
    """`files` of a folder, copied and built in place; kept between runs, so that only changes are compiled."""
    cache = request.config.cache
    assert cache is not None

    def build(folder: Path, *files: str) -> Path:
        project = Path(cache.mkdir(folder.name))
        with locked(project / "lock"):  # the processes of one run share it
            for name in files:
                write_if_changed(project / name, (folder / name).read_bytes())
            done = subprocess.run(
                [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"],
                cwd=project,
                env={**os.environ, "MUSA_HOME": str(sim_sdk_root), "TORCH_MUSA_ARCH_LIST": "22"},
                capture_output=True,
                text=True,
                check=False,
            )
        assert done.returncode == 0, done.stdout + done.stderr
        (library,) = project.glob("*.so")
        return library

    return build


@pytest.fixture(scope="session")
def probe_library(build_kept: BuildKept) -> Path:
    """The extension in extension/, built with mcc and g++."""
    return build_kept(PROBE, *(source.name for source in PROBE.iterdir() if source.is_file()))


@pytest.fixture(scope="session")
def probe(probe_library: Path) -> Any:
    """The extension's operators."""
    torch.ops.load_library(str(probe_library))
    return torch.ops.musa_probe
