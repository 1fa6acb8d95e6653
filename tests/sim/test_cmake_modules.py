"""The modules in the SDK's own cmake/, as projects use them that know nothing of musa_build."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., str]

PROJECT = """
cmake_minimum_required(VERSION 3.20)
project(demo LANGUAGES CXX)
list(APPEND CMAKE_MODULE_PATH $ENV{MUSA_HOME}/cmake)
find_package(MUSA 5 REQUIRED)
message(STATUS "found ${MUSA_FOUND} ${MUSA_INCLUDE_DIRS} ${MUSA_LIBRARIES} ${MUSA_MCC_EXECUTABLE}")
list(APPEND MUSA_MCC_FLAGS "--offload-arch=mp_22 -Od3" -mllvm -misched=mtgpu-max-ilp -DTHIRD=3)
set(MUSA_MCC_FLAGS_RELEASE -DRELEASE=1)
musa_include_directories(${CMAKE_CURRENT_SOURCE_DIR}/include)
add_definitions(-DSCALE=10)
set_source_files_properties(host.cpp PROPERTIES MUSA_SOURCE_PROPERTY_FORMAT OBJ)
musa_add_library(twice SHARED "a dir/twice.mu" OPTIONS -DFOURTH=4)
target_compile_definitions(twice PRIVATE ONLY_TWICE=1)
musa_compile(OBJECTS extra.mu)
musa_add_executable(demo host.cpp main.cpp ${OBJECTS})
target_link_libraries(demo twice)
"""

SOURCES = {
    "include/scale.h": "#define OFFSET 1\n",
    "a dir/twice.mu": """#include "scale.h"
#if !defined(ONLY_TWICE) || !defined(twice_EXPORTS) || THIRD != 3 || FOURTH != 4 || defined(__CUDA__) || !RELEASE
#error flags are missing
#endif
__global__ void scale(int* x) { *x = *x * SCALE + OFFSET; }
int scaled(int x) {
    int* on_device;
    musaMalloc(&on_device, sizeof x);
    musaMemcpy(on_device, &x, sizeof x, musaMemcpyDefault);
    scale<<<1, 1>>>(on_device);
    musaMemcpy(&x, on_device, sizeof x, musaMemcpyDefault);
    return x;
}
""",
    "extra.mu": "__global__ void nothing() {}\nint extra() { nothing<<<1, 1>>>(); return musaDeviceSynchronize(); }\n",
    "host.cpp": "__global__ void none() {}\nint launch() { none<<<1, 1>>>(); return musaDeviceSynchronize(); }\n",
    "main.cpp": """#include <cstdio>
