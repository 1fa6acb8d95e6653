"""The parts of torch.musa, one subject per module. torch_musa/__init__.py assembles them."""

from pathlib import Path

cmake_prefix_path = str(Path(__file__).resolve().parents[1] / "share" / "cmake")
"""Where CMake's find_package(TorchMusa) looks, given as CMAKE_PREFIX_PATH."""
