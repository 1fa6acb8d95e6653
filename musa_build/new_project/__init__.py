"""`musa-build new`: a project that builds, with a kernel, its test, and a workflow for CI."""

from __future__ import annotations

import keyword
import re
import shutil
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..errors import ProjectError

TEMPLATES = Path(__file__).with_name("templates")
_COMMON = "common"
_NAME = re.compile(r"[A-Za-z](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")  # as packaging's specification of names has it
_TAKEN = {"musa_build", "musa_sim", "musa_tools", "numpy", "pytest", "setuptools", "tests", "torch", "torch_musa"}
TEST = "pytest tests"
_CMAKE = 'cmake -S . -B build -G Ninja -DCMAKE_PREFIX_PATH="$(dirname "$(musa-build --cmake-dir)")"'
_CMAKE_BUILD = f"{_CMAKE} && cmake --build build && cmake --install build --prefix src"


@dataclass(frozen=True)
class BuildSystem:
    """A build system. `by_hand` are its commands, `requirements` the packages that they need."""

    title: str
    by_hand: str
    extension_import: str = "from . import _C"
    requirements: tuple[str, ...] = ()


KINDS: Mapping[str, BuildSystem] = {
    "setuptools": BuildSystem("setup.py with MUSAExtension", "pip install --no-build-isolation ."),
    "scikit-build-core": BuildSystem(
        "pyproject.toml and CMakeLists.txt",
        "pip install --no-build-isolation .",
        requirements=("scikit-build-core>=0.10", "cmake", "ninja"),
    ),
    "cmake": BuildSystem(
        "CMakeLists.txt; installs into src",
        _CMAKE_BUILD,
        requirements=("cmake", "ninja"),
    ),
    "jit": BuildSystem(
        "musa_build.load compiles when the package is imported",
        "",
        extension_import="from .extension import _C",
    ),
}


def create(name: str, kind: str, folder: Path) -> tuple[str, ...]:
    """Write a project called `name` into `folder`, and return the paths of its files, relative to it.

    Write either all files or none.

    Raises:
        ProjectError: The name cannot be a package's, or `folder` exists and is not empty, or cannot be written.
    """
    package = package_name(name)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ProjectError(
            f"cannot make the project in {folder}",
            found="it is a file" if folder.is_file() else "there are files in it",
            wanted="a folder that is empty or does not exist",
            hint="choose another one with --output",
        )
    files = render(name, package, kind)
    try:
        folder.absolute().parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".musa-build-new-", dir=folder.absolute().parent) as scratch:
            made = Path(scratch) / "project"
            for path, text in files.items():
                (made / path).parent.mkdir(parents=True, exist_ok=True)
                (made / path).write_text(text, encoding="utf-8")
            if folder.exists():
                folder.rmdir()
            shutil.move(str(made), str(folder))
    except OSError as error:
        raise ProjectError(f"cannot make the project in {folder}", found=error.strerror or str(error)) from error
    return tuple(files)


def package_name(name: str) -> str:
    """Return the name under which Python imports the project `name`.

    Raises:
        ProjectError: It would hide a module of Python or of the build, or is no identifier.
    """
    package = re.sub(r"[-.]+", "_", name).lower()
    taken = package in _TAKEN or package in getattr(sys, "stdlib_module_names", ())  # Python 3.10+
    if not _NAME.fullmatch(name) or not package.isidentifier() or keyword.iskeyword(package) or taken:
        raise ProjectError(
            f"'{name}' cannot be the name of a project",
            found=f"'{package}' is the name of another module" if taken else "",
            wanted="letters, digits, - and _, beginning with a letter, such as my-ops",
        )
    return package


def render(name: str, package: str, kind: str) -> dict[str, str]:
    """Return the files of a project: path -> text."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(undefined=StrictUndefined, keep_trailing_newline=True)
    how = KINDS[kind]
    values = {
        "name": name,
        "package": package,
        "extension_import": how.extension_import,
        "requirements": "".join(f' "{each}"' for each in how.requirements),
        "build": _checked(how.by_hand, "${{ matrix.check }}") or 'echo "the tests compile it"',
        "build_by_hand": how.by_hand or "# the first import compiles it",
        "build_checked": _checked(how.by_hand, "memory,race,sync,init") or "# the tests compile it anew",
        "test": TEST,
    }
    files = {}
    for folder in (_COMMON, kind):
        for template in sorted((TEMPLATES / folder).rglob("*.jinja")):
            path = template.relative_to(TEMPLATES / folder).with_suffix("").as_posix().replace("PACKAGE", package)
            files[path] = environment.from_string(template.read_text(encoding="utf-8")).render(values)
    return files


def _checked(command: str, checks: str) -> str:
    """Return the command that builds with the simulator's checks compiled in."""
    if not command:
        return ""
    if " && " in command:
        return f"musa-build sim run --check={checks} -- sh -c '{command}'"
    return f"musa-build sim run --check={checks} -- {command} --force-reinstall --no-deps"
