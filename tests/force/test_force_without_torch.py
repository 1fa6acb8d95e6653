"""FORCE_MUSA=1 and builds that never import torch: nothing of CUDA passes as a success for the CPU or for NVIDIA."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from forcing import Outcome, Project

from musa_build.force_musa.project_files import compiles_on_use, cuda_file
from musa_build.force_musa.setup_script import musa_support

SETUP = """
import sys
from setuptools import setup
setup(name="pk", version="1", packages=["pk"], package_data={"pk": ["*.cu"]})
print("torch is imported:", "torch" in sys.modules)
"""
LOADS = "from torch.utils.cpp_extension import load\ndef f(t):\n    return load('k', ['k.cu']) if t.is_cuda else t\n"
INLINE = LOADS.replace("import load", "import load_inline").replace(
    "load('k', ['k.cu'])", "load_inline('k', cuda_sources='')"
)
PYPROJECT = '[build-system]\nrequires = []\nbuild-backend = "{}"\n[project]\nname = "pk"\nversion = "1"\n'

# It replaces another build system: it makes a wheel without looking at what is there.
BUILD_SYSTEM = """
import zipfile
def build_wheel(directory, *_):
    with zipfile.ZipFile(directory + "/pk-1-py3-none-any.whl", "w") as wheel:
        wheel.writestr("pk-1.dist-info/METADATA", "Metadata-Version: 2.1\\nName: pk\\nVersion: 1\\n")
        wheel.writestr("pk-1.dist-info/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.write("pk/__init__.py")
        wheel.writestr("pk-1.dist-info/RECORD", "pk/__init__.py,sha256=x,1\\npk-1.dist-info/WHEEL,,\\n")
    return "pk-1-py3-none-any.whl"
"""


@pytest.fixture
def project(new_project: Callable[[str], Project]) -> Project:
    project = new_project("")
    project.environment["MUSA_BUILD_FORCE_LEVEL"] = "1"  # the search for a level is not the subject here
    write(project, {"pk/__init__.py": "", "setup.py": SETUP})
    return project


def write(project: Project, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = project.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def pip_wheel(project: Project, **environment: str) -> Outcome:
    options = ("--no-build-isolation", "--no-deps", "--no-index", "--wheel-dir", "dist")
    return project.run("-m", "pip", "wheel", "-v", *options, ".", **environment)


MODULE = LOADS.replace(".cpp_extension import load", " import cpp_extension").replace("load(", "cpp_extension.load(")
RENAMED = LOADS.replace(".cpp_extension import load", " import (  # a comment\n    cpp_extension as ce\n)").replace(
    "load(", "ce.load("
)
DOTTED = LOADS.replace("from torch.utils.cpp_extension import load", "from torch import utils").replace(
    "load(", "utils.cpp_extension.load("
)


@pytest.mark.parametrize(
    "files",
    [
        *({"pk/__init__.py": module, "pk/k.cu": ""} for module in (LOADS, MODULE, RENAMED, DOTTED)),
        {"pk/__init__.py": INLINE},
    ],
)
def test_modules_that_compile_on_use_are_rewritten(project: Project, files: dict[str, str]) -> None:
    write(project, files)
    outcome = project.setup("bdist_wheel")
    assert outcome.returncode == 0, outcome.output
    assert "pk compiles its CUDA sources when they are used: run it with FORCE_MUSA=1 too" in outcome.output
    assert "-1musa-" in project.wheel().name
    assert "if t.is_musa else" in (project.folder / "build/musa/lib/pk/__init__.py").read_text()


@pytest.mark.parametrize("pyproject", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_pip_builds_them_so_too(project: Project, pyproject: bool) -> None:
    write(project, {"pk/__init__.py": LOADS, "pk/k.cu": ""})
    if pyproject:
        (project.folder / "setup.py").unlink()
        write(project, {"pyproject.toml": PYPROJECT.format("setuptools.build_meta")})
    outcome = pip_wheel(project)
    assert outcome.returncode == 0 and "run it with FORCE_MUSA=1 too" in outcome.output, outcome.output
    assert "-1musa-" in project.wheel().name


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("pk/k.cu", "set MUSA_BUILD_FORCE_LEVEL to 2"),
        ("pk/libk.so.1", "pk/libk.so.1 is compiled for CUDA: FORCE_MUSA=1 needs its sources"),
    ],
)
def test_cuda_that_nothing_compiles_is_an_error(project: Project, file: str, said: str) -> None:
    write(project, {file: "\x7fELF needs libcudart.so.12"})
    outcome = project.setup("bdist_wheel")
    assert outcome.returncode != 0 and said in outcome.output and "[MB501]" in outcome.output, outcome.output
    assert not (project.folder / "dist").exists()


def test_a_package_without_cuda_is_left_alone(project: Project) -> None:
    write(project, {"pk/fast.cpp": "", "pk/libk.so": "\x7fELF", "tests/k.cu": ""})
    outcome = project.setup("bdist_wheel")
    assert outcome.returncode == 0 and "torch is imported: False" in outcome.output, outcome.output
    assert "musa" not in outcome.output.lower().replace("force_musa/", "") and "-1musa-" not in project.wheel().name


@pytest.mark.parametrize("command", ["sdist", "--version"])
def test_what_builds_nothing_is_left_alone(project: Project, command: str) -> None:
    write(project, {"pk/k.cu": ""})
    outcome = project.setup(command)
    assert outcome.returncode == 0 and "torch is imported: False" in outcome.output, outcome.output


@pytest.mark.parametrize("name", ["a_build_system_of_their_own", pytest.param("mesonpy", marks=pytest.mark.slow)])
def test_other_build_systems_are_refused_if_they_compile_no_cuda(project: Project, tmp_path: Path, name: str) -> None:
    (tmp_path / f"{name}.py").write_text(BUILD_SYSTEM)
    (project.folder / "setup.py").unlink()
    write(project, {"pyproject.toml": PYPROJECT.format(name), "pk/fast.cpp": ""})
    without_cuda = pip_wheel(project, PYTHONPATH=str(tmp_path))
    assert without_cuda.returncode == 0 and project.wheel().name == "pk-1-py3-none-any.whl", without_cuda.output
    project.wheel().unlink()
    write(project, {"pk/csrc/k.cu": ""})
    with_cuda = pip_wheel(project, PYTHONPATH=str(tmp_path))
    assert with_cuda.returncode != 0 and not list((project.folder / "dist").glob("*.whl"))
    assert "is for the CPU alone: no device code was compiled" in with_cuda.output, with_cuda.output
    assert "nvcc that compiles a source, and no library" in with_cuda.output and "[MB501]" in with_cuda.output
    write(project, {"CMakeLists.txt": "find_package(MusaBuild)\n"})
    with_musa = pip_wheel(project, PYTHONPATH=str(tmp_path))
    assert with_musa.returncode == 0 and "CMakeLists.txt supports MUSA" in with_musa.output, with_musa.output


def test_a_wheel_of_another_build_system_is_rewritten(project: Project, tmp_path: Path) -> None:
    """For a package that compiles on use: hatchling and similar backends compile nothing. pip checks RECORD."""
    (tmp_path / "flit_core").mkdir()
    (tmp_path / "flit_core" / "buildapi.py").write_text(BUILD_SYSTEM)
    (project.folder / "setup.py").unlink()
    write(project, {"pyproject.toml": PYPROJECT.format("flit_core.buildapi"), "pk/__init__.py": LOADS, "pk/k.cu": ""})
    outcome = pip_wheel(project, PYTHONPATH=str(tmp_path))
    assert outcome.returncode == 0, outcome.output
    assert "pk compiles its CUDA sources when they are used: run it with FORCE_MUSA=1 too" in outcome.output
    assert project.wheel().name == "pk-1-1musa-py3-none-any.whl"
    with zipfile.ZipFile(project.wheel()) as wheel:
        module = wheel.read("pk/__init__.py")
        assert b"if t.is_musa else" in module and b"Build: 1musa\n" in wheel.read("pk-1.dist-info/WHEEL")
        digest = base64.urlsafe_b64encode(hashlib.sha256(module).digest()).rstrip(b"=").decode()
        assert f"pk/__init__.py,sha256={digest},{len(module)}\n" in wheel.read("pk-1.dist-info/RECORD").decode()
    project.wheel().unlink()
    write(project, {"pk/__init__.py": "def kernels(text):\n    import cupy\n    return cupy.RawModule(code=text)\n"})
    outcome = pip_wheel(project, PYTHONPATH=str(tmp_path))
    assert outcome.returncode == 0 and project.wheel().name == "pk-1-1musa-py3-none-any.whl", outcome.output
    assert "pk compiles its CUDA sources when they are used: by RawModule: run it by `musa-build run`" in outcome.output


def test_cmake_that_compiles_nothing_is_refused(project: Project) -> None:
    """As bitsandbytes without its option for CUDA."""
    (project.folder / "setup.py").unlink()
    cmake = 'cmake_minimum_required(VERSION 3.22)\nproject(pk)\nmessage(STATUS "CMake runs")\n'
    pyproject = PYPROJECT.format("scikit_build_core.build")
    write(project, {"pyproject.toml": pyproject, "CMakeLists.txt": cmake, "src/k.cu": ""})
    outcome = pip_wheel(project)
    assert outcome.returncode != 0 and "CMake runs" in outcome.output, outcome.output
    assert "is for the CPU alone: no device code was compiled" in outcome.output, outcome.output


def test_an_isolated_build_is_refused_by_its_front_end(project: Project) -> None:
    """`python -m build` makes an environment without musa_build."""
    write(project, {"pk/k.cu": "", "pyproject.toml": PYPROJECT.format("setuptools.build_meta")})
    outcome = project.run("-m", "build", "--wheel", PIP_NO_INDEX="1")
    assert outcome.returncode != 0 and "this package is built in isolation" in outcome.output, outcome.output
    assert not (project.folder / "dist").exists()
    write(project, {"setup.py": "import musa_build\n"})
    outcome = project.run("-m", "build", "--wheel", PIP_NO_INDEX="1")
    assert "this package is built in isolation" not in outcome.output, "it supports MUSA"


def test_musa_builds_own_checkout_is_left_alone() -> None:
    """It has CUDA sources, to build and to port; FORCE_MUSA=1 may be set when it is installed."""
    assert musa_support(Path(__file__).parents[2] / "setup.py") is not None


@pytest.mark.parametrize(
    ("files", "found", "on_use"),
    [
        ({}, "", False),
        ({"a/b/k.cu": ""}, "a/b/k.cu", False),
        ({"inc/k.cuh": "", "a.py": LOADS}, "inc/k.cuh", True),
        ({"k.cu": "", "a.py": "module = cupy.RawModule(code=text)"}, "k.cu", True),
        ({"k.cu": "", "a.py": "from pycuda.compiler import SourceModule as S; S (t); SourceModule (t)"}, "k.cu", True),
        ({"k.cu": "", "a.py": "from cupy import RawModule"}, "k.cu", False),
        ({"k.cu": "", "a.py": "path = shutil.which('nvcc')"}, "k.cu", True),
        ({"k.cu": "", "a.py": 'run(["nvcc", "-O3", source])'}, "k.cu", True),
        ({"k.cu": "", "a.py": "name = home / 'bin/nvcc.exe'"}, "k.cu", True),
        ({"k.cu": "", "a.py": "raise OSError('there is no nvcc')  # nvcc, 'nvcc-11'"}, "k.cu", False),
        ({"a.py": 'run(["nvcc", "-O3", source])'}, "", False),
        ({"a.py": "module = cupy.RawModule(code=text)"}, "", False),
        ({"setup.py": LOADS, "k.cu": ""}, "k.cu", False),
        ({"a.py": INLINE}, "a.py", True),
        ({"a.py": LOADS, "k.cpp": ""}, "", False),
        ({"lib/libk.so": "x.nv_fatbin"}, "lib/libk.so", False),
        ({"lib/libk.a": "xlibcudart.so.11.0"}, "lib/libk.a", False),
        ({"k.cubin": ""}, "k.cubin", False),
        ({"libk.so": "", "k.so.txt": "libcudart.so"}, "", False),
        (
            {
                "tests/k.cu": "",
                "docs/k.cu": "",
                "build/k.cu": "",
                ".git/k.cu": "",
                "env/pyvenv.cfg": "",
                "env/k.cu": "",
            },
            "",
            False,
        ),
    ],
)
def test_which_files_make_a_project_cudas(project: Project, files: dict[str, str], found: str, on_use: bool) -> None:
    write(project, files)
    assert (cuda_file(project.folder), bool(compiles_on_use(project.folder))) == (found, on_use)
