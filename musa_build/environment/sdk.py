"""MUSA architectures, and the SDK of this machine: its path, version, tools, headers and libraries.

An SDK is a directory with bin/mcc, include/, lib/ and version.json. The simulated SDK differs in one point only: its
version.json has the key "musa_sim".

The figures of architectures come from Moore Threads' own code and manuals. The host warp size is from muThrust's tables
and the pages on warp functions (128 up to mp_22, 32 from mp_31 on).
"""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Optional

from ..errors import ArchError, SdkNotFoundError
from ..system import process
from ..system.install_hints import simulator_hint
from .settings import SIMULATOR, Settings

if TYPE_CHECKING:
    from .runtime_library import RuntimeAnswers
    from .settings import Value


@dataclass(frozen=True, order=True)
class MusaArch:
    """An architecture mp_XY, ordered by age."""

    major: int
    minor: int

    @property
    def name(self) -> str:
        """The name in mcc's flags: "mp_22"."""
        return f"mp_{self.major}{self.minor}"

    @property
    def macro(self) -> int:
        """The value of `__MUSA_ARCH__` in device code: 220 for mp_22."""
        return self.major * 100 + self.minor * 10

    @property
    def warp_size(self) -> int:
        """The `warpSize` that the host reports. Shuffles work on 32 lanes on every architecture."""
        return 128 if (self.major, self.minor) <= (2, 2) else 32


