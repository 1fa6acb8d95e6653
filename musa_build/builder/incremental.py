"""Is anything of a build out of date? If not, run the graph of the last build without planning it again.

Planning imports torch. That takes longer than the rest of a build with nothing to do. The fingerprint of a build is
everything that decides its graph. If it is the same, the graph is too, and ninja detects changed sources. If no
fingerprint can be taken, the graph is planned again.

If something that decides the graph is missing in the fingerprint, a build can deliver a stale library. Add it, with a
case in tests/build/test_fingerprint.py, which changes each input in turn. The fingerprint leaves out what ninja
compares itself: the content of sources and headers, and the libraries of a link (graph.json and the stamp files of
graph.py).

Every build enters this module, so it imports neither torch nor the planning of a graph.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import sys
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, astuple, dataclass
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, Union

from ..environment.settings import ARCH, MAX_JOBS, MCC, VERBOSE
from ..errors import MusaBuildError, SourceError
from ..system import files
from ..system.process import locked
from . import runner
from .machine import MCC_LAUNCHER, PROGRAMS

if TYPE_CHECKING:
    from ..environment.sdk import MusaSdk
    from .machine import Machine
    from .plan import BuildPlan

STATE_FILE = "graph.json"

_PACKAGE = Path(__file__).parent.parent
# The variables that torch, setuptools and their compiler classes read.
_VARIABLES = re.compile(
    r"(TORCH|PYTORCH|MUSA|MUDNN|DISTUTILS|SETUPTOOLS|_PYTHON)_\w+"
    r"|CC|CXX|CPP|AR|ARFLAGS|RANLIB|LD\w*|CFLAGS|CXXFLAGS|CPPFLAGS|PATH|PYTHONPATH"
)
_UNRELATED = {*MAX_JOBS.variables, *VERBOSE.variables}
# The variables that compilers and linkers read. Commands do not show them.
_COMPILER_VARIABLES = re.compile(
    r"CPATH|C_INCLUDE_PATH|CPLUS_INCLUDE_PATH|LIBRARY_PATH|COMPILER_PATH|GCC_EXEC_PREFIX|LD_RUN_PATH"
    r"|CCC_OVERRIDE_OPTIONS|MUSA_SIM_CLANG|MUSA_SIM_ARCH|MUSA_SIM_CPU"
)
_TORCH = ("torch", "torch_musa")
_PLAIN = (str, int, float, bool, type(None), list, tuple)
# The code of these packages is identified by the package. Other code in the planning may depend on anything.
_KNOWN_CODE = ("musa_build", "setuptools", "distutils", "Cython")
# A project may override these. They run in every build before the fingerprint is taken, so it includes their effect.
_RUN_BEFORE = frozenset(("__init__", "initialize_options", "finalize_options", "run", "build_extensions"))
_HARMLESS = frozenset(("__repr__", "__annotate__", "__annotate_func__", "__replace__"))  # the last: Python 3.13


@dataclass(frozen=True)
class Fingerprint:
    """The inputs of planning. Each is plain data with the same text in every process.

    reasons.py names them in the log. A pair is the name of an input and its value.
    """

    python: tuple[str, ...]  # release, interpreter, environment
    python_build: str  # sysconfig: suffixes of extensions, Python's own libraries and flags
    engine: tuple[str, ...]  # musa_build's own files
    packages: tuple[str, ...]  # torch, torch_musa, setuptools, Cython
    programs: tuple[str, ...]  # compilers and linkers
    launcher: str
    sdk: tuple[str, ...]
    cards: str  # the architectures of this machine's cards, if no setting names any
    settings: tuple[tuple[str, str], ...]  # [tool.musa-build] of pyproject.toml
    environment: tuple[tuple[str, str], ...]
    directory: str
    options: tuple[tuple[str, str], ...]  # of build_ext, and the attributes of a project's own class
    compiler: tuple[tuple[str, str], ...]  # the flags of setuptools' compiler object
    extensions: tuple[tuple[str, str], ...]
    outputs: tuple[str, ...]  # the destinations of the libraries
    porting: tuple[str, ...]  # the manifests of porting above sources: they decide flags

    @classmethod
    def take(cls, command: Any, machine: Machine) -> Union[Fingerprint, str]:
        """Return the fingerprint of a build_ext `command`; if the graph must be planned in every build, say why.

        That is so for a missing or generated source, and for code of the project that takes part in planning.
        """
        settings = machine.settings
        objects = (command, command.compiler, *command.extensions)
        for each in objects:
            foreign = _foreign_code(each)
            if foreign:
                return f"{foreign} is code of the project"
        try:
            sources = _sources(command.extensions)
            sdk = machine.sdk_or_none
            cards = machine.cards if sdk and settings.value(ARCH).is_default else ()
            cxx, mcc = machine.cxx, settings.command(MCC)
            launcher = machine.launcher
        except (MusaBuildError, OSError, IndexError) as error:
            return str(error)  # planning reports the error
        taken = cls(
            python=(sys.version, sys.executable, sys.prefix),
            python_build=_python_build(),
            engine=_engine(),
            packages=tuple(part for name in (*_TORCH, "setuptools", "Cython") for part in _package(name)),
            programs=_programs(cxx, mcc or ((str(sdk.mcc),) if sdk else ()), *_commands(command.compiler)),
            launcher=repr(launcher),
            sdk=_sdk_identity(sdk),
            cards=repr(cards),
            settings=_pairs(sorted(settings.project.items())),
            environment=_environment(),
            directory=str(Path.cwd()),
            options=_pairs([*_plain(vars(command)), ("class", _class_data(type(command)))]),
            compiler=_pairs(sorted(vars(command.compiler).items())),
            extensions=tuple(pair for extension in command.extensions for pair in _extension_pairs(extension)),
            outputs=tuple(command.get_ext_fullpath(extension.name) for extension in command.extensions),
            porting=files.porting_manifests(sources),
        )
        address = re.search(r"<[^<>]* at 0x[0-9a-f]+>", repr(taken))
        return f"a build cannot compare {address[0]}" if address else taken

    @property
    def key(self) -> str:
        """A digest of the fingerprint."""
        return files.digest(repr(astuple(self)))

    @property
    def facts(self) -> Mapping[str, Any]:
        """The fingerprint as plain data."""
        return asdict(self)


def step_environment(sdk: Optional[MusaSdk], packages: Sequence[str] = _TORCH) -> tuple[str, ...]:
    """Return the facts that affect the result of every step without being part of its command.

    `packages` are the Python packages whose headers and libraries the steps use.
    """
    installed = (part for name in packages for part in _package(name))
    variables = (f"{name}={value}" for name, value in _environment() if _COMPILER_VARIABLES.fullmatch(name))
    return (sys.version.replace("\n", " "), *installed, *_sdk_identity(sdk), *variables)


def programs(command: Sequence[str]) -> tuple[str, ...]:
    """Return the compiler at the start of a command, without its launcher, which does not affect the result."""
    arguments = takewhile(lambda argument: not argument.startswith("-"), command)
    launchers = (*PROGRAMS, MCC_LAUNCHER.name, "env")
    return tuple(argument for argument in arguments if Path(argument).name not in launchers and _paths(argument))


def program_identities(program: str) -> tuple[str, ...]:
    """Return the identities of all programs of this name on PATH: the first may be ccache, which runs the next."""
    return tuple(files.identity(path) for path in _paths(program))


@dataclass(frozen=True)
class BuiltLibrary:
    """A library: built as `output`, installed as `destination`."""

    output: str
    destination: str
    optional: bool


@dataclass(frozen=True)
class BuildState:
    """The state of a build directory: the graph in build.ninja, and the libraries to build with it.

    Attributes:
        key: The key of everything that decided the graph.
        watched: Files that the graph depends on, with their identities: those that were written with it, and those that
            linkers look for.
        descriptions: The names of outputs in messages.
        libraries: The libraries to build and install.
    """

    key: str
    watched: Mapping[str, str]
    descriptions: Mapping[str, str]
    libraries: tuple[BuiltLibrary, ...]

    @classmethod
    def of(cls, plan: BuildPlan, key: str, watched: Mapping[str, str]) -> BuildState:
        libraries = tuple(BuiltLibrary(link.output, link.destination, link.optional) for link in plan.links)
        return cls(key, watched, plan.descriptions, libraries)

    @classmethod
    def load(cls, directory: Path, key: str) -> Optional[BuildState]:
        """Load the state of `directory`; None if it has another key or a watched file has changed."""
        try:
            content = json.loads((directory / STATE_FILE).read_text(encoding="utf-8"))
            libraries = tuple(BuiltLibrary(**library) for library in content["libraries"])
            state = cls(content["key"], dict(content["watched"]), content["descriptions"], libraries)
        except (OSError, ValueError, TypeError, KeyError):
            return None  # missing, or written by another release of musa_build
        unchanged = all(files.identity(Path(path)) == identity for path, identity in state.watched.items())
        return state if unchanged and state.key == key else None

    def save(self, directory: Path) -> None:
        files.write_if_changed(directory / STATE_FILE, json.dumps(asdict(self), indent=1))


def try_incremental_build(directory: Path, key: str, machine: Machine, jobs: Optional[int], keep_going: bool) -> bool:
    """Run the graph in `directory` if it was planned with the same `key`.

    Args:
        directory: The build directory.
        key: The key of everything that decides the graph; "" for a build that must be planned.
        machine: The machine that builds.
        jobs: The number after `build_ext -j`, if any.
        keep_going: Compile the other files after a failure.

    Returns:
        Whether the graph could be used. Otherwise the caller has to plan a new one.

    Raises:
        CompileFailedError: A step failed.
    """
    if not key or not (directory / STATE_FILE).exists():
        return False
    count = machine.jobs(jobs)
    with locked(directory / "build.lock"):
        state = BuildState.load(directory, key)  # after the wait: another build may have written another graph
        if state is not None:
            run_graph(state, directory, count, machine.settings.flag(VERBOSE), keep_going)
    return state is not None


def run_graph(state: BuildState, directory: Path, jobs: int, verbose: bool, keep_going: bool) -> None:
    """Run ninja for the required libraries and then for the optional ones. The caller holds the directory's lock.

    A graph without libraries has only objects. All of them are built.
    """

    def build(libraries: Sequence[BuiltLibrary], keep_going: bool) -> None:
        targets = [library.output for library in libraries]
        file = directory / runner.FILE_NAME
        runner.run_ninja(state.descriptions, file, targets, jobs=jobs, verbose=verbose, keep_going=keep_going)

    required = [library for library in state.libraries if not library.optional]
    optional = [library for library in state.libraries if library.optional]
    if required or not optional:
        build(required, keep_going)
    install_libraries(required)
    try:
        if optional:
            build(optional, True)
        install_libraries(optional)
    except MusaBuildError:
        # Find out which of them failed, and remove the libraries of an earlier build.
        for library in optional:
            Path(library.destination).unlink(missing_ok=True)
            with warn_if_optional(True):
                build([library], True)
                install_libraries([library])


def install_libraries(libraries: Sequence[BuiltLibrary]) -> None:
    """Copy finished libraries to their destinations, atomically: a running program may have mapped the old ones."""
    for library in libraries:
        built, destination = Path(library.output), Path(library.destination)
        before = destination.stat().st_mtime if destination.exists() else 0.0
        if built.exists() and files.write_if_changed(destination, built.read_bytes()):
            shutil.copymode(built, destination)
            # setuptools copies it further only if it is newer by a whole second. Two builds may be closer than that.
            stamp = max(destination.stat().st_mtime, int(before) + 1.0)
            os.utime(destination, (stamp, stamp))


@contextmanager
def warn_if_optional(optional: bool) -> Iterator[None]:
    """Log a failure of an optional extension as a warning, and continue the build."""
    try:
        yield
    except MusaBuildError as error:
        if not optional:
            raise
        from ..logger_util import LOGGER  # a build with nothing to do logs nothing

        LOGGER.warning("an optional extension was not built: %s", error)


def _paths(program: str) -> list[Path]:
    folders = [""] if "/" in program else os.environ.get("PATH", os.defpath).split(os.pathsep)
    paths = (Path(folder, program) for folder in folders)
    return [path for path in paths if path.is_file() and os.access(path, os.X_OK)]


def _programs(*commands: Sequence[str]) -> tuple[str, ...]:
    names = dict.fromkeys(name for command in commands for name in programs(command))
    return tuple(found for name in names for found in (name, *program_identities(name)))


def _sources(extensions: Sequence[Any]) -> list[str]:
    """Return the sources of all extensions.

    Raises:
        SourceError: A source is generated from another file.
        FileNotFoundError: A source does not exist.
    """
    sources = [os.fspath(source) for extension in extensions for source in extension.sources]
    for source in sources:
        if source.endswith(files.GENERATED_FROM):
            raise SourceError(f"{source} is turned into another source first")  # ninja does not watch it
        Path(source).stat()
    return sources


def _sdk_identity(sdk: Optional[MusaSdk]) -> tuple[str, ...]:
    """Return the identity of an SDK, without how it was found; empty without an SDK."""
    return (str(sdk.root), sdk.version, files.identity(sdk.root / "version.json")) if sdk else ()


def _python_build() -> str:
    """Return a digest of Python's build variables, which setup.py may have changed, and of distutils' copy."""
    modules = [sysconfig, *filter(None, [sys.modules.get("distutils.sysconfig")])]
    return files.digest(*(repr(sorted(module.get_config_vars().items(), key=str)) for module in modules))


def _engine() -> tuple[str, ...]:
    own = (*_PACKAGE.rglob("*.py"), *MCC_LAUNCHER.parent.iterdir())
    return tuple(sorted(files.identity(path) for path in own))


def _package(name: str) -> tuple[str, ...]:
    """Return the identity of an installed package: the files of it that affect commands."""
    try:
        spec = importlib.util.find_spec(name)
    except ValueError:  # something in sys.modules is not a package
        spec = None
    if spec is None or spec.origin is None:
        return (f"no {name}",)
    root = Path(spec.origin).parent
    libraries = ("lib/libmusa_python.so", "lib/libtorch_musa.so")
    parts = ("__init__.py", "version.py", "utils/cpp_extension.py", *libraries, "share", "command")
    return tuple(files.identity(root / part) for part in parts)


def _environment() -> tuple[tuple[str, str], ...]:
    def decides(name: str) -> bool:
        return bool(_VARIABLES.fullmatch(name) or _COMPILER_VARIABLES.fullmatch(name)) and name not in _UNRELATED

    return tuple(sorted(item for item in os.environ.items() if decides(item[0])))


def _commands(compiler: Any) -> Iterator[Sequence[str]]:
    """Return the commands of setuptools' compiler object: compiler_so, linker_so_cxx and others."""
    return (value for value in vars(compiler).values() if isinstance(value, list) and value)


