"""The properties of torch, torch_musa and the SDK for the CMake package, as CMake code.

The CMake side decides nothing about torch: include order and libraries are those of builder/spec.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..builder.spec import extension_requirements
from ..environment.sdk import MusaSdk
from ..environment.settings import Settings
from ..environment.torch_info import TorchInfo, TorchMusa

CMAKE_DIR = Path(__file__).parent


def cmake_facts() -> str:
    """Return `set()` commands for MusaTorch.cmake. Raises TorchNotFoundError, SdkNotFoundError."""
    torch, torch_musa, sdk = TorchInfo.find(), TorchMusa.find(), MusaSdk.find(Settings.read())
    # Run paths depend on the package that a module is installed in. Only CMake knows it.
    requirements = extension_requirements("_C", torch, torch_musa, sdk, limited_api=False)
    variables: dict[str, Sequence[str]] = {
        "VERSION": [torch.version],
        "MUSA": [str(torch_musa.root) if torch_musa else "not installed"],
        "INCLUDE_DIRS": requirements.include_dirs,
        "LIBRARY_DIRS": requirements.library_dirs,
        "LIBRARIES": [library for library in requirements.libraries if library != "musart"],
        "DEFINITIONS": torch.definitions,
        "CXX_STANDARD": [torch.cxx_floor.replace("c++", "")],
    }
    return "\n".join(f"set(MUSA_TORCH_{name} {' '.join(map(quoted, values))})" for name, values in variables.items())


def quoted(text: str) -> str:
    """Return `text` as one quoted argument of CMake. A semicolon still splits a list: callers reject it."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("$", "\\$")
    return f'"{escaped}"'