#: A part of an error block, as musa_sim prints it
_PART = re.compile(r"  (found|wanted|hint): +(.*)")
#: The reason for the architectures of a build without a setting
OF_CARDS = "the cards in this machine"
KNOWN = tuple(MusaArch(number // 10, number % 10) for number in (10, 21, 22, 31, 32, 41, 42, 43))
# The architectures of the cards on sale (S80/S3000, S4000, S5000): those of a wheel for all users.
ALL = tuple(arch for arch in KNOWN if arch.name in ("mp_21", "mp_22", "mp_31"))


def parse_arch_list(value: Value, cards: Callable[[], Sequence[MusaArch]]) -> tuple[MusaArch, ...]:
    """Return the architectures that a setting names, each once, oldest first.

    `cards` returns the architectures of the cards in this machine. It is called for the name `native` only.

    Raises:
        ArchError: An unknown name, an empty list, or `native` without a card.
    """
    names = [name for name in re.split(r"[;,\s]+", value.text) if name]
    if not names:
        raise ArchError(f"{value.origin} names no architecture", found=repr(value.text), wanted=_wanted())
    archs: set[MusaArch] = set()
    for name in names:
        if name.lower() == "all":
            archs.update(ALL)
        elif name.lower() == "native":
            archs.update(_native(cards(), value))
        else:
            archs.add(_parse(name, value))
    return tuple(sorted(archs))


class ArchChoice(NamedTuple):
    """The architectures that a build compiles for, and the reason: the setting that names them, or another."""

    archs: tuple[MusaArch, ...]
    reason: str
    by_user: bool


def choose_archs(value: Value, cards: Callable[[], Sequence[MusaArch]]) -> ArchChoice:
    """Return the user's architectures, else those of this machine's cards, else the default. Raises ArchError."""
    if not value.is_default:
        return ArchChoice(parse_arch_list(value, cards), value.origin, True)
    found = tuple(sorted(set(cards())))
    if found:
        return ArchChoice(found, OF_CARDS, False)
    return ArchChoice(parse_arch_list(value, cards), "the default, because there is no card in this machine", False)


def _parse(name: str, value: Value) -> MusaArch:
    match = re.fullmatch(r"(?:mp_)?(\d)\.?(\d)", name, flags=re.IGNORECASE)
    arch = MusaArch(int(match[1]), int(match[2])) if match else None
    if arch not in KNOWN:
        raise ArchError(f"{value.origin} names an unknown MUSA architecture", found=name, wanted=_wanted())
    return arch


def _native(cards: Sequence[MusaArch], value: Value) -> Sequence[MusaArch]:
    if not cards:
        raise ArchError(
            f"{value.origin} is native, but this machine has no MUSA card",
            wanted=_wanted(),
            hint="name the architecture of the card that will run the program, for example TORCH_MUSA_ARCH_LIST=22",
        )
    return cards


def _wanted() -> str:
    names = ", ".join(str(arch.major * 10 + arch.minor) for arch in KNOWN)
    return f"one of {names}, native or all (22, mp_22 and 2.2 are equivalent)"


#: Where Moore Threads' packages put an SDK, and where llama.cpp and torchada look as well (docs/known.md).
DEFAULT_ROOTS = (Path("/usr/local/musa"), Path("/opt/musa"))


@dataclass(frozen=True)
class MusaSdk:
    """A MUSA SDK. `origin` is how it was found ("MUSA_HOME", "mcc on PATH"...).

    `mudnn` is the folder of a muDNN beside the SDK, as MUDNN_HOME names it.
    """

    root: Path
    version: str
    simulated: bool
    origin: str
    mudnn: Optional[Path] = None

    @classmethod
    def find(cls, settings: Settings) -> MusaSdk:
        """Find the SDK that a build uses: MUSA_HOME, MUSA_PATH, mcc on PATH, /usr/local/musa, /opt/musa.

        MUSA_BUILD_SIMULATOR=1 selects the simulated SDK and wins over all of them. Without it, the simulated SDK is
        used only if a variable points to it: a build for a card must never silently become one for the CPU.

        Raises:
            SdkNotFoundError: There is no SDK, or a variable does not point to one.
        """
        if settings.flag(SIMULATOR):
            return cls.at(_simulated_root(), settings.value(SIMULATOR).origin)
        for root, origin in _candidates(settings):
            return cls.at(root, origin)._with_mudnn(settings)
        raise SdkNotFoundError(
            "there is no MUSA SDK here",
            found=f"MUSA_HOME and MUSA_PATH are not set, no mcc on PATH, none of {', '.join(map(str, DEFAULT_ROOTS))}",
            wanted="a directory with bin/mcc",
            hint="set MUSA_HOME to the SDK, or MUSA_BUILD_SIMULATOR=1 to build for the simulator on the CPU",
        )

    @classmethod
    def all(cls, settings: Settings) -> Iterator[MusaSdk]:
        """Yield every SDK that `find` would consider, in its order, without MUSA_BUILD_SIMULATOR's."""
        for root, origin in _candidates(settings):
            with suppress(SdkNotFoundError):
                yield cls.at(root, origin)

    def _with_mudnn(self, settings: Settings) -> MusaSdk:
        """Add the muDNN of MUDNN_HOME or MUDNN_PATH to a real SDK. The simulated one has its own."""
        named = settings.environment.get("MUDNN_HOME") or settings.environment.get("MUDNN_PATH")
        return replace(self, mudnn=Path(named).absolute()) if named and not self.simulated else self

    @classmethod
    def at(cls, root: Path, origin: str) -> MusaSdk:
        """Return the SDK in `root`. Raises SdkNotFoundError if that directory has no bin/mcc."""
        if not (root / "bin" / "mcc").is_file():
            raise SdkNotFoundError(
                f"{origin} does not point to a MUSA SDK",
                found=f"no file {root / 'bin' / 'mcc'}",
                wanted="a directory with bin/mcc",
                hint="set MUSA_HOME to the SDK's root directory, which contains bin",
            )
        modules = _read_version_file(root / "version.json")
        return cls(root.absolute(), _version(modules), "musa_sim" in modules, origin)

    @property
    def mcc(self) -> Path:
        return self.root / "bin" / "mcc"

    @property
    def include_dir(self) -> Path:
        return self.root / "include"

    @property
    def include_dirs(self) -> tuple[Path, ...]:
        """The SDK's headers, after those of MUDNN_HOME: who sets it wants that muDNN and not the SDK's."""
        return (*([self.mudnn / "include"] if self.mudnn else []), self.include_dir)

    @property
    def library_dirs(self) -> tuple[Path, ...]:
        """lib/ and, if a packager added it, lib64/ (Moore Threads' SDK has none); those of MUDNN_HOME come first."""
        roots = [self.mudnn, self.root] if self.mudnn else [self.root]
        return tuple(folder for root in roots for folder in _library_dirs(root))

    @property
    def runtime_library(self) -> Path:
        return self.root / "lib" / "libmusart.so"

    def answers(self) -> RuntimeAnswers:
        """Ask libmusart for its version, the driver's and the cards."""
        from .runtime_library import RuntimeAnswers  # most builds name their architectures, and ask nothing

        return RuntimeAnswers.of(self.runtime_library)

    def cards(self) -> tuple[MusaArch, ...]:
        """Return the architectures of the cards that libmusart sees, in device order; empty without card or driver."""
        return tuple(MusaArch(major, minor) for major, minor in self.answers().cards)

    @property
    def name(self) -> str:
        """Its kind, version and folder."""
        kind = "simulated MUSA SDK" if self.simulated else "MUSA SDK"
        return f"{kind} {self.version or 'of unknown version'} in {self.root}"

    def __str__(self) -> str:
        return f"{self.name} (from {self.origin})"


def _library_dirs(root: Path) -> tuple[Path, ...]:
    lib64 = root / "lib64"
    return (root / "lib", lib64) if lib64.is_dir() else (root / "lib",)


def _candidates(settings: Settings) -> Iterator[tuple[Path, str]]:
    """Yield the directories to search for an SDK, with their origin. The first one wins."""
    for variable in ("MUSA_HOME", "MUSA_PATH"):
        if settings.environment.get(variable):
            yield Path(settings.environment[variable]), variable
    mcc = process.find_program("mcc")
    if mcc is not None:
        yield mcc.resolve().parent.parent, "mcc on PATH"
    for root in DEFAULT_ROOTS:
        if root.is_dir():
            yield root, "the default path"


def run_simulator(command: str) -> process.Completed:
    """Run `python -m musa_sim COMMAND` and show its progress. Raises SdkNotFoundError if it is not installed."""
    if importlib.util.find_spec("musa_sim") is None:
        raise SdkNotFoundError(
            "the simulated MUSA SDK is not installed",
            found=f"no musa-sim in {sys.prefix}",
            hint=simulator_hint(),
        )
    return process.run_with_progress([sys.executable, "-m", "musa_sim", command])


def _simulated_root() -> Path:
    """Have musa_sim create the simulated SDK, and return its root. musa_build uses it like any other SDK."""
    done = run_simulator("root")
    lines = done.stdout.split("\n")
    if done.returncode or not lines[0]:
        raise _not_created(done.stderr)
    return Path(lines[0])


def _not_created(log: str) -> SdkNotFoundError:
    """Return the error of `python -m musa_sim root`, with the parts of its own block; others of its lines are found."""
    lines = log.strip().splitlines() or ["no output"]
    parts = {match[1]: match[2] for match in map(_PART.fullmatch, lines) if match}
    errors = [line for line in lines if "error:" in line][:2]  # musa_sim's, the compiler's
    found = [line.removeprefix("error: ") for line in errors] or lines[-1:]
    return SdkNotFoundError(
        "the simulated MUSA SDK could not be created",
        found=": ".join([*found, *([parts["found"]] if "found" in parts else [])]),
        wanted=parts.get("wanted", "" if parts else "a path printed by `python -m musa_sim root`"),
        hint=parts.get("hint", "run that command to see more"),
    )


def _read_version_file(path: Path) -> dict[str, Any]:
    """Read version.json: {module: {"version": ...}}. Return {} if it is missing or broken: it is not required."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _version(modules: dict[str, Any]) -> str:
    """Return the version of the toolkit, or of another module: their names differ between SDK releases."""
    for name in ("musa_toolkits", "musa_toolkit", "musa_runtime", "mcc"):
        entry: Optional[object] = modules.get(name)
        if isinstance(entry, dict) and entry.get("version"):
            return str(entry["version"])
    return ""