#include <musa_runtime_api.h>
int scaled(int); int extra(); int launch();
int main() { std::printf("%d %d %d\\n", scaled(4), extra(), launch()); }
""",
}

TOOLKIT = """
cmake_minimum_required(VERSION 3.20)
project(toolkit LANGUAGES CXX)
list(APPEND CMAKE_MODULE_PATH $ENV{MUSA_HOME}/cmake)
find_package(MUSAToolkit 5 REQUIRED COMPONENTS mufft mublas mccl ${MORE})
add_executable(transform transform.cpp)
target_link_libraries(transform PRIVATE MUSA::musart_static MUSA::mufft_static MUSA::musa_driver)
message(STATUS "numbers ${MUSAToolkit_VERSION_MAJOR} ${MUSAToolkit_VERSION_MINOR} ${MUSAToolkit_VERSION_PATCH}")
"""

TRANSFORM = """#include <cstdio>
#include <musa.h>
#include <mufft.h>
int main() {
    mufftHandle plan;
    std::printf("%d %d\\n", muInit(0), mufftPlan1d(&plan, 8, MUFFT_C2C, 1));
}
"""


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


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.mark.parametrize("generator", ["Ninja", "Unix Makefiles"])
def test_find_musa(run: Run, sim_sdk_root: Path, tmp_path: Path, generator: str) -> None:
    source, build = tmp_path / "my (odd) project", tmp_path / "build"
    write(source, {"CMakeLists.txt": PROJECT, **SOURCES})
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
    write(
        source,
        {"CMakeLists.txt": PROJECT.replace("find_package", "set(MUSA_VERBOSE_BUILD ON)\nfind_package", 1), **SOURCES},
    )
    run("cmake", "-S", source, "-B", build, "-G", "Unix Makefiles", "-DCMAKE_BUILD_TYPE=Release")
    said = run("cmake", "--build", build)
    assert f"{sim_sdk_root}/bin/mcc -x musa {source}/a dir/twice.mu -c -o " in said
    assert " -DONLY_TWICE=1 " in said and f" -I{source}/include " in said
    assert run(build / "demo") == "41 0 0\n"


def test_separable_compilation_is_refused(run: Run, tmp_path: Path) -> None:
    write(tmp_path, {"CMakeLists.txt": PROJECT, **SOURCES})
    said = run("cmake", "-S", tmp_path, "-B", tmp_path / "build", "-DMUSA_SEPARABLE_COMPILATION=ON", fails=True)
    assert "MUSA_SEPARABLE_COMPILATION isn't supported" in said


def test_find_musa_toolkit(run: Run, tmp_path: Path) -> None:
    write(tmp_path, {"CMakeLists.txt": TOOLKIT, "transform.cpp": TRANSFORM})
    assert "numbers 5 2 0\n" in run("cmake", "-S", tmp_path, "-B", tmp_path / "build", "-G", "Ninja")
    run("cmake", "--build", tmp_path / "build")
    assert run(tmp_path / "build/transform") == "0 0\n"
    said = run("cmake", "-S", tmp_path, "-B", tmp_path / "other", "-G", "Ninja", "-DMORE=mtjpeg", fails=True)
    assert "missing: mtjpeg" in said


LANGUAGE = """
cmake_minimum_required(VERSION 3.23)
project(demo LANGUAGES CXX)
list(APPEND CMAKE_MODULE_PATH $ENV{MUSA_HOME}/cmake)
set(CMAKE_MUSA_STANDARD 17)
set(CMAKE_MUSA_FLAGS "--offload-arch=mp_22 -DFLAG=1")
include(EnableMUSALanguage)
enable_language(MUSA)
find_package(MUSAToolkit REQUIRED)
add_compile_options($<$<COMPILE_LANGUAGE:MUSA>:-DOF_MUSA> $<$<COMPILE_LANGUAGE:CXX>:-DOF_CXX>)
add_library(kernels SHARED twice.mu)
set_target_properties(kernels PROPERTIES MUSA_VISIBILITY_PRESET hidden MUSA_STANDARD 20 MUSA_EXTENSIONS OFF)
target_include_directories(kernels PRIVATE include)
target_compile_definitions(kernels PRIVATE SCALE=10)
target_link_libraries(kernels PRIVATE MUSA::musart)
add_executable(demo main.cpp own.mu)
target_link_libraries(demo PRIVATE kernels MUSA::musart)
"""

LANGUAGE_SOURCES = {
    "include/scale.h": "#define OFFSET 1\n",
    "twice.mu": """#include "scale.h"
#if !defined(OF_MUSA) || defined(OF_CXX) || !FLAG || __cplusplus != 202002L || !defined(__STRICT_ANSI__)
#error flags are missing
#endif
__global__ void scale(int* x) { *x = *x * SCALE + OFFSET; }
int hidden() { return 1; }
__attribute__((visibility("default"))) int scaled(int x) {
    int* on_device;
    musaMalloc(&on_device, sizeof x);
    musaMemcpy(on_device, &x, sizeof x, musaMemcpyDefault);
    scale<<<1, 1>>>(on_device);
    musaMemcpy(&x, on_device, sizeof x, musaMemcpyDefault);
    return x;
}
""",
    "own.mu": """#if __cplusplus != 201703L || defined(__STRICT_ANSI__)
#error a wrong standard
#endif
__global__ void nothing() {}
int own() { nothing<<<1, 1>>>(); return musaDeviceSynchronize(); }
""",
    "main.cpp": """#include <cstdio>
#ifdef OF_MUSA
#error C++ got the flags of MUSA
#endif
int scaled(int); int own();
int main() { std::printf("%d %d\\n", scaled(4), own()); }
""",
}


def test_the_language_is_enabled(run: Run, sim_sdk_root: Path, tmp_path: Path) -> None:
    source, build = tmp_path / "source", tmp_path / "build"
    write(source, {"CMakeLists.txt": LANGUAGE, **LANGUAGE_SOURCES})
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
    write(tmp_path, {"CMakeLists.txt": LANGUAGE, **LANGUAGE_SOURCES})
    said = run("cmake", "-S", tmp_path, "-B", tmp_path / "make", "-G", "Unix Makefiles", fails=True)
    assert "supports the generator Ninja only, not Unix Makefiles" in " ".join(said.split())
    early = "set(CMAKE_MODULE_PATH $ENV{MUSA_HOME}/cmake)\ninclude(EnableMUSALanguage)\nproject(late)\n"
    (tmp_path / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.23)\n" + early)
    said = run("cmake", "-S", tmp_path, "-B", tmp_path / "early", "-G", "Ninja", fails=True)
    assert "must come after project(...)" in said