def _plain(attributes: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return the options of a command, without the objects that it holds."""
    return sorted(
        (name, value) for name, value in attributes.items() if isinstance(value, _PLAIN) and name != "extensions"
    )


def _class_data(kind: type) -> list[tuple[str, Any]]:
    """Return the attributes that the project's own classes among the bases of `kind` set."""
    foreign = [base for base in kind.__mro__ if not _is_known(base)]
    return [item for base in foreign for item in _plain({n: v for n, v in vars(base).items() if n[:2] != "__"})]


def _pairs(items: Sequence[tuple[str, Any]]) -> tuple[tuple[str, str], ...]:
    return tuple((name, repr(value)) for name, value in items)


def _extension_pairs(extension: Any) -> tuple[tuple[str, str], ...]:
    kind = (type(extension).__name__, _class_data(type(extension)))
    return _pairs([(f"{extension.name}: {name}", value) for name, value in (("class", kind), *vars(extension).items())])


def _foreign_code(instance: Any) -> str:
    """Name the project's code that planning would run: an overridden method, or one that setup.py replaced."""
    kinds = type(instance).__mro__[:-1]
    attributes = [(f"{kind.__name__}.{name}", name, value) for kind in kinds for name, value in vars(kind).items()]
    attributes += [(name, name, value) for name, value in vars(instance).items() if callable(value)]
    foreign = (
        described
        for described, name, value in attributes
        for code in _code_of(value)
        if name not in _RUN_BEFORE | _HARMLESS and not _is_known(code)
    )
    return next(foreign, "")


def _code_of(value: Any) -> tuple[Any, ...]:
    """Return the functions behind an attribute; empty for plain data."""
    if isinstance(value, property):
        return tuple(code for code in (value.fget, value.fset) if code)
    function = getattr(value, "__func__", value)  # of a class method or a static one
    return (function,) if callable(function) else ()


def _is_known(code: Any) -> bool:
    return str(getattr(code, "__module__", None)).split(".")[0] in _KNOWN_CODE
