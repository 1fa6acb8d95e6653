"""How much CUDA a setup.py sees, and the search for the level that a package needs.

A build begins with level `FIRST`. If it ends without requesting a CUDA extension, its command is started again
with the next level, in the same directory and environment, after Python has closed and removed everything. The effects
of a setup.py cannot be undone, and pip runs each several times anyway. A package that requests a CUDA extension at the
first level runs once. MUSA_BUILD_FORCE_LEVEL selects one level and ends the search.
"""

from __future__ import annotations

import enum
import json
import os
import sys
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from traceback import walk_tb
from types import TracebackType
from typing import Any, NoReturn, Optional

from ..environment.settings import FORCE_LEVEL, Settings
from ..errors import ForceMusaError, SettingError
from ..logger_util import LOGGER
from .build_requirements import missing_imports
from .project_files import compiles_on_use, cuda_file, cuda_sources
from .setup_script import command_line, makes_a_wheel, makes_only_a_wheel, names_nvcc, variables_read

# The variable that holds the outcomes of lower levels, as a JSON list. Only this module sets it.
TRIED = "MUSA_BUILD_FORCE_TRIED"
_NO_CUDA = "it asks for no CUDA extension"
_NOTHING = "no extension at all"
# Front ends run the hooks of a build in a process of their own: a script of theirs, or text after -c.
_HOOK_PROGRAMS = ("setup.py", "_in_process.py")
_NOT_ABOUT_CUDA = (KeyboardInterrupt, ImportError, SyntaxError)
_MAY_BE_ABOUT_CUDA = ("torch", "setuptools", "_distutils_hack", "pkg_resources", "packaging", "wheel")


class Level(enum.IntEnum):
    """How much CUDA a setup.py sees; each level includes those below it."""

    CLASSES = 0  # none: only CUDAExtension and the like are ours
    FORCE_CUDA = 1  # FORCE_CUDA=1 in the environment
    AVAILABLE = 2  # torch.cuda.is_available() is true
    TOOLKIT = 3  # CUDA_HOME is set, and nvcc on PATH prints a version
    VERSION = 4  # torch.version.cuda is set, and PyTorch says that it was built with CUDA
    COMMANDS = 5  # a CUDA toolkit for commands of its own (with_toolkit/); the wheel is judged by what was compiled

    @property
    def label(self) -> str:
        """The level for a person."""
        return f"level {self.value} ({self.name})"


FIRST = Level.FORCE_CUDA
LAST = max(Level)


@dataclass(frozen=True)
class Attempt:
    """One run of a setup.py.

    `tried` has the outcomes of lower levels, None if the user selected `level`. `command` is the command line of this
    process, empty if it cannot be started again.
    """

    level: Level
    tried: Optional[tuple[str, ...]]
    command: tuple[str, ...] = ()

    @property
    def can_go_up(self) -> bool:
        """Whether this process can be started again with a higher level. The last one can judge wheels only."""
        last = LAST if makes_only_a_wheel() else Level.VERSION
        return self.tried is not None and bool(self.command) and self.level < last

    @property
    def reason(self) -> str:
        """Why it is this level: "" if it is the first one or the user's."""
        return f"built at {self.level.label}, because at {'; at '.join(self.tried)}" if self.tried else ""


# The attempt of a process that builds nothing.
NO_ATTEMPT = Attempt(Level.CLASSES, None)


def current_attempt(environment: MutableMapping[str, str]) -> Attempt:
    """Return the attempt that this process is, and remove the outcomes of earlier ones from `environment`.

    Raises:
        SettingError: MUSA_BUILD_FORCE_LEVEL is not a level.
    """
    tried = tuple(json.loads(environment.pop(TRIED, "[]")))
    value = Settings.read().value(FORCE_LEVEL)
    if not value.text:
        return Attempt(Level(FIRST + len(tried)), tried, _command_line())
    try:
        return Attempt(Level(int(value.text)), None)
    except ValueError as error:
        wanted = ", ".join(f"{level.value} ({level.name})" for level in Level)
        raise SettingError(f"{value.origin} is not a level", found=repr(value.text), wanted=wanted) from error


def runs_commands(environment: Mapping[str, str]) -> bool:
    """Return whether this process is an attempt at level COMMANDS, which begins before PyTorch is imported."""
    tried = len(json.loads(environment.get(TRIED, "[]")))
    return FIRST + tried == Level.COMMANDS or Settings.read().value(FORCE_LEVEL).text == str(Level.COMMANDS.value)


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
        asked = ", ".join(extensions) or _NOTHING
        project = Path.cwd()
        if next(cuda_sources(project), "") and (missing := missing_imports(project)):
            self._is_over = True
            raise _lacks_requirements(package, missing)
        on_use = "" if extensions else compiles_on_use(project, by_nvcc=False)
        if self.attempt.can_go_up and self._may_help_above(on_use, asked) and next(cuda_sources(project), ""):
            self._give_up(f"{_NO_CUDA} ({asked})")
        self._is_over = True
        if not is_build:
            return False
        if on_use:
            LOGGER.info("%s compiles its CUDA sources when they are used: %s", package, on_use)
            return True
        found = cuda_file(project)
        if not extensions and not found:
            LOGGER.info("%s has neither extensions nor CUDA sources: built as without FORCE_MUSA=1", package)
            return False
        raise _no_device_code(package, self.attempt, asked, found)

    def _may_help_above(self, on_use: str, asked: str) -> bool:
        """Return whether the level above may help: COMMANDS only where a setup.py may run a compiler by itself."""
        return self.attempt.level < Level.VERSION or names_nvcc() or (asked == _NOTHING and not on_use)

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
        if self._is_over or not self.attempt.command or self.attempt.tried is None:
            return
        if not self._outcome and not makes_a_wheel():
            return
        error = getattr(sys, "last_value", None)  # the exception that ended the process
        outcome = self._outcome or f"setup.py ends ({_first_line(error)})"
        tried = [*self.attempt.tried, f"{self.attempt.level.label} {outcome}"]
        obstacle = "" if self._outcome else _obstacle(self.attempt.level, error, Path(directory))
        if obstacle:
            LOGGER.error("FORCE_MUSA=1: %s: at %s; %s", name, "; at ".join(tried), obstacle)
            return
        LOGGER.info("%s: at %s; trying %s", name, tried[-1], Level(self.attempt.level + 1).label)
        sys.stdout.flush()
        sys.stderr.flush()
        os.chdir(directory)
        command = [sys.executable, *self.attempt.command[1:]]
        os.execve(sys.executable, command, {**environment, TRIED: json.dumps(tried)})


