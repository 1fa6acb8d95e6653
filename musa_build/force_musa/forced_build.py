"""One build of a package's extensions under FORCE_MUSA=1: port, build without excluded sources, report."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..extension import MUSAExtension
from ..logger_util import LOGGER
from . import extension_conversion
from .excluded_sources import build_without_excluded
from .package_name import Package, identify
from .quirks import quirks_of
from .report import BuiltExtension, ExcludedSource, Ported, Report
from .source_porting import PortedSources, port_sources

if TYPE_CHECKING:
    from ..builder.session import BuildSession
    from ..environment.settings import Settings
    from .levels import Attempt


class ForcedBuild:
    """The build of one package in a build directory that the caller has locked.

    `is_device_extension` tells which extensions are to be built for MUSA.
    """

    def __init__(
        self,
        package: Package,
        attempt: Attempt,
        directory: Path,
        settings: Settings,
        is_device_extension: Callable[[Any], bool],
    ) -> None:
        self._package = package
        self._attempt = attempt
        self._directory = directory
        self._settings = settings
        self._is_device_extension = is_device_extension
        self._excluded: list[ExcludedSource] = []
        self._ported = Ported(0, 0, 0, {})

    def port(self, declared: Sequence[Any], project_name: str) -> list[Any]:
        """Port the sources of all extensions, and return copies of the extensions that compile them.

        `project_name` replaces the name of a temporary project directory.

        Raises:
            SettingError: The user's file of package rules cannot be used.
            SourceError: The sources have no directory in common within one project.
            PortingError: The sources cannot be ported.
        """
        sources = [os.fspath(source) for extension in declared for source in extension.sources]
        include_dirs = [os.fspath(path) for extension in declared for path in extension.include_dirs]
        # setup.py may have changed the directory since the build began, so the package is identified again.
        rules = quirks_of(identify(Path.cwd()), self._settings).rules
        directory = self._directory / "force_musa"
        ported = port_sources(directory, sources, include_dirs, Path.cwd(), rules, project_name)
        done = ported.report
        LOGGER.info("%s", done.summary)
        self._ported = Ported(done.files, done.edits, done.warnings, done.counts)
        return [_converted(each, ported, on_device=self._is_device_extension(each)) for each in declared]

    def run(self, session: BuildSession, run: Callable[[], None]) -> None:
        """Carry out the plans of `session` by `run`, without the sources that are excluded."""
        self._excluded += build_without_excluded(session, run, self._settings, self._directory)

    def report(self, declared: Sequence[Any]) -> None:
        """Log the report of the build, and save it for `musa-build install`."""
        report = Report(
            self._package.name,
            self._package.version,
            self._attempt.level,
            tuple(
                BuiltExtension(extension.name, self._is_device_extension(extension), len(extension.sources))
                for extension in declared
            ),
            tuple(self._excluded),
            self._attempt.reason,
            self._ported,
        )
        report.save()
        for line in report.lines():
            LOGGER.info("%s", line)


def _converted(extension: Any, ported: PortedSources, *, on_device: bool) -> Any:
    """Return a copy of an extension that compiles the ported sources, or for the CPU the copied ones."""
    new_path = ported.to_ported if on_device else ported.to_copy
    new = copy.copy(extension)
    if on_device and not isinstance(extension, MUSAExtension):
        new = MUSAExtension(extension.name, list(extension.sources))
        for name, value in vars(extension).items():
            setattr(new, name, value)
    new.sources = [new_path(os.fspath(source)) for source in extension.sources]
    new.include_dirs = [new_path(os.fspath(path)) for path in extension.include_dirs]
    new.depends = [new_path(os.fspath(path)) for path in extension.depends]
    if on_device:
        new.extra_compile_args = extension_conversion.compile_flags(extension.extra_compile_args, new_path, os.environ)
        new.libraries = extension_conversion.libraries(extension.libraries)
        new.extra_link_args = extension_conversion.link_flags(extension.extra_link_args or ())
    return new
