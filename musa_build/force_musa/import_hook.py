"""The start-up hook: it waits until PyTorch's build tools are imported, and only then loads the rest.

Python runs `install` when it starts, if FORCE_MUSA is set (musa_build_force.pth in site-packages). It imports as
little of the standard library as it can, and from musa_build only system.switch: every Python with FORCE_MUSA=1 pays
for it, and pip's isolated builds see it although they see none of its dependencies.
"""
# ruff: noqa: PTH109, PTH112, PTH118  pathlib is not loaded, for the same reason

from __future__ import annotations

import atexit
import os
import sys

from ..system.switch import NO, YES

TYPE_CHECKING = False  # typing's own constant costs the import of typing
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any, NoReturn, Optional

    from .cuda_facade import CudaFacade
    from .patch_torch import TorchPatch

SWITCH = "FORCE_MUSA"
TORCH = "torch"
TOOLS = "torch.utils.cpp_extension"
PKG_RESOURCES = "pkg_resources"
# Builds with the CUDA toolkit (with_toolkit/) set it, also for the programs that they run: nvcc writes to this file.
TOOLKIT_BUILD = "MUSA_BUILD_NVCC_RECORD"
#: CMake's variable; in such a build it names PyTorch's CMake package for MUSA (with_toolkit/torch_config.py)
TORCH_CMAKE = "Torch_DIR"
SETUPTOOLS = ("setuptools", "setuptools.build_meta")
PIP = "pip._internal.cli.main"  # `import pip` alone runs nothing
PIP_FINDER = "pip._internal.index.package_finder"
BUILD = "build"  # the front end `python -m build`
# Other build systems, by the modules that front ends import. The second kind makes wheels of what is there.
COMPILING = ("scikit_build_core.build", "mesonpy", "maturin", "py_build_cmake.build", "sipbuild.api", "enscons.api")
COLLECTING = ("hatchling.build", "flit_core.buildapi", "poetry.core.masonry.api", "pdm.backend", "uv_build", "whey")
# Front ends tell the module of a build system to its process. One in the project itself may be a wrapper of setuptools.
_BACKEND = ("_PYPROJECT_HOOKS_BUILD_BACKEND", "PEP517_BUILD_BACKEND")
_BACKEND_IN_PROJECT = ("_PYPROJECT_HOOKS_BACKEND_PATH", "PEP517_BACKEND_PATH")

_UNREADABLE = "this value is neither yes nor no"


def install() -> None:
    """Install the import hook, unless FORCE_MUSA says no. Calling it again has no effect."""
    value = os.environ.get(SWITCH, "")
    if value.strip().lower() in NO:
        return
    hook = active_hook() or ImportHook()
    if is_on(value):
        hook.set_variable(SWITCH, "1")  # packages that support MUSA compare it with this
    if hook not in sys.meta_path:
        sys.meta_path.insert(0, hook)
        hook.remember_start()
    if TOOLS in sys.modules:
        hook.patch_tools(sys.modules[TOOLS])


def uninstall() -> None:
    """Remove the import hook and undo its changes. Calling it again has no effect."""
    hook = active_hook()
    if hook is not None:
        sys.meta_path.remove(hook)
        hook.uninstall()


def active_hook() -> Optional[ImportHook]:
    """Return the hook in sys.meta_path."""
    return next((finder for finder in sys.meta_path if isinstance(finder, ImportHook)), None)


def is_on(value: str) -> bool:
    """Return whether this value of FORCE_MUSA says yes."""
    return value.strip().lower() in YES


