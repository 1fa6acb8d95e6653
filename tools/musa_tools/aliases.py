"""Opt-in import aliases for msprobe, ptdbg_ascend and torch_npu.hooks.

After ``install()``, or with MUSA_TOOLS_ALIASES=1 in the environment, scripts find these packages here. Without that,
nothing does: many libraries take a package named torch_npu for a sign that an Ascend card is there.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Optional

from musa_tools.errors import ToolError
from musa_tools.switch import is_on

SWITCH = "MUSA_TOOLS_ALIASES"

#: Name -> the module that has the contents; None for a package that holds nothing but others.
_ALIASES: dict[str, Optional[str]] = {
    "msprobe": None,
    "msprobe.pytorch": "musa_tools.other_tools.msprobe",
    "ptdbg_ascend": "musa_tools.other_tools.ptdbg_ascend",
    "torch_npu": None,
    "torch_npu.hooks": "musa_tools.other_tools.hooks",
    "torch_npu.hooks.tools": "musa_tools.other_tools.hooks.tools",
}
_PACKAGES = ("msprobe", "torch_npu", "torch_npu.hooks")


class _Finder(MetaPathFinder, Loader):
    """Finds the aliases."""

    def find_spec(
        self, fullname: str, path: Optional[Sequence[str]], target: Optional[ModuleType] = None
    ) -> Optional[ModuleSpec]:
        """Return where a module comes from, if it is an alias."""
        if fullname not in _ALIASES:
            return None
        return ModuleSpec(fullname, self, origin=_ALIASES[fullname], is_package=fullname in _PACKAGES)

    def exec_module(self, module: ModuleType) -> None:
        """Fill an alias with the names of its module."""
        source = _ALIASES[module.__name__]
        if source is not None:
            other = importlib.import_module(source)
            module.__doc__ = other.__doc__
            names = list(vars(other)["__all__"])
            vars(module).update({name: getattr(other, name) for name in names}, __all__=names)


def install_if_asked() -> None:
    """Call `install` if MUSA_TOOLS_ALIASES says so. Raise ValueError if its value is neither yes nor no."""
    if is_on(os.environ.get(SWITCH, "")):
        install()


def install(force: bool = False) -> None:
    """Make ``import msprobe``, ``import ptdbg_ascend`` and ``import torch_npu.hooks`` work.

    Args:
        force: Hide real packages of these names. Without it, they are an error.

    Raises:
        ToolError: A real package is installed.
    """
    if any(isinstance(finder, _Finder) for finder in sys.meta_path):
        return
    real = [name for name in _ALIASES if "." not in name and _is_installed(name)]
    if real and not force:
        raise ToolError(
            f"the real {', '.join(real)} is installed, so musa_tools does not take its name",
            hint="import from musa_tools.other_tools, or hide the real package: musa_tools.aliases.install(force=True)",
        )
    if force:
        for name in [name for name in sys.modules if name.partition(".")[0] in real]:
            del sys.modules[name]
    sys.meta_path.insert(0, _Finder())


def uninstall() -> None:
    """Undo ``install``."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _Finder)]
    for name in _ALIASES:
        module = sys.modules.get(name)
        if module is not None and isinstance(getattr(module.__spec__, "loader", None), _Finder):
            del sys.modules[name]


def _is_installed(name: str) -> bool:
    if name in sys.modules:
        return True
    return importlib.util.find_spec(name) is not None
