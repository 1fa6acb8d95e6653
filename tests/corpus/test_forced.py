"""The same packages by `FORCE_MUSA=1 pip install`: their own setup.py, and nothing of ours between."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from sdists import CACHE

from .conftest import Check

pytestmark = pytest.mark.whole_corpus

# Nothing is told about any of them but a name: no level, no rule. fast-transformers, causal-conv1d and torch-harmonics
# ask for their CUDA extensions only when they are told of a toolkit.
PACKAGES = {
    "torch-discounted-cumsum==1.1.0": "check_discounted_cumsum.py",
    "torch-scatter==2.1.2": "check_torch_scatter.py",
    "pytorch-fast-transformers==0.4.0": "check_fast_transformers.py",
    "causal-conv1d==1.7.0": "check_causal_conv1d.py",
    "torch-harmonics==0.8.0": "check_torch_harmonics.py",
    "nerfacc==0.5.3": "check_nerfacc.py",
}
# What a package's Python imports besides PyTorch.
DEPENDENCIES = {"nerfacc==0.5.3": ["rich"]}


@pytest.fixture(scope="session")
def installed(sim_sdk_root: Path) -> Callable[[str], Path]:
    """pip-install a requirement from the index, from source: the folder to import it from. Its objects are kept."""
    done: dict[str, Path] = {}

    def install(requirement: str) -> Path:
        if requirement not in done:
            place = CACHE / "forced" / requirement
            command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            command += ["--no-build-isolation", "--no-deps"]
            command += ["--upgrade", "--target", str(place), requirement]
            # MUSA_HOME, and not the tests' own MUSA_BUILD_SIMULATOR: as with Moore Threads' SDK.
            environment = {
                **os.environ,
                "FORCE_MUSA": "1",
                "MUSA_HOME": str(sim_sdk_root),
                "TORCH_MUSA_ARCH_LIST": "22",
            }
            environment.pop("MUSA_BUILD_SIMULATOR", None)
            ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
            if "(from versions: none)" in ended.stderr:  # a release that is gone is a failure: others would be listed
                pytest.skip(f"{requirement} cannot be downloaded: the package index cannot be reached")
            assert ended.returncode == 0, ended.stdout[-4000:] + ended.stderr[-4000:]
            if requirement in DEPENDENCIES:
                command = [sys.executable, "-m", "pip", "install", "--quiet", "--upgrade", "--target", str(place)]
                subprocess.run([*command, *DEPENDENCIES[requirement]], check=True)
            done[requirement] = place
        return done[requirement]

    return install


@pytest.mark.parametrize("warp", [32, 128])
@pytest.mark.parametrize(("requirement", "script"), PACKAGES.items())
def test_unmodified(installed: Callable[[str], Path], check: Check, requirement: str, script: str, warp: int) -> None:
    check(script, installed(requirement), warp)
