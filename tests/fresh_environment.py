"""A new virtual environment with the built wheels, for tests that begin where a user begins.

PyTorch, torch_musa and the other libraries are those of the tests' own environment; musa_build, musa_sim and musa_tools
are not.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from once_per_run import OncePerRun

ROOT = Path(__file__).resolve().parent.parent
#: Folder of a distribution -> the files and folders that its wheel is built from
_PACKAGED = {
    ".": ("LICENSE", "README.md", "pyproject.toml", "setup.py", "musa_build", "musa_build_force.pth", "examples"),
    "simulator": ("LICENSE", "README.md", "pyproject.toml", "musa_sim"),
    "tools": (
        *("LICENSE", "README.md", "pyproject.toml", "setup.py", "musa_tools"),
        *("musa_tools_aliases.pth", "musa_tools_cuda_compat.pth"),
    ),
}
_PROGRAMS = {"pip": "pip._internal.cli.main:main", "pytest": "pytest:console_main"}
_PROGRAM = "#!{python}\nimport sys\nfrom {module} import {function}\nsys.exit({function}())\n"


def _run(*command: str, folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def _build_wheels(folder: Path) -> None:
    """Build a wheel of each distribution from a copy, so that nothing is written into the checkout."""
    unwanted = shutil.ignore_patterns("__pycache__", "build", "src_musa", "*.so", "*.egg-info")
    build = (sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder))
    for project, names in _PACKAGED.items():
        copy = folder / "copy" / project
        copy.mkdir(parents=True, exist_ok=True)
        for path in (ROOT / project / name for name in names):
            if path.is_dir():
                shutil.copytree(path, copy / path.name, ignore=unwanted)
            else:
                shutil.copy(path, copy)
        _run(*build, str(copy), folder=folder)


@pytest.fixture(scope="session")
def built_wheels(once_per_run: OncePerRun) -> dict[str, Path]:
    """Distribution ("musa_build") -> its wheel; beside the wheels is the copy of the checkout that made them."""
    folder = once_per_run("distributions", _build_wheels)
    return {path.name.partition("-")[0]: path for path in folder.glob("*.whl")}


@pytest.fixture
def fresh_environment(
    built_wheels: Mapping[str, Path], once_per_run: OncePerRun, tmp_path: Path
) -> Callable[..., Mapping[str, str]]:
    """Make a new virtual environment, and return the variables under which it is the one in use.

    It has the distributions that are named, or all of them. pip installs them once for all tests of a run.
    """

    def make(*distributions: str, **variables: str) -> Mapping[str, str]:
        wheels = [str(built_wheels[name]) for name in distributions or built_wheels]
        environment = tmp_path / "environment"
        made = once_per_run(f"environment-{'-'.join(distributions) or 'all'}", lambda folder: _install(folder, wheels))
        _copy_environment(made / "environment", environment)
        path = f"{environment / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}"
        # A user's project is in no temporary folder: pip builds it in its own, and a second build continues there.
        temporary = tmp_path / "temporary"
        temporary.mkdir(exist_ok=True)
        fixed = {"PATH": path, "TMPDIR": str(temporary), "PIP_NO_INDEX": "1"}
        return {"MAX_JOBS": "2", **os.environ, **fixed, **variables}

    return make


def _install(folder: Path, wheels: Sequence[str]) -> None:
    """Make a virtual environment in a folder and install wheels into it."""
    environment = folder / "environment"
    # pip is the tests' own: to install one in every environment would take several seconds
    _run(sys.executable, "-m", "venv", "--without-pip", str(environment), folder=folder)
    own = environment / "bin" / "python"
    (site,) = environment.glob("lib/python*/site-packages")
    libraries = [entry for entry in sys.path if Path(entry).name == "site-packages"]
    (site / "zz_libraries.pth").write_text("\n".join(libraries) + "\n", encoding="utf-8")
    shutil.copy(ROOT / "tests" / "less_collection.pth", site)  # Python reads it in no folder that a .pth adds
    for name, entry in _PROGRAMS.items():
        module, _, function = entry.partition(":")
        program = environment / "bin" / name
        program.write_text(_PROGRAM.format(python=own, module=module, function=function), encoding="utf-8")
        program.chmod(0o755)
    pip = (str(own), "-m", "pip", "--disable-pip-version-check", "--quiet", "install", "--no-deps", "--no-index")
    _run(*pip, "--ignore-installed", *wheels, folder=folder)


def _copy_environment(made: Path, copy: Path) -> None:
    """Copy a virtual environment; its programs and settings name the folder that they are in."""
    shutil.copytree(made, copy, symlinks=True)
    for path in (*(copy / "bin").iterdir(), copy / "pyvenv.cfg"):
        if path.is_file() and not path.is_symlink():
            path.write_bytes(path.read_bytes().replace(os.fsencode(made), os.fsencode(copy)))
