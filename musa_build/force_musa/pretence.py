"""What a setup.py is led to believe about CUDA, and taking it back.

No further than the package needs (packages.py), and only until its extensions are compiled: everything that asks later
gets PyTorch's own answers.
"""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType
from typing import Any

from ..errors import SettingError
from ..porting.guards import DEFAULT_EMULATED_CUDA
from ..settings import FORCE_LEVEL, Settings
from .packages import Level, Package, identify

# An nvcc that answers the version that this environment variable holds.
CUDA_HOME = Path(__file__).parent / "cuda_home"
_NVCC_VERSION = "MUSA_BUILD_NVCC_VERSION"

_MARK = "__musa_build_pretence__"


class Pretence:
    """What was changed for one build; `end` undoes it, but for environment variables."""

    def __init__(self, package: Package, level: Level) -> None:
        self.package = package
        self.level = level
        self._changes = ExitStack()

    def set(self, owner: Any, name: str, value: object) -> None:
        """Set an attribute until `end`."""
        self._changes.callback(setattr, owner, name, getattr(owner, name))
        setattr(owner, name, value)

    def end(self) -> None:
        self._changes.close()


def begin(torch: ModuleType) -> Pretence:
    """Start pretending for the project in the working directory, in this process. Raises SettingError."""
    package = identify(Path.cwd())
    pretence = Pretence(package, _level(package))
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
    return found if isinstance(found, Pretence) else Pretence(Package(""), Level.CLASSES)


def pretend_toolkit(tools: ModuleType, pretence: Pretence) -> None:
    """torch.utils.cpp_extension keeps its own CUDA_HOME, which a PyTorch for the CPU sets to None whatever is asked."""
    if pretence.level >= Level.TOOLKIT:
        pretence.set(tools, "CUDA_HOME", str(CUDA_HOME))


def _level(package: Package) -> Level:
    value = Settings.read().value(FORCE_LEVEL)
    if not value.text:
        return package.needs.level
    try:
        return Level(int(value.text))
    except ValueError as error:
        wanted = ", ".join(f"{level.value} ({level.name})" for level in Level)
        raise SettingError(f"{value.origin} is no level", found=repr(value.text), wanted=wanted) from error


def _set_environment(package: Package, level: Level) -> None:
    for name, value in package.needs.environment:
        os.environ.setdefault(name, value)
    if level >= Level.FORCE_CUDA:
        os.environ.setdefault("FORCE_CUDA", "1")
    if level >= Level.TOOLKIT:
        os.environ["CUDA_HOME"] = str(CUDA_HOME)
        os.environ[_NVCC_VERSION] = DEFAULT_EMULATED_CUDA
        os.environ["PATH"] = os.pathsep.join([str(CUDA_HOME / "bin"), os.environ.get("PATH", os.defpath)])
