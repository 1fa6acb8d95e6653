"""One build of a project's extensions: the facts it found, the plans it collected, and how they are carried out.

Between setuptools' face (extension.py) and the pure rooms: it knows no setuptools and no torch, only their records.
"""

from __future__ import annotations

import difflib
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from . import files, ninja_file, process, resources, serial
from .arch import parse_arch_list
from .compile_flags import CompileFlags
from .cxx_toolchain import CxxToolchain
from .errors import MusaBuildError, SettingError, SourceError, ToolNotFoundError
from .extension_needs import ExtensionNeeds, extension_needs
from .logger_util import LOGGER
from .mcc_toolchain import MccToolchain, names_arch
from .plan import BuildPlan, Toolchains, join, plan_extension, raised_standards
from .recorder import Language, Recording, language_of
from .sdk import MusaSdk
from .settings import ARCH, CXX, MAX_JOBS, MCC, NO_WRAPPER, VERBOSE, Settings
from .torch_info import TorchInfo, TorchMusa


@dataclass(frozen=True)
class ExtensionRequest:
    """What a project asks for in one extension. `for_torch` is whether it is a MUSAExtension (others get no libraries
    of ours); `arch` is its own list of architectures, None for the project's."""

    name: str
    sources: tuple[str, ...]
    flags: CompileFlags
    depends: tuple[str, ...]
    for_torch: bool
    arch: object = None
    limited_api: bool = False
    optional: bool = False

    @property
    def uses_mcc(self) -> bool:
        return self.flags.force_mcc or any(is_musa(source) for source in self.sources)


def is_musa(source: str) -> bool:
    """Whether mcc compiles this source by its name alone. Names that are no sources count as not."""
    return Path(source).suffix.lower() in (".mu", ".muh", ".cu", ".cuh")


class BuildSession:
    """One run of build_ext. Creating it looks for the compilers and the SDK that `requests` need.

    Raises SdkNotFoundError, ToolNotFoundError, TorchNotFoundError or SettingError, before anything is compiled.
    """

    def __init__(self, requests: Sequence[ExtensionRequest], jobs: Optional[int]) -> None:
        names = [request.name for request in requests]
        for name in names:
            if names.count(name) > 1:
                raise SettingError("two extensions have the same name", found=name, wanted="a name for each")
        self._settings = Settings.read()
        self._jobs = jobs
        self._torch = TorchInfo.find()
        self._torch_musa = TorchMusa.find()
        self._cxx = _find_cxx(self._settings)
        needs_sdk = any(request.for_torch or request.uses_mcc for request in requests)
        self._sdk = MusaSdk.find(self._settings) if needs_sdk else None
        if self._sdk is not None and self._sdk.simulated:
            LOGGER.info("building for the simulator (MUSA SDK on the CPU): %s", self._sdk.root)
        self._plans: list[tuple[BuildPlan, bool]] = []

    def needs(self, request: ExtensionRequest) -> ExtensionNeeds:
        """What to add to a MUSAExtension."""
        assert self._sdk is not None
        return extension_needs(request.name, self._torch, self._torch_musa, self._sdk, limited_api=request.limited_api)

    def add(self, request: ExtensionRequest, recording: Recording, directory: str) -> None:
        """Plans one recorded extension, whose objects go below `directory`."""
        for note in request.flags.notes:
            LOGGER.info("%s: nvcc's flag %s", request.name, note)
        for asked, used in raised_standards(recording):
            LOGGER.info("%s: torch %s needs -std=%s, not %s", request.name, self._torch.version, used, asked)
        uses_mcc = any(record.language is Language.MUSA for record in recording.compiles)
        toolchains = Toolchains(self._cxx, self._mcc_toolchain(request) if uses_mcc else None)
        plan = plan_extension(
            request.name,
            recording,
            toolchains,
            directory=directory,
            depends=request.depends,
            optional=request.optional,
        )
        self._plans.append((plan, request.optional))

    def build_with_ninja(self, directory: Path) -> None:
        """Builds what was planned so far, in one graph below `directory`. Raises CompileFailedError."""
        ninja_file.find_ninja()
        plan = join([plan for plan, _ in self._plans])
        jobs = resources.job_count(
            self._settings.value(MAX_JOBS), self._jobs, resources.usable_cores(), resources.free_memory()
        )
        with files.locked(directory / "build.lock"):
            file = ninja_file.write(plan, directory)
            for optional in (False, True):
                parts = [part for part, is_optional in self._plans if is_optional is optional]
                targets = [link.output for part in parts for link in part.links]
                if targets:
                    with _only_warning(optional):
                        verbose = self._settings.flag(VERBOSE)
                        ninja_file.run(plan, file, targets, jobs=jobs, verbose=verbose, keep_going=optional)
            _deliver(plan)

    def build_in_order(self) -> None:
        """Builds what was planned since the last call, without ninja. Raises CompileFailedError."""
        for plan, optional in self._plans:
            with _only_warning(optional):
                serial.run(plan, verbose=self._settings.flag(VERBOSE))
                _deliver(plan)
        self._plans.clear()

    def _mcc_toolchain(self, request: ExtensionRequest) -> MccToolchain:
        assert self._sdk is not None, "an extension with MUSA sources has made us look for the SDK"
        value = self._settings.value(ARCH, request.arch)
        if value.is_default and not names_arch(request.flags.mcc):
            LOGGER.info("%s: compiling for %s; TORCH_MUSA_ARCH_LIST names others", request.name, value.text)
        command = self._settings.words(MCC) or (str(self._sdk.mcc),)
        return MccToolchain(command, parse_arch_list(value, self._sdk.cards))


