"""The build_ext of a package under FORCE_MUSA=1: it builds the package's extensions for MUSA.

PyTorch's build tools load this module in every process with FORCE_MUSA=1, also in programs that build nothing. So the
build engine (forced_build.py, with porting) is imported when a build begins.
"""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, Protocol

from ..environment.settings import Settings
from ..extension import BuildExtension, MUSAExtension
from .extension_conversion import is_for_device
from .package_name import Package

if TYPE_CHECKING:
    from ..builder.incremental import Fingerprint
    from ..builder.machine import Machine
    from .cuda_facade import CudaFacade
    from .forced_build import ForcedBuild
    from .levels import LevelSearch


def cuda_extension(name: str, sources: Any, *args: Any, **kwargs: Any) -> MUSAExtension:
    """Create an extension: the replacement of CUDAExtension. Nothing is looked up before the extension is built."""
    return MUSAExtension(name, sources, *args, **kwargs)


def is_device_extension(extension: Any) -> bool:
    """Return whether an extension of the package is to be built for MUSA."""
    return isinstance(extension, MUSAExtension) or is_for_device(extension.sources, extension.libraries)


class ForcedBuildExtension(BuildExtension):
    """The replacement of torch.utils.cpp_extension.BuildExtension, from which packages derive their own."""

    keep_going = True  # a package has many kernels: all failures are shown at the end
    _in_cache = False  # whether the build directory is in the user's cache
    _forced_build: ForcedBuild

    is_device_extension = staticmethod(is_device_extension)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.use_ninja = True  # a package that switches ninja off has nvcc in mind

    def finalize_options(self) -> None:
        """Choose the build directory: for a package in a temporary directory, one in the user's cache."""
        is_chosen = self.build_temp is not None
        super().finalize_options()
        from .build_environment import cached_build_directory, is_temporary

        self._in_cache = not is_chosen and is_temporary(Path.cwd())
        if self._in_cache:
            self.build_temp = str(cached_build_directory(_package(self.distribution), Path.cwd()))

    def build_extensions(self) -> None:
        """Port the sources and build the extensions."""
        from .build_environment import locked_build_directory, require_torch_musa
        from .forced_build import ForcedBuild

        require_torch_musa()
        patch, package = _active_patch(), _package(self.distribution)
        declared, directory = self.extensions, Path(self.build_temp)
        with ExitStack() as held:
            # From porting to the last link: another build would change the sources while compilers read them.
            held.enter_context(locked_build_directory(directory, in_cache=self._in_cache))
            patch.facade.uninstall()  # compiling begins
            held.enter_context(patch.original_tools())
            found = (package, patch.search.attempt, directory, Settings.read())
            self._forced_build = ForcedBuild(*found, is_device_extension)
            try:
                self.extensions = self._forced_build.port(declared, package.name if self._in_cache else "")
                super().build_extensions()
            finally:
                self.extensions = declared
            self._forced_build.report(declared)

    def _fingerprint(self, machine: Machine) -> str:
        """Return no fingerprint: a build that loaded torch already has nothing to gain from a known graph."""
        return "FORCE_MUSA=1"

    def _run_plan(self, fingerprint: Optional[Fingerprint] = None) -> None:
        if self._session is None:
            super()._run_plan(fingerprint)
        else:
            self._forced_build.run(self._session, lambda: super(ForcedBuildExtension, self)._run_plan(fingerprint))


class _Patch(Protocol):
    """The part of TorchPatch (patch_torch.py) that a build needs. That module imports this one, so it is not named."""

    facade: CudaFacade
    search: LevelSearch

    def original_tools(self) -> AbstractContextManager[None]: ...


def _active_patch() -> _Patch:
    """Return the patch of this process, which the import hook in sys.meta_path holds."""
    # By the module's name: importing the hook here would make a circle of the modules that a build loads.
    hook = next(each for each in sys.meta_path if type(each).__module__ == f"{__package__}.import_hook")
    patch: _Patch = hook.patch  # type: ignore[attr-defined]
    return patch


def _package(distribution: Any) -> Package:
    return Package(distribution.get_name(), distribution.get_version())
