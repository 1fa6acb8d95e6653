"""A CUDA toolkit on the simulated SDK, and the environment that selects it."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from musa_build.cuda_toolkit.root import toolkit_root
from musa_build.cuda_toolkit.variables import exported
from musa_build.environment.sdk import MusaSdk
from musa_build.environment.settings import Settings

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Unpack a wheel of the package index, `name==version`, and return its folder. Skips where it cannot be had."""

    def unpacked(requirement: str) -> Path:
        folder = tmp_path_factory.mktemp("wheel")
        command = [sys.executable, "-m", "pip", "download", requirement, "--no-deps", "--dest", str(folder)]
        if subprocess.run(command, capture_output=True, check=False).returncode:
            pytest.skip(f"no {requirement} from the package index")
        with zipfile.ZipFile(next(folder.glob("*.whl"))) as archive:
            archive.extractall(folder)
        return folder

    return unpacked


@pytest.fixture(scope="session")
def sdk(sim_sdk_root: Path) -> MusaSdk:
    return MusaSdk.find(Settings({"MUSA_HOME": str(sim_sdk_root)}, {}))


@pytest.fixture(scope="session")
def toolkit(sdk: MusaSdk) -> Path:
    return toolkit_root(sdk)


@pytest.fixture(scope="session")
def toolkit_environment(toolkit: Path, sdk: MusaSdk) -> Mapping[str, str]:
    unwanted = ("MUSA_", "TORCH_", "CXX", "CC", "CFLAGS", "CUDA", "CMAKE_", "LDFLAGS", "NVCC_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(unwanted)}
    return {**kept, **exported(toolkit, sdk.root, kept)}


@pytest.fixture
def run(toolkit_environment: Mapping[str, str], tmp_path: Path) -> Run:
    """Run a command in the test's folder with the toolkit; it must end with the given status."""

    def call(*command: object, status: int = 0, stdin: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [str(word) for word in command],
            cwd=tmp_path,
            env={**toolkit_environment, **variables},
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == status, f"{command}\n{done.stdout}{done.stderr}"
        return done

    return call
