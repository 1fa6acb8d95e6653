"""The modules in the SDK's own cmake/, as projects use them that know nothing of musa_build."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., str]
PROJECTS = Path(__file__).with_name("cmake_projects")


@pytest.fixture
def run(sim_sdk_root: Path, cmake_program: str) -> Run:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    env = {**os.environ, "PATH": path, "MUSA_HOME": str(sim_sdk_root)}

    def checked(*words: object, fails: bool = False) -> str:
        command = [str(word) for word in words]
        done = subprocess.run(
            command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
        assert (done.returncode != 0) == fails, done.stdout
        return done.stdout

    return checked


def copy(project: str, folder: Path) -> None:
    shutil.copytree(PROJECTS / project, folder, dirs_exist_ok=True)
    if project == "commands":  # it has the file in a folder with a blank in its name
        (folder / "a dir").mkdir()
        (folder / "twice.mu").rename(folder / "a dir" / "twice.mu")


@pytest.mark.parametrize("generator", ["Ninja", "Unix Makefiles"])
def test_find_musa(run: Run, sim_sdk_root: Path, tmp_path: Path, generator: str) -> None:
    source, build = tmp_path / "my (odd) project", tmp_path / "build"
    copy("commands", source)
    said = run("cmake", "-S", source, "-B", build, "-G", generator, "-DCMAKE_BUILD_TYPE=Release")
    facts = f"{sim_sdk_root}/include {sim_sdk_root}/lib/libmusart.so {sim_sdk_root}/bin/mcc"
    assert f"found TRUE {facts}" in said
    run("cmake", "--build", build)
    assert run(build / "demo") == "41 0 0\n"
    # files that include the header are compiled again, and nothing else
    (source / "include/scale.h").write_text("#define OFFSET 2\n")
    again = run("cmake", "--build", build)
    assert run(build / "demo") == "42 0 0\n"
    assert again.count("Building MCC (Device) object") == 1


def test_the_commands_are_printed_if_asked_for(run: Run, sim_sdk_root: Path, tmp_path: Path) -> None:
    source, build = tmp_path / "source", tmp_path / "build"
    copy("commands", source)
    project = (source / "CMakeLists.txt").read_text()
    verbose = project.replace("find_package", "set(MUSA_VERBOSE_BUILD ON)\nfind_package", 1)
    (source / "CMakeLists.txt").write_text(verbose)
    run("cmake", "-S", source, "-B", build, "-G", "Unix Makefiles", "-DCMAKE_BUILD_TYPE=Release")
    said = run("cmake", "--build", build)
    assert f"{sim_sdk_root}/bin/mcc -x musa {source}/a dir/twice.mu -c -o " in said
    assert " -DONLY_TWICE=1 " in said and f" -I{source}/include " in said
    assert run(build / "demo") == "41 0 0\n"


def test_separable_compilation_is_refused(run: Run, tmp_path: Path) -> None:
    copy("commands", tmp_path)
    said = run("cmake", "-S", tmp_path, "-B", tmp_path / "build", "-DMUSA_SEPARABLE_COMPILATION=ON", fails=True)
    assert "MUSA_SEPARABLE_COMPILATION isn't supported" in said


def test_find_musa_toolkit(run: Run, tmp_path: Path) -> None:
    copy("toolkit", tmp_path)
    assert "numbers 5 2 0\n" in run("cmake", "-S", tmp_path, "-B", tmp_path / "build", "-G", "Ninja")
    run("cmake", "--build", tmp_path / "build")
    assert run(tmp_path / "build/transform") == "0 0\n"
    said = run("cmake", "-S", tmp_path, "-B", tmp_path / "other", "-G", "Ninja", "-DMORE=mtjpeg", fails=True)
    assert "missing: mtjpeg" in said


def test_the_language_is_enabled(run: Run, sim_sdk_root: Path, tmp_path: Path) -> None:
    source, build = tmp_path / "source", tmp_path / "build"
    copy("language", source)
    said = run("cmake", "-S", source, "-B", build, "-G", "Ninja", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON")
    assert f"The MUSA compiler is mcc 5.2.0: {sim_sdk_root}/bin/mcc" in said
    run("cmake", "--build", build)
    assert run(build / "demo") == "41 0\n"
    assert "twice.mu" in (build / "compile_commands.json").read_text()
    symbols = run("nm", "-DC", build / "libkernels.so")
    assert " T scaled(int)" in symbols and "hidden()" not in symbols
    (source / "include/scale.h").write_text("#define OFFSET 2\n")
    assert run("cmake", "--build", build).count("Building MUSA object") == 1
    assert run(build / "demo") == "42 0\n"


def test_what_the_language_needs_is_said(run: Run, tmp_path: Path) -> None:
    copy("language", tmp_path)
    said = run("cmake", "-S", tmp_path, "-B", tmp_path / "make", "-G", "Unix Makefiles", fails=True)
    assert "supports the generator Ninja only, not Unix Makefiles" in " ".join(said.split())
    early = "set(CMAKE_MODULE_PATH $ENV{MUSA_HOME}/cmake)\ninclude(EnableMUSALanguage)\nproject(late)\n"
    (tmp_path / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.23)\n" + early)
    said = run("cmake", "-S", tmp_path, "-B", tmp_path / "early", "-G", "Ninja", fails=True)
    assert "must come after project(...)" in said
