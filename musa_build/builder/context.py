"""What a build found on this machine: settings, torch, torch_musa, the compilers and the SDK; looked for once."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from ..environment import job_limits
from ..environment.architectures import MusaArch, parse_arch_list
from ..environment.sdk import MusaSdk
from ..environment.sdk_compatibility import mismatch, other_sdk
from ..environment.settings import (
    ARCH,
    COMPILE_COMMANDS,
    CXX,
    MAX_JOBS,
    MCC,
    MCC_JOBS,
    PCH,
    SIM_CHECK,
    VERBOSE,
    Settings,
)
from ..environment.torch_info import TorchInfo, TorchMusa
from ..errors import ToolNotFoundError
from ..logger_util import LOGGER
from ..mcc_toolchain import MccToolchain, names_arch
from ..system import process
from ..toolchain.cxx import CxxToolchain
from ..toolchain.launcher import PROGRAMS, Launcher
from .plan import Toolchains
from .precompiled_headers import NEVER, SOURCES_PER_CORE, Precompiling
from .requirements import ExtensionRequirements, extension_requirements
from .spec import ExtensionSpec


@dataclass(frozen=True)
class BuildContext:
    """The facts of one build. `sdk` is None where nothing needs it."""

    settings: Settings
    torch: TorchInfo
    torch_musa: Optional[TorchMusa]
    cxx: CxxToolchain
    sdk: Optional[MusaSdk]
    launcher: Optional[Launcher]
    library_dirs: tuple[str, ...] = ()  # where the linker looks by itself

    @classmethod
    def find(cls, requests: Sequence[ExtensionSpec]) -> BuildContext:
        """Looks for what `requests` need. Raises SdkNotFoundError, ToolNotFoundError, TorchNotFoundError or
        SettingError or SdkMismatchError, all before anything is compiled."""
        settings = Settings.read()
        torch = TorchInfo.find()
        cxx, launcher = _find_cxx(settings)
        needs_sdk = any(request.for_torch or request.uses_mcc for request in requests)
        sdk = MusaSdk.find(settings) if needs_sdk else None
        if sdk is not None and sdk.simulated:
            LOGGER.info("building for the simulator (MUSA SDK on the CPU): %s", sdk.root)
        torch_musa = TorchMusa.find()
        # torch_musa itself may be what is built, to replace one that does not fit
        if sdk is not None and not any(request.name.startswith("torch_musa.") for request in requests):
            _check_match(torch_musa, sdk)
        return cls(settings, torch, torch_musa, cxx, sdk, launcher, _library_dirs(cxx.command))

    @property
    def verbose(self) -> bool:
        return self.settings.flag(VERBOSE)

    @property
    def compile_commands_in_root(self) -> bool:
        return self.settings.flag(COMPILE_COMMANDS)

    def jobs(self, asked: Optional[int] = None) -> int:
        """How many compilers may run at once; `asked` is what the command line said."""
        return job_limits.job_count(
            self.settings.value(MAX_JOBS), asked, job_limits.usable_cores(), job_limits.free_memory()
        )

    def mcc_jobs(self) -> int:
        """How many of them may be mcc; 0 for no limit of its own."""
        return mcc_job_count(self.settings)

    def precompiling(self) -> Precompiling:
        """Whether C++ sources share precompiled headers. A launcher has better use for what they would save: a cache
        knows nothing of a header that it has never seen, and other machines do not have ours."""
        automatic = self.settings.value(PCH).text.lower() == "auto"
        launched = self.launcher is not None or Path(self.cxx.command[0]).name in PROGRAMS
        if not self.settings.flag(PCH) or (automatic and launched):
            return NEVER
        version = process.run([*self.cxx.command, "--version"]).stdout
        if "Free Software Foundation" not in version:  # clang calls itself g++ on some systems
            return NEVER
        return Precompiling(SOURCES_PER_CORE * job_limits.usable_cores() if automatic else 1, version)

    def needs(self, request: ExtensionSpec) -> ExtensionRequirements:
        """What to add to a MUSAExtension's own lists."""
        assert self.sdk is not None, "find() looks for the SDK when an extension is for torch"
        found = (self.torch, self.torch_musa, self.sdk)
        return extension_requirements(request.name, *found, limited_api=request.limited_api)

    def toolchains(self, request: ExtensionSpec) -> Toolchains:
        """The compilers of one extension. Raises ArchError, SettingError."""
        if self.sdk is None or not request.uses_mcc:
            return Toolchains(self.cxx, None, self.library_dirs)
        mcc = (*mcc_command(self.settings, self.sdk), *self._checks(self.sdk))
        launcher = self.launcher.for_mcc(mcc) if self.launcher else ()
        return Toolchains(self.cxx, MccToolchain(mcc, self._archs(request, self.sdk), launcher), self.library_dirs)

    def _archs(self, request: ExtensionSpec, sdk: MusaSdk) -> tuple[MusaArch, ...]:
        """What the user names, else the cards of this machine, else the default; said in one line unless named."""
        value = self.settings.value(ARCH, request.arch)
        if not value.is_default or names_arch(request.flags.mcc):
            return parse_arch_list(value, sdk.cards)
        cards = tuple(sorted(set(sdk.cards())))
        archs = cards or parse_arch_list(value, sdk.cards)
        why = "the cards in this machine" if cards else "the default, for there is no card in this machine"
        names = " ".join(arch.name for arch in archs)
        LOGGER.info("%s: compiling for %s (%s); TORCH_MUSA_ARCH_LIST names others", request.name, names, why)
        return archs

    def _checks(self, sdk: MusaSdk) -> tuple[str, ...]:
        """The simulator's mcc would read the variable itself; on its command line the checks are part of what ninja
        and ccache compare, so that asking for others compiles anew."""
        checks = self.settings.value(SIM_CHECK).text
        return (f"--sim-check={checks}",) if checks and sdk.simulated else ()


