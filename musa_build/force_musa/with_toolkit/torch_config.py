"""PyTorch's CMake package for MUSA, under the names of CUDA.

The TorchConfig.cmake of a PyTorch for the CPU leaves CUDA out. Ours includes it, and then PyTorch's own cuda.cmake,
which takes our toolkit for NVIDIA's. It adds torch_musa's headers and libraries as those of CUDA.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from ...environment.sdk import MusaSdk
from ...environment.torch_info import TorchInfo, TorchMusa, musa_include_dirs
from ...system import files
from ...toolchain.compile_flags import OLDER_CXX_FLAGS

_TEMPLATE = Path(__file__).with_name("TorchConfig.cmake.in")
# The architecture for which PyTorch's CMake code would ask a card. nvcc compiles for MUSA's, whatever it is.
_CUDA_ARCHITECTURE = "8.0"


def variables(folder: Path, sdk: MusaSdk, environment: Mapping[str, str]) -> dict[str, str]:
    """Write PyTorch's CMake package for MUSA to `folder`. Return the variables by which CMake finds it."""
    torch_info, torch_musa = TorchInfo.find(), TorchMusa.find()
    assert torch_musa is not None  # torch_project.require looked for it
    own = torch_info.include_dirs[0].parent / "share" / "cmake" / "Torch"
    libraries = [f"{torch_musa.library_dir}/lib{name}.so" for name in torch_musa.libraries]
    values = {
        "TORCH_CMAKE": str(own),
        "INCLUDE_DIRS": _cmake_list([OLDER_CXX_FLAGS[-1], *musa_include_dirs(torch_info, torch_musa, sdk)]),
        "MUSA_LIBRARIES": _cmake_list([*libraries, sdk.runtime_library]),
        "CXX_STANDARD": torch_info.cxx_floor.removeprefix("c++"),
    }
    text = _TEMPLATE.read_text(encoding="utf-8")
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    files.write_if_changed(folder / "TorchConfig.cmake", text)
    version = f'include("{own}/TorchConfigVersion.cmake")\n'
    files.write_if_changed(folder / "TorchConfigVersion.cmake", version)
    found = {"Torch_ROOT": str(folder), "Torch_DIR": str(folder)}
    defaults = {"TORCH_CUDA_ARCH_LIST": _CUDA_ARCHITECTURE, "TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}
    return found | {name: value for name, value in defaults.items() if name not in environment}


def _cmake_list(paths: Iterable[object]) -> str:
    return ";".join(map(str, paths))
