"""Watch setup() of a package under FORCE_MUSA=1: act before and after setuptools runs each of its commands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from setuptools import Distribution
from setuptools.errors import BaseError

from ..errors import MusaBuildError
from ..system import files
from .levels import LevelSearch
from .patches import Patches
from .python_rewrite import module_for_musa
from .setup_script import BUILDING, METADATA
from .wheel_rewrite import WHEEL_TAG

if TYPE_CHECKING:
    from .build_ext import ForcedBuildExtension


def install(patches: Patches, search: LevelSearch, build_ext: type[ForcedBuildExtension]) -> None:
    """Watch the commands that setuptools runs in this process. `build_ext` is for packages with none of PyTorch's."""
    watch = SetupWatch(search, build_ext)
    run_command: Callable[[Any, str], None] = Distribution.run_command

    def run_watched(distribution: Any, command: str) -> None:
        watch.before(distribution, command)
        run_command(distribution, command)
        watch.after(distribution, command)

    patches.replace(Distribution, "run_command", run_watched)


class SetupWatch:
    """Checks the requests of a package before the first command that builds, and marks the wheel as one for MUSA."""

    def __init__(self, search: LevelSearch, build_ext: type[ForcedBuildExtension]) -> None:
        self._search = search
        self._build_ext = build_ext
        self._known: list[Any] = []  # distributions that ran a command
        self._checked: list[Any] = []  # distributions that were checked for a build
        self._for_musa: list[Any] = []  # distributions with something to build for MUSA

    def before(self, distribution: Any, command: str) -> None:
        """Prepare a command.

        Raises:
            BaseError: There is nothing to build for MUSA. setuptools shows it without a traceback.
        """
        if command in BUILDING and distribution not in self._checked:
            self._checked.append(distribution)
            if self._check(distribution, is_build=True):
                self._for_musa.append(distribution)
                _separate_build_directory(distribution)
        elif command in METADATA and distribution not in self._known:
            self._check(distribution, is_build=False)
        self._known.append(distribution)
        if command in ("build_py", "build_ext") and distribution in self._for_musa:
            _tag_wheel(distribution)

    def after(self, distribution: Any, command: str) -> None:
        """Rewrite the Python modules that build_py has copied."""
        if command == "build_py" and distribution in self._for_musa:
            _rewrite_modules(distribution.get_command_obj("build_py"))

    def _check(self, distribution: Any, *, is_build: bool) -> bool:
        """Return whether there is something to build for MUSA, and make sure that our build_ext builds it."""
        extensions = distribution.ext_modules or []
        has_device_code = any(map(self._build_ext.is_device_extension, extensions))
        names = [extension.name for extension in extensions]
        try:
            wanted = self._search.require_device_code(
                distribution.get_name(), names, has_device_code=has_device_code, is_build=is_build
            )
        except MusaBuildError as error:
            raise BaseError(error.block) from error
        if wanted and not issubclass(distribution.get_command_class("build_ext"), self._build_ext):
            distribution.cmdclass["build_ext"] = self._build_ext
        return wanted


def _separate_build_directory(distribution: Any) -> None:
    """Keep files that are built for MUSA out of later wheels for CUDA, and the reverse."""
    command = distribution.get_command_obj("build")
    if not command.finalized and command.build_base == "build":
        command.build_base = "build/musa"


def _tag_wheel(distribution: Any) -> None:
    """Give the wheel its build tag. The commands run after bdist_wheel took its options, before it names its file."""
    wheel = distribution.get_command_obj("bdist_wheel", create=False)
    if wheel is not None and not wheel.build_number:
        wheel.build_number = WHEEL_TAG


def _rewrite_modules(build_py: Any) -> None:
    """Rewrite the copies of the package's modules that go into the wheel; an editable install has none."""
    if getattr(build_py, "editable_mode", False):
        return
    for path in map(Path, build_py.get_outputs(include_bytecode=False)):
        if path.suffix == ".py" and path.is_file():
            files.write_if_changed(path, module_for_musa(path.read_bytes()))