class ImportHook:
    """A finder that finds nothing itself: it adds a step to the loading of the modules that it watches.

    It holds all that FORCE_MUSA changes in this process: the variables that it set, and `patch`, the changes to modules
    of other packages. Python keeps the hook in sys.meta_path, where build_ext.py finds it. So neither a module of
    PyTorch nor one of musa_build carries state.
    """

    def __init__(self) -> None:
        self.patch: Optional[TorchPatch] = None
        self._facade: Optional[CudaFacade] = None  # in a build with the CUDA toolkit, and in programs that it runs
        self._with_toolkit = False  # whether this process runs a setup.py that calls CMake
        self._variables: list[tuple[str, Optional[str]]] = []  # with their values before
        self._other_build_systems = {*COMPILING, *COLLECTING, *_named_backend()}
        self._steps: dict[str, Callable[[ModuleType], None]] = {
            **dict.fromkeys(SETUPTOOLS, self._begin_build),
            TOOLS: self.patch_tools,
            PIP: self._set_pip_options,
            PIP_FINDER: _report_newer_wheels,
            BUILD: _refuse_isolated_builds,
        }

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Optional[ModuleSpec]:
        """Return the spec of a watched module, with our step added; None for all others."""
        if name in self._other_build_systems and _is_wheel_of_other_build_system():
            return self._build_with(name, path, target)
        if name not in self._steps and name not in (TORCH, PKG_RESOURCES):
            return None
        from .setup_script import is_build_to_force

        spec = self._spec_of_others(name, path, target)
        if name in self._steps:
            _run_after_loading(spec, self._steps[name])
        elif name == TORCH and (self._with_toolkit or TOOLKIT_BUILD in os.environ):
            _run_after_loading(spec, self._show_cuda)
        elif is_build_to_force():
            _refuse(name, spec)
            if name == TORCH:
                if "TORCH_DEVICE_BACKEND_AUTOLOAD" not in os.environ:
                    # A build needs no device, and torch_musa may refuse to load on a machine that has none.
                    self.set_variable("TORCH_DEVICE_BACKEND_AUTOLOAD", "0")
                _run_after_loading(spec, self._patch_build)
        return spec

    def set_variable(self, name: str, value: str) -> None:
        """Set an environment variable until `uninstall`."""
        self._variables.append((name, os.environ.get(name)))
        os.environ[name] = value

    def remember_start(self) -> None:
        """Register the restart of a build that needs a higher level, with the current directory and environment.

        The handler that is registered first is called last, when all others have cleaned up.
        """
        if os.path.isdir("."):  # os.getcwd() fails in a directory that was removed
            atexit.register(self.start_again, os.getcwd(), dict(os.environ))

    def start_again(self, directory: str, environment: Mapping[str, str]) -> None:
        """Start the build again if it needs a higher level. Called when Python ends."""
        if self.patch is not None:
            self.patch.search.start_again(self.patch.package.name or "this package", directory, environment)

    def uninstall(self) -> None:
        """Undo all changes of the hook."""
        atexit.unregister(self.start_again)
        if self.patch is not None:
            self.patch.uninstall()
            self.patch = None
        if self._facade is not None:
            self._facade.uninstall()
            self._facade = None
        while self._variables:
            name, value = self._variables.pop()
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value

    def patch_tools(self, tools: ModuleType) -> None:
        """Patch PyTorch's build tools, in a build or in a program that may build something while it runs."""
        from .setup_script import is_build_to_force, is_building, musa_support

        if not is_on(os.environ.get(SWITCH, "")):
            _log(f"{_UNREADABLE}, so nothing is changed")
            return
        support = musa_support() if is_building() else None
        if support is not None:
            _log(f"setup.py supports MUSA ({support}), so this package is not modified")
        elif self.patch is None:  # otherwise _patch_build continues with the tools
            from .patch_torch import TorchPatch

            self.patch = TorchPatch.for_program()
            self.patch.install_tools(tools, in_build=is_build_to_force())

    def _begin_build(self, setuptools: ModuleType) -> None:
        """Import torch for a project with CUDA in it: its setup.py may not, but its requests must be checked.

        A setup.py that runs CMake or nvcc gets the CUDA toolkit instead. One that asks for nothing at lower levels gets
        it in the end.
        """
        from ..environment.build_isolation import is_isolated_build
        from .levels import runs_commands
        from .setup_script import is_build_to_force, makes_a_wheel, runs_compilers

        if self._with_toolkit or TOOLKIT_BUILD in os.environ or not is_build_to_force() or not makes_a_wheel():
            return
        if not _cuda_in_project("."):
            return
        if runs_compilers() or (not is_isolated_build() and runs_commands(os.environ)):
            self._with_toolkit = True
            self._build_setup_py_with_toolkit(setuptools)
        elif TORCH not in sys.modules:
            import importlib

            importlib.import_module(TORCH)

    def _build_setup_py_with_toolkit(self, setuptools: ModuleType) -> None:
        if setuptools.__name__ == SETUPTOOLS[1]:
            from .with_toolkit.build_hooks import install

            install(setuptools)
            return
        from .with_toolkit.setup_commands import run

        words = sys.argv[1:]
        if not run(words, self.set_variable):
            _exit(
                "this setup.py runs CMake or nvcc, and such a build can only be checked by its wheel",
                "run pip install --no-build-isolation . (with --use-pep517 for -e), or python setup.py bdist_wheel",
                found=f"setup.py {' '.join(words)}",
                wanted="a command that makes a wheel",
            )

    def _show_cuda(self, torch: ModuleType) -> None:
        """Make PyTorch report that it has CUDA: the toolkit is there, and the wheel is judged by what it compiled."""
        from .cuda_facade import CudaFacade
        from .levels import LAST

        self._facade = CudaFacade(LAST)
        self._facade.install(torch)
        self._facade.install_cmake_package(torch, os.environ.get(TORCH_CMAKE, ""))

    def _patch_build(self, torch: ModuleType) -> None:
        import importlib

        from ..errors import MusaBuildError
        from .patch_torch import TorchPatch

        try:
            self.patch = TorchPatch.for_build()
            self.patch.install(torch)
            # A package may import the tools only if it finds CUDA, but its setup() is watched anyway.
            self.patch.install_tools(importlib.import_module(TOOLS), in_build=True)
        except MusaBuildError as error:
            print(f"error: {SWITCH}=1: {error.block}", file=sys.stderr, flush=True)
            raise SystemExit(1) from None

    def _build_with(self, name: str, path: Any, target: Any) -> Optional[ModuleSpec]:
        """Let another build system build a project without CUDA, and any other one with the CUDA toolkit.

        A package that compiles on use is only rewritten.
        """
        from pathlib import Path

        from .project_files import cmake_file_with_musa, loads_with_torch

        found, with_musa = _cuda_in_project("."), cmake_file_with_musa(Path())
        if found and with_musa:
            _log(f"{with_musa} supports MUSA (MusaBuild), so this package is not modified")
        if not found or with_musa:
            return None
        spec = self._spec_of_others(name, path, target)
        if name in COLLECTING and loads_with_torch(Path()):
            from .wheel_rewrite import rewrite_wheels

            _run_after_loading(spec, rewrite_wheels)
        else:
            from .with_toolkit.build_hooks import install as build_with_toolkit

            self._with_toolkit = True
            _run_after_loading(spec, build_with_toolkit)
        return spec

    def _set_pip_options(self, _: ModuleType) -> None:
        """Let pip build from source, without its cache, which identifies wheels only by name and version."""
        from .pip_options import projects_to_build

        if is_on(os.environ.get(SWITCH, "")):
            if "PIP_NO_CACHE_DIR" not in os.environ:
                self.set_variable("PIP_NO_CACHE_DIR", "1")
            names = ",".join(projects_to_build(sys.argv[1:]))
            if names:
                self.set_variable("PIP_NO_BINARY", names)
                _log(f"pip builds from source: {names} (--no-binary {names}); wheels of the index are not for MUSA")

    def _spec_of_others(self, name: str, path: Any, target: Any) -> Optional[ModuleSpec]:
        for finder in sys.meta_path:
            if finder is not self and hasattr(finder, "find_spec"):
                spec = finder.find_spec(name, path, target)
                if spec is not None:
                    return spec
        return None


