"""`CMakeListsGenerator`: a CMakeLists.txt for MUSA sources. Its name and arguments stand; generating is to come."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Optional, Union

from .errors import NotYetError

Paths = Union[str, "os.PathLike[str]", Sequence[Union[str, "os.PathLike[str]"]]]


class CMakeListsGenerator:
    """Will write a CMakeLists.txt that builds `sources` with mcc and the host compiler, as torch_musa's class does."""

    def __init__(
        self,
        sources: Paths,
        include_dirs: Optional[Paths] = None,
        link_libraries: Optional[Paths] = None,
        define_macros: Optional[Sequence[Any]] = None,
        project_name: str = "",
        plugin_name: str = "",
        customized_cmake_lists: str = "",
    ) -> None:
        self.sources = sources
        self.include_dirs = include_dirs
        self.link_libraries = link_libraries
        self.define_macros = define_macros
        self.project_name = project_name
        self.plugin_name = plugin_name
        self.customized_cmake_lists = customized_cmake_lists

    def generate(self) -> None:
        """Raises NotYetError until the generator has landed."""
        raise NotYetError(
            "CMakeListsGenerator cannot generate yet",
            wanted="MUSAExtension with BuildExtension in a setup.py, which builds the same sources today",
        )
