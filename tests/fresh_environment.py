"""A new virtual environment with the built wheels, for tests that begin where a user begins.

PyTorch, torch_musa and the other libraries are those of the tests' own environment; musa_build, musa_sim and musa_tools
are not.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

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
_PYTEST = "#!{python}\nimport sys\nfrom pytest import console_main\nsys.exit(console_main())\n"


def _run(*command: str, folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="session")
def built_wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Distribution ("musa_build") -> its wheel, built from a copy, so that nothing is written into the checkout."""
    folder = tmp_path_factory.mktemp("distribution")
    unwanted = shutil.ignore_patterns("__pycache__", "build", "src_musa", "*.so", "*.egg-info")
    for project, names in _PACKAGED.items():
        copy = folder / "copy" / project
        copy.mkdir(parents=True, exist_ok=True)
        for path in (ROOT / project / name for name in names):
            if path.is_dir():
                shutil.copytree(path, copy / path.name, ignore=unwanted)
            else:
                shutil.copy(path, copy)
        _run(
            sys.executable,
            "-m",
            "build",
            "--wheel",
            "--no-isolation",
            "--outdir",
            str(folder),
            str(copy),
            folder=folder,
        )
    return {path.name.partition("-")[0]: path for path in folder.glob("*.whl")}


@pytest.fixture
def fresh_environment(built_wheels: Mapping[str, Path], tmp_path: Path) -> Callable[..., Mapping[str, str]]:
    """Make a new virtual environment, and return the variables under which it is the one in use.

    It has the distributions that are named, or all of them.
    """

    def make(*distributions: str, **variables: str) -> Mapping[str, str]:
        place = tmp_path / "environment"
        _run(sys.executable, "-m", "venv", str(place), folder=tmp_path)
        own = place / "bin" / "python"
        pip = (str(own), "-m", "pip", "--disable-pip-version-check", "--quiet")
        _run(*pip, "uninstall", "--yes", "setuptools", folder=tmp_path)  # an old one that some Pythons bring
        _run(
            *pip,
            "install",
            "--no-deps",
            "--no-index",
            *(str(built_wheels[name]) for name in distributions or built_wheels),
            folder=tmp_path,
        )
        (site,) = place.glob("lib/python*/site-packages")
        libraries = [entry for entry in sys.path if Path(entry).name == "site-packages"]
        (site / "zz_libraries.pth").write_text("\n".join(libraries) + "\n", encoding="utf-8")
        pytest_program = place / "bin" / "pytest"
        pytest_program.write_text(_PYTEST.format(python=own), encoding="utf-8")
        pytest_program.chmod(0o755)
        path = f"{place / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}"
        return {"MAX_JOBS": "2", **os.environ, "PATH": path, "PIP_NO_INDEX": "1", **variables}

    return make