def _run_after_loading(spec: Optional[ModuleSpec], step: Callable[[ModuleType], None]) -> None:
    """Run `step` on a module as soon as its loader has executed it."""
    if spec is None or spec.loader is None:
        return
    loader: Any = spec.loader

    def exec_module(module: ModuleType) -> None:
        del loader.exec_module  # the class's own method again: the step runs once
        loader.exec_module(module)
        step(module)

    loader.exec_module = exec_module  # on the object, because a loader around it would hide its get_source


def _refuse(name: str, spec: Optional[ModuleSpec]) -> None:
    """End a build that could only become one for the CPU, or that would fail without naming the cause.

    It exits instead of raising: packages catch what an import raises, and go on without their kernels.
    """
    from ..environment.build_isolation import is_isolated_build

    if not is_on(os.environ.get(SWITCH, "")):
        _exit(_UNREADABLE, "FORCE_MUSA=1 builds for MUSA, FORCE_MUSA=0 does not")
    isolated = is_isolated_build()
    if name == TORCH and isolated:
        _exit_isolated()
    if name == TORCH and spec is None:
        _exit(f"{sys.executable} has no torch", "install PyTorch and torch_musa for this Python first")
    if name == PKG_RESOURCES and spec is None and not isolated:
        _exit(
            "this package's setup.py needs pkg_resources, which setuptools 82 and newer no longer have",
            "use `musa-build install`, or: pip install 'setuptools<82'",
        )


