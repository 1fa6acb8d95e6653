"""How far a package is told that there is CUDA, and finding the level that it needs.

A build begins with `FIRST`. Where it ends without having asked for a CUDA extension, it is started again with the next
level: the same command, in the directory and environment that it was started with, once everything that it opened is
closed. What a setup.py has done cannot be undone, and pip runs each several times anyway. A package that asks for a
CUDA extension at the first level is run once, as always. MUSA_BUILD_FORCE_LEVEL chooses a level, and none is tried.
"""

from __future__ import annotations

import enum
import json
import os
import sys
from collections.abc import Iterator, Mapping, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, Optional

from ..environment.settings import FORCE_LEVEL, Settings
from ..errors import SettingError
from ..logger_util import LOGGER

# What became of the levels below the one of this process: a list in JSON. Only this module sets it.
TRIED = "MUSA_BUILD_FORCE_TRIED"
BUILDING = ("build", "build_ext", "bdist_wheel", "bdist_egg", "install", "develop", "editable_wheel")
# What pip runs first. Its answers, a version above all, must be those of the build.
METADATA = ("egg_info", "dist_info")
# Front ends run the hooks of a build in a process of their own: a program of theirs, or text.
_HOOK_PROGRAMS = ("setup.py", "_in_process.py")
_NOT_ABOUT_CUDA = (KeyboardInterrupt, ImportError, SyntaxError)
_NO_FOLDERS = frozenset({"build", "dist", "node_modules", "__pycache__"})


class Level(enum.IntEnum):
    """What a setup.py is told; each level includes those below it."""

    CLASSES = 0  # nothing: CUDAExtension and the like are ours
    FORCE_CUDA = 1  # FORCE_CUDA=1 in the environment
    AVAILABLE = 2  # torch.cuda.is_available() is true
    TOOLKIT = 3  # CUDA_HOME is set, and nvcc on PATH tells its version
    VERSION = 4  # torch.version.cuda is a version, and PyTorch says it was built with CUDA

    @property
    def label(self) -> str:
        return f"level {self.value} ({self.name})"


FIRST = Level.FORCE_CUDA
LAST = max(Level)


@dataclass
class Attempt:
    """One run of a setup.py. `tried` is what became of lower levels, None where the user chose `level`; `arguments`
    are those of setup.py, `command` those of this process where it can be started again; `settled` is whether a higher
    level cannot help; `outcome` what this run came to."""

    level: Level
    tried: Optional[tuple[str, ...]]
    arguments: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    settled: bool = False
    outcome: str = ""

    @property
    def can_go_up(self) -> bool:
        return self.tried is not None and bool(self.command) and self.level < LAST

    @property
    def reason(self) -> str:
        """Why it is this level: "" where it is the first or the user's."""
        return f"built at {self.level.label}, because at {'; at '.join(self.tried)}" if self.tried else ""


def attempt(environment: MutableMapping[str, str]) -> Attempt:
    """The attempt that this process is. Raises SettingError."""
    tried = tuple(json.loads(environment.pop(TRIED, "[]")))
    value = Settings.read().value(FORCE_LEVEL)
    if not value.text:
        return Attempt(Level(FIRST + len(tried)), tried, tuple(sys.argv[1:]), _command())
    try:
        return Attempt(Level(int(value.text)), None)
    except ValueError as error:
        wanted = ", ".join(f"{level.value} ({level.name})" for level in Level)
        raise SettingError(f"{value.origin} is no level", found=repr(value.text), wanted=wanted) from error


def has_cuda_sources(directory: Path) -> bool:
    """Whether there is a .cu or .cuh file in a project, apart from what a build or an environment put there."""
    return any(name.endswith((".cu", ".cuh")) for name in _file_names(directory))


def _file_names(directory: Path) -> Iterator[str]:
    for _, folders, names in os.walk(directory):
        folders[:] = [name for name in folders if name not in _NO_FOLDERS and not name.startswith(".")]
        if "pyvenv.cfg" in names:
            folders.clear()
        else:
            yield from names


def give_up(now: Attempt, outcome: str) -> NoReturn:
    """End this process, which `start_again` then does with the next level.

    Exits instead of raising: packages catch what setup() raises, and go on without their kernels.
    """
    now.outcome = outcome
    raise SystemExit(1)


def start_again(now: Attempt, name: str, directory: str, environment: Mapping[str, str]) -> None:
    """Called when the process ends: replaces it by one with the next level, where that may help."""
    if now.settled or not now.can_go_up:
        return
    error = getattr(sys, "last_value", None)  # of the exception that ended the process
    if not now.outcome:
        asked = any(argument in (*BUILDING, *METADATA) for argument in now.arguments)
        if not asked or isinstance(error, _NOT_ABOUT_CUDA) or not has_cuda_sources(Path(directory)):
            return
    outcome = now.outcome or f"setup.py ends ({_first_line(error)})"
    tried = [*(now.tried or ()), f"{now.level.label} {outcome}"]
    LOGGER.info("%s: at %s; trying %s", name, tried[-1], Level(now.level + 1).label)
    sys.stdout.flush()
    sys.stderr.flush()
    os.chdir(directory)
    os.execve(sys.executable, [sys.executable, *now.command[1:]], {**environment, TRIED: json.dumps(tried)})


def _first_line(error: Any) -> str:
    return f"{type(error).__name__}: {error}".splitlines()[0] if error is not None else "without an exception"


def _command() -> tuple[str, ...]:
    """The command line of this process, where it builds one package and does nothing else; else nothing."""
    try:
        words = tuple(os.fsdecode(Path("/proc/self/cmdline").read_bytes()).split("\0")[:-1])
    except OSError:
        return ()
    rest = [word for word in words[1:] if word == "-c" or not word.startswith("-")]
    is_text = rest[:1] == ["-c"] and len(rest) > 1 and "setuptools" in rest[1]
    return words if is_text or (rest and Path(rest[0]).name in _HOOK_PROGRAMS) else ()
