"""Our CUDAExtension, BuildExtension, load and load_inline in the place of PyTorch's, in torch.utils.cpp_extension."""

from __future__ import annotations

import sys
import tokenize
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from email.message import Message
from pathlib import Path
from types import ModuleType
from typing import Any

from setuptools import Distribution
from setuptools.errors import BaseError

from ..errors import MusaBuildError
from ..system import files
from . import build_ext, jit
from .cuda_facade import Pretence, current, pretend_toolkit
from .levels import BUILDING, METADATA
from .patch_state import MARK, Swap
from .python_rewrite import for_musa
from .quirks import Package

# A build tag stands in the wheel's name and in its WHEEL file. A version of its own (2.2.0+musa) would be nicer to
# read, but pip refuses a wheel whose version is not the one of the source distribution that it asked for.
WHEEL_TAG = "1musa"


def swap(tools: ModuleType, *, in_build: bool) -> Swap:
    """Do it, once. `in_build` is whether this process builds a package, whose setup() is then watched."""
    done = vars(tools).get(MARK)
    if isinstance(done, Swap):
        return done
    pretence = current(sys.modules["torch"])
    pretend_toolkit(tools, pretence)
    ours = {
        "CUDAExtension": build_ext.cuda_extension,
        "BuildExtension": build_ext.ForcedBuildExtension,
        "load": jit.loader(tools.load),
        "load_inline": jit.inline_loader(tools.load_inline),
    }
    originals = {name: getattr(tools, name) for name in ours}
    result = Swap(tools, originals, ours, pretence)
    setattr(tools, MARK, result)
    for module in list(sys.modules.values()):  # the module itself, and who imported the names before
        _replace_names(module, originals, ours)
    if in_build:
        _watch_setup(pretence)
        _refuse_binaries()
    return result


def _replace_names(module: Any, originals: Mapping[str, Any], ours: Mapping[str, Any]) -> None:
    names: Any = getattr(module, "__dict__", None)
    for name, original in originals.items() if isinstance(names, dict) else ():
        if names.get(name) is original:
            names[name] = ours[name]


def _watch_setup(pretence: Pretence) -> None:
    """Before setuptools runs the first command that builds, look at what the package asked for."""
    run_command: Callable[[Any, str], None] = Distribution.run_command
    seen: list[Any] = []  # distributions that ran a command
    checked: list[Any] = []  # those that were looked at for a build
    for_musa: list[Any] = []  # those that have something to build for MUSA

    def run_watched(distribution: Any, command: str) -> None:
        if command in BUILDING and distribution not in checked:
            checked.append(distribution)
            if _check(distribution, pretence, is_build=True):
                for_musa.append(distribution)
                _keep_apart(distribution)
        elif command in METADATA and distribution not in seen:
            _check(distribution, pretence, is_build=False)
        seen.append(distribution)
        if command == "build_ext" and distribution in for_musa:
            _tag_wheel(distribution)
        run_command(distribution, command)
        if command == "build_py" and distribution in for_musa:
            _convert_modules(distribution.get_command_obj("build_py"))

    Distribution.run_command = run_watched


def _check(distribution: Any, pretence: Pretence, *, is_build: bool) -> bool:
    """Whether there is something to build for MUSA. A package with CUDA sources and no build_ext of PyTorch's gets
    ours. Raises BaseError, which setuptools shows as an error of the build_ext."""
    package = Package(distribution.get_name(), distribution.get_version())
    try:
        wanted = build_ext.require_device_code(package, pretence.attempt, distribution.ext_modules, is_build=is_build)
    except MusaBuildError as error:
        raise BaseError(str(error)) from error
    if wanted and not issubclass(distribution.get_command_class("build_ext"), build_ext.ForcedBuildExtension):
        distribution.cmdclass["build_ext"] = build_ext.ForcedBuildExtension
    return wanted


def _keep_apart(distribution: Any) -> None:
    """A build directory of its own: what is built for MUSA must not end in a later wheel for CUDA, nor the reverse."""
    command = distribution.get_command_obj("build")
    if not command.finalized and command.build_base == "build":
        command.build_base = "build/musa"


def _convert_modules(command: Any) -> None:
    """The copies of the package's modules that go into the wheel; an editable install has none."""
    if getattr(command, "editable_mode", False):
        return
    for path in map(Path, command.get_outputs(include_bytecode=False)):
        if path.suffix == ".py" and path.is_file():
            try:
                with tokenize.open(path) as stream:
                    text, encoding = stream.read(), stream.encoding
            except (SyntaxError, UnicodeDecodeError):
                continue  # a template, or a leftover of Python 2: it stays as it is
            changed = for_musa(text)
            if changed != text:
                files.write_if_changed(path, changed.encode(encoding))


def _tag_wheel(distribution: Any) -> None:
    """Wheels for MUSA are named so. build_ext runs after bdist_wheel took its options and before it names its file."""
    wheel = distribution.get_command_obj("bdist_wheel", create=False)
    if wheel is not None and not wheel.build_number:
        wheel.build_number = WHEEL_TAG


def _refuse_binaries() -> None:
    """Some packages' bdist_wheel first tries to download a wheel, built for CUDA: to them, there is none."""
    for name in ("urlopen", "urlretrieve"):
        original = getattr(urllib.request, name)

        def refuse(url: Any, *args: Any, original: Any = original, **kwargs: Any) -> Any:
            address = str(getattr(url, "full_url", url))
            if address.partition("#")[0].endswith(".whl"):
                reason = "FORCE_MUSA=1: not a wheel that was built for something else"
                raise urllib.error.HTTPError(address, 404, reason, Message(), None)
            return original(url, *args, **kwargs)

        setattr(urllib.request, name, refuse)