def _is_wheel_of_other_build_system() -> bool:
    from .setup_script import is_building, makes_a_wheel

    # setuptools imports other build systems too, to ask for plugins.
    return makes_a_wheel() and not is_building() and is_on(os.environ.get(SWITCH, ""))


def _refuse_isolated_builds(build: ModuleType) -> None:
    """End an isolated build of a CUDA project here: its environment is a new one, where this hook does not run."""
    # A directory of the project may have this name, too.
    builder: Any = getattr(build, "ProjectBuilder", None)
    original = getattr(builder, "from_isolated_env", None)
    if original is None or not is_on(os.environ.get(SWITCH, "")):
        return

    def from_isolated_env(env: Any, source_dir: Any, *args: Any, **kwargs: Any) -> Any:
        from .setup_script import musa_support

        if _cuda_in_project(source_dir) and musa_support(os.path.join(source_dir, "setup.py")) is None:
            _exit_isolated()
        return original(env, source_dir, *args, **kwargs)

    builder.from_isolated_env = from_isolated_env


def _cuda_in_project(directory: str | os.PathLike[str]) -> str:
    from pathlib import Path

    from .project_files import cuda_file

    return cuda_file(Path(directory))


def _exit_isolated() -> NoReturn:
    _exit(
        "this package is built in isolation, where neither torch nor torch_musa can be imported",
        "run pip or uv with --no-build-isolation, build with --no-isolation, or use `musa-build install`",
    )


def _named_backend() -> tuple[str, ...]:
    """Return the module of the build system that a front end named to this process, if it is no part of the project."""
    if any(os.environ.get(name) for name in _BACKEND_IN_PROJECT):
        return ()
    names = (os.environ.get(name, "").partition(":")[0] for name in _BACKEND)
    return tuple(name for name in names if name and name not in SETUPTOOLS)


def _report_newer_wheels(module: ModuleType) -> None:
    from .pip_options import report_newer_wheels

    if is_on(os.environ.get(SWITCH, "")):
        report_newer_wheels(module.PackageFinder, _log)


def _exit(what: str, hint: str, *, found: str = "", wanted: str = "") -> NoReturn:
    from ..errors import ForceMusaError

    hook = active_hook()
    if hook is not None:
        atexit.unregister(hook.start_again)  # no level helps
    error = ForceMusaError(f"{SWITCH}={os.environ.get(SWITCH)}: {what}", found=found, wanted=wanted, hint=hint)
    print(f"error: {error.block}", file=sys.stderr, flush=True)
    raise SystemExit(1)


def _log(what: str) -> None:
    """Log an effect of FORCE_MUSA, or why it has none, at a level that is always shown."""
    from ..logger_util import LOGGER

    LOGGER.warning("%s=%s: %s", SWITCH, os.environ.get(SWITCH), what)