def mcc_job_count(settings: Settings) -> int:
    """How many of the jobs may be mcc; 0 for no limit of its own. Raises SettingError."""
    value = settings.value(MCC_JOBS)
    return job_limits.positive_number(value) if value.text else 0


def mcc_command(settings: Settings, sdk: MusaSdk) -> tuple[str, ...]:
    """The SDK's mcc unless PYTORCH_MCC names another; absolute, for ninja watches it. Raises ToolNotFoundError."""
    named = settings.command(MCC)
    if not named:
        return (str(sdk.mcc),)
    program = process.find_program(named[0])
    if program is None:
        raise ToolNotFoundError(
            f"{settings.value(MCC).origin} names no program",
            found=named[0],
            wanted="the path of mcc",
            hint=f"without that setting the SDK's own is used, {sdk.mcc}",
        )
    return (str(program), *named[1:])


def _check_match(torch_musa: Optional[TorchMusa], sdk: MusaSdk) -> None:
    """Raises SdkMismatchError; says so where torch_musa only looks elsewhere for libraries of the same version."""
    error = mismatch(torch_musa, sdk)
    if error:
        raise error
    other = other_sdk(torch_musa, sdk)
    if other:
        LOGGER.warning("torch_musa was built with the MUSA SDK in %s, this build uses that in %s", other, sdk.root)


def _find_cxx(settings: Settings) -> tuple[CxxToolchain, Optional[Launcher]]:
    command = settings.command(CXX)
    if not command or process.find_program(command[0]) is None:
        raise ToolNotFoundError(
            "the C++ compiler was not found",
            found=" ".join(command) or "an empty CXX",
            wanted="a C++ compiler on PATH",
            hint="install g++ (Debian, Ubuntu: apt install g++), or set CXX to a compiler",
        )
    launcher = Launcher.find(settings, command)
    asked = " ".join(settings.environment.get(name, "") for name in ("CFLAGS", "CXXFLAGS", "CPPFLAGS")).split()
    debug = any(flag.startswith("-g") for flag in asked)
    return CxxToolchain(command, launcher.command if launcher else (), debug), launcher


def _library_dirs(cxx: Sequence[str]) -> tuple[str, ...]:
    """Where g++ and clang say that their linker looks for libraries, LIBRARY_PATH included."""
    for line in process.run([*cxx, "-print-search-dirs"]).stdout.splitlines():
        name, _, directories = line.partition(": =")
        if name == "libraries":
            return tuple(dict.fromkeys(os.path.normpath(path) for path in directories.split(":") if path))
    return ()