def _lacks_requirements(package: str, missing: Sequence[str]) -> ForceMusaError:
    listed = ", ".join(missing)
    return ForceMusaError(
        f"FORCE_MUSA=1, but {package or 'this package'} asked for no CUDA extension",
        found=f"its setup.py imports {listed}, which {'is' if len(missing) == 1 else 'are'} not installed",
        wanted="the packages that its pyproject.toml requires for a build",
        hint=f"pip install {' '.join(missing)}: --no-build-isolation leaves these packages to you",
    )


def _no_device_code(package: str, attempt: Attempt, asked: str, found: str) -> ForceMusaError:
    """Return the error for a package without a CUDA extension. `found` is a CUDA file of the project, or ""."""
    tried = [_asked_for(each) for each in (*(attempt.tried or ()), f"{attempt.level.label} {_NO_CUDA} ({asked})")]
    if not found:
        hint = "there is no .cu file in it: install it without FORCE_MUSA=1"
    elif not found.endswith((".cu", ".cuh")):
        hint = f"{found} is compiled for CUDA: FORCE_MUSA=1 needs its sources"
    elif attempt.level < Level.VERSION:
        higher = " or ".join(f"{level.value} ({level.name})" for level in Level if level > attempt.level)
        hint = f"set MUSA_BUILD_FORCE_LEVEL to {higher}"
    else:
        read = ", ".join(name for name in variables_read() if name not in os.environ)
        hint = f"set the variable by which its setup.py is asked for CUDA{read and f'; it reads {read}'}"
    return ForceMusaError(
        f"FORCE_MUSA=1, but {package or 'this package'} asked for no CUDA extension",
        found=f"at {_summary(tried)}",
        wanted="a CUDAExtension, or sources named .cu",
        hint=hint,
    )


def _asked_for(tried: str) -> str:
    """Return the result of a level without what the error's first line says."""
    start, no_cuda, asked = tried.partition(f"{_NO_CUDA} (")
    if not no_cuda:
        return tried
    asked = asked[:-1]
    return f"{start}it asks for {asked if asked == _NOTHING else f'{asked} alone'}"


def _summary(tried: Sequence[str]) -> str:
    """Return the results of all levels, as one if they are the same."""
    results = {each.partition(") ")[2] for each in tried}
    if len(tried) == 1 or len(results) > 1:
        return "; at ".join(tried)
    return f"levels {FIRST.value} to {FIRST.value + len(tried) - 1} {results.pop()}"


def _obstacle(level: Level, error: object, directory: Path) -> str:
    """Return why no level above `level` can help a setup.py that ended with `error`, and what can; "" if one may."""
    if not next(cuda_sources(directory), ""):
        return (
            "no other level is tried, because there is no .cu file to build; hint: repair this error; if the source "
            "distribution lacks the package's CUDA sources, build from its repository"
        )
    library = _raising_library(getattr(error, "__traceback__", None), directory)
    if isinstance(error, ModuleNotFoundError) and not library:
        return (
            "no other level is tried, because this is not about CUDA; hint: install the package that has the module "
            f"{error.name}: with --no-build-isolation, what a setup.py imports is left to you"
        )
    if library or isinstance(error, _NOT_ABOUT_CUDA):
        return f"no other level is tried, because this is not about CUDA; hint: repair {library or 'this error'} first"
    if level < (LAST if makes_only_a_wheel() else Level.VERSION):
        return ""
    return "there is no higher level; hint: look in its setup.py for what it expects of CUDA"


def _raising_library(traceback: Optional[TracebackType], project: Path) -> str:
    """Return the installed package that the project called and that then raised, "" if none did.

    PyTorch and setuptools do not count, nor what setup.py uses to compare versions: their errors may be about CUDA.
    """
    files = [Path(frame.f_code.co_filename) for frame, _ in walk_tb(traceback)]
    own = next((at for at, file in enumerate(files) if file.absolute().parent == project or file.name == "setup.py"), 0)
    for file in files[own:]:
        for parent in file.parents:
            if parent.name in ("site-packages", "dist-packages"):
                name = file.relative_to(parent).parts[0]
                if name not in _MAY_BE_ABOUT_CUDA:
                    return name
    return ""


def _first_line(error: Any) -> str:
    return f"{type(error).__name__}: {error}".splitlines()[0] if error is not None else "without an exception"


def _command_line() -> tuple[str, ...]:
    """Return the command line of this process if it builds one package and does nothing else; else nothing."""
    argv = command_line()
    rest = [argument for argument in argv[1:] if argument == "-c" or not argument.startswith("-")]
    is_text = rest[:1] == ["-c"] and len(rest) > 1 and "setuptools" in rest[1]
    return argv if is_text or (rest and Path(rest[0]).name in _HOOK_PROGRAMS) else ()
