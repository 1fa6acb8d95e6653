"""The build_ext of a package under FORCE_MUSA=1: its extensions as they are asked for, built for MUSA."""

from __future__ import annotations

import copy
import os
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Optional

from ..builder.machine import Machine
from ..environment.settings import KEEP_GOING, ONLY, Settings
from ..environment.torch_info import TorchInfo, TorchMusa
from ..errors import CompileFailedError, ForceMusaError, TorchNotFoundError
from ..extension import BuildExtension, MUSAExtension
from ..logger_util import LOGGER
from ..system import cache_directory, files
from . import extension_conversion, stubs
from .cuda_facade import Pretence
from .levels import LAST, Attempt, Level, give_up, has_cuda_sources
from .patch_state import swapped
from .quirks import Package, identify, needs_of
from .report import BuiltExtension, Report
from .source_porting import PortedSources, content_of, port_sources


def cuda_extension(name: str, sources: Any, *args: Any, **kwargs: Any) -> MUSAExtension:
    """Stands in for torch.utils.cpp_extension.CUDAExtension. Nothing is looked for before it is built."""
    return MUSAExtension(name, sources, *args, **kwargs)


def for_device(extension: Any) -> bool:
    """Whether an extension of the package is to be built for MUSA."""
    asked = extension_conversion.is_for_device(extension.sources, extension.libraries)
    return isinstance(extension, MUSAExtension) or asked


class ForcedBuildExtension(BuildExtension):
    """Stands in for torch.utils.cpp_extension.BuildExtension, of which packages make subclasses."""

    keep_going = True  # all that fails is told at the end, for a package has many kernels
    _is_temporary = False  # whether the package's folder is

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.use_ninja = True  # what a package thinks of ninja is about nvcc

    def finalize_options(self) -> None:
        chosen = self.build_temp is not None
        super().finalize_options()
        self._is_temporary = not chosen and _is_temporary(Path.cwd())
        if self._is_temporary:
            package = Package(self.distribution.get_name(), self.distribution.get_version())
            self.build_temp = str(_lasting_place(package, Path.cwd()))

    def build_extensions(self) -> None:
        _require_torch_musa()
        place = Path(self.build_temp)
        with ExitStack() as held:
            if self._is_temporary:
                held.enter_context(cache_directory.use(place))
            # From porting to the last link: another build would port other sources under the compilers' hands.
            held.enter_context(files.locked(place / "force.lock"))
            self._build_ported(held.enter_context(swapped().put_back()))
        if self._is_temporary:
            cache_directory.prune(folder for folder in place.parent.iterdir() if folder.name != "load")

    def _build_ported(self, package: Pretence) -> None:
        """Port the sources and build what they make. The caller holds the build directory."""
        declared = self.extensions
        name, version = self.distribution.get_name(), self.distribution.get_version()
        self._report = Report(name, version, package.level, reason=package.attempt.reason)
        try:
            self.extensions = self._converted(declared)
            super().build_extensions()
        finally:
            self.extensions = declared
        self._finish(declared)

    def _graph_key(self, machine: Machine) -> str:
        return ""  # torch is loaded already, which is what a known graph would save

    def _converted(self, declared: list[Any]) -> list[Any]:
        sources = [os.fspath(source) for extension in declared for source in extension.sources]
        places = [os.fspath(place) for extension in declared for place in extension.include_dirs]
        rules = needs_of(identify(Path.cwd()), Settings.read()).rules
        name = self.distribution.get_name() if self._is_temporary else ""
        ported = port_sources(Path(self.build_temp) / "force_musa", sources, places, Path.cwd(), rules, name)
        LOGGER.info("%s", ported.report.summary)
        self._ported = ported
        return [_converted(extension, ported) for extension in declared]

    def _run_plan(self, key: str = "") -> None:
        session, settings = self._session, Settings.read()
        if session is None:
            return super()._run_plan(key)
        whole, chosen = session.plans, settings.value(ONLY).text.split()
        reasons = stubs.not_chosen(whole, chosen) if chosen else {}
        if reasons:
            session.set_plans([stubs.objects_without(plan, reasons) for plan in whole])
        failure: Optional[CompileFailedError] = None
        try:
            super()._run_plan(key)
        except CompileFailedError as error:
            if not settings.flag(KEEP_GOING):
                raise
            reasons.update(stubs.reasons_of(error))
            failure = error
        if reasons:
            try:
                stubbed = [stubs.with_stubs(plan, reasons, session.cxx, Path(self.build_temp)) for plan in whole]
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
        new.extra_compile_args = extension_conversion.compile_flags(extension.extra_compile_args, place)
        new.libraries = extension_conversion.libraries(extension.libraries)
        new.extra_link_args = extension_conversion.link_flags(extension.extra_link_args or ())
    return new


