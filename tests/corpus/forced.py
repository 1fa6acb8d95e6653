"""The packages that pip installs by FORCE_MUSA=1 alone, what they need besides, and the command."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from sdists import CACHE

# Each is given by name alone: no level, no rule. fast-transformers, causal-conv1d and torch-harmonics ask for their
# CUDA extensions only when they find a toolkit, inplace-abn and mamba-ssm only when PyTorch seems to be built with
# CUDA. monai asks for none: it compiles when it is used.
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
# Of the packages of wall.tsv (docs/wall.md), those with a comparison.
WALL = {
    "gsplat==1.5.3": "check_gsplat.py",
    "rwkv==0.8.32": "check_rwkv.py",
    "dbscan-torch==0.2.0": "check_dbscan.py",
    "warp-rnnt==0.7.0": "check_warp_rnnt.py",
    "torch-ms-deform-attn==0.1.1": "check_ms_deform_attn.py",
    "fpscan==0.1.2": "check_fpscan.py",
    "fused-lncc==0.1.0": "check_fused_lncc.py",
    "cuda-rankic==0.1.2": "check_cuda_rankic.py",
    "bmtrain==1.0.1": "check_bmtrain.py",
    "orionvis==1.1.3": "check_orionvis.py",
    "torch-spline-conv==1.2.2": "check_spline_conv.py",
    "clic-inference-extensions==0.1.0.post2": "check_clic.py",
    "cugpt==0.1.0": "check_cugpt.py",
    "cuda-kernels==0.2.0": "check_cuda_kernels.py",
    "ramnet-ops==0.1.0rc2": "check_ramnet_ops.py",
    "adafactor8bit==0.4.6": "check_adafactor8bit.py",
    "frame-analytics==0.7.0": "check_frame_analytics.py",
    "gimbal-engine==2.1.2": "check_gimbal.py",
    "dynquant-kernels==0.5.3": "check_dynquant.py",
    "torchcompactradius==0.5.5": "check_compact_radius.py",
    "eden-simple-knn==0.1.0a1": "check_simple_knn.py",
}
SCRIPTS = {**PACKAGES, **WALL}
# Packages among these that a package imports.
FORCED_DEPENDENCIES = {"torch-sparse==0.6.18": ["torch-scatter==2.1.2"]}
# Packages that a package's Python imports besides PyTorch.
DEPENDENCIES = {
    "nerfacc==0.5.3": ["rich"],
    "torch-points-kernels==0.7.0": ["numba"],
    "warp-rnnt==0.7.0": ["setuptools<81"],
    "ramnet-ops==0.1.0rc2": ["einops"],
    "torchcompactradius==0.5.5": ["scipy"],
}
# Packages that its setup.py imports: --no-build-isolation leaves their installation to the user.
BUILD_REQUIREMENTS = {
    "inplace-abn==1.1.0": ["setuptools_scm", "vcs-versioning"],
    "monai==1.6.1": ["versioneer"],
    "flash-attn==2.8.3": ["psutil"],
    "torchcompactradius==0.5.5": ["toml"],
}
# Packages of which a part is built: the whole would take hours. flash-attn has 72 sources, each with up to 70 kernels:
# these are heads of 64 elements in float16, without dropout, ALiBi and softcap.
_FLASH_ATTN = "-DFLASHATTENTION_DISABLE_DROPOUT -DFLASHATTENTION_DISABLE_ALIBI -DFLASHATTENTION_DISABLE_SOFTCAP"
BUILD_VARIABLES = {
    "flash-attn==2.8.3": {
        "MUSA_BUILD_ONLY": "flash_fwd_hdim64_fp16* flash_bwd_hdim64_fp16*",
        "CFLAGS": _FLASH_ATTN,
        "NVCC_APPEND_FLAGS": _FLASH_ATTN,
        # the kernel of its backward pass asks for more shared memory than a block of mp_22 has
        "TORCH_MUSA_ARCH_LIST": "31",
    },
}
# Kernels that are right with 32 lanes only, and what is said with 128. Three shuffle with all lanes of a warp in a
# branch that 32 threads take: with more lanes they wait forever. torch-sparse's products take a warp for a row of 32.
WRITTEN_FOR_32 = {
    "inplace-abn==1.1.0": "this kernel may be written for 32",
    "monai==1.6.1": "this kernel may be written for 32",
    "fpscan==0.1.2": "this kernel may be written for 32",
    "adafactor8bit==0.4.6": "this kernel may be written for 32",
    "torch-sparse==0.6.18": "Tensor-likes are not close",
}
PIP = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--upgrade"]
CHECK_VARIABLES = {"FORCE_MUSA": "1"}  # for packages that compile when they are used


HERE = Path(__file__).parent


class Unreachable(Exception):
    """The package index cannot be reached."""


def install(requirement: str, folder: Path, sdk: Path) -> None:
    """Install a package and its imports into `folder`.

    Raises:
        Unreachable: There is no network.
        AssertionError: pip failed; with the end of what it printed.
    """
    install_dependencies(requirement, folder, sdk)
    force_install(requirement, folder, sdk)


def install_dependencies(
    requirement: str, folder: Path, sdk: Path, variables: Mapping[str, str] = MappingProxyType({})
) -> None:
    """Install what a package imports. Raises what `install` raises."""
    for each in FORCED_DEPENDENCIES.get(requirement, ()):
        force_install(each, folder, sdk, variables)
    if requirement in DEPENDENCIES:
        subprocess.run([*PIP, "--target", str(folder), *DEPENDENCIES[requirement]], check=True)


def force_install(
    requirement: str, folder: Path, sdk: Path, variables: Mapping[str, str] = MappingProxyType({})
) -> None:
    """Install for MUSA, with MUSA_HOME, and not the tests' own MUSA_BUILD_SIMULATOR: as with Moore Threads' SDK."""
    environment = {**os.environ, "FORCE_MUSA": "1", "MUSA_HOME": str(sdk), "TORCH_MUSA_ARCH_LIST": "22"}
    environment.update({**BUILD_VARIABLES.get(requirement, {}), **variables})
    environment.pop("MUSA_BUILD_SIMULATOR", None)
    if requirement in BUILD_REQUIREMENTS:
        tools = CACHE / "build-requirements" / requirement
        subprocess.run([*PIP, "--no-deps", "--target", str(tools), *BUILD_REQUIREMENTS[requirement]], check=True)
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(tools), environment.get("PYTHONPATH")]))
    command = [*PIP, "--no-build-isolation", "--no-deps", "--target", str(folder), requirement]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if "(from versions: none)" in ended.stderr:  # a release that is gone is a failure: others would be listed
        raise Unreachable(f"{requirement} cannot be downloaded: the package index cannot be reached")
    assert ended.returncode == 0, ended.stdout[-4000:] + ended.stderr[-4000:]


def run_script(
    script: str, library: Path, warp: int, variables: Mapping[str, str], before: Sequence[str] = ()
) -> subprocess.CompletedProcess[str]:
    """Run one of the check_*.py scripts with what is installed in `library`. `before` is the start of the command."""
    path = os.pathsep.join([str(library), str(HERE)])
    environment = {**os.environ, "PYTHONPATH": path, "MUSA_SIM_WARP": str(warp), **variables}
    command = [*before, sys.executable, str(HERE / script)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=3600, check=False)
