"""What torch says, as values: where its headers and libraries are, and where torch_musa is.

Only public names of torch are used, and of those only what has kept its meaning from torch 2.2 to 2.13. This is the
only room of the build that imports torch, but for extension.py, whose BuildExtension is a subclass of torch's.
"""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from ..errors import TorchNotFoundError
from .build_isolation import is_isolated_build
from .sdk import MusaSdk
from .settings import Settings

# No torch; one whose libraries do not load; one that fails to load its device (torch_musa) along with it.
IMPORT_FAILURES = (ImportError, OSError, RuntimeError)


@dataclass(frozen=True)
class TorchMusa:
    """The installed torch_musa: Moore Threads' own or the simulated one; both have the same shape."""

    root: Path

    @classmethod
    def find(cls) -> Optional[TorchMusa]:
        """Looks torch_musa up without importing it: a build needs its files, not its device."""
        try:
            spec = importlib.util.find_spec("torch_musa")
        except (ImportError, ValueError):
            return None
        places = list(spec.submodule_search_locations or []) if spec else []
        return cls(Path(places[0]).absolute()) if places else None

    @property
    def library_dir(self) -> Path:
        return self.root / "lib"

    @property
    def has_library(self) -> bool:
        return (self.library_dir / "libmusa_python.so").exists()

    @property
    def ported_include_dirs(self) -> tuple[Path, ...]:
        """torch's headers ported to MUSA. They come before torch's own on a command line, to be found instead."""
        base = self.root / "share" / "generated_cuda_compatible"
        places = (base / "include", base / "include/torch/csrc/api/include", base / "aten/src")
        return tuple(place for place in places if place.is_dir())

    @property
    def include_dir(self) -> Path:
        """Sources say `#include "torch_musa/csrc/..."`: what they need is the directory above the package."""
        return self.root.parent


@dataclass(frozen=True)
class TorchInfo:
    """The installed torch. Paths are absolute."""

    version: str
    include_dirs: tuple[Path, ...]
    library_dirs: tuple[Path, ...]
    cxx11_abi: bool = True

    @classmethod
    def find(cls) -> TorchInfo:
        """Imports torch. Raises TorchNotFoundError, worded for pip's isolated builds where that is the cause."""
        try:
            import torch
            from torch.utils import cpp_extension
        except IMPORT_FAILURES as error:
            raise torch_not_found(error) from error
        # Called without arguments: the first parameter changed its name and type in torch 2.6.
        return cls(
            str(torch.__version__),
            tuple(Path(place) for place in cpp_extension.include_paths()),
            tuple(Path(place) for place in cpp_extension.library_paths()),
            bool(torch.compiled_with_cxx11_abi()),
        )

    @property
    def definitions(self) -> tuple[str, ...]:
        """Macros that code must be compiled with to link to this torch: PyPI's wheels before 2.7 have the old ABI of
        libstdc++'s strings. As `cxx_floor`, of no interest to builds through setuptools."""
        return () if self.cxx11_abi else ("_GLIBCXX_USE_CXX11_ABI=0",)

    @property
    def cxx_floor(self) -> str:
        """The oldest C++ that torch's headers compile with, as the value of -std=.

        torch 2.13 raised it from C++17 to C++20. Builds through setuptools do not ask: torch's own BuildExtension adds
        the flag. Only the JIT and CMake, which run without it, read this.
        """
        major, minor = (int(part) for part in self.version.split(".")[:2])
        return "c++20" if (major, minor) >= (2, 13) else "c++17"


def torch_not_found(error: Exception) -> TorchNotFoundError:
    """The error for a Python whose torch cannot be imported, with the remedy that fits the cause."""
    if isinstance(error, RuntimeError):
        hint = "a build needs no device: TORCH_DEVICE_BACKEND_AUTOLOAD=0 imports torch without loading them"
    elif isinstance(error, OSError):
        hint = f"reinstall PyTorch for {sys.executable}"
    elif is_isolated_build():
        hint = "run pip with --no-build-isolation: a build must see the torch that the extension will run with"
    else:
        hint = f"install PyTorch for {sys.executable}"
    return TorchNotFoundError("PyTorch cannot be imported", found=str(error), wanted="torch 2.2 or newer", hint=hint)


def include_paths(device_type: object = "musa", *, musa: object = None) -> list[str]:
    """Include directories for compiling against torch, and, unless "cpu" is asked for, against MUSA and torch_musa.

    Accepts what torch's function of this name was called with over the years: `include_paths()`, `include_paths(True)`,
    `include_paths("musa")`, `include_paths(musa=True)`. Raises TorchNotFoundError, SdkNotFoundError.
    """
    torch = TorchInfo.find()
    if not _wants_musa(device_type, musa):
        return [str(place) for place in torch.include_dirs]
    return [str(place) for place in musa_include_dirs(torch, TorchMusa.find(), MusaSdk.find(Settings.read()))]


def library_paths(device_type: object = "musa", *, musa: object = None) -> list[str]:
    """Library directories of torch, and, unless "cpu" is asked for, of torch_musa and the SDK. As `include_paths`."""
    torch = TorchInfo.find()
    if not _wants_musa(device_type, musa):
        return [str(place) for place in torch.library_dirs]
    return [str(place) for place in musa_library_dirs(torch, TorchMusa.find(), MusaSdk.find(Settings.read()))]


def musa_include_dirs(torch: TorchInfo, torch_musa: Optional[TorchMusa], sdk: MusaSdk) -> tuple[Path, ...]:
    """In the order of a command line: ported torch headers, torch, the SDK, torch_musa's parent directory (last,
    because that is site-packages, where any package might have dropped a header)."""
    ported = torch_musa.ported_include_dirs if torch_musa else ()
    parent = (torch_musa.include_dir,) if torch_musa else ()
    return (*ported, *torch.include_dirs, sdk.include_dir, *parent)


def musa_library_dirs(torch: TorchInfo, torch_musa: Optional[TorchMusa], sdk: MusaSdk) -> tuple[Path, ...]:
    own = (torch_musa.library_dir,) if torch_musa and torch_musa.has_library else ()
    return (*torch.library_dirs, *own, *sdk.library_dirs)


def _wants_musa(device_type: object, musa: object) -> bool:
    if musa is not None:
        return bool(musa)
    return device_type not in (False, "cpu")
