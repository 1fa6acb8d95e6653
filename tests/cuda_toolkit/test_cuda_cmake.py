"""Unchanged CUDA projects, built by CMake with the toolkit."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
import sdists

pytestmark = pytest.mark.compiles
PACKAGES = Path(__file__).parents[1] / "packages"
GENERATORS = ("Ninja", "Unix Makefiles")
OTHER_CMAKES = ("3.22.6", "3.25.2", "3.31.6", "4.1.2")


def built(name: str, folder: Path, environment: Mapping[str, str], generator: str, cmake: str) -> Path:
    """Configure and build a package from a folder with an awkward name. Return the build folder."""
    source = Path(shutil.copytree(PACKAGES / name, folder / "my project" / name))
    build = folder / "the build"
    for command in (["-S", str(source), "-B", str(build), "-G", generator], ["--build", str(build), "--parallel", "2"]):
        done = subprocess.run([cmake, *command], env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    return build


def cmake_of(version: str) -> str:
    """Return the program of a release of CMake. Skip the test where it cannot be had.

    It is the program itself, not the script that pip writes: the script names the environment that installed it.
    """
    try:
        return str(sdists.installed_package("cmake", version) / "cmake" / "data" / "bin" / "cmake")
    except sdists.Unavailable as error:
        pytest.skip(str(error))


def output(program: Path, environment: Mapping[str, str]) -> str:
    """Run a program as a user does: without a library path, which CUDA's static runtime does not need."""
    kept = {name: value for name, value in environment.items() if name not in ("LD_LIBRARY_PATH", "LD_RUN_PATH")}
    return subprocess.run([program], env=kept, capture_output=True, text=True, check=True).stdout


def check_project(build: Path, environment: Mapping[str, str]) -> None:
    assert output(build / "app", environment) == "42 11 22 1\n"
    assert output(build / "alone", environment) == f"{sum(i * i for i in range(32))}\n"


@pytest.mark.parametrize("generator", GENERATORS)
def test_a_project(generator: str, tmp_path: Path, toolkit_environment: Mapping[str, str], cmake_program: str) -> None:
    check_project(built("cuda_project", tmp_path, toolkit_environment, generator, cmake_program), toolkit_environment)


@pytest.mark.slow
@pytest.mark.parametrize("generator", GENERATORS)
@pytest.mark.parametrize("version", OTHER_CMAKES)
def test_a_project_with_other_cmakes(
    version: str, generator: str, tmp_path: Path, toolkit_environment: Mapping[str, str]
) -> None:
    cmake = cmake_of(version)
    said = subprocess.run([cmake, "--version"], capture_output=True, text=True, check=True).stdout
    assert f"cmake version {version}" in said
    check_project(built("cuda_project", tmp_path, toolkit_environment, generator, cmake), toolkit_environment)


@pytest.mark.slow
def test_a_project_in_the_style_before_cmake_knew_cuda(tmp_path: Path, toolkit_environment: Mapping[str, str]) -> None:
    cmake = cmake_of("3.25.2")  # 4.x has removed it
    build = built("cuda_find_package", tmp_path, toolkit_environment, "Ninja", cmake)
    assert output(build / "app", toolkit_environment) == "40\n"


OPENMP = """
cmake_minimum_required(VERSION 3.31)
project(openmp LANGUAGES CXX CUDA)
find_package(OpenMP REQUIRED)
add_executable(app openmp.cu)
target_link_libraries(app PRIVATE OpenMP::OpenMP_CUDA)
"""


@pytest.mark.slow
def test_openmp_of_cmake(tmp_path: Path, toolkit_environment: Mapping[str, str]) -> None:
    cmake = cmake_of("3.31.6")  # older ones have no OpenMP for CUDA
    (tmp_path / "CMakeLists.txt").write_text(OPENMP)
    shutil.copy(Path(__file__).parent / "programs" / "openmp.cu", tmp_path)
    for words in (["-S", ".", "-B", "build", "-G", "Ninja"], ["--build", "build"]):
        done = subprocess.run(
            [cmake, *words], cwd=tmp_path, env=toolkit_environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert output(tmp_path / "build" / "app", toolkit_environment) == "0 wrong, 3 threads\n"