def _not_even_without(failure: CompileFailedError, reason: ForceMusaError) -> CompileFailedError:
    """The failure of sources that cannot be left out, with the reason why not."""
    hint = f"they cannot be left out: {reason.what}: {reason.found}"
    return CompileFailedError(failure.what, output=failure.output, hint=hint, failed=failure.failed)


def _is_temporary(folder: Path) -> bool:
    """Whether a package's folder is gone after the build: pip's most often."""
    return os.path.realpath(folder).startswith(os.path.realpath(tempfile.gettempdir()) + os.sep)


def _lasting_place(package: Package, folder: Path) -> Path:
    """Where to build a package whose folder is a temporary one: objects should outlive it, so that an interrupted build
    goes on and a second one has nothing to do.

    pip unpacks the same sources into another folder each time, so their content names the place, with the Python,
    torch and torch_musa that objects are made for.
    """
    torch_musa = TorchMusa.find()
    library = torch_musa.library_dir / "libmusa_python.so" if torch_musa and torch_musa.has_library else None
    status = library.stat() if library else None
    with_musa = f"{library} {status.st_mtime_ns} {status.st_size}" if status else ""
    environment = files.digest(sys.prefix, sys.version, TorchInfo.find().version, with_musa)[:12]
    name = f"{package.name}-{package.version}-{environment}-{content_of(folder)[:12]}"
    return cache_directory.user_cache() / "musa_build" / "force" / name


def _require_torch_musa() -> None:
    if TorchMusa.find() is None:
        raise TorchNotFoundError(
            "torch_musa is not installed",
            found=f"none in {sys.prefix}",
            wanted="the torch_musa that the package will run with",
            hint="install Moore Threads' torch_musa, or the simulated one of musa_build (backend/)",
        )


def require_device_code(package: Package, now: Attempt, extensions: list[Any], *, is_build: bool) -> bool:
    """Whether there is something to build for MUSA. A package that has neither extensions nor CUDA sources has nothing.

    Where only a higher level can help, this process ends, to be started again with that. With the last one, or with a
    level that the user chose, raises ForceMusaError if this is a build: it would become one for the CPU alone.
    """
    if any(for_device(extension) for extension in extensions or ()):
        if now.reason and not now.settled:
            LOGGER.info("%s: %s", package.name, now.reason)
        now.settled = True
        return True
    names = ", ".join(extension.name for extension in extensions or ()) or "no extension at all"
    has_sources = has_cuda_sources(Path.cwd())
    if has_sources and now.can_go_up:
        give_up(now, f"it asks for no CUDA extension ({names})")
    now.settled = True
    if not is_build:
        return False
    if not extensions and not has_sources:
        LOGGER.info("%s has neither extensions nor CUDA sources: built as without FORCE_MUSA=1", package.name)
        return False
    raise _no_device_code(package, now, names, has_sources)


def _no_device_code(package: Package, now: Attempt, names: str, has_sources: bool) -> ForceMusaError:
    tried = [*(now.tried or ()), f"{now.level.label} it asks for no CUDA extension ({names})"]
    if not has_sources:
        hint = "there is no .cu file in it: install it without FORCE_MUSA=1"
    elif now.level < LAST:
        more = " or ".join(f"{level.value} ({level.name})" for level in Level if level > now.level)
        hint = f"set MUSA_BUILD_FORCE_LEVEL to {more}"
    else:
        hint = "look in its setup.py for a variable that asks for CUDA; a package that compiles when it is imported is "
        hint += "installed without FORCE_MUSA=1 and run with it"
    return ForceMusaError(
        f"FORCE_MUSA=1, but {package.name or 'this package'} asked for no CUDA extension",
        found=f"at {'; at '.join(tried)}",
        wanted="a CUDAExtension, or sources named .cu",
        hint=hint,
    )
