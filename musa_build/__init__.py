"""musa_build: build CUDA PyTorch extensions for Moore Threads MUSA GPUs.

The public names are imported on first use. Importing musa_build loads neither torch nor setuptools, so the porting
tools work without torch, and a setup.py that is run for its metadata alone stays fast.
"""

from __future__ import annotations

TYPE_CHECKING = False  # importing typing for its constant would slow down quick commands
if TYPE_CHECKING:
    from typing import Any

    from .cmake_lists_generator import CMakeListsGenerator
    from .environment.torch_info import include_paths, library_paths
    from .extension import BuildExtension, MUSAExtension
    from .jit import load, load_inline
    from .porting import SimplePorting

__version__ = "1.0.0rc3"

_LAZY_IMPORTS = {
    "BuildExtension": ".extension",
    "CMakeListsGenerator": ".cmake_lists_generator",
    "MUSAExtension": ".extension",
    "SimplePorting": ".porting",
    "include_paths": ".environment.torch_info",
    "library_paths": ".environment.torch_info",
    "load": ".jit",
    "load_inline": ".jit",
}

__all__ = [
    "BuildExtension",
    "CMakeListsGenerator",
    "MUSAExtension",
    "SimplePorting",
    "include_paths",
    "library_paths",
    "load",
    "load_inline",
]


def __getattr__(name: str) -> Any:
    if name not in _LAZY_IMPORTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_LAZY_IMPORTS[name], __name__), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_LAZY_IMPORTS])
