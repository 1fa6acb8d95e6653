"""What a setup.py is led to believe about CUDA, and taking it back.

No further than the package needs (levels.py), and only until its extensions are compiled: everything that asks later
gets PyTorch's own answers.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType
from typing import Any

from ..environment.settings import Settings
from ..porting.engine.guards import DEFAULT_EMULATED_CUDA
from .levels import Attempt, Level, attempt, start_again
from .quirks import Package, identify, needs_of

# An nvcc that answers the version that this environment variable holds.
CUDA_HOME = Path(__file__).parent / "cuda_home"
_NVCC_VERSION = "MUSA_BUILD_NVCC_VERSION"

_MARK = "__musa_build_pretence__"


class Pretence:
    """What was changed for one build; `end` undoes it, but for environment variables."""

    def __init__(self, package: Package, now: Attempt) -> None:
        self.package = package
        self.attempt = now
        self._changes = ExitStack()

    @property
    def level(self) -> Level:
        return self.attempt.level

    def set(self, owner: Any, name: str, value: object) -> None:
        """Set an attribute until `end`."""
        self._changes.callback(setattr, owner, name, getattr(owner, name))
        setattr(owner, name, value)

    def end(self) -> None:
        self._changes.close()


def begin(torch: ModuleType) -> Pretence:
    """Start pretending for the project in the working directory, in this process. Raises SettingError."""
    package = identify(Path.cwd())
    pretence = Pretence(package, attempt(os.environ))
    _set_environment(package, pretence.level)
    if pretence.level >= Level.AVAILABLE:
        pretence.set(torch.cuda, "is_available", lambda: True)
    if pretence.level >= Level.VERSION:
        pretence.set(torch.version, "cuda", DEFAULT_EMULATED_CUDA)
        pretence.set(torch.backends.cuda, "is_built", lambda: True)
    setattr(torch, _MARK, pretence)
    return pretence


def current(torch: ModuleType) -> Pretence:
    """The pretence of this process: a dormant one where no build is going on."""
    found = getattr(torch, _MARK, None)
    return found if isinstance(found, Pretence) else Pretence(Package(""), Attempt(Level.CLASSES, None))


def finish(directory: str, environment: Mapping[str, str]) -> None:
    """Called when Python ends, with what it was started with: a build that asked for no CUDA extension goes on with the
    next level."""
    torch = sys.modules.get("torch")
    if torch is not None:
        pretence = current(torch)
        start_again(pretence.attempt, pretence.package.name or "this package", directory, environment)


def pretend_toolkit(tools: ModuleType, pretence: Pretence) -> None:
    """torch.utils.cpp_extension keeps its own CUDA_HOME, which a PyTorch for the CPU sets to None whatever is asked."""
    if pretence.level >= Level.TOOLKIT:
        pretence.set(tools, "CUDA_HOME", str(CUDA_HOME))


def _set_environment(package: Package, level: Level) -> None:
    for name, value in needs_of(package, Settings.read()).environment.items():
        os.environ.setdefault(name, value)
    for name in _force_build_variables(Path("setup.py")):
        os.environ.setdefault(name, "TRUE")
    if level >= Level.FORCE_CUDA:
        os.environ.setdefault("FORCE_CUDA", "1")
    if level >= Level.TOOLKIT:
        os.environ["CUDA_HOME"] = str(CUDA_HOME)
        os.environ[_NVCC_VERSION] = DEFAULT_EMULATED_CUDA
        os.environ["PATH"] = os.pathsep.join([str(CUDA_HOME / "bin"), os.environ.get("PATH", os.defpath)])


def _force_build_variables(script: Path) -> set[str]:
    """The variables by which a setup.py is told to compile instead of downloading a wheel, made for CUDA."""
    try:
        return set(re.findall(r"\b[A-Z][A-Z0-9_]*_FORCE_BUILD\b", script.read_text(encoding="utf-8", errors="replace")))
    except OSError:
        return set()
