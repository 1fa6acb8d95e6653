"""MUSA_CUDA_COMPAT=1: `cuda_compat` in an unedited program.

Python runs `install` when it starts, if the variable is set (musa_tools_cuda_compat.pth in site-packages). It imports
nothing of PyTorch: a finder waits until the program imports torch, and installs the shim then. It imports as little of
the standard library as it can, because every Python with the variable pays for it.
"""

from __future__ import annotations

import os
import sys

from musa_tools.switch import is_on

TYPE_CHECKING = False  # typing's own constant costs the import of typing
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any, Optional

SWITCH = "MUSA_CUDA_COMPAT"
REPORT = "report"  # this value of the switch lists the translations at the end
_WATCHED = ("torch", "torch_musa")


def install() -> None:
    """Install the shim as soon as torch has been imported, unless the switch says no. Twice is once.

    Raises:
        ValueError: The switch is neither yes nor no, nor `report`.
    """
    value = os.environ.get(SWITCH, "")
    asked = is_report(value) or is_on(value)
    if not asked or any(isinstance(each, Finder) for each in sys.meta_path):
        return
    if "torch" in sys.modules:
        _translate_environment()
        install_shim()
    else:
        sys.meta_path.insert(0, Finder())


def is_report(value: str) -> bool:
    """Return whether this value of the switch requests the list of translations."""
    return value.strip().lower() == REPORT


def _translate_environment() -> None:
    from musa_tools.convert.environment import translate_environment

    translate_environment()


def install_shim() -> None:
    """Let CUDA's names mean MUSA's device; where that is impossible, say why, and leave the program alone."""
    from musa_tools.errors import ToolError

    value = os.environ.get(SWITCH, "")
    try:
        from musa_tools.cuda_compat import install, report

        install()
    except ToolError as error:
        print(f"{SWITCH}={value} has no effect: {error}", file=sys.stderr)
    except Exception as error:  # torch_musa's import may raise anything, and this is somebody else's program
        text = (str(error).strip() or "no message").splitlines()[0]
        print(f"{SWITCH}={value} has no effect: {type(error).__name__}: {text}", file=sys.stderr)
    else:
        if is_report(value):
            import atexit

            atexit.register(lambda: print(report(), file=sys.stderr))


class Finder:
    """Finds nothing itself: it adds a step to the import of torch and torch_musa, and leaves when the shim is there.

    Either of the two may import the other, so the shim waits for the end of the outer import.
    """

    def __init__(self) -> None:
        self._searching = False
        self._loading = 0
        self._torch_is_there = False

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Optional[ModuleSpec]:
        """Return the spec of a watched module with our step added, and None for all other modules."""
        if name not in _WATCHED or self._searching:
            return None
        self._searching = True  # another finder may ask all others, us among them
        try:
            spec = self._spec_of_later_finders(name, path, target)
        finally:
            self._searching = False
        if spec is not None and spec.loader is not None:
            ours: Any = Loader(spec.loader, self)  # importlib.abc, whose class it would have, takes time to import
            spec.loader = ours
        return spec

    def load(self, loader: Any, module: ModuleType) -> None:
        """Load a watched module as its own loader does, and install the shim if this was the outer one."""
        if not self._loading:
            _translate_environment()
        self._loading += 1
        try:
            loader.exec_module(module)
            self._torch_is_there = self._torch_is_there or module.__name__ == "torch"
        finally:
            self._loading -= 1
            if self._torch_is_there and not self._loading and self in sys.meta_path:
                sys.meta_path.remove(self)
                install_shim()

    def _spec_of_later_finders(self, name: str, path: Any, target: Any) -> Optional[ModuleSpec]:
        for finder in sys.meta_path[sys.meta_path.index(self) + 1 :]:
            find: Any = getattr(finder, "find_spec", None)
            spec: Optional[ModuleSpec] = find(name, path, target) if find is not None else None
            if spec is not None:
                return spec
        return None


class Loader:
    """Loads a module as its own loader does, which is put back, and tells the finder."""

    def __init__(self, loader: Any, finder: Finder) -> None:
        self._loader = loader
        self._finder = finder

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> Optional[ModuleType]:
        """Let the loader create the module."""
        module: Optional[ModuleType] = self._loader.create_module(spec)
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Load the module."""
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._finder.load(self._loader, module)
