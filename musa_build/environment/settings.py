"""All settings, each declared once. Precedence: keyword, environment, [tool.musa-build], default.

A value has its origin, so that an error can name the setting to change. This module only reads values. The module that
uses a value interprets it (what `mp_22` is, how many jobs fit into memory). Every build imports this module, so it
imports rarely needed libraries inside functions.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from ..errors import SettingError
from ..system.switch import NO, WANTED, YES


@dataclass(frozen=True)
class Setting:
    """A setting: its key in [tool.musa-build], its environment variables in order, its default, and its meaning."""

    key: str
    variables: tuple[str, ...]
    default: str
    meaning: str


@dataclass(frozen=True)
class Value:
    """The text of a setting and its origin: "TORCH_MUSA_ARCH_LIST", "the keyword arch", "the default"..."""

    text: str
    origin: str

    @property
    def is_default(self) -> bool:
        return self.origin == "the default"


ARCH = Setting(
    "arch",
    ("TORCH_MUSA_ARCH_LIST", "MUSA_ARCH", "TORCH_MUSA_ARCH"),
    "mp_22",
    "architectures to compile for: 22, mp_22, 2.2, native, all; separated by ';', ',' or space",
)
MAX_JOBS = Setting("max-jobs", ("MAX_JOBS",), "", "how many compilers run at once; empty: as cores and memory allow")
MCC_JOBS = Setting("mcc-jobs", ("MUSA_BUILD_MCC_JOBS",), "", "how many of the jobs may be mcc; empty: all of them")
VERBOSE = Setting("verbose", ("MUSA_BUILD_VERBOSE",), "0", "1 shows every command in full")
NO_WRAPPER = Setting(
    "no-compiler-wrapper",
    ("TORCH_NO_COMPILER_WRAPPER",),
    "",
    "set to compile .cpp files without ccache even where it is installed",
)
LAUNCHER = Setting(
    "launcher",
    ("MUSA_BUILD_LAUNCHER",),
    "auto",
    "ccache, sccache, distcc or another program to run compilers with; auto: ccache if it is installed; none",
)
PCH = Setting(
    "pch",
    ("MUSA_BUILD_PCH",),
    "auto",
    "precompile torch/extension.h for g++: 1, 0, or auto: if enough sources start with it and no launcher is used",
)
COMPILE_COMMANDS = Setting(
    "compile-commands",
    ("MUSA_BUILD_COMPILE_COMMANDS",),
    "0",
    "1 also writes compile_commands.json to the project's root, where clangd and editors look for it",
)
SIMULATOR = Setting("simulator", ("MUSA_BUILD_SIMULATOR",), "0", "1 builds for the MUSA SDK that runs on the CPU")
CXX = Setting("cxx", ("CXX",), "c++", "the C++ compiler, with flags if need be")
MCC = Setting("mcc", ("PYTORCH_MCC",), "", "the MUSA compiler, with flags if need be; empty: the SDK's own")

SIM_CHECK = Setting(
    "sim-check",
    ("MUSA_SIM_CHECK",),
    "",
    "with the simulator: the checks to compile into kernels: memory, race, init, sync, all; separated by ','",
)

FORCE_LEVEL = Setting(
    "force-level",
    ("MUSA_BUILD_FORCE_LEVEL",),
    "",
    "with FORCE_MUSA=1: how much of CUDA a package finds, 0 to 5; empty: the lowest level that works",
)
FORCE_PACKAGES = Setting(
    "force-packages",
    ("MUSA_BUILD_FORCE_PACKAGES",),
    "",
    "with FORCE_MUSA=1: a TOML file of variables and porting rules for single packages, in the form of quirks.toml",
)
KEEP_GOING = Setting(
    "keep-going",
    ("MUSA_BUILD_KEEP_GOING",),
    "0",
    "with FORCE_MUSA=1: 1 excludes sources that do not compile; calling their functions raises an error",
)
ONLY = Setting(
    "only",
    ("MUSA_BUILD_ONLY",),
    "",
    "with FORCE_MUSA=1: name patterns of the sources to build (nms* roi_align*); the others are excluded likewise",
)

DECLARED = (
    *(ARCH, MAX_JOBS, MCC_JOBS, VERBOSE, NO_WRAPPER, LAUNCHER, PCH, COMPILE_COMMANDS, SIMULATOR, SIM_CHECK, CXX, MCC),
    *(FORCE_LEVEL, FORCE_PACKAGES, KEEP_GOING, ONLY),
)


@dataclass(frozen=True)
class Settings:
    """The settings of one build: an environment and the [tool.musa-build] table of one project."""

    environment: Mapping[str, str]
    project: Mapping[str, Any]

    @classmethod
    def read(cls, directory: Optional[Path] = None) -> Settings:
        """Read the settings of the project in `directory` (default: the current one). Raises SettingError."""
        return cls(dict(os.environ), _project_table((directory or Path.cwd()) / "pyproject.toml"))

    def value(self, setting: Setting, keyword: object = None) -> Value:
        """Return the value that wins. `keyword` is the caller's argument, None for none."""
        if keyword is not None:
            return Value(_text(keyword), f"the keyword {setting.key}")
        for variable in setting.variables:
            if self.environment.get(variable, "").strip():
                return Value(self.environment[variable].strip(), variable)
        if setting.key in self.project:
            return Value(_text(self.project[setting.key]), f"{setting.key} of [tool.musa-build] in pyproject.toml")
        return Value(setting.default, "the default")

    def flag(self, setting: Setting) -> bool:
        """Return whether a switch is on. Raises SettingError if its value is neither yes nor no."""
        value = self.value(setting)
        word = value.text.strip().lower()
        if word not in YES and word not in NO:
            raise SettingError(
                f"{value.origin} is a switch", found=repr(value.text), wanted=WANTED, hint=setting.meaning
            )
        return word in YES

    def command(self, setting: Setting) -> tuple[str, ...]:
        """Return the arguments of a command, split as a shell does: `ccache g++` is two. Raises SettingError."""
        import shlex

        value = self.value(setting)
        try:
            return tuple(shlex.split(value.text))
        except ValueError as error:
            raise SettingError(
                f"{value.origin} is not a command",
                found=repr(value.text),
                wanted="a program with flags, quoted as in a shell",
                hint=str(error),
            ) from error


