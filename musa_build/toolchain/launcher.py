"""Compiler launchers: programs such as ccache that run a compiler, to cache its results or to distribute the work.

C++ compilers run under any launcher. mcc runs under ccache through launchers/mcc_launcher.sh, because ccache does not
know MUSA. Other launchers are not used for mcc: it is not known whether they tell device code apart.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from ..environment.settings import LAUNCHER, NO_WRAPPER, Settings
from ..errors import ToolNotFoundError
from ..system import files, process

MCC_LAUNCHER = Path(__file__).parent / "launchers" / "mcc_launcher.sh"
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
                f"the program in {value.origin} was not found",
                found=command[0],
                wanted="ccache, sccache, distcc or a path",
                hint="install it, or set MUSA_BUILD_LAUNCHER=none",
            )
        return cls((str(program), *command[1:]))

    @property
    def is_ccache(self) -> bool:
        return Path(self.command[0]).name == "ccache" and len(self.command) == 1

    def for_mcc(self, mcc: tuple[str, ...]) -> tuple[str, ...]:
        """Return the arguments before `mcc`; empty if this launcher is not known to work with MUSA.

        The version that mcc prints identifies the compiler in the cache's key. So a shared cache does not depend on
        where or when the compiler was installed.
        """
        if not self.is_ccache or not os.access(MCC_LAUNCHER, os.X_OK):
            return ()
        version = process.run([*mcc, "--version"]).stdout
        return (str(MCC_LAUNCHER), f"string:{files.digest(version)[:16]}", *self.command)


def sharing_environment(root: Path, environment: Path = Path(sys.prefix)) -> dict[str, str]:
    """Return the variables with which ccache shares results between copies of a tree in different folders.

    Each copy may have a virtual environment of its own, in `root` or in a folder above it: PyTorch's headers lie there.
    """
    if "CCACHE_BASEDIR" in os.environ:
        return {}
    beside = environment.parent
    is_of_the_tree = beside in (root, *root.parents) and beside != Path(beside.anchor)
    return {"CCACHE_BASEDIR": str(beside if is_of_the_tree else root)}