def check_sources(request: ExtensionRequest) -> None:
    """Raises SourceError for a source that does not exist or has no known suffix, naming the nearest file there is."""
    for source in request.sources:
        path = Path(source)
        if path.suffix in (".pyx", ".i"):  # Cython and SWIG turn these into something else first
            continue
        if not path.is_file():
            beside = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
            near = difflib.get_close_matches(path.name, beside, n=1)
            raise SourceError(
                f"a source of {request.name} does not exist",
                found=source,
                wanted="a file, named relative to the directory of setup.py",
                hint=f"did you mean {path.parent / near[0]}?" if near else "",
            )
        language_of(source)


def _find_cxx(settings: Settings) -> CxxToolchain:
    command = settings.words(CXX)
    if not command or process.find_program(command[0]) is None:
        raise ToolNotFoundError(
            "the C++ compiler was not found",
            found=" ".join(command) or "an empty CXX",
            wanted="a C++ compiler on PATH",
            hint="install g++ (Debian, Ubuntu: apt install g++), or set CXX to a compiler",
        )
    wrapped = Path(command[0]).name in ("ccache", "sccache")
    ccache = None if wrapped or settings.flag(NO_WRAPPER) else process.find_program("ccache")
    asked = " ".join(settings.environment.get(name, "") for name in ("CFLAGS", "CXXFLAGS", "CPPFLAGS")).split()
    return CxxToolchain(command, (str(ccache),) if ccache else (), any(flag.startswith("-g") for flag in asked))


def _deliver(plan: BuildPlan) -> None:
    """Copies finished libraries to where setuptools expects them; atomically, for a running program may have the old
    one mapped."""
    for link in plan.links:
        built, destination = Path(link.output), Path(link.destination)
        if built.exists() and files.write_if_changed(destination, built.read_bytes()):
            shutil.copymode(built, destination)


@contextmanager
def _only_warning(optional: bool) -> Iterator[None]:
    """`Extension(optional=True)`: a failure is told and the build goes on."""
    try:
        yield
    except MusaBuildError as error:
        if not optional:
            raise
        LOGGER.warning("an optional extension was not built: %s", error)
