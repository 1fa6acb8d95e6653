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
# ask for their CUDA extensions only when they are told of a toolkit, inplace-abn and mamba-ssm only when PyTorch seems
# to be built with CUDA. monai asks for none: it compiles when it is used.
PACKAGES = {
    "torch-discounted-cumsum==1.1.0": "check_discounted_cumsum.py",
    "torch-scatter==2.1.2": "check_torch_scatter.py",
    "pytorch-fast-transformers==0.4.0": "check_fast_transformers.py",
    "causal-conv1d==1.7.0": "check_causal_conv1d.py",
    "torch-harmonics==0.8.0": "check_torch_harmonics.py",
    "nerfacc==0.5.3": "check_nerfacc.py",
    "spatial-correlation-sampler==0.5.0": "check_spatial_correlation.py",
    "inplace-abn==1.1.0": "check_inplace_abn.py",
    "monai==1.6.1": "check_monai.py",
    "torch-points-kernels==0.7.0": "check_points_kernels.py",
    "torch-sparse==0.6.18": "check_torch_sparse.py",
    "mamba-ssm==2.3.2.post1": "check_mamba.py",
}
# What it imports of the others.
FORCED_DEPENDENCIES = {"torch-sparse==0.6.18": ["torch-scatter==2.1.2"]}
# What a package's Python imports besides PyTorch.
DEPENDENCIES = {"nerfacc==0.5.3": ["rich"], "torch-points-kernels==0.7.0": ["numba"]}
# What its setup.py imports: --no-build-isolation leaves that to the user.
BUILD_REQUIREMENTS = {
    "inplace-abn==1.1.0": ["setuptools_scm", "vcs-versioning"],
    "monai==1.6.1": ["versioneer"],
}
# Kernels that are right with 32 lanes only, and what is said with 128. Two shuffle with all lanes of a warp in a branch
# that 32 threads take: with more lanes they wait forever. torch-sparse's products take each warp for a row of 32.
WRITTEN_FOR_32 = {
    "inplace-abn==1.1.0": "this kernel may be written for 32",
    "monai==1.6.1": "this kernel may be written for 32",
    "torch-sparse==0.6.18": "Tensor-likes are not close",
}
PIP = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--upgrade"]


@pytest.fixture(scope="session")
def installed(sim_sdk_root: Path) -> Callable[[str], Path]:
    """pip-install a requirement from the index, from source: the folder to import it from. Its objects are kept."""
    done: dict[str, Path] = {}

    def install(requirement: str) -> Path:
        if requirement not in done:
            place = CACHE / "forced" / requirement
            for each in (requirement, *FORCED_DEPENDENCIES.get(requirement, ())):
                force_install(each, place, sim_sdk_root)
            if requirement in DEPENDENCIES:
                subprocess.run([*PIP, "--target", str(place), *DEPENDENCIES[requirement]], check=True)
            done[requirement] = place
        return done[requirement]

    return install


def force_install(requirement: str, place: Path, sdk: Path) -> None:
    """Install for MUSA, with MUSA_HOME, and not the tests' own MUSA_BUILD_SIMULATOR: as with Moore Threads' SDK."""
    environment = {**os.environ, "FORCE_MUSA": "1", "MUSA_HOME": str(sdk), "TORCH_MUSA_ARCH_LIST": "22"}
    environment.pop("MUSA_BUILD_SIMULATOR", None)
    if requirement in BUILD_REQUIREMENTS:
        tools = CACHE / "build-requirements" / requirement
        subprocess.run([*PIP, "--no-deps", "--target", str(tools), *BUILD_REQUIREMENTS[requirement]], check=True)
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(tools), environment.get("PYTHONPATH")]))
    command = [*PIP, "--no-build-isolation", "--no-deps", "--target", str(place), requirement]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if "(from versions: none)" in ended.stderr:  # a release that is gone is a failure: others would be listed
        pytest.skip(f"{requirement} cannot be downloaded: the package index cannot be reached")
    assert ended.returncode == 0, ended.stdout[-4000:] + ended.stderr[-4000:]


@pytest.mark.parametrize("warp", [32, 128])
@pytest.mark.parametrize(("requirement", "script"), PACKAGES.items())
def test_unmodified(installed: Callable[[str], Path], check: Check, requirement: str, script: str, warp: int) -> None:
    switch = {"FORCE_MUSA": "1"}  # for those that compile when they are used
    if warp == 128 and requirement in WRITTEN_FOR_32:
        with pytest.raises(AssertionError, match=WRITTEN_FOR_32[requirement]):
            check(script, installed(requirement), warp, switch)
    else:
        check(script, installed(requirement), warp, switch)
