"""The parts of torch.musa, one subject per module. torch_musa/__init__.py assembles them."""

from pathlib import Path

cmake_prefix_path = str(Path(__file__).resolve().parents[1] / "share" / "cmake")
"""Where CMake's find_package(TorchMusa) looks, given as CMAKE_PREFIX_PATH."""


def __getattr__(name: str) -> object:
    """Look up torch_musa's names that need the library, which is loaded later."""
    if name in ("current_blas_handle", "current_blaslt_handle"):
        from torch_musa.core import runtime

        return getattr(runtime, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
