"""What the CMake package needs to know of torch, torch_musa and the SDK, in CMake's own language.

The CMake side decides nothing about torch: include order and libraries are those of extension_requirements.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..builder.requirements import extension_requirements
from ..environment.sdk import MusaSdk
from ..environment.settings import Settings
from ..environment.torch_info import TorchInfo, TorchMusa

CMAKE_DIR = Path(__file__).parent


def cmake_facts() -> str:
    """`set()` commands for MusaTorch.cmake. Raises TorchNotFoundError, SdkNotFoundError."""
    torch, torch_musa, sdk = TorchInfo.find(), TorchMusa.find(), MusaSdk.find(Settings.read())
    # Run paths depend on the package that a module is installed into, which only CMake knows.
    needs = extension_requirements("_C", torch, torch_musa, sdk, limited_api=False)
    facts: dict[str, Sequence[str]] = {
        "VERSION": [torch.version],
        "MUSA": [str(torch_musa.root) if torch_musa else "not installed"],
        "INCLUDE_DIRS": needs.include_dirs,
        "LIBRARY_DIRS": needs.library_dirs,
        "LIBRARIES": [library for library in needs.libraries if library != "musart"],
        "DEFINITIONS": torch.definitions,
        "CXX_STANDARD": [torch.cxx_floor.replace("c++", "")],
    }
    return "\n".join(f"set(MUSA_TORCH_{name} {' '.join(map(quoted, values))})" for name, values in facts.items())


def quoted(text: str) -> str:
    """`text` as one quoted argument of CMake, whatever is in it. A semicolon would still split a list: see callers."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("$", "\\$")
    return f'"{escaped}"'
