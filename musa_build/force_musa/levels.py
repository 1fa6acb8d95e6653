"""How much CUDA a setup.py sees, and the search for the level that a package needs.

A build begins with level `FIRST`. If it ends without having asked for a CUDA extension, its command is started again
with the next level, in the same directory and environment, after Python has closed and removed everything. What a
setup.py has done cannot be undone, and pip runs each several times anyway. A package that asks for a CUDA extension at
the first level runs once. MUSA_BUILD_FORCE_LEVEL selects one level and ends the search.
"""

from __future__ import annotations

import enum
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, Optional

from ..environment.settings import FORCE_LEVEL, Settings
from ..errors import ForceMusaError, SettingError
from ..logger_util import LOGGER

# The outcomes of lower levels, as a JSON list. Only this module sets it.
TRIED = "MUSA_BUILD_FORCE_TRIED"
BUILDING = ("build", "build_ext", "bdist_wheel", "bdist_egg", "install", "develop", "editable_wheel")
# The commands that pip runs first. Their answers, above all the version, must be those of the build.
METADATA = ("egg_info", "dist_info")
# Front ends run the hooks of a build in a process of their own: a script of theirs, or text after -c.
_HOOK_PROGRAMS = ("setup.py", "_in_process.py")
_NOT_ABOUT_CUDA = (KeyboardInterrupt, ImportError, SyntaxError)
_LOAD = re.compile(r"\bload(_inline)?\b")
_IGNORED_DIRECTORIES = frozenset({"build", "dist", "node_modules", "__pycache__"})


class Level(enum.IntEnum):
    """How much CUDA a setup.py sees; each level includes those below it."""

    CLASSES = 0  # none: only CUDAExtension and the like are ours
    FORCE_CUDA = 1  # FORCE_CUDA=1 in the environment
    AVAILABLE = 2  # torch.cuda.is_available() is true
    TOOLKIT = 3  # CUDA_HOME is set, and nvcc on PATH prints a version
    VERSION = 4  # torch.version.cuda is set, and PyTorch says that it was built with CUDA

    @property
    def label(self) -> str:
        """The level for a person."""
        return f"level {self.value} ({self.name})"


FIRST = Level.FORCE_CUDA
LAST = max(Level)


@dataclass(frozen=True)
class Attempt:
    """One run of a setup.py.

    `tried` has the outcomes of lower levels, None if the user selected `level`. `arguments` are those of setup.py.
    `command` is the command line of this process, empty if it cannot be started again.
    """

    level: Level
    tried: Optional[tuple[str, ...]]
    arguments: tuple[str, ...] = ()
    command: tuple[str, ...] = ()

    @property
    def can_go_up(self) -> bool:
        """Whether this process can be started again with a higher level."""
        return self.tried is not None and bool(self.command) and self.level < LAST

    @property
    def reason(self) -> str:
        """Why it is this level: "" if it is the first one or the user's."""
        return f"built at {self.level.label}, because at {'; at '.join(self.tried)}" if self.tried else ""


# Where no build is going on.
NO_ATTEMPT = Attempt(Level.CLASSES, None)


def current_attempt(environment: MutableMapping[str, str]) -> Attempt:
    """Return the attempt that this process is, and remove the outcomes of earlier ones from `environment`.

    Raises:
        SettingError: MUSA_BUILD_FORCE_LEVEL is not a level.
    """
    tried = tuple(json.loads(environment.pop(TRIED, "[]")))
    value = Settings.read().value(FORCE_LEVEL)
    if not value.text:
        return Attempt(Level(FIRST + len(tried)), tried, tuple(sys.argv[1:]), _command_line())
    try:
        return Attempt(Level(int(value.text)), None)
    except ValueError as error:
        wanted = ", ".join(f"{level.value} ({level.name})" for level in Level)
        raise SettingError(f"{value.origin} is not a level", found=repr(value.text), wanted=wanted) from error


