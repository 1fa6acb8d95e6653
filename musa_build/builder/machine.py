"""The machine as a build finds it before it imports PyTorch: SDK, compilers, launcher, number of jobs.

A launcher is a program such as ccache that runs a compiler, to cache its results or to distribute the work. C++
compilers run under any launcher. mcc runs under ccache through toolchain/launchers/mcc_launcher.sh, because ccache does
not know MUSA. The simulated SDK's mcc calls distcc by itself, because distcc would not send a MUSA source away. Other
launchers are not used for mcc: it is not known whether they tell device code apart.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Optional

from ..environment.sdk import MusaArch, MusaSdk
from ..environment.settings import CXX, LAUNCHER, MAX_JOBS, MCC, MCC_JOBS, NO_WRAPPER, Settings
from ..errors import SdkNotFoundError, SettingError, ToolNotFoundError
from ..system import files, process

if TYPE_CHECKING:
    from ..environment.settings import Value

MCC_LAUNCHER = Path(__file__).parent.parent / "toolchain" / "launchers" / "mcc_launcher.sh"
AUTO = "auto"
PROGRAMS = ("ccache", "sccache", "distcc")
_NONE = ("", "0", "no", "none", "false", "off")


@dataclass(frozen=True)
class Launcher:
    """A launcher and its flags; the first argument is an absolute path."""

    command: tuple[str, ...]

    @classmethod
    def find(cls, settings: Settings, cxx: tuple[str, ...]) -> Optional[Launcher]:
        """Find the launcher of a build: the one that the setting names, else ccache if it is installed.

        Returns:
            None without a launcher, also if the setting names none and `cxx` is a launcher itself ("ccache g++").

        Raises:
            ToolNotFoundError: The named launcher was not found.
            SettingError: The setting is not a command.
        """
        value = settings.value(LAUNCHER)
        if value.text.lower() in _NONE:
            return None
        if value.text.lower() == AUTO:
            if settings.flag(NO_WRAPPER) or Path(cxx[0]).name in PROGRAMS:
                return None
            ccache = process.find_program("ccache")
            return cls((str(ccache),)) if ccache else None
        command = settings.command(LAUNCHER)
        program = process.find_program(command[0])
        if program is None:
            raise ToolNotFoundError(
                f"{value.origin} names no program",
                found=command[0],
                wanted="ccache, sccache, distcc or a path",
                hint="install it, or set MUSA_BUILD_LAUNCHER=none",
            )
        return cls((str(program), *command[1:]))

    @property
    def is_ccache(self) -> bool:
        return Path(self.command[0]).name == "ccache" and len(self.command) == 1

    @property
    def is_distcc(self) -> bool:
        return Path(self.command[0]).name == "distcc" and len(self.command) == 1

    def for_mcc(self, mcc: tuple[str, ...]) -> tuple[str, ...]:
        """Return the arguments before `mcc`; empty if this launcher is not known to work with MUSA.

        The version that mcc prints identifies the compiler in ccache's key. So a shared cache does not depend on
        where or when the compiler was installed. Moore Threads' mcc does not know the variable for distcc, and
        compiles on this machine.
        """
        if self.is_distcc:
            return ("/usr/bin/env", f"MUSA_SIM_DISTCC={self.command[0]}")
        if not self.is_ccache or not os.access(MCC_LAUNCHER, os.X_OK):
            return ()
        version = process.run([*mcc, "--version"]).stdout
        return (str(MCC_LAUNCHER), f"string:{files.digest(version)[:16]}", *self.command)


# One C++ file that includes torch/extension.h takes 1.4 to 1.9 GB with g++.
MEMORY_PER_JOB = 2 * 1024**3
_CONTROL_GROUP = Path("/sys/fs/cgroup")


def job_count(setting: Value, requested: Optional[int], cores: int, free_memory: int) -> int:
    """Return the number of jobs for ninja.

    Args:
        setting: The setting MAX_JOBS, which wins.
        requested: The number after `build_ext -j`, if any.
        cores: The default, as far as memory allows.
        free_memory: In bytes. A job needs 2 GiB.

    Raises:
        SettingError: The setting is not a positive number.
    """
    if setting.text:
        return positive_number(setting)
    return requested or max(1, min(cores, free_memory // MEMORY_PER_JOB))


def positive_number(setting: Value) -> int:
    """Parse a number of jobs. Raises SettingError."""
    if not (setting.text.isdecimal() and int(setting.text) > 0):
        raise SettingError(
            f"{setting.origin} is not a number of jobs", found=repr(setting.text), wanted="a whole number above 0"
        )
    return int(setting.text)


def usable_cores(group: Path = _CONTROL_GROUP) -> int:
    """Return the cores this process may use: its affinity, limited by its control group (1.5 cores count as two)."""
    cores = len(os.sched_getaffinity(0))
    quota = _fields(group / "cpu.max")  # version 2: "150000 100000" or "max 100000"
    if not quota:
        quota = [*_fields(group / "cpu" / "cpu.cfs_quota_us"), *_fields(group / "cpu" / "cpu.cfs_period_us")]
    if len(quota) == 2 and quota[0].isdecimal() and int(quota[1]) > 0:  # version 1 says -1 for no limit
        cores = min(cores, max(1, math.ceil(int(quota[0]) / int(quota[1]))))
    return cores


def free_memory(group: Path = _CONTROL_GROUP) -> int:
    """Return the bytes of memory that programs can get without swapping; a generous guess if that is unknown."""
    free = usable_cores() * MEMORY_PER_JOB
    for name, value in _counts(Path("/proc/meminfo")):
        if name == "MemAvailable:":
            free = value * 1024
    version_1 = group / "memory"
    for limit, used, detail in (
        (group / "memory.max", group / "memory.current", group / "memory.stat"),
        (version_1 / "memory.limit_in_bytes", version_1 / "memory.usage_in_bytes", version_1 / "memory.stat"),
    ):
        bound, taken = _fields(limit), _fields(used)
        if bound and taken and bound[0].isdecimal() and taken[0].isdecimal():
            # Cached files count as used, but the kernel drops them when programs need memory.
            cached = next((value for name, value in _counts(detail) if name == "inactive_file"), 0)
            free = min(free, max(0, int(bound[0]) - int(taken[0]) + cached))
    return free


def _fields(path: Path) -> list[str]:
    try:
        return path.read_text().split()
    except OSError:
        return []


def _counts(path: Path) -> list[tuple[str, int]]:
    """Return the lines that consist of a name and a number."""
    try:
        lines = [line.split() for line in path.read_text().splitlines()]
    except OSError:
        return []
    return [(line[0], int(line[1])) for line in lines if len(line) >= 2 and line[1].isdecimal()]


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
                "the build needs a C++ compiler",
                found=f"no program {command[0]}" if command else "an empty CXX",
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
                f"{self.settings.value(MCC).origin} names no program",
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
        limits = (usable_cores(), free_memory())
        return job_count(self.settings.value(MAX_JOBS), requested, *limits)

    def mcc_jobs(self) -> int:
        """Return how many of the jobs may be mcc; 0 for all of them. Raises SettingError."""
        value = self.settings.value(MCC_JOBS)
        return positive_number(value) if value.text else 0
