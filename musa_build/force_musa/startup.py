"""The start-up hook: waits for PyTorch's build tools to be imported, and only then loads the rest.

Python runs `install` at its start where FORCE_MUSA=1 is set (musa_build_force.pth in site-packages). Standard library
only, and as little of it as will do: pip's isolated builds see this module although they see none of its neighbours'
dependencies, and every Python that runs with FORCE_MUSA=1 pays for it.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # typing's own constant costs the import of typing
if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any, Optional

TORCH = "torch"
TOOLS = "torch.utils.cpp_extension"
OLD_TOOLS = "pkg_resources"


def install() -> None:
    """Watch for PyTorch's build tools from now on; twice is once."""
    # pip keeps the wheels it built by name and version alone: one for CUDA or the CPU would be taken for MUSA's.
    os.environ.setdefault("PIP_NO_CACHE_DIR", "1")
    if not any(isinstance(finder, Watcher) for finder in sys.meta_path):
        sys.meta_path.insert(0, Watcher())
    if TOOLS in sys.modules:
        _prepare_tools(sys.modules[TOOLS])


def is_build() -> bool:
    """Whether this process builds a package that does not know MUSA itself."""
    return _is_building_script() and not _knows_musa()


class Watcher:
    """A finder that finds nothing itself: it adds a last step to the loading of the modules it watches."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Optional[ModuleSpec]:
        if name not in (TORCH, TOOLS, OLD_TOOLS):
            return None
        spec = self._spec_of_others(name, path, target)
        if name == TOOLS:
            _afterwards(spec, _prepare_tools)
        elif is_build():
            _refuse(name, spec)
            if name == TORCH:
                # A build needs no device, and torch_musa may refuse to load on a machine that has none.
                os.environ.setdefault("TORCH_DEVICE_BACKEND_AUTOLOAD", "0")
                _afterwards(spec, _prepare_torch)
        return spec

    def _spec_of_others(self, name: str, path: Any, target: Any) -> Optional[ModuleSpec]:
        for finder in sys.meta_path:
            if finder is not self and hasattr(finder, "find_spec"):
                spec = finder.find_spec(name, path, target)
                if spec is not None:
                    return spec
        return None


def _afterwards(spec: Optional[ModuleSpec], step: Callable[[ModuleType], None]) -> None:
    """Run `step` on the module when the loader is through with it."""
    if spec is None or spec.loader is None:
        return
    load = spec.loader.exec_module

    def exec_module(module: ModuleType) -> None:
        load(module)
        step(module)

    spec.loader.exec_module = exec_module  # type: ignore[method-assign]  # on one object: a loader around it would hide its get_source


def _prepare_torch(torch: ModuleType) -> None:
    from ..errors import MusaBuildError
    from .pretence import begin

    try:
        begin(torch)
    except MusaBuildError as error:
        print(f"error: FORCE_MUSA=1: {error}", file=sys.stderr, flush=True)
        raise SystemExit(1) from None


def _prepare_tools(tools: ModuleType) -> None:
    if not is_build() and _is_building_script():
        return  # the package knows MUSA itself: nothing of PyTorch's is changed for it
    from .swap import swap

    swap(tools, in_build=is_build())


def _refuse(name: str, spec: Optional[ModuleSpec]) -> None:
    """End the build where it could only become one for the CPU, or fail without a word about the cause.

    Exits instead of raising: packages catch what an import raises, and go on without their kernels.
    """
    isolated = any(mark in place for place in sys.path for mark in ("pip-build-env-", "builds-v0", "build-env-"))
    if name == TORCH and isolated:
        _exit(
            "pip builds this package in isolation, where neither your torch nor torch_musa can be seen",
            "run pip with --no-build-isolation, or use `musa-build install`",
        )
    if name == TORCH and spec is None:
        _exit(f"{sys.executable} has no torch", "install PyTorch and torch_musa for this Python first")
    if name == OLD_TOOLS and spec is None and not isolated:
        _exit(
            "this package's setup.py needs pkg_resources, which setuptools 82 and newer no longer have",
            "use `musa-build install`, or: pip install 'setuptools<82'",
        )


def _exit(what: str, hint: str) -> None:
    print(f"error: FORCE_MUSA=1: {what}; hint: {hint} [MB501]", file=sys.stderr, flush=True)
    raise SystemExit(1)


def _is_building_script() -> bool:
    script = getattr(sys, "argv", None) or [""]  # a Python that starts has none yet
    return script[0].rpartition(os.sep)[2] == "setup.py" or "setuptools.build_meta" in sys.modules


def _knows_musa() -> bool:
    """Whether the project in the working directory has a way of its own: then it is left alone."""
    try:
        with open("setup.py", encoding="utf-8", errors="replace") as stream:  # noqa: PTH123  # pathlib is not loaded
            text = stream.read()
    except OSError:
        return False
    return any(name in text for name in ("FORCE_MUSA", "MUSAExtension", "musa_build", "torch_musa"))
