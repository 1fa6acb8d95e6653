"""The manual's chapter 5.8: a C++ program without Python runs a model that was saved on musa."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import torch

from musa_build.system.files import write_if_changed

pytestmark = pytest.mark.usefixtures("cmake_program")

Run = Callable[..., str]
CHECKS = Path(__file__).parent / "checks"


# The manual's lines, then a comparison with the CPU.
PROGRAMS = Path(__file__).with_name("programs")
PROGRAM = (PROGRAMS / "example_app.cpp").read_text(encoding="utf-8")

CMAKE_LISTS = """
cmake_minimum_required(VERSION 3.18 FATAL_ERROR)
project(example-app CXX C)
find_package(TorchMusa REQUIRED)
add_executable(example-app example-app.cpp)
target_link_libraries(example-app torch_musa)
"""

# As the vendor's example was written for older releases: a variable, an older CMake and C++, flags for the linker.
OLDER_CMAKE_LISTS = """
cmake_minimum_required(VERSION 3.10 FATAL_ERROR)
project(example-app CXX C)
find_package(TorchMusa REQUIRED)
add_executable(example-app example-app.cpp)
set_target_properties(example-app PROPERTIES CXX_STANDARD 17 LINK_FLAGS "-Wl,--as-needed")
target_link_libraries(example-app ${TorchMusa_LIBRARIES})
"""


# Neither Python nor a setting of ours: what a deployed program has.
BARE = {"PATH": "/usr/bin:/bin"}


def site_of(folder: Path) -> Path:
    """Copy the package's files to `folder`, as an installed wheel has them."""
    import torch_musa

    installed = Path(torch_musa.__file__).parent
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(installed, folder / "torch_musa", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def cmake(*arguments: str, environment: Mapping[str, str] = {}) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return subprocess.run(
        ["cmake", *arguments],
        env={**os.environ, "PATH": path, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def configure(project: Path, site: Path, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    asked = "import torch_musa; print(torch_musa.core.cmake_prefix_path)"
    answer = subprocess.run(
        [sys.executable, "-c", asked],
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=True,
    )
    prefix = answer.stdout.strip()
    assert prefix == str(site / "torch_musa/share/cmake")
    return cmake(
        *("-S", str(project), "-B", str(project / "build"), f"-DCMAKE_PREFIX_PATH={prefix}"),
        *(f"-DPython_EXECUTABLE={sys.executable}", *options),
        environment=environment,
    )


def built(project: Path, site: Path, cmake_lists: str, source: str) -> tuple[Path, str]:
    """Build the example; return the program and what ldd says of it."""
    for name, text in {"CMakeLists.txt": cmake_lists, "example-app.cpp": source}.items():
        write_if_changed(project / name, text)
    configured = configure(project, site)
    assert configured.returncode == 0, configured.stdout
    done = cmake("--build", str(project / "build"))
    assert done.returncode == 0, done.stdout
    program = project / "build" / "example-app"
    return program, subprocess.run(["ldd", program], capture_output=True, text=True, env=BARE, check=True).stdout


@pytest.mark.slow
def test_program_without_python(run: Run, kept_folder: Path, tmp_path: Path) -> None:
    project = kept_folder / "a folder with blanks"
    site = site_of(project / "site packages")
    program, libraries = built(project, site, CMAKE_LISTS, PROGRAM)
    assert "libtorch_python" not in libraries and "libpython" not in libraries and "not found" not in libraries
    assert f"libtorch_musa.so => {site}/torch_musa/lib/libtorch_musa.so" in libraries

    run(str(CHECKS / "save_model.py"))
    command = [str(program), str(tmp_path / "model.pt")]
    ran = subprocess.run(command, capture_output=True, text=True, env=BARE, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "musa:0 [1, 5] 1\n", "")


@pytest.mark.slow
def test_a_program_that_names_nothing_of_it_keeps_the_device(tmp_path: Path) -> None:
    site = site_of(tmp_path / "site")
    source = "#if __cplusplus < 202002L && TORCH_NEEDS >= 20\n#error torch needs a newer C++\n#endif\nint main() {}\n"
    needs = "20" if torch.__version__ >= "2.13" else "17"
    program, libraries = built(tmp_path, site, OLDER_CMAKE_LISTS, source.replace("TORCH_NEEDS", needs))
    assert f"libtorch_musa.so => {site}/torch_musa/lib/libtorch_musa.so" in libraries and "not found" not in libraries
    assert subprocess.run([program], env=BARE, check=False).returncode == 0


@pytest.mark.slow
def test_the_sdk_that_the_user_names(tmp_path: Path, sim_sdk_root: Path) -> None:
    """The program's own libraries come first, so that one process never has two runtimes."""
    others_write_there = shutil.ignore_patterns("precompiled")
    other = Path(shutil.copytree(sim_sdk_root, tmp_path / "another sdk", symlinks=True, ignore=others_write_there))
    site = site_of(tmp_path / "site")
    environment = pytest.MonkeyPatch()
    environment.setenv("MUSA_HOME", str(other))
    try:
        _, libraries = built(tmp_path, site, CMAKE_LISTS, "int main() {}\n")
    finally:
        environment.undo()
    found = [line for line in libraries.splitlines() if line.strip().startswith("libmu")]
    assert len(found) == 5 and all(str(other) in line for line in found), libraries


@pytest.mark.slow
def test_what_is_missing_is_named(tmp_path: Path) -> None:
    site = site_of(tmp_path / "site")
    (tmp_path / "CMakeLists.txt").write_text(CMAKE_LISTS)
    (tmp_path / "example-app.cpp").write_text("int main() {}\n")
    other = tmp_path / "other" / "Torch"
    other.mkdir(parents=True)
    (other / "TorchConfig.cmake").write_text("add_library(torch INTERFACE IMPORTED)\n")
    release = 'set(PACKAGE_VERSION "1.13.1")\nset(PACKAGE_VERSION_COMPATIBLE TRUE)\n'
    (other / "TorchConfigVersion.cmake").write_text(release)
    refused = configure(tmp_path, site, f"-DTorch_DIR={other}")
    built_with = ".".join(torch.__version__.split(".")[:2])
    words = " ".join(refused.stdout.split())
    assert refused.returncode != 0
    assert f"torch_musa was built with PyTorch {built_with}, but" in words and "is 1.13.1" in words

    shutil.rmtree(tmp_path / "build")
    refused = configure(tmp_path, site, "-DPython_EXECUTABLE=/bin/false", "-DCMAKE_DISABLE_FIND_PACKAGE_Torch=ON")
    words = " ".join(refused.stdout.split())
    assert refused.returncode != 0 and "PyTorch was not found: set Python_EXECUTABLE" in words
