"""Compiler launchers: ccache and its like, put before a compiler so that builds share results or spread over machines.

C++ compilers run below any launcher as they are. mcc runs below ccache through launchers/mcc_launcher.sh, because
ccache does not know MUSA; other launchers are not used for mcc, for nobody has shown that they keep device code apart.
"""

from __future__ import annotations

import os
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
    """A launcher with its flags, an absolute path first."""

    command: tuple[str, ...]

    @classmethod
    def find(cls, settings: Settings, cxx: tuple[str, ...]) -> Optional[Launcher]:
        """The launcher that a build uses: the one named, else ccache where it is installed; None for none.

        With none named, None where the C++ compiler `cxx` is itself a launcher ("ccache g++"). Raises ToolNotFoundError
        when the one named is not there, SettingError when the setting is no command.
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

    def for_mcc(self, mcc: tuple[str, ...]) -> tuple[str, ...]:
        """What goes before `mcc`; nothing where this launcher cannot be trusted with MUSA.

        Asks mcc for its version, which stands for the compiler in the cache's key: a shared cache must not care where
        or when it was installed.
        """
        if not self.is_ccache or not os.access(MCC_LAUNCHER, os.X_OK):
            return ()
        version = process.run([*mcc, "--version"]).stdout
        return (str(MCC_LAUNCHER), f"string:{files.digest(version)[:16]}", *self.command)


def sharing_environment(root: Path) -> dict[str, str]:
    """What ccache needs to know so that the same tree in another folder has the same results."""
    return {} if "CCACHE_BASEDIR" in os.environ else {"CCACHE_BASEDIR": str(root)}
