"""musa_build's generator of CMakeLists.txt, under torch_musa's name."""

from musa_build import CMakeListsGenerator

__all__ = ["CMakeListsGenerator"]
