"""Port, generate, configure, build, install, import: the manual's flow with a real cmake, and what is built again."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from cmake_runner import CMake

from musa_build import CMakeListsGenerator, SimplePorting

Sample = Callable[[str], Path]


def generate(root: Path, monkeypatch: pytest.MonkeyPatch, **options: object) -> Path:
    """Ports the sample in `root` and writes its CMakeLists.txt; the seed's own call with names filled in."""
    monkeypatch.chdir(root)
    SimplePorting(cuda_dir_path="csrc").run()
    return CMakeListsGenerator(
        sources=["csrc_musa/affine.mu", "csrc_musa/bindings.cpp"],
        include_dirs=["csrc_musa"],
        link_libraries="m",
        define_macros=[("GREETING", "\"a 'b' $c\""), ("MCC_FLAG", 7), ("BARE", None)],
        project_name="affine",
        plugin_name="affine",
        **options,  # type: ignore[arg-type]
    ).generate()


@pytest.mark.parametrize("generator", ["Ninja", pytest.param("Unix Makefiles", marks=pytest.mark.slow)])
def test_port_generate_configure_build_install_import(
    generator: str, cmake: CMake, sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = sample("affine_cuda")
    generate(root, monkeypatch)
    build, site = root / "build", root / "site"
    cmake.configure(root, build, f"-DPython_EXECUTABLE={sys.executable}", generator=generator)
    assert cmake.build(build) == ["CXX bindings.cpp", "MUSA affine.mu", "link"]
    assert cmake.build(build) == []

    cmake.run("--install", str(build), "--prefix", str(site))
    assert cmake.import_affine(site) == "a 'b' $c|7"

    header = root / "csrc_musa" / "offset.muh"
    header.write_text(header.read_text() + "// changed\n")
    assert cmake.build(build) == ["MUSA affine.mu", "link"], "only what includes the header"
    cmake.configure(root, build, "-DCMAKE_MUSA_ARCHITECTURES=2.1,mp_22", generator=generator)
    rebuilt = cmake.build(build)
    if generator == "Ninja":  # make compares the flags of a whole target
        rebuilt.insert(0, "CXX bindings.cpp")
    assert rebuilt == ["CXX bindings.cpp", "MUSA affine.mu", "link"]
    assert cmake.import_affine(build) == "a 'b' $c|7"
    if generator == "Ninja":  # the Makefile generators of older CMake know no foreign language here
        commands = json.loads((build / "compile_commands.json").read_text())
        assert any(entry["file"].endswith("affine.mu") and "mp_21" in entry["command"] for entry in commands)


@pytest.mark.parametrize("kind", ["shared", "static"])
def test_plain_libraries(kind: str, cmake: CMake, sample: Sample, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without Python and torch; used by a program that only knows the installed file."""
    root = sample("affine_cuda")
    monkeypatch.chdir(root)
    SimplePorting(cuda_dir_path="csrc").run()
    output = root / "generated"
    options = {"plugin_name": "affine", "kind": kind, "torch": False, "output_dir": output}
    CMakeListsGenerator("csrc_musa/affine.mu", define_macros="MCC_FLAG=3", **options).generate()  # type: ignore[arg-type]
    cmake.configure(output, root / "build", f"-DPython_EXECUTABLE={sys.executable}")
    cmake.build(root / "build")
    cmake.run("--install", str(root / "build"), "--prefix", str(root / "prefix"))
    (library,) = (root / "prefix").glob(f"lib*/libaffine.{'so' if kind == 'shared' else 'a'}")
    (root / "main.cpp").write_text(
        "int affine(float*, int, float); int mcc_flag();\n"
        "int main() { float x[3] = {1, 2, 3}; return affine(x, 3, 2) || x[2] != 7 || mcc_flag() != 3; }\n"
    )
    sdk = Path(cmake.environment["MUSA_HOME"]) / "lib"
    runtime = [f"-L{sdk}", "-lmusart", f"-Wl,-rpath,{sdk}:{library.parent}"]
    subprocess.run(["c++", "main.cpp", str(library), *runtime, "-o", "main"], cwd=root, check=True)
    subprocess.run([str(root / "main")], check=True)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["module", "shared"])
def test_the_golden_files_configure_and_build(cmake: CMake, tmp_path: Path, kind: str) -> None:
    """Build the golden files of test_cmake_lists_generator.py, with the awkward names that it holds."""
    for name in ("a.mu", "b.cpp", "c.c", 'sub dir/d "x" $y.mu'):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    shutil.copy(Path(__file__).parent / "golden" / f"{kind}.cmake", tmp_path / "CMakeLists.txt")
    build = tmp_path / "build"
    cmake.configure(tmp_path, build)
    assert [step.split()[0] for step in cmake.build(build)] == ["C", "CXX", "MUSA", "MUSA", "link"]
    assert len(list(build.glob("*demo_musa*.so"))) == 1
