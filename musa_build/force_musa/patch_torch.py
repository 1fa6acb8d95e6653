"""Everything that FORCE_MUSA=1 changes in modules of other packages, in one object that can undo it."""

from __future__ import annotations

import os
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from email.message import Message
from pathlib import Path
from types import ModuleType
from typing import Any

from ..environment.settings import Settings
from . import setup_watch
from .cuda_facade import CudaFacade, build_variables
from .levels import NO_ATTEMPT, Attempt, LevelSearch, current_attempt
from .package_name import Package, identify
from .patches import Patches
from .quirks import quirks_of


class TorchPatch:
    """The changes of this process to PyTorch, setuptools, urllib, os.environ and modules that imported PyTorch's names.

    The import hook creates it, installs it while PyTorch is imported, and holds it.
    """

    def __init__(self, package: Package, attempt: Attempt, variables: Mapping[str, str]) -> None:
        self.package = package
        self.search = LevelSearch(attempt)
        self.facade = CudaFacade(attempt.level)
        self._variables = variables
        self._patches = Patches()
        self._tools = ModuleType("")
        self._originals: dict[str, Any] = {}

    @classmethod
    def for_build(cls) -> TorchPatch:
        """Return the patch for a build of the project in the working directory.

        Raises:
            SettingError: A setting of FORCE_MUSA=1, or a file that one names, cannot be used.
        """
        package = identify(Path.cwd())
        attempt = current_attempt(os.environ)
        quirks = quirks_of(package, Settings.read())
        return cls(package, attempt, build_variables(attempt.level, quirks, Path("setup.py"), os.environ))

    @classmethod
    def for_program(cls) -> TorchPatch:
        """Return the patch for a program that builds no package, but may call `load`: it sees no CUDA."""
        return cls(Package(""), NO_ATTEMPT, {})

    def install(self, torch: ModuleType) -> None:
        """Set the variables of the build and the answers of PyTorch, before its build tools are imported."""
        for name, value in self._variables.items():
            self._patches.replace_item(os.environ, name, value)
        self.facade.install(torch)

    def install_tools(self, tools: ModuleType, *, in_build: bool) -> None:
        """Patch torch.utils.cpp_extension, and in a build setuptools and urllib. Calling it again has no effect."""
        if self._originals:
            return
        from . import build_ext, jit  # not above: patching PyTorch does not need the build engine

        self._tools = tools
        self.facade.install_toolkit(tools)
        replacements: dict[str, Any] = {
            "CUDAExtension": build_ext.cuda_extension,
            "BuildExtension": build_ext.ForcedBuildExtension,
            "load": jit.loader(tools.load),
            "load_inline": jit.inline_loader(tools.load_inline),
        }
        self._originals = {name: getattr(tools, name) for name in replacements}
        for module in list(sys.modules.values()):  # the tools, and modules that imported the names before
            self._replace_names(module, replacements)
        if in_build:
            setup_watch.install(self._patches, self.search, build_ext.ForcedBuildExtension)
            self._refuse_wheels()

    def uninstall(self) -> None:
        """Put everything back. Calling it again has no effect."""
        self._patches.undo()
        self.facade.uninstall()
        self._originals = {}

    @contextmanager
    def original_tools(self) -> Iterator[None]:
        """Put PyTorch's own names back into torch.utils.cpp_extension, until the end of the block.

        ForcedBuildExtension derives from PyTorch's own BuildExtension while it builds.
        """
        originals = Patches()
        for name, original in self._originals.items():
            originals.replace(self._tools, name, original)
        try:
            yield
        finally:
            originals.undo()

    def _replace_names(self, module: object, replacements: Mapping[str, Any]) -> None:
        names: Any = getattr(module, "__dict__", None)
        for name, original in self._originals.items() if isinstance(names, dict) else ():
            if names.get(name) is original:
                self._patches.replace_item(names, name, replacements[name])

    def _refuse_wheels(self) -> None:
        """Let downloads of wheels fail: the bdist_wheel of some packages looks for one first, built for CUDA."""
        for name in ("urlopen", "urlretrieve"):
            self._patches.replace(urllib.request, name, _without_wheels(getattr(urllib.request, name)))


def _without_wheels(download: Any) -> Any:
    def download_other(url: Any, *args: Any, **kwargs: Any) -> Any:
        address = str(getattr(url, "full_url", url))
        if address.partition("#")[0].endswith(".whl"):
            reason = "FORCE_MUSA=1: not a wheel that was built for something else"
            raise urllib.error.HTTPError(address, 404, reason, Message(), None)
        return download(url, *args, **kwargs)

    return download_other
