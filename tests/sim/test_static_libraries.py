"""Programs that ask for the SDK's archives, with kernels in an archive of their own, link and run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from musa_build.cmake.facts import CMAKE_DIR

PROGRAMS = Path(__file__).with_name("programs")

KERNEL = (PROGRAMS / "square.mu").read_text(encoding="utf-8")

MAIN = (PROGRAMS / "square_main.cpp").read_text(encoding="utf-8")

PROJECT = """cmake_minimum_required(VERSION 3.20)
project(statics LANGUAGES CXX)
list(PREPEND CMAKE_MODULE_PATH "{modules}")
find_package(MUSAToolkit REQUIRED)
add_executable(program main.cpp)
target_link_libraries(program PRIVATE "{archive}" MUSA::musart_static MUSA::mublas_static)
"""

EXPECTED = "144 1 1\n"


def checked(*words: object, **env: str) -> str:
    clean = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
    command = [str(word) for word in words]
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, env={**clean, **env}
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def archive(sim_sdk_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive with a kernel, beside a program that calls it."""
    folder = tmp_path_factory.mktemp("archive")
    (folder / "kernel.mu").write_text(KERNEL)
    (folder / "main.cpp").write_text(MAIN)
    checked(sim_sdk_root / "bin/mcc", "-fPIC", "-c", folder / "kernel.mu", "-o", folder / "kernel.o")
    checked("ar", "rcs", folder / "libkernels.a", folder / "kernel.o")
    return folder / "libkernels.a"


@pytest.mark.parametrize("compiler", ["mcc", "g++"])
def test_by_name(sim_sdk_root: Path, archive: Path, tmp_path: Path, compiler: str) -> None:
    lib, program = sim_sdk_root / "lib", tmp_path / "program"
    command = [sim_sdk_root / "bin/mcc"] if compiler == "mcc" else ["g++", f"-Wl,-rpath,{lib}"]
    sources = [archive.parent / "main.cpp", archive, f"-I{sim_sdk_root}/include", f"-L{lib}"]
    checked(*command, *sources, "-lmublas_static", "-lmusart_static", "-ldl", "-lpthread", "-lrt", "-o", program)
    assert checked(program) == EXPECTED
    # the process has one runtime, the shared one
    assert "libmusart.so" in checked("readelf", "-d", program)


@pytest.mark.parametrize("modules", ["musa_build", "sdk"])
def test_by_cmakes_targets(sim_sdk_root: Path, archive: Path, tmp_path: Path, cmake_program: str, modules: str) -> None:
    folder = f"{CMAKE_DIR}/modules" if modules == "musa_build" else f"{sim_sdk_root}/cmake"
    (tmp_path / "CMakeLists.txt").write_text(PROJECT.format(modules=folder, archive=archive))
    (tmp_path / "main.cpp").write_text(MAIN)
    configure = [cmake_program, "-S", tmp_path, "-B", tmp_path / "build", f"-DPython_EXECUTABLE={sys.executable}"]
    checked(*configure, MUSA_HOME=str(sim_sdk_root))
    checked(cmake_program, "--build", tmp_path / "build", MUSA_HOME=str(sim_sdk_root))
    assert checked(tmp_path / "build/program") == EXPECTED


def test_what_the_driver_brings_has_no_archive(sim_sdk_root: Path) -> None:
    archives = {path.name for path in (sim_sdk_root / "lib").glob("*.a")}
    assert {"libmusart_static.a", "libmublas_static.a", "libmufft_static.a", "libmurand_static.a"} <= archives
    assert not {"libmusa_static.a", "libmudnn_static.a", "libmudnncxx_static.a", "libmtml_static.a"} & archives
