"""FORCE_MUSA=1 where it cannot work: one clear error, and never a build for the CPU that looks like success."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import setuptools
from forcing import Project

from musa_build.porting.engine.announced_cuda import DEFAULT_EMULATED_CUDA as CUDA

FOR_THE_CPU = """
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CppExtension
setup(name="host-only", version="1.0", ext_modules=[CppExtension("host", ["host.cpp"])],
      cmdclass={"build_ext": BuildExtension})
"""

# As some packages do: without torch they go on without their kernels.
FORGIVING = """
from setuptools import setup
try:
    import torch
except Exception:
    print("building without kernels")
setup(name="forgiving", version="1.0", py_modules=[])
"""

PROGRAMS = Path(__file__).with_name("programs")
PROBE = (PROGRAMS / "setup_that_prints.py").read_text(encoding="utf-8")


@pytest.fixture
def project(new_project: Callable[[str], Project]) -> Project:
    return new_project("")


def test_a_package_without_cuda_code_is_refused(project: Project) -> None:
    (project.folder / "setup.py").write_text(FOR_THE_CPU)
    (project.folder / "host.cpp").write_text("")
    outcome = project.setup("bdist_wheel")
    assert outcome.returncode != 0 and "Traceback" not in outcome.output
    assert "host-only asked for no CUDA extension" in outcome.output and "[MB501]" in outcome.output
    assert not list(project.folder.rglob("*.whl"))


def test_a_missing_build_requirement_that_setup_py_catches(project: Project) -> None:
    """pip installs it in an isolated build. Without it the wheel would have no kernels, and count as built."""
    (project.folder / "setup.py").write_text(
        "from setuptools import setup\ntry:\n    import helper\nexcept ImportError:\n    pass\n"
        'setup(name="forgiving", version="1.0", py_modules=[])\n'
    )
    (project.folder / "helper.py").write_text("import absent_helper\n")
    (project.folder / "kernel.cu").write_text("__global__ void k() {}\n")
    # a module that compiles when it is used would do without an extension
    (project.folder / "jit.py").write_text("from torch.utils.cpp_extension import load\nload('k', ['kernel.cu'])\n")
    requires = 'requires = ["setuptools", "absent-helper>=1", "absent-other", "numpy; python_version < \'3\'"]'
    (project.folder / "pyproject.toml").write_text(f"[build-system]\n{requires}\n")
    outcome = project.setup("bdist_wheel")
    assert outcome.returncode != 0 and "Traceback" not in outcome.output
    assert "its setup.py imports absent-helper, which is not installed" in outcome.output
    assert "pip install absent-helper:" in outcome.output and "[MB501]" in outcome.output
    assert "trying level" not in outcome.output and not list(project.folder.rglob("*.whl"))


def test_without_an_sdk(project: Project) -> None:
    package = Path(__file__).parent.parent / "packages" / "affine_cuda"
    for name in ("setup.py", "affine_python.py"):
        (project.folder / name).write_bytes((package / name).read_bytes())
    (project.folder / "csrc").symlink_to(package / "csrc")
    outcome = project.setup("bdist_wheel", MUSA_HOME="/nowhere")
    assert outcome.returncode != 0 and "Traceback" not in outcome.output
    assert "MUSA_HOME" in outcome.output and "[MB101]" in outcome.output


@pytest.mark.parametrize(
    ("folder", "said"),
    [("environment", "has no torch"), ("pip-build-env-a1b2c3d4/overlay", "--no-build-isolation")],
)
def test_without_torch(project: Project, tmp_path: Path, folder: str, said: str) -> None:
    """pip's isolation is a sitecustomize that takes the environment's packages out of sys.path."""
    site = tmp_path / folder
    site.mkdir(parents=True)
    packages = Path(setuptools.__file__).parent
    for name in ("setuptools", "_distutils_hack"):
        (site / name).symlink_to(packages.parent / name)
    (site / "sitecustomize.py").write_text(
        "import sys\n"
        f"sys.path[:] = [p for p in sys.path if 'site-packages' not in p] + [{str(site)!r}]\n"
        "sys.meta_path[:] = [f for f in sys.meta_path if '__editable__' not in str(f)]\n"
    )
    (project.folder / "setup.py").write_text(FORGIVING)
    outcome = project.setup("bdist_wheel", PYTHONPATH=str(site))
    assert outcome.returncode != 0 and "building without kernels" not in outcome.output
    assert said in outcome.output and "[MB501]" in outcome.output


@pytest.mark.slow
def test_how_much_of_cuda_a_package_finds(project: Project) -> None:
    (project.folder / "setup.py").write_text(PROBE)
    known = project.setup("--version").output
    assert "FORCE_CUDA 1 available False" in known and "home False version None" in known
    assert "download 404" in known and "stand-in" not in known
    highest = project.setup("--version", MUSA_BUILD_FORCE_LEVEL="4").output
    assert f"FORCE_CUDA 1 available True\nhome True version {CUDA}" in highest
    at_three = project.setup("--version", MUSA_BUILD_FORCE_LEVEL="3").output
    assert "home True version None" in at_three and f"release {CUDA}," in at_three
    refused = project.setup("--version", MUSA_BUILD_FORCE_LEVEL="9")
    assert refused.returncode != 0 and "MUSA_BUILD_FORCE_LEVEL is not a level" in refused.output


def test_a_package_with_a_way_of_its_own_is_left_alone(project: Project) -> None:
    (project.folder / "setup.py").write_text(PROBE + "\nif os.getenv('FORCE_MUSA'):\n    pass  # a branch of its own\n")
    assert "FORCE_CUDA None available False" in project.setup("--version").output


def test_an_option_of_pips_before_the_package_is_refused(project: Project) -> None:
    command = [sys.executable, "-m", "musa_build", "install", "--no-cache-dir", "pure"]
    done = subprocess.run(command, env=project.environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "expected a package, got --no-cache-dir" in done.stderr


@pytest.mark.slow
def test_a_file_of_package_rules_that_is_not_there(project: Project) -> None:
    (project.folder / "setup.py").write_text(FOR_THE_CPU)
    command = [sys.executable, "-m", "musa_build", "install", "--packages", "not-there.toml", str(project.folder)]
    done = subprocess.run(command, env=project.environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "the file of package rules cannot be read" in done.stdout + done.stderr


def test_a_pure_package_is_installed_with_a_note(project: Project, tmp_path: Path) -> None:
    (project.folder / "setup.py").write_text("from setuptools import setup\nsetup(name='pure', py_modules=['pure'])\n")
    (project.folder / "pure.py").write_text("")
    target = ["--target", str(tmp_path / "target"), "--no-index"]
    command = [sys.executable, "-m", "musa_build", "install", str(project.folder), *target]
    done = subprocess.run(command, env=project.environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "nothing was built for MUSA" in done.stderr
