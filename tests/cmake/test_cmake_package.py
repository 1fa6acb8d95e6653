"""find_package(MusaBuild): the verbs, the language, architectures, and what is said when something is missing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from cmake_runner import CMake

import musa_build
from musa_build.cmake.facts import CMAKE_DIR

Sample = Callable[[str], Path]
PREFIX = f"-DCMAKE_PREFIX_PATH={Path(musa_build.__file__).parent}"  # scikit-build-core adds it by itself
FIND = "project(small LANGUAGES CXX)\nfind_package(MusaBuild REQUIRED)\n"


def test_verbs_and_language(cmake: CMake, sample: Sample) -> None:
    root = sample("cmake_verbs")
    build = root / "build"
    cmake.configure(root, build, PREFIX, "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS=-DNEEDS_DEBUG")
    assert "MUSA forced.cpp" in cmake.build(build)
    for card in ("mp_22", "mp_31"):
        tested = cmake.attempt("-E", "env", f"MUSA_SIM_DEVICES={card}", str(build / "native"))
        assert tested.returncode == 0, tested.stdout
    for program in ("program", "host"):
        tested = cmake.attempt("-E", "env", str(build / program))
        assert tested.returncode == 0, tested.stdout
    assert cmake.build(build) == []


@pytest.mark.skipif(shutil.which("ccache") is None, reason="there is no ccache here")
def test_ccache_as_the_launcher_of_mcc(cmake: CMake, tmp_path: Path) -> None:
    (tmp_path / "part.mu").write_text("#include <musa_runtime.h>\n__global__ void part() {}\n")
    root = small_project(tmp_path, FIND + "add_library(part STATIC part.mu)\ntarget_link_libraries(part MUSA::musart)")
    environment = {"CCACHE_DIR": str(tmp_path / "ccache")}
    for folder in ("one", "two"):
        arguments = ("-S", str(root), "-B", str(root / folder), "-G", "Ninja", PREFIX)
        assert cmake.attempt(*arguments, "-DCMAKE_MUSA_COMPILER_LAUNCHER=ccache").returncode == 0
        assert cmake.attempt("--build", str(root / folder), **environment).returncode == 0
    counts = subprocess.run(
        ["ccache", "--print-stats"], env={**os.environ, **environment}, capture_output=True, text=True, check=True
    ).stdout
    assert "direct_cache_hit\t1\n" in counts and "cache_miss\t1\n" in counts, counts


def test_the_launcher_of_mcc_is_where_the_rule_expects_it() -> None:
    rule = (CMAKE_DIR / "modules" / "CMakeMUSAInformation.cmake").read_text()
    (launcher,) = re.findall(r"\$\{_musa_package\}/([\w./]+)", rule)
    assert os.access(CMAKE_DIR.parent / launcher, os.X_OK)


def small_project(root: Path, text: str) -> Path:
    root.mkdir(exist_ok=True)
    (root / "CMakeLists.txt").write_text(f"cmake_minimum_required(VERSION 3.22...4.1)\n{text}\n")
    return root


@pytest.mark.parametrize(
    ("text", "options", "environment", "message"),
    [
        (FIND, (), {"MUSA_HOME": "/nowhere"}, "set MUSA_HOME to"),
        (FIND, (), {"TORCH_MUSA_ARCH_LIST": "22;99"}, "TORCH_MUSA_ARCH_LIST names an unknown MUSA architecture: '99'"),
        (FIND, ("-DCMAKE_MUSA_ARCHITECTURES=sm_80",), {}, "an unknown MUSA architecture: 'sm_80'"),
        ("project(small NONE)\nfind_package(MusaBuild REQUIRED)", (), {}, "call find_package(MusaBuild) after project"),
        (FIND + "musa_add_extension(x x.mu)", (), {}, "needs find_package(Python COMPONENTS"),
        (FIND.replace("MusaBuild", "MusaBuild 99"), (), {}, 'compatible with requested version "99"'),
        (FIND + "find_package(MUSAToolkit REQUIRED COMPONENTS mtjpeg)", (), {}, "mtjpeg"),
    ],
)
def test_mistakes_are_explained(
    text: str, options: tuple[str, ...], environment: dict[str, str], message: str, cmake: CMake, tmp_path: Path
) -> None:
    root = small_project(tmp_path / "small", text)
    fast = ("-DCMAKE_CXX_COMPILER_WORKS=1", "-DCMAKE_MUSA_COMPILER_WORKS=1")
    arguments = ("-S", str(root), "-B", str(root / "build"), "-G", "Ninja", PREFIX, *fast, *options)
    done = cmake.attempt(*arguments, **{"MUSA_PATH": "", **environment})
    assert done.returncode != 0 and message in " ".join(done.stdout.split()), done.stdout


@pytest.mark.slow
def test_the_language_by_name_and_the_cards_of_this_machine(cmake: CMake, tmp_path: Path) -> None:
    """project(... LANGUAGES MUSA) without find_package; `native` asks the cards, `all` is a list of products."""
    root = small_project(
        tmp_path / "small",
        f'list(PREPEND CMAKE_MODULE_PATH "{CMAKE_DIR}/modules")\n'
        "project(small LANGUAGES CXX MUSA)\n"
        'message(STATUS "chosen: ${CMAKE_MUSA_ARCHITECTURES}")',
    )
    for asked, cards, chosen in (("native", "mp_21,mp_31", "21;31"), ("all", "", "21;22;31")):
        arguments = ("-S", str(root), "-B", str(root / asked), "-G", "Ninja")
        done = cmake.attempt(*arguments, f"-DCMAKE_MUSA_ARCHITECTURES={asked}", MUSA_SIM_DEVICES=cards)
        assert done.returncode == 0 and f"chosen: {chosen}\n" in done.stdout, done.stdout


def test_mupti_in_the_folder_of_its_own(cmake: CMake, sim_sdk_root: Path, tmp_path: Path) -> None:
    """As in Moore Threads' SDK; the simulated one has it beside the others too."""
    sdk = tmp_path / "sdk"
    for name, folder in {"include": "include", "lib": "lib64"}.items():
        for path in (sim_sdk_root / name).iterdir():
            at = sdk / "extras/MUPTI" / folder if "mupti" in path.name else sdk / name
            at.mkdir(parents=True, exist_ok=True)
            (at / path.name).symlink_to(path)
    for name in ("bin", "version.json"):
        (sdk / name).symlink_to(sim_sdk_root / name)
    (tmp_path / "version.cpp").write_text(
        "#include <mupti.h>\nint main() { uint32_t v = 0; return muptiGetVersion(&v) != MUPTI_SUCCESS; }\n"
    )
    root = small_project(
        tmp_path,
        f'project(version LANGUAGES CXX)\nlist(APPEND CMAKE_MODULE_PATH "{CMAKE_DIR}/modules")\n'
        "find_package(MUSAToolkit REQUIRED COMPONENTS mupti)\nadd_executable(version version.cpp)\n"
        "target_link_libraries(version PRIVATE MUSA::mupti MUSA::musa_driver MUSA::musart)",
    )
    build = str(root / "build")
    for command in (("-S", str(root), "-B", build, "-G", "Ninja"), ("--build", build)):
        done = cmake.attempt(*command, MUSA_HOME=str(sdk))
        assert done.returncode == 0, done.stdout
    assert str(sdk / "extras/MUPTI/lib64/libmupti.so") in (root / "build/build.ninja").read_text()


def test_the_toolkit_alone(cmake: CMake, tmp_path: Path) -> None:
    """FindMUSAToolkit enables no language: a program of C++ that calls the runtime."""
    (tmp_path / "count.cpp").write_text(
        "#include <musa_runtime_api.h>\n"
        "int main() { int n = 0; return musaGetDeviceCount(&n) != musaSuccess || n < 1; }\n"
    )
    root = small_project(
        tmp_path,
        f'project(count LANGUAGES CXX)\nlist(APPEND CMAKE_MODULE_PATH "{CMAKE_DIR}/modules")\n'
        "find_package(MUSAToolkit REQUIRED)\nadd_executable(count count.cpp)\n"
        "target_link_libraries(count PRIVATE MUSA::musart)",
    )
    cmake.configure(root, root / "build")
    assert cmake.build(root / "build") == ["CXX count.cpp", "link"]
    assert cmake.attempt("-E", "env", str(root / "build" / "count")).returncode == 0
