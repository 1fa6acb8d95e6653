"""The CUDA that a setup.py sees: answers of PyTorch and environment variables, as far as the level goes (levels.py).

PyTorch gives these answers only until the extensions are compiled. The variables stay for the whole build.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType, SimpleNamespace

from ..porting.engine.announced_cuda import DEFAULT_EMULATED_CUDA
from .levels import Level
from .patches import Patches
from .quirks import PackageQuirks

# The nvcc in it prints the version in this environment variable.
CUDA_HOME = Path(__file__).parent / "cuda_home"
_NVCC_VERSION = "MUSA_BUILD_NVCC_VERSION"
# A device of an architecture that DEFAULT_EMULATED_CUDA compiles for, and the NCCL whose functions MCCL has.
_CAPABILITY = (8, 0)
_PROPERTIES = SimpleNamespace(name="the CUDA of FORCE_MUSA=1", major=_CAPABILITY[0], minor=_CAPABILITY[1])
_NCCL_VERSION = (2, 16, 2)


class CudaFacade:
    """The answers of PyTorch at one level. Levels below AVAILABLE change none."""

    def __init__(self, level: Level) -> None:
        self.level = level
        self._patches = Patches()

    def install(self, torch: ModuleType) -> None:
        """Replace the answers of `torch`."""
        if self.level >= Level.AVAILABLE:
            self._patches.replace(torch.cuda, "is_available", lambda: True)
            # A setup.py asks next for one device, of an architecture that the toolkit's version knows.
            self._patches.replace(torch.cuda, "device_count", lambda: 1)
            self._patches.replace(torch.cuda, "current_device", lambda: 0)
            self._patches.replace(torch.cuda, "get_device_capability", lambda device=None: _CAPABILITY)
            self._patches.replace(torch.cuda, "get_device_properties", lambda device=None: _PROPERTIES)
        if self.level >= Level.VERSION:
            self._patches.replace(torch.version, "cuda", DEFAULT_EMULATED_CUDA)
            self._patches.replace(torch.backends.cuda, "is_built", lambda: True)
            # Its old name, which PyTorch answers with the original function.
            self._patches.replace_item(vars(torch), "has_cuda", True)
            self._patches.replace(torch.cuda.nccl, "version", lambda: _NCCL_VERSION)

    def install_toolkit(self, tools: ModuleType) -> None:
        """Set CUDA_HOME in torch.utils.cpp_extension: a PyTorch for the CPU ignores the environment variable."""
        if self.level >= Level.TOOLKIT:
            self._patches.replace(tools, "CUDA_HOME", str(CUDA_HOME))

    def install_cmake_package(self, torch: ModuleType, folder: str) -> None:
        """Have PyTorch name the CMake package in `folder`: a project may give its answer to CMake as Torch_DIR."""
        path = Path(folder)
        if path.name == "Torch":  # the answer is the folder above
            self._patches.replace(torch.utils, "cmake_prefix_path", str(path.parent))

    def uninstall(self) -> None:
        """Put PyTorch's own answers back. Calling it again has no effect."""
        self._patches.undo()


def build_variables(
    level: Level, quirks: PackageQuirks, script: Path, environment: Mapping[str, str]
) -> dict[str, str]:
    """Return the variables to set for a build of the setup.py `script`. The user's own in `environment` stay.

    Only the toolkit's variables replace the user's.
    """
    defaults = {"FORCE_CUDA": "1"} if level >= Level.FORCE_CUDA else {}
    defaults.update(dict.fromkeys(_force_build_variables(script), "TRUE"))
    defaults.update(quirks.environment)
    variables = {name: value for name, value in defaults.items() if name not in environment}
    if level >= Level.TOOLKIT:
        variables["CUDA_HOME"] = str(CUDA_HOME)
        variables[_NVCC_VERSION] = DEFAULT_EMULATED_CUDA
        variables["PATH"] = os.pathsep.join([str(CUDA_HOME / "bin"), environment.get("PATH", os.defpath)])
    return variables


def _force_build_variables(script: Path) -> set[str]:
    """Return the variables in a setup.py that make it compile instead of downloading a wheel for CUDA."""
    try:
        return set(re.findall(r"\b[A-Z][A-Z0-9_]*_FORCE_BUILD\b", script.read_text(encoding="utf-8", errors="replace")))
    except OSError:
        return set()
