"""The start-up hook: waits for PyTorch's build tools to be imported, and only then loads the rest.

Python runs `install` at its start where FORCE_MUSA is set (musa_build_force.pth in site-packages). Standard library
only, and as little of it as will do: pip's isolated builds see this module although they see none of its neighbours'
dependencies, and every Python that runs with FORCE_MUSA=1 pays for it.
"""
# pathlib is not loaded: its import would cost every Python that runs with FORCE_MUSA=1.
# ruff: noqa: PTH109, PTH112, PTH123

from __future__ import annotations

import atexit
import os
import sys

TYPE_CHECKING = False  # typing's own constant costs the import of typing
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any, Optional

SWITCH = "FORCE_MUSA"
TORCH = "torch"
TOOLS = "torch.utils.cpp_extension"
OLD_TOOLS = "pkg_resources"
PIP = "pip._internal"  # `import pip` alone runs nothing

# As settings.Settings.flag reads the other switches, which takes every other word for a yes.
_YES = ("1", "yes", "true", "on")
_NO = ("", "0", "no", "false", "off")
_UNREADABLE = "this value is neither yes nor no"

# A setup.py that imports one of these modules, or uses one of these names, supports MUSA by itself. As text, they are
# an environment variable, a module to import or a requirement.
_MODULES = ("musa_build", "torch_musa")
_NAMES = ("MUSAExtension",)
_TEXTS = r"(FORCE_MUSA|MUSAExtension|musa_build|torch_musa)(?:\.[\w.]*|\s*[\[<>=!~@;].*)?"


def install() -> None:
    """Install the import hook, unless FORCE_MUSA says no. Calling it again has no effect."""
    value = os.environ.get(SWITCH, "")
    if value.strip().lower() in _NO:
        return
    if is_on(value):
        os.environ[SWITCH] = "1"  # how packages that support MUSA themselves compare it
    if not any(isinstance(finder, Watcher) for finder in sys.meta_path):
        sys.meta_path.insert(0, Watcher())
        _remember_start()
    if TOOLS in sys.modules:
        _prepare_tools(sys.modules[TOOLS])


def _remember_start() -> None:
    """See to it that a build which needs a higher level is started again when it ends, as it was started. What is
    registered first is called last: all others have cleaned up."""
    if os.path.isdir("."):  # a directory that was removed has no name
        atexit.register(_finish, os.getcwd(), dict(os.environ))


def _finish(directory: str, environment: Mapping[str, str]) -> None:
    pretence = sys.modules.get(f"{__package__}.cuda_facade")
    if pretence is not None:
        pretence.finish(directory, environment)


def is_on(value: str) -> bool:
    """Return whether this value of FORCE_MUSA says yes."""
    return value.strip().lower() in _YES


def is_build() -> bool:
    """Return whether this process builds a package that does not support MUSA by itself."""
    return _is_building_script() and musa_support() is None


def musa_support(path: str | os.PathLike[str] | None = None) -> Optional[str]:
    """Return what shows that a setup.py (default: this build's) supports MUSA by itself, and in which line; None where
    nothing does.

    Imports and names count, comments and messages do not. A file that is missing or no Python shows nothing.
    """
    import ast

    script = _script()
    try:
        with open(path or (script if _is_setup_py(script) else "setup.py"), "rb") as stream:
            tree = ast.parse(stream.read())
    except (OSError, SyntaxError, ValueError):
        return None
    marks = ((_mark(node), getattr(node, "lineno", 0)) for node in ast.walk(tree))
    return next((f"{mark} in line {line}" for mark, line in marks if mark), None)


def _mark(node: Any) -> str:
    """Return the module or name by which a node of a syntax tree shows support for MUSA; "" where it shows none."""
    import ast
    import re

    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        found = re.fullmatch(_TEXTS, node.value.strip())
        return found[1] if found else ""
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        names = [alias.name for alias in node.names] + [getattr(node, "module", None) or ""]
        roots = [name.partition(".")[0] for name in names]
        return next((root for root in roots if root in (*_MODULES, *_NAMES)), "")
    name = getattr(node, "id", None) or getattr(node, "attr", None)
    return name if name in _NAMES else ""


class Watcher:
    """A finder that finds nothing itself: it adds a last step to the loading of the modules it watches."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Optional[ModuleSpec]:
        if name == PIP:
            _prepare_pip()
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
    import importlib

    from ..errors import MusaBuildError
    from .cuda_facade import begin

    try:
        begin(torch)
        importlib.import_module(TOOLS)  # a package may do so only where it finds CUDA: its setup() is watched anyway
    except MusaBuildError as error:
        print(f"error: FORCE_MUSA=1: {error}", file=sys.stderr, flush=True)
        raise SystemExit(1) from None


def _prepare_pip() -> None:
    from .pip_options import pip_options

    if is_on(os.environ.get(SWITCH, "")):
        options = pip_options(sys.argv[1:], os.environ)
        os.environ.update(options)
        names = options.get("PIP_NO_BINARY")
        if names:
            _say(f"what is named is built from source (--no-binary {names}); wheels of the index are not for MUSA")


def _prepare_tools(tools: ModuleType) -> None:
    if not is_on(os.environ.get(SWITCH, "")):
        _say(f"{_UNREADABLE}, so nothing is changed")
        return
    support = musa_support() if _is_building_script() else None
    if support is not None:
        _say(f"this package is left alone, because its setup.py supports MUSA by itself ({support})")
        return
    from .patch_torch import swap

    swap(tools, in_build=is_build())


def _refuse(name: str, spec: Optional[ModuleSpec]) -> None:
    """End the build where it could only become one for the CPU, or fail without a word about the cause.

    Exits instead of raising: packages catch what an import raises, and go on without their kernels.
    """
    from ..environment.build_isolation import is_isolated_build

    if not is_on(os.environ.get(SWITCH, "")):
        _exit(_UNREADABLE, "FORCE_MUSA=1 builds for MUSA, FORCE_MUSA=0 does not")
    isolated = is_isolated_build()
    if name == TORCH and isolated:
        _exit(
            "this package is built in isolation, where neither your torch nor torch_musa can be seen",
            "run pip or uv with --no-build-isolation, build with --no-isolation, or use `musa-build install`",
        )
    if name == TORCH and spec is None:
        _exit(f"{sys.executable} has no torch", "install PyTorch and torch_musa for this Python first")
    if name == OLD_TOOLS and spec is None and not isolated:
        _exit(
            "this package's setup.py needs pkg_resources, which setuptools 82 and newer no longer have",
            "use `musa-build install`, or: pip install 'setuptools<82'",
        )


def _exit(what: str, hint: str) -> None:
    print(f"error: {SWITCH}={os.environ.get(SWITCH)}: {what}; hint: {hint} [MB501]", file=sys.stderr, flush=True)
    atexit.unregister(_finish)  # no level helps
    raise SystemExit(1)


def _say(what: str) -> None:
    print(f"{SWITCH}={os.environ.get(SWITCH)}: {what}", file=sys.stderr, flush=True)


def _is_building_script() -> bool:
    return _is_setup_py(_script()) or "setuptools.build_meta" in sys.modules


def _script() -> str:
    words: list[str] = getattr(sys, "argv", None) or [""]  # a Python that starts has none yet
    return words[0]


def _is_setup_py(path: str) -> bool:
    return path.rpartition(os.sep)[2] == "setup.py"
