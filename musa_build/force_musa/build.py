"""The build_ext of a package under FORCE_MUSA=1: its extensions as they are asked for, built for MUSA."""

from __future__ import annotations

import copy
import os
import sys
import tempfile
from pathlib import Path
from typing import Any, Optional

from .. import files
from ..errors import CompileFailedError, ForceMusaError, TorchNotFoundError
from ..extension import BuildExtension, MUSAExtension
from ..logger_util import LOGGER
from ..settings import KEEP_GOING, ONLY, Settings
from ..torch_info import TorchMusa
from . import conversion, left_out
from .packages import Level, Package, identify
from .report import BuiltExtension, Report
from .sources import PortedSources, port_sources
from .swapped import swapped


def cuda_extension(name: str, sources: Any, *args: Any, **kwargs: Any) -> MUSAExtension:
    """Stands in for torch.utils.cpp_extension.CUDAExtension. Nothing is looked for before it is built."""
    return MUSAExtension(name, sources, *args, **kwargs)


def for_device(extension: Any) -> bool:
    """Whether an extension of the package is to be built for MUSA."""
    return isinstance(extension, MUSAExtension) or conversion.is_for_device(extension.sources, extension.libraries)


class ForcedBuildExtension(BuildExtension):
    """Stands in for torch.utils.cpp_extension.BuildExtension, of which packages make subclasses."""

    keep_going = True  # all that fails is told at the end, for a package has many kernels

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.use_ninja = True  # what a package thinks of ninja is about nvcc

    def finalize_options(self) -> None:
        super().finalize_options()
        place = _lasting_place(Package(self.distribution.get_name(), self.distribution.get_version()))
        if place is not None:
            self.build_temp = str(place)

    def build_extensions(self) -> None:
        _require_torch_musa()
        with swapped().put_back() as package:
            declared = self.extensions
            self._report = Report(self.distribution.get_name(), self.distribution.get_version(), package.level)
            try:
                self.extensions = self._converted(declared)
                super().build_extensions()
            finally:
                self.extensions = declared
            self._finish(declared)

    def _graph_key(self, settings: Settings) -> str:
        return ""  # torch is loaded already, which is what a known graph would save

    def _converted(self, declared: list[Any]) -> list[Any]:
        sources = [os.fspath(source) for extension in declared for source in extension.sources]
        places = [os.fspath(place) for extension in declared for place in extension.include_dirs]
        rules = identify(Path.cwd()).needs.rules
        ported = port_sources(Path(self.build_temp) / "force_musa", sources, places, Path.cwd(), rules)
        LOGGER.info("%s", ported.report.summary)
        self._ported = ported
        return [_converted(extension, ported) for extension in declared]

    def _run_plan(self, key: str = "") -> None:
        session, settings = self._session, Settings.read()
        if session is None:
            return super()._run_plan(key)
        whole, chosen = session.plans, settings.value(ONLY).text.split()
        reasons = left_out.not_chosen(whole, chosen) if chosen else {}
        if reasons:
            session.set_plans([left_out.objects_without(plan, reasons) for plan in whole])
        failure: Optional[CompileFailedError] = None
        try:
            super()._run_plan(key)
        except CompileFailedError as error:
            if not settings.flag(KEEP_GOING):
                raise
            reasons.update(left_out.reasons_of(error))
            failure = error
        if reasons:
            try:
                stubbed = [left_out.with_stubs(plan, reasons, session.cxx, Path(self.build_temp)) for plan in whole]
            except ForceMusaError as error:
                raise _not_even_without(failure, error) if failure else error from None
            session.set_plans([plan for plan, _ in stubbed])
            self._report.left_out += [entry for _, entries in stubbed for entry in entries]
            super()._run_plan(key)

    def _finish(self, declared: list[Any]) -> None:
        self._report.extensions += [
            BuiltExtension(extension.name, for_device(extension), len(extension.sources)) for extension in declared
        ]
        self._report.save()
        for line in self._report.lines():
            LOGGER.info("%s", line)


def _converted(extension: Any, ported: PortedSources) -> Any:
    """A copy of an extension that compiles the ported sources, or the untouched copy of them for the CPU."""
    on_device = for_device(extension)
    place = ported.to_ported if on_device else ported.to_copy
    new = copy.copy(extension)
    if on_device and not isinstance(extension, MUSAExtension):
        new = MUSAExtension(extension.name, list(extension.sources))
        for name, value in vars(extension).items():
            setattr(new, name, value)
    new.sources = [place(os.fspath(source)) for source in extension.sources]
    new.include_dirs = [place(os.fspath(folder)) for folder in extension.include_dirs]
    new.depends = [place(os.fspath(path)) for path in extension.depends]
    if on_device:
        new.extra_compile_args = conversion.compile_flags(extension.extra_compile_args, place)
        new.libraries = conversion.libraries(extension.libraries)
        new.extra_link_args = conversion.link_flags(extension.extra_link_args or ())
    return new


def _not_even_without(failure: CompileFailedError, reason: ForceMusaError) -> CompileFailedError:
    """The failure of sources that cannot be left out, with the reason why not."""
    hint = f"they cannot be left out: {reason.what}: {reason.found}"
    return CompileFailedError(failure.what, output=failure.output, hint=hint, failed=failure.failed)


def _lasting_place(package: Package) -> Optional[Path]:
    """Where to build a package whose folder is a temporary one (pip's, most often): objects should outlive it, so that
    an interrupted build goes on and a second one has nothing to do. None for any other folder."""
    here = os.path.realpath(Path.cwd())
    if not here.startswith(os.path.realpath(tempfile.gettempdir()) + os.sep):
        return None
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    environment = files.digest(sys.prefix, sys.version)[:12]
    return Path(cache).absolute() / "musa_build" / "force" / f"{package.name}-{package.version}-{environment}"


def _require_torch_musa() -> None:
    if TorchMusa.find() is None:
        raise TorchNotFoundError(
            "torch_musa is not installed",
            found=f"none in {sys.prefix}",
            wanted="the torch_musa that the package will run with",
            hint="install Moore Threads' torch_musa, or the simulated one of musa_build (backend/)",
        )


def require_device_code(package: Package, level: Level, extensions: list[Any]) -> None:
    """Raises ForceMusaError where a package is about to be built for the CPU alone."""
    if any(for_device(extension) for extension in extensions or ()):
        return
    names = ", ".join(extension.name for extension in extensions or ()) or "no extension at all"
    more = [f"{candidate.value} ({candidate.name})" for candidate in Level if candidate > level]
    hint = f"if it has CUDA code, set MUSA_BUILD_FORCE_LEVEL to {' or '.join(more)}; " if more else ""
    raise ForceMusaError(
        f"FORCE_MUSA=1, but {package.name or 'this package'} asked for no CUDA extension",
        found=f"{names}, at level {level.value} ({level.name})",
        wanted="a CUDAExtension, or sources named .cu",
        hint=f"{hint}if it has none, install it without FORCE_MUSA",
    )
