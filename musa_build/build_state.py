"""What the last build of a project was made from, so that the next one knows when its graph still stands.

Asking torch and setuptools for every command means importing torch, which takes longer than all else that a build with
nothing to do does. If everything that decides the graph is the same, the graph is too, and ninja alone knows whether a
source has changed. Whatever cannot be compared (a patched compiler object, Cython's sources) means asking again.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Optional

from . import files, ninja_run, process
from .errors import MusaBuildError, SdkNotFoundError
from .languages import language_of
from .launcher import Launcher
from .sdk import MusaSdk
from .settings import ARCH, MAX_JOBS, MCC, VERBOSE, Settings

if TYPE_CHECKING:
    from .plan import BuildPlan  # which a build with nothing to do need not load

FILE_NAME = "graph.json"
_PACKAGE = Path(__file__).parent
# What torch, setuptools and their compiler classes read. Our own settings are in Settings, the user's are in his lists.
_VARIABLES = re.compile(
    r"(TORCH|PYTORCH|MUSA|DISTUTILS|SETUPTOOLS)_\w+|CC|CXX|CPP|AR|ARFLAGS|LD\w*|CFLAGS|CXXFLAGS|CPPFLAGS|PATH|PYTHONPATH"
)
_UNRELATED = {*MAX_JOBS.variables, *VERBOSE.variables}


class Delivery(NamedTuple):
    """A library: made as `output`, wanted as `destination`."""

    output: str
    destination: str
    optional: bool


class BuildState(NamedTuple):
    """A graph that was written as build.ninja: what to ask ninja for, and what to call its outputs."""

    key: str
    ninja_file: str
    descriptions: Mapping[str, str]
    deliveries: tuple[Delivery, ...]

    @classmethod
    def of(cls, plan: BuildPlan, key: str, directory: Path) -> BuildState:
        deliveries = tuple(Delivery(link.output, link.destination, link.optional) for link in plan.links)
        return cls(key, _identity(directory / ninja_run.FILE_NAME), plan.descriptions, deliveries)

    @classmethod
    def load(cls, directory: Path, key: str) -> Optional[BuildState]:
        """The state that `directory` was left in, when it has this key and its build.ninja is the one of that time."""
        try:
            content = json.loads((directory / FILE_NAME).read_text(encoding="utf-8"))
            deliveries = tuple(Delivery(**delivery) for delivery in content["deliveries"])
            state = cls(content["key"], content["ninja_file"], content["descriptions"], deliveries)
        except (OSError, ValueError, TypeError, KeyError):
            return None  # none, or of another release of ours
        fresh = state.key == key and state.ninja_file == _identity(directory / ninja_run.FILE_NAME)
        return state if fresh else None

    def save(self, directory: Path) -> None:
        content = {**self._asdict(), "deliveries": [delivery._asdict() for delivery in self.deliveries]}
        files.write_if_changed(directory / FILE_NAME, json.dumps(content, indent=1))


def state_key(command: Any, settings: Settings, cxx: Sequence[str]) -> str:
    """A digest of everything that decides the graph of a build_ext command; "" where something cannot be compared.

    `cxx` is the C++ compiler. Looks at files and variables; imports and compiles nothing.
    """
    if not cxx:
        return ""
    try:
        for extension in command.extensions:
            for source in extension.sources:
                language_of(os.fspath(source))  # others are generated from something we do not see
                if not Path(source).is_file():
                    return ""
        sdk = _sdk(settings)
        cards = sdk.cards() if sdk and settings.value(ARCH).is_default else ()
        launcher = Launcher.find(settings, tuple(cxx))
    except MusaBuildError:
        return ""  # the long way says what is wrong
    words = settings.words(MCC)
    mcc = words[0] if words else str(sdk.mcc if sdk else "")
    facts = {
        "python": (sys.version, sys.executable, sys.prefix),
        "packages": [_package(name) for name in ("torch", "torch_musa", "setuptools")],
        "musa_build": sorted(_identity(path) for path in _PACKAGE.glob("*.py")),
        "tools": [_identity(process.find_program(program)) for program in (cxx[0], mcc)],
        "launcher": launcher,
        "sdk": (sdk, _identity(sdk.root / "version.json") if sdk else "", cards),
        "settings": (sorted(settings.project.items()), words),
        "environment": sorted(
            item for item in os.environ.items() if _VARIABLES.fullmatch(item[0]) and item[0] not in _UNRELATED
        ),
        "directory": str(Path.cwd()),
        "command": _plain(vars(command)),
        "compiler": {name: repr(value) for name, value in vars(command.compiler).items()},
        "extensions": [(type(extension).__qualname__, vars(extension)) for extension in command.extensions],
    }
    text = repr(facts)
    return "" if re.search(r" at 0x[0-9a-f]+>", text) else files.digest(text)


def _sdk(settings: Settings) -> Optional[MusaSdk]:
    """None where there is none: not every extension needs it."""
    try:
        return MusaSdk.find(settings)
    except SdkNotFoundError:
        return None


def _plain(attributes: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Options of a command: not the objects that it works with."""
    kinds = (str, int, float, bool, type(None), list, tuple)
    return sorted(
        (name, value) for name, value in attributes.items() if isinstance(value, kinds) and name != "extensions"
    )


def _package(name: str) -> tuple[str, ...]:
    """An installed package, as far as it decides commands."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        return (name,)
    root = Path(spec.origin).parent
    parts = ("__init__.py", "version.py", "utils/cpp_extension.py", "lib/libmusa_python.so", "share")
    return tuple(_identity(root / part) for part in parts)


def _identity(path: Optional[Path]) -> str:
    """A file as a build system knows it: by its path, size and time."""
    try:
        found = path.stat() if path else None
    except OSError:
        found = None
    return f"{path} {found.st_size} {found.st_mtime_ns}" if found else f"no {path}"