class LevelSearch:
    """The part of one process in the search: its attempt, and whether a higher level may help."""

    def __init__(self, attempt: Attempt) -> None:
        self.attempt = attempt
        self._outcome = ""
        self._is_over = False  # whether no higher level can help

    def require_device_code(
        self, package: str, extensions: Sequence[str], *, has_device_code: bool, is_build: bool
    ) -> bool:
        """Return whether there is something to build for MUSA: not in a package without extensions and CUDA sources.

        A package that compiles its CUDA sources when they are used counts too: its Python modules are for MUSA.

        `extensions` are the package's extensions by name, and `has_device_code` is whether one of them is for MUSA.
        If only a higher level can help, this process ends and is started again.

        Raises:
            ForceMusaError: The build would become one for the CPU alone, at the last level or at the user's.
        """
        if has_device_code:
            if self.attempt.reason and not self._is_over:
                LOGGER.info("%s: %s", package, self.attempt.reason)
            self._is_over = True
            return True
        asked = ", ".join(extensions) or "no extension at all"
        has_sources = has_cuda_sources(Path.cwd())
        if has_sources and self.attempt.can_go_up:
            self._give_up(f"it asks for no CUDA extension ({asked})")
        self._is_over = True
        if not is_build:
            return False
        if not extensions and not has_sources:
            LOGGER.info("%s has neither extensions nor CUDA sources: built as without FORCE_MUSA=1", package)
            return False
        if not extensions and compiles_on_use(Path.cwd()):
            LOGGER.info("%s compiles its CUDA sources when they are used: run it with FORCE_MUSA=1 too", package)
            return True
        raise _no_device_code(package, self.attempt, asked, has_sources)

    def _give_up(self, outcome: str) -> NoReturn:
        """End this process, so that `start_again` takes the next level.

        It exits instead of raising: packages catch what setup() raises, and go on without their kernels.
        """
        self._outcome = outcome
        raise SystemExit(1)

    def start_again(self, name: str, directory: str, environment: Mapping[str, str]) -> None:
        """Replace this process, which is ending, by one with the next level, if that may help.

        `directory` and `environment` are those that the process was started with.
        """
        if self._is_over or not self.attempt.can_go_up:
            return
        error = getattr(sys, "last_value", None)  # the exception that ended the process
        if not self._outcome and not _may_be_about_cuda(self.attempt, error, Path(directory)):
            return
        outcome = self._outcome or f"setup.py ends ({_first_line(error)})"
        tried = [*(self.attempt.tried or ()), f"{self.attempt.level.label} {outcome}"]
        LOGGER.info("%s: at %s; trying %s", name, tried[-1], Level(self.attempt.level + 1).label)
        sys.stdout.flush()
        sys.stderr.flush()
        os.chdir(directory)
        command = [sys.executable, *self.attempt.command[1:]]
        os.execve(sys.executable, command, {**environment, TRIED: json.dumps(tried)})


def has_cuda_sources(directory: Path) -> bool:
    """Return whether a project has a .cu or .cuh file, apart from those of builds and virtual environments."""
    return any(path.suffix in (".cu", ".cuh") for path in _files(directory))


def compiles_on_use(directory: Path) -> bool:
    """Return whether a module of a project, other than its setup.py, asks PyTorch for `load` or `load_inline`."""
    modules = (path for path in _files(directory) if path.suffix == ".py" and path.name != "setup.py")
    texts = (path.read_text(encoding="utf-8", errors="replace") for path in modules)
    return any("torch.utils.cpp_extension" in text and _LOAD.search(text) for text in texts)


def _files(directory: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(directory):
        folders[:] = [name for name in folders if name not in _IGNORED_DIRECTORIES and not name.startswith(".")]
        if "pyvenv.cfg" in names:
            folders.clear()
        else:
            yield from (Path(folder, name) for name in names)


def _no_device_code(package: str, attempt: Attempt, asked: str, has_sources: bool) -> ForceMusaError:
    tried = [*(attempt.tried or ()), f"{attempt.level.label} it asks for no CUDA extension ({asked})"]
    if not has_sources:
        hint = "there is no .cu file in it: install it without FORCE_MUSA=1"
    elif attempt.level < LAST:
        higher = " or ".join(f"{level.value} ({level.name})" for level in Level if level > attempt.level)
        hint = f"set MUSA_BUILD_FORCE_LEVEL to {higher}"
    else:
        hint = "look in its setup.py for a variable that asks for CUDA"
    return ForceMusaError(
        f"FORCE_MUSA=1, but {package or 'this package'} asked for no CUDA extension",
        found=f"at {'; at '.join(tried)}",
        wanted="a CUDAExtension, or sources named .cu",
        hint=hint,
    )


def _may_be_about_cuda(attempt: Attempt, error: object, directory: Path) -> bool:
    """Return whether a build that ended before setup() asked for anything may have missed CUDA."""
    is_building = any(argument in (*BUILDING, *METADATA) for argument in attempt.arguments)
    return is_building and not isinstance(error, _NOT_ABOUT_CUDA) and has_cuda_sources(directory)


def _first_line(error: Any) -> str:
    return f"{type(error).__name__}: {error}".splitlines()[0] if error is not None else "without an exception"


def _command_line() -> tuple[str, ...]:
    """Return the command line of this process if it builds one package and does nothing else; else nothing."""
    try:
        argv = tuple(os.fsdecode(Path("/proc/self/cmdline").read_bytes()).split("\0")[:-1])
    except OSError:
        return ()
    rest = [argument for argument in argv[1:] if argument == "-c" or not argument.startswith("-")]
    is_text = rest[:1] == ["-c"] and len(rest) > 1 and "setuptools" in rest[1]
    return argv if is_text or (rest and Path(rest[0]).name in _HOOK_PROGRAMS) else ()