def parse_toml(text: str, origin: str) -> dict[str, Any]:
    """Parse TOML text; `origin` is its name in errors. Raises SettingError."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        tables: dict[str, Any] = tomllib.loads(text)
        return tables
    except tomllib.TOMLDecodeError as error:
        raise _unreadable(origin, error) from error


def _project_table(pyproject: Path) -> Mapping[str, Any]:
    """Return [tool.musa-build] of a pyproject.toml; empty if the file or the table is missing."""
    try:
        text = pyproject.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise _unreadable("pyproject.toml", error) from error
    table = parse_toml(text, "pyproject.toml").get("tool", {}).get("musa-build", {})
    known = [setting.key for setting in DECLARED]
    for key in table:
        if key not in known:
            import difflib

            near = difflib.get_close_matches(key, known, n=1)
            raise SettingError(
                "unknown key in [tool.musa-build] of pyproject.toml",
                found=key,
                wanted=", ".join(known),
                hint=f"did you mean {near[0]}?" if near else "",
            )
    return dict(table)


def _unreadable(origin: str, error: Exception) -> SettingError:
    return SettingError(f"{origin} cannot be read", found=str(error), wanted="a readable file of valid TOML")


def _text(value: object) -> str:
    """Return a value as text; the items of a list (from a keyword or TOML) are joined by ';'."""
    if isinstance(value, (list, tuple)):
        return ";".join(str(item) for item in value)
    if isinstance(value, bool):
        return "1" if value else "0"
    return str(value)
