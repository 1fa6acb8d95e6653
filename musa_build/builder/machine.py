"""The machine as a build finds it before it imports PyTorch. Each property is looked up once, on first use."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Optional

from ..environment import job_limits
from ..environment.architectures import MusaArch
from ..environment.sdk import MusaSdk
from ..environment.settings import CXX, MAX_JOBS, MCC, MCC_JOBS, Settings
from ..errors import SdkNotFoundError, ToolNotFoundError
from ..system import process
from ..toolchain.launcher import Launcher


@dataclass(frozen=True)
class Machine:
    """The SDK, the compilers and the launcher that `settings` select."""

    settings: Settings

    @classmethod
    def read(cls) -> Machine:
        """Read the settings of the project in the current directory. Raises SettingError."""
        return cls(Settings.read())

    @cached_property
    def sdk(self) -> MusaSdk:
        """The MUSA SDK. Raises SdkNotFoundError."""
        return MusaSdk.find(self.settings)

    @property
    def sdk_or_none(self) -> Optional[MusaSdk]:
        """The MUSA SDK, or None: not every extension needs it."""
        try:
            return self.sdk
        except SdkNotFoundError:
            return None

    @cached_property
    def cards(self) -> tuple[MusaArch, ...]:
        """The architectures of the cards in this machine, in device order. Raises SdkNotFoundError."""
        return self.sdk.cards()

    @cached_property
    def cxx(self) -> tuple[str, ...]:
        """The C++ compiler's command. Raises ToolNotFoundError, SettingError."""
        command = self.settings.command(CXX)
        if not command or process.find_program(command[0]) is None:
            raise ToolNotFoundError(
                "the C++ compiler was not found",
                found=" ".join(command) or "an empty CXX",
                wanted="a C++ compiler on PATH",
                hint="install g++ (Debian, Ubuntu: apt install g++), or set CXX to a compiler",
            )
        return command

    @cached_property
    def mcc(self) -> tuple[str, ...]:
        """The command of PYTORCH_MCC or of the SDK's mcc. The path is absolute, because ninja watches the file.

        Raises ToolNotFoundError, SdkNotFoundError, SettingError.
        """
        named = self.settings.command(MCC)
        if not named:
            return (str(self.sdk.mcc),)
        program = process.find_program(named[0])
        if program is None:
            raise ToolNotFoundError(
                f"the program in {self.settings.value(MCC).origin} was not found",
                found=named[0],
                wanted="the path of mcc",
                hint=f"without this setting the build uses the SDK's, {self.sdk.mcc}",
            )
        return (str(program), *named[1:])

    @property
    def mcc_version(self) -> str:
        """The version of the SDK and so of its mcc; "" without an SDK, or if PYTORCH_MCC names another mcc."""
        sdk = None if self.settings.command(MCC) else self.sdk_or_none
        return sdk.version if sdk else ""

    @cached_property
    def launcher(self) -> Optional[Launcher]:
        """The compiler launcher, such as ccache. Raises ToolNotFoundError, SettingError."""
        return Launcher.find(self.settings, self.cxx)

    def jobs(self, requested: Optional[int] = None) -> int:
        """Return how many compilers may run at once; `requested` is `build_ext -j`. Raises SettingError."""
        limits = (job_limits.usable_cores(), job_limits.free_memory())
        return job_limits.job_count(self.settings.value(MAX_JOBS), requested, *limits)

    def mcc_jobs(self) -> int:
        """Return how many of the jobs may be mcc; 0 for all of them. Raises SettingError."""
        value = self.settings.value(MCC_JOBS)
        return job_limits.positive_number(value) if value.text else 0
